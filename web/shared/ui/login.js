// Logging in with a key. It leaves the page once and is kept nowhere; the cookie is not readable here.
import { call } from "../api.js";
import { html, signal, useState } from "../html.js";
import { t } from "../i18n.js";
import { remember } from "../store.js";
import { Dialog } from "./dialog.js";

export const loginOpen = signal(false);

export async function logOut() {
  await call("POST", "/api/logout");
  remember("thread", null, "sessionStorage");
  location.reload();
}

export function Login() {
  const [fault, setFault] = useState("");
  const [busy, setBusy] = useState(false);
  const close = () => (loginOpen.value = false);
  const submit = async (event) => {
    event.preventDefault();
    const field = event.target.elements.key;
    setBusy(true);
    setFault("");
    try {
      await call("POST", "/api/login", { key: field.value });
      location.reload();
    } catch (problem) {
      setFault(problem.message || t("offline"));
      setBusy(false);
      field.select();
    }
  };
  return html`<${Dialog} open=${loginOpen.value} onClose=${close} title=${t("login")}>
    <form id="login-form" onsubmit=${submit}>
      <label class="field">${t("login.key")}
        <input name="key" type="password" autocomplete="current-password" required maxlength="8192" autofocus aria-describedby="login-hint" aria-invalid=${String(!!fault)} /></label>
      <p class="hint" id="login-hint">${t("login.hint")}</p>
      ${fault && html`<p class="fault" role="alert">${fault}</p>`}
      <p class="actions"><button type="submit" class="button primary" disabled=${busy}>${t("login")}</button></p>
    </form>
  <//>`;
}
