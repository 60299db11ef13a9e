// Line, step and bar charts as SVG, readable by mouse, touch and arrow keys; the same data stands below as a table.
import { count, shown } from "../format.js";
import { cx, html, useId, useLayoutEffect, useMemo, useRef, useState } from "../html.js";
import { t } from "../i18n.js";
import { DataTable } from "./table.js";

const HEIGHT = 270, LEFT = 52, RIGHT = 18, TOP = 46, BOTTOM = 34;
const LETTER = 6.6; // px of one letter of a label, about

// `data`: {kind: line|step|bar, title, x: {label, unit, text?(x), from?, to?}, y: {label, unit, text?(y), whole?, from?, to?}, series: [{name, points: [[x, y]]}], marks?: [{x, y, label}], summary, note?, dots?, lang?: language of the names in it}
export function Chart({ data }) {
  const id = useId();
  const [at, setAt] = useState(null);
  const [open, setOpen] = useState(false);
  const plot = useRef(null);
  const width = useWidth(plot);
  const scale = useMemo(() => scaleOf(data, width), [data, width]);
  const { xs, px, py, ticks, bar } = scale;
  const reading = at === null ? null : xs[at];
  const sayX = data.x.text ?? ((x) => `${shown(x)}${data.x.unit}`);
  const sayY = data.y.text ?? ((y) => `${count(y)}${data.y.unit}`);
  const say = (x) => data.series.map((series) => `${data.series.length > 1 ? `${series.name} ` : ""}${sayY(valueAt(series, x) ?? 0)}`).join(", ");
  const onKey = (event) => {
    const next = { ArrowRight: (at ?? -1) + 1, ArrowLeft: (at ?? xs.length) - 1, Home: 0, End: xs.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setAt(Math.max(0, Math.min(xs.length - 1, next)));
  };
  const onPoint = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * width;
    setAt(xs.reduce((best, value, index) => (Math.abs(px(value) - x) < Math.abs(px(xs[best]) - x) ? index : best), 0));
  };
  const labels = useMemo(() => placed(data.marks ?? [], px, py), [data, width]);
  return html`<figure class="chart" aria-labelledby=${id}>
    <figcaption id=${id}>${data.title}</figcaption>
    ${data.series.length > 1 && html`<p class="legend" lang=${data.lang}>${data.series.map((series, index) => html`<span key=${series.name} class=${`key s${index + 1}`}>${series.name}</span>`)}</p>`}
    <p class="reading number" role="status">${reading === null ? (data.marks?.[0] ? data.marks[0].label : t("chart.read")) : `${sayX(reading)}: ${say(reading)}`}</p>
    <div class="plot" ref=${plot} tabindex="0" role="group" aria-label=${t("chart.keys", { title: data.title })} onkeydown=${onKey} onblur=${() => setAt(null)}>
      <svg viewBox=${`0 0 ${width} ${HEIGHT}`} height=${HEIGHT} role="img" aria-label=${data.summary ?? data.title} onpointermove=${onPoint} onpointerdown=${onPoint} onpointerleave=${() => setAt(null)}>
        ${ticks.map((tick) => html`<g key=${tick}><line class="grid" x1=${LEFT} x2=${width - RIGHT} y1=${py(tick)} y2=${py(tick)} />
          <text class="tick end" x=${LEFT - 8} y=${py(tick) + 4}>${data.y.text ? data.y.text(tick) : short(tick)}</text></g>`)}
        <text class="tick" x="0" y="14">${data.y.unit ? `${data.y.label} (${data.y.unit})` : data.y.label}</text>
        ${namedValues(data.x.from === undefined ? xs : steps(data.x.from, data.x.to), width).map((x) => html`<text key=${x} class="tick middle" x=${px(x)} y=${HEIGHT - 12}>${sayX(x)}</text>`)}
        ${data.series.map((series, index) => data.kind === "bar"
          ? series.points.map(([x, y]) => html`<rect key=${x} class=${`bar s${index + 1}`} x=${px(x) - bar / 2} y=${py(y)} width=${bar} height=${Math.max(0, py(0) - py(y))} />`)
          : html`<path key=${series.name} class=${`line s${index + 1}`} d=${pathOf(series.points, data.kind, px, py)} />`)}
        ${data.dots && data.series.map((series, index) => series.points.map(([x, y]) => html`<circle key=${`${index}-${x}`} class=${`dot s${index + 1}`} cx=${px(x)} cy=${py(y)} r="3" />`))}
        ${(data.marks ?? []).map((mark, index) => html`<g key=${index}><circle class=${cx("mark", index === 0 && "own")} cx=${px(mark.x)} cy=${py(mark.y)} r=${index === 0 ? 6 : 4.5} /></g>`)}
        ${labels.map((label) => html`<text key=${label.text} class="mark-label end" x=${label.right} y=${label.y}>${label.text}</text>`)}
        ${reading !== null && html`<g><line class="cursor" x1=${px(reading)} x2=${px(reading)} y1=${TOP} y2=${HEIGHT - BOTTOM} />
          ${data.series.map((series) => html`<circle key=${series.name} class="cursor-dot" cx=${px(reading)} cy=${py(valueAt(series, reading) ?? 0)} r="5" />`)}</g>`}
      </svg></div>
    ${data.note && html`<p class="hint">${data.note}</p>`}
    <button type="button" class="link chart-more" aria-expanded=${String(open)} onclick=${() => setOpen(!open)}>${t(open ? "chart.table.close" : "chart.table")}</button>
    <div lang=${data.lang}>${open ? html`<${DataTable} data=${tableOf(data)} />` : html`<${Spoken} data=${tableOf(data)} />`}</div>
  </figure>`;
}

