// Keys and settings.
import { html } from "../shared/html.js";
import { t } from "../shared/i18n.js";
import { setSingleKeys, singleKeys } from "../shared/keys.js";
import { Dialog } from "../shared/ui/dialog.js";
import { choose, enterSends, panel, readAloud } from "./state.js";

const KEYS = [["/", "keys.composer"], ["Ctrl K", "keys.search"], ["Ctrl Shift O", "keys.new"], ["Alt 1 2 3", "keys.drawer"], ["Alt 4", "keys.proposal"], ["Esc", "keys.stop"], ["?", "keys.help"]];

export function Help() {
  const close = () => panel.value === "help" && (panel.value = null);
  return html`<${Dialog} open=${panel.value === "help"} onClose=${close} title=${t("help")} back=${true}>
    <dl class="keys">${KEYS.map(([key, words]) => html`<div key=${key}><dt>${key.split(" ").map((part) => html`<kbd key=${part}>${part}</kbd>`)}</dt><dd>${t(words)}</dd></div>`)}</dl>
    <fieldset class="reasons"><legend>${t("settings")}</legend>
      <label class="check"><input type="checkbox" checked=${enterSends.value} onchange=${(event) => choose("enter-sends", enterSends, event.target.checked)} />${t("settings.enter")}</label>
      <label class="check"><input type="checkbox" checked=${singleKeys.value} onchange=${(event) => setSingleKeys(event.target.checked)} />${t("settings.single")}</label>
      <label class="check"><input type="checkbox" checked=${readAloud.value === "end"} onchange=${(event) => choose("read-aloud", readAloud, event.target.checked ? "end" : "batches")} />${t("settings.end")}</label>
    </fieldset>
    <p class="hint">${t("help.more")} <a href="/docs">API</a></p><//>`;
}
