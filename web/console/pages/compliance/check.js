// The box to try a text in: each sentence as the guard sees it, with what is refused, why, and how to say it.
import { call } from "../../../shared/api.js";
import { cx, html, useRef, useState } from "../../../shared/html.js";
import { hasWords, t } from "../../../shared/i18n.js";
import { Icon } from "../../../shared/ui/icons.js";
import { Field, requiredFault } from "../../forms.js";
import { Panel, State } from "../../frame.js";
import { Refused } from "../../load.js";

export function Check() {
  const [found, setFound] = useState(null);
  const [error, setError] = useState(null);
  const [fault, setFault] = useState(null);
  const [busy, setBusy] = useState(false);
  const field = useRef(null);
  const check = async (event) => {
    event?.preventDefault();
    const text = field.current.value;
    setFault(requiredFault(text));
    if (requiredFault(text)) return field.current.focus();
    setBusy(true);
    setError(null);
    try {
      setFound(await call("POST", "/api/admin/compliance/check", { text }));
    } catch (problem) {
      setError(problem);
    }
    return setBusy(false);
  };
  const take = (hit) => {
    const before = field.current.value;
    if (before.slice(hit.start, hit.end) !== hit.text) return;
    const sentence = found.sentences.find((item) => item.start <= hit.start && hit.start < item.end);
    field.current.value = before.slice(0, sentence.start) + hit.rewording + before.slice(sentence.end);
    check();
  };
  return html`<div class="split">
    <${Panel} title=${t("compliance.check")} hint=${t("compliance.check.hint")}>
      <form class="form" onsubmit=${check} novalidate>
        <${Field} label=${t("compliance.text")} error=${fault}>${(own) => html`<textarea ...${own} ref=${field} rows="9" maxlength="5000" lang="ko" spellcheck=${false}></textarea>`}<//>
        <p class="actions"><button type="submit" class="button primary" disabled=${busy}><${Icon} name="shield" size=${16} />${t("compliance.check.run")}</button></p></form><//>
    <div aria-live="polite">${error ? html`<${Refused} error=${error} onRetry=${check} />` : found ? html`<${Verdict} found=${found} onTake=${take} />` : html`<div class="empty"><p>${t("compliance.check.none")}</p></div>`}</div>
  </div>`;
}

const kindOf = (kind) => (hasWords(`compliance.personal.${kind}`) ? t(`compliance.personal.${kind}`) : kind);

function Verdict({ found, onTake }) {
  const bad = found.sentences.filter((sentence) => sentence.hits.length || sentence.personal.length);
  return html`<${Panel} title=${t("compliance.verdict")} actions=${found.passes ? html`<${State} kind="good">${t("compliance.passes")}<//>` : html`<${State} kind="bad">${t("compliance.fails", { count: bad.length })}<//>`}>
    <ol class="plain judged">${found.sentences.map((sentence) => html`<li key=${sentence.start} class=${cx((sentence.hits.length || sentence.personal.length) && "bad")}>
      <p lang="ko"><${Marked} sentence=${sentence} /></p>
      ${sentence.hits.map((hit, index) => html`<div class="hit" key=${index}><p lang="ko">${hit.why} <span class="hint">${hit.basis}</span> <code>${hit.rule_id}</code></p>
        <p class="instead" lang="ko"><${Icon} name="check" size=${15} /><span>${hit.rewording}</span><button type="button" class="button small" onclick=${() => onTake(hit)}>${t("compliance.take")}</button></p></div>`)}
      ${sentence.personal.length > 0 && html`<p class="hit">${t("compliance.personal", { kinds: [...new Set(sentence.personal.map((item) => kindOf(item.kind)))].join(", ") })}</p>`}</li>`)}</ol>
    ${!found.passes && html`<div class="shown-instead"><h3>${t("compliance.shown")}</h3><p lang="ko">${found.shown_instead || t("compliance.nothing-left")}</p></div>`}
  <//>`;
}

// The sentence with what was found underlined.
function Marked({ sentence }) {
  const spans = [...sentence.hits, ...sentence.personal].sort((one, other) => one.start - other.start);
  const parts = [];
  let at = sentence.start;
  for (const span of spans) {
    if (span.start < at) continue;
    const end = Math.min(span.end, sentence.end);
    parts.push(cut(sentence, at, span.start), html`<mark key=${span.start}>${cut(sentence, span.start, end)}</mark>`);
    at = end;
  }
  return html`${parts}${cut(sentence, at, sentence.end)}`;
}

// The server counts letters, a script of the page counts UTF-16 units.
const cut = (sentence, start, end) => [...sentence.text].slice(start - sentence.start, end - sentence.start).join("");
