// Logging in and out. The key leaves the page once and is kept nowhere; the cookie is not readable here.
import { csrfHeaders } from "./csrf.js";

const $ = (id) => document.getElementById(id);

async function submit(event) {
  event.preventDefault();
  const fault = $("login-fault");
  fault.hidden = true;
  try {
    const response = await fetch("/api/login", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ key: $("login-key").value }),
    });
    $("login-key").value = "";
    if (response.ok) return location.reload();
    const problem = await response.json();
    fault.textContent = problem.errors?.[0]?.message ?? problem.detail;
  } catch {
    fault.textContent = "연결이 끊겼습니다. 잠시 뒤 다시 시도해 주세요.";
  }
  fault.hidden = false;
}

$("open-login")?.addEventListener("click", () => $("login").showModal());
$("close-login")?.addEventListener("click", () => $("login").close());
$("login-form")?.addEventListener("submit", submit);
$("logout")?.addEventListener("click", async () => {
  await fetch("/api/logout", { method: "POST", headers: csrfHeaders() });
  sessionStorage.removeItem("thread");
  location.reload();
});
