// What the server wrote into the page: who looks at it, in which language, which engine answers.
export const boot = JSON.parse(document.getElementById("boot").textContent);

const RANKS = ["customer", "staff", "operator", "admin"];
export const atLeast = (role) => RANKS.indexOf(boot.role) >= RANKS.indexOf(role);