// The same table for screen readers while it is closed to the eye: nothing in it takes the focus.
export const Spoken = ({ data }) => html`<table class="visually-hidden"><caption>${data.title}</caption>
  <thead><tr>${data.columns.map((column) => html`<th scope="col" key=${column.key}>${column.label}</th>`)}</tr></thead>
  <tbody>${data.rows.map((row) => html`<tr key=${row.x ?? row.who}>${data.columns.map((column) => html`<td key=${column.key}>${shown(row[column.key])}</td>`)}</tr>`)}</tbody></table>`;

function scaleOf(data, width) {
  const points = data.series.flatMap((series) => series.points);
  const xs = [...new Set(points.map(([x]) => x))].sort((one, other) => one - other);
  const first = data.x.from ?? xs[0], last = data.x.to ?? xs.at(-1);
  const base = data.y.from ?? 0;
  const most = data.y.to ?? Math.max(...points.map(([, y]) => y), 1);
  const step = data.y.to === undefined ? Math.max(niceStep((most - base) / 4), data.y.whole ? 1 : 0) : (most - base) / 5;
  const top = base + Math.ceil((most - base) / step) * step;
  const span = last - first || 1;
  const bar = Math.min(28, ((width - LEFT - RIGHT) / (span + 1)) * 0.72);
  const inset = data.kind === "bar" ? bar / 2 + 2 : 6;
  const px = (x) => LEFT + inset + ((x - first) / span) * (width - LEFT - RIGHT - 2 * inset);
  const py = (y) => HEIGHT - BOTTOM - ((y - base) / (top - base)) * (HEIGHT - TOP - BOTTOM);
  return { xs, px, py, bar, ticks: Array.from({ length: Math.round((top - base) / step) + 1 }, (_, index) => base + index * step) };
}

function niceStep(rough) {
  const size = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 2.5, 5, 10].find((factor) => factor * size >= rough) * size;
}

const short = (value) => (value >= 10_000 && value % 1000 === 0 ? `${count(value / 10_000)}만` : count(value));
const valueAt = (series, x) => series.points.findLast(([px]) => px <= x)?.[1];

// Labels of the marks, to the upper left of their points, where a rising line leaves room. One that would lie on
// another is left out, the first (the person's) never.
function placed(marks, px, py) {
  const taken = [];
  for (const mark of marks) {
    const length = mark.label.length * LETTER;
    const right = Math.max(px(mark.x) - 8, LEFT + 6 + length);
    const y = py(mark.y) - 10;
    const free = taken.every((other) => right - length > other.right || other.right - other.length > right || Math.abs(other.y - y) > 17);
    if (free) taken.push({ text: mark.label, right, y, length });
  }
  return taken;
}

// The values named below the chart: all of a few, else round ones.
function namedValues(xs, width) {
  const room = Math.max(3, Math.floor((width - LEFT) / 62));
  if (xs.length <= room) return xs;
  const step = [1, 2, 5, 10, 20, 50, 100].find((size) => (xs.at(-1) - xs[0]) / size < room) ?? 200;
  return xs.filter((x) => x % step === 0);
}

const steps = (from, to) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

function useWidth(box) {
  const [width, setWidth] = useState(640);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(([entry]) => entry.contentRect.width > 0 && setWidth(Math.round(Math.max(260, entry.contentRect.width))));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return width;
}

function pathOf(points, kind, px, py) {
  return points.map(([x, y], index) => (index === 0 ? `M${px(x)} ${py(y)}` : kind === "step" ? `H${px(x)}V${py(y)}` : `L${px(x)} ${py(y)}`)).join("");
}

function tableOf(data) {
  const xs = [...new Set(data.series.flatMap((series) => series.points.map(([x]) => x)))].sort((one, other) => one - other);
  return {
    title: data.title,
    columns: [{ key: "x", label: withUnit(data.x.label, data.x.unit) }, ...data.series.map((series, index) => ({ key: `y${index}`, label: withUnit(data.series.length > 1 ? series.name : data.y.label, data.y.unit), align: "right" }))],
    rows: xs.map((x) => ({ x: data.x.text ? data.x.text(x) : x, ...Object.fromEntries(data.series.map((series, index) => [`y${index}`, data.kind === "step" ? valueAt(series, x) : series.points.find(([px]) => px === x)?.[1]])) })),
  };
}

const withUnit = (label, unit) => (unit ? `${label} (${unit})` : label);
