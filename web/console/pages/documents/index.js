// The documents: their list at /admin/documents, one document with its pages and chunks at /admin/documents/<id>.
import { html } from "../../../shared/html.js";
import { addWords } from "../../../shared/i18n.js";
import { Document } from "./document.js";
import { List } from "./list.js";
import "./documents.css";
import ko from "./ko.json";

await addWords(ko, () => import("./en.json"));

export const Page = ({ path, query }) => (path[0] ? html`<${Document} key=${path[0]} id=${path[0]} query=${query} />` : html`<${List} query=${query} />`);
