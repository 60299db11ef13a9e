// Cards: their list at /admin/cards, the editor of one at /admin/cards/<tool>.
import { html } from "../../../shared/html.js";
import { addWords } from "../../../shared/i18n.js";
import { Editor } from "./editor.js";
import { List } from "./list.js";
import "./cards.css";
import ko from "./ko.json";

await addWords(ko, () => import("./en.json"));

export const Page = ({ path, query }) => (path[0] ? html`<${Editor} key=${path[0]} tool=${path[0]} query=${query} />` : html`<${List} query=${query} />`);
