// Everybody's questions and answers: their list at /admin/conversations, one turn at /admin/conversations/<run id>.
import { html } from "../../../shared/html.js";
import { addWords } from "../../../shared/i18n.js";
import { List } from "./list.js";
import { TurnPage } from "./turn.js";
import "../../../chat/parts.css";
import "./conversations.css";
import ko from "./ko.json";

await addWords(ko, () => import("./en.json"));

export const Page = ({ path, query }) => (path[0] ? html`<${TurnPage} key=${path[0]} runId=${path[0]} query=${query} />` : html`<${List} query=${query} />`);
