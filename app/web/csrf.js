// The token that a logged-in page repeats with every unsafe call; empty for visitors and in local mode.
const token = document.querySelector('meta[name="csrf-token"]')?.content ?? "";

export const csrfHeaders = () => (token ? { "X-CSRF-Token": token } : {});
