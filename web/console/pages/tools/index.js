// The tools: their list at /admin/tools, one tool at /admin/tools/<name>.
import { html } from "../../../shared/html.js";
import { addWords } from "../../../shared/i18n.js";
import { List } from "./list.js";
import { Tool } from "./tool.js";
import ko from "./ko.json";

await addWords(ko, () => import("./en.json"));

export const Page = ({ path, query }) => (path[0] ? html`<${Tool} key=${path[0]} name=${path[0]} query=${query} />` : html`<${List} query=${query} />`);
