// Sends one file with its progress; the server reads it in the background.
import { csrfHeaders } from "../../../shared/api.js";
import { percent } from "../../../shared/format.js";
import { html, useRef, useState } from "../../../shared/html.js";
import { t } from "../../../shared/i18n.js";
import { Icon } from "../../../shared/ui/icons.js";
import { notify, sayAlert } from "../../../shared/ui/live.js";

export function Upload({ onSent }) {
  const [progress, setProgress] = useState(null); // 0 to 1 while a file is on its way
  const [fault, setFault] = useState("");
  const field = useRef(null);
  const chosen = async () => {
    const file = field.current.files[0];
    if (!file) return;
    setFault("");
    setProgress(0);
    try {
      const made = await sent(file, setProgress);
      notify(t("documents.sent", { name: made.name }));
      onSent();
    } catch (refused) {
      setFault(refused.message);
      sayAlert(refused.message);
    }
    setProgress(null);
    field.current.value = "";
  };
  return html`<span class="upload">
    ${progress !== null && html`<label class="upload-progress">${t("documents.sending", { share: percent(progress, 0) })}<progress max="1" value=${progress}></progress></label>`}
    ${fault && html`<span class="fault">${fault}</span>`}
    <input type="file" id="upload" hidden ref=${field} accept=".pdf,.txt,.md" onchange=${chosen} aria-label=${t("documents.upload")} />
    <button type="button" class="button primary" disabled=${progress !== null} onclick=${() => field.current.click()}><${Icon} name="plus" size=${16} />${t("documents.upload")}</button></span>`;
}

// `fetch` tells nothing of a body on its way; XMLHttpRequest does.
const sent = (file, tell) => new Promise((done, refuse) => {
  const form = new FormData();
  form.append("file", file);
  const request = new XMLHttpRequest();
  request.open("POST", "/api/admin/documents");
  for (const [name, value] of Object.entries(csrfHeaders())) request.setRequestHeader(name, value);
  request.responseType = "json";
  request.upload.onprogress = (event) => event.lengthComputable && tell(event.loaded / event.total);
  request.onload = () => (request.status < 300 ? done(request.response) : refuse(new Error(request.response?.errors?.[0]?.message ?? request.response?.detail ?? t("failed"))));
  request.onerror = () => refuse(new Error(t("offline")));
  request.send(form);
});
