// Draws the typed blocks of an answer: product cards, tables, charts and notices.
import { el, shown, svg } from "./dom.js";

const makers = { product_card: productCard, table, chart, notice };

export function drawBlock(block, ask) {
  const make = makers[block.type];
  return make ? make(block.data, ask) : null;
}

function productCard(data, ask) {
  const facts = [data.category, data.entry_age && `가입 ${data.entry_age}`, data.renewal, data.simplified ? "간편심사" : null];
  return el(
    "article", { class: "card" },
    el("h4", {}, data.name),
    el("p", { class: "tags" }, ...facts.filter(Boolean).map((text) => el("span", {}, text))),
    el("ul", {}, ...(data.points ?? []).map((point) => el("li", {}, point))),
    el(
      "p", { class: "actions" },
      el("button", { type: "button", onclick: () => ask(`${data.name} 보장 내용 알려 주세요`) }, "보장 보기"),
      el("button", { type: "button", onclick: () => ask(`${data.name} 보험료 알려 주세요`) }, "보험료"),
    ),
  );
}

function table(data) {
  const differs = new Set(data.differs ?? []);
  return el(
    "details", { class: "table" },
    el("summary", {}, data.title),
    el(
      "table", { "aria-label": data.title },
      el("thead", {}, el("tr", {}, ...data.columns.map((c) => el("th", { scope: "col", class: c.align ?? "left" }, c.label)))),
      el(
        "tbody", {},
        ...data.rows.map((row, index) =>
          el("tr", { class: differs.has(index) ? "differs" : null },
            ...data.columns.map((c) => el("td", { class: c.align ?? "left" }, shown(row[c.key]))))),
      ),
    ),
    data.note ? el("p", { class: "note" }, data.note) : null,
  );
}

function notice(data) {
  return el("aside", { class: `notice ${data.level}` }, el("strong", {}, data.title), el("p", {}, data.text));
}

function chart(data) {
  const width = 640, height = 240, pad = 56;
  const points = data.series.flatMap((series) => series.points);
  const xs = points.map((p) => p[0]), top = Math.max(...points.map((p) => p[1])) * 1.1 || 1;
  const left = Math.min(...xs), span = Math.max(...xs) - left || 1;
  const inset = data.kind === "bar" ? 48 : 0;
  const px = (x) => pad + inset + ((x - left) / span) * (width - pad - 16 - 2 * inset);
  const py = (y) => height - 32 - (y / top) * (height - 56);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": data.summary ?? data.title });
  for (const share of [0, 0.5, 1]) {
    const y = py((top / 1.1) * share);
    picture.append(svg("line", { x1: pad, x2: width - 16, y1: y, y2: y, class: "grid" }));
    const label = svg("text", { x: pad - 6, y: y + 4, class: "tick end" });
    label.textContent = shown(Math.round((top / 1.1) * share));
    picture.append(label);
  }
  data.series.forEach((series, index) => {
    if (data.kind === "bar") {
      series.points.forEach(([x, y]) => picture.append(svg("rect", { x: px(x) - 18, y: py(y), width: 36, height: py(0) - py(y), class: `s${index}` })));
      return;
    }
    const path = series.points.map(([x, y], i) => (i === 0 ? `M${px(x)} ${py(y)}` : data.kind === "step" ? `H${px(x)} V${py(y)}` : `L${px(x)} ${py(y)}`)).join(" ");
    picture.append(svg("path", { d: path, class: `line s${index}` }));
  });
  for (const [x] of data.series[0].points.filter((_, i, all) => i % Math.ceil(all.length / 8) === 0)) {
    const label = svg("text", { x: px(x), y: height - 10, class: "tick middle" });
    label.textContent = shown(x);
    picture.append(label);
  }
  for (const mark of data.marks ?? []) {
    picture.append(svg("circle", { cx: px(mark.x), cy: py(mark.y), r: 4, class: "mark" }));
  }
  const rows = data.series[0].points.map(([x], i) => el("tr", {}, el("th", { scope: "row" }, shown(x)), ...data.series.map((s) => el("td", { class: "right" }, shown(s.points[i]?.[1])))));
  return el(
    "figure", { class: "chart" },
    el("figcaption", {}, data.title),
    picture,
    el("details", {}, el("summary", {}, "표로 보기"),
      el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, `${data.x.label} (${data.x.unit})`), ...data.series.map((s) => el("th", { scope: "col" }, `${s.name} (${data.y.unit})`)))), el("tbody", {}, ...rows))),
    data.note ? el("p", { class: "note" }, data.note) : null,
  );
}
