// Answers are Markdown. This is the only place that makes HTML of text, and `Html` the only one that sets it.
import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";
import cjk from "markdown-it-cjk-friendly";
import { h } from "preact";

const parser = new MarkdownIt({ html: false, linkify: false, breaks: true, typographer: false }).use(cjk).disable(["image", "strikethrough"]);
parser.validateLink = (address) => /^(https:|\/(?!\/)|#)/i.test(address.trim());
parser.inline.ruler.before("link", "citation", citation);
parser.renderer.rules.citation = (tokens, index) => {
  const number = tokens[index].content;
  return `<button type="button" class="cite" data-source="${number}">${number}</button>`;
};

const ALLOWED = {
  ALLOWED_TAGS: ["p", "br", "strong", "em", "ul", "ol", "li", "code", "pre", "blockquote", "h1", "h2", "h3", "h4", "hr", "a", "table", "thead", "tbody", "tr", "th", "td", "button"],
  ALLOWED_ATTR: ["href", "class", "type", "data-source", "start", "rel", "target"],
  ALLOW_DATA_ATTR: false,
  ADD_URI_SAFE_ATTR: ["data-source", "type", "start", "rel", "target"], // the pattern below is for addresses alone
  ALLOWED_URI_REGEXP: /^(https:|\/(?!\/)|#)/i,
  RETURN_TRUSTED_TYPE: true,
};

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  node.setAttribute("rel", "noopener noreferrer nofollow");
  if (/^https:/i.test(node.getAttribute("href") ?? "")) node.setAttribute("target", "_blank");
});

// `[3]` that is no link: a chip that opens source 3, when the answer has that source.
function citation(state, silent) {
  const found = /^\[(\d{1,2})\](?![([])/.exec(state.src.slice(state.pos, state.pos + 5));
  if (!found || !state.env.sources?.has(Number(found[1]))) return false;
  if (!silent) state.push("citation", "button", 0).content = found[1];
  state.pos += found[0].length;
  return true;
}

// Our answers write lists with "• " and go on right below them; Markdown wants "- " and a blank line.
function asMarkdown(text) {
  const lines = text.replace(/^(\s*)[•·] /gm, "$1- ").split("\n");
  return lines.flatMap((line, index) => {
    const before = lines[index - 1] ?? "";
    const leavesList = /^\s*- /.test(before) && line.trim() && !/^\s*(- |\s{2})/.test(line);
    return leavesList ? ["", line] : [line];
  }).join("\n");
}

export const toHtml = (text, sources) => DOMPurify.sanitize(parser.render(asMarkdown(text), { sources }), ALLOWED);

export const Html = ({ text, sources, ...rest }) => h("div", { ...rest, dangerouslySetInnerHTML: { __html: toHtml(text, sources) } });
