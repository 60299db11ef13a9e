// The proposal as a file to print. Fetched and saved rather than linked: in a frame on another site only a call of the
// page names its visitor.
import { Problem, send } from "../../shared/api.js";
import { signal } from "../../shared/html.js";
import { t } from "../../shared/i18n.js";
import { notify } from "../../shared/ui/live.js";
import { proposal } from "../proposals.js";

export const saving = signal(false);

export async function savePdf() {
  const { id, version } = proposal.value;
  saving.value = true;
  try {
    const file = await (await send("GET", `/api/proposals/${encodeURIComponent(id)}.pdf`)).blob();
    const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(file), download: `proposal-${id.slice(0, 8)}-${version}.pdf` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    notify(t("proposal.saved"));
  } catch (refused) {
    if (!(refused instanceof Problem)) throw refused;
    notify(refused.message || t("offline"));
  } finally {
    saving.value = false;
  }
}
