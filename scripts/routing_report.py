"""The routing report as one HTML page: tables, a confusion matrix and reliability plots drawn as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from app.routing.evaluation import Outcome, confusions, reliability
from scripts.routing_measure import Judged

_STYLE = (
    "body{font:15px/1.6 sans-serif;max-width:1100px;margin:2rem auto;padding:0 1rem;color:#1c2733}"
    "table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #cfd8e0;padding:.25rem .6rem;text-align:right}"
    "th:first-child,td:first-child{text-align:left}svg{max-width:100%;height:auto}.note{color:#566472}"
)
_CELL, _NAMES, _BOX = 12, 210, 320
_WORST = 25


def routing_page(report: dict[str, Any], outcomes: Sequence[Outcome], judged: Sequence[Judged]) -> str:
    """The page. Everything on it comes from the arguments; nothing is loaded from elsewhere."""
    parts = [
        f"<h1>도구 라우팅: {escape(report['set'])}</h1>",
        f"<p class=note>질문 {report['cases']}개, 보정 {escape(str(report['calibration']))}.</p>",
        _figures(report),
        _ablation(report),
        "<h2>혼동 행렬</h2><p class=note>세로는 바란 도구, 가로는 첫째로 고른 도구. 진할수록 잦습니다.</p>",
        _matrix(outcomes),
        _worst(outcomes),
        "<h2>확률을 믿어도 되는가</h2><p class=note>대각선에 가까울수록 확률이 맞습니다.</p>",
        _reliability("도구가 필요 없을 확률", [(o.route.no_call_score, o.case.needs_no_tool) for o in outcomes]),
        _reliability("분야 밖일 확률", [(j.score, j.outside) for j in judged]),
        _reliability("첫째 도구의 분류기 점수", _head_pairs(outcomes)),
    ]
    title = "도구 라우팅 보고서"
    head = f"<!doctype html><html lang=ko><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>"
    return head + "".join(parts) + "</html>"


def _figures(report: dict[str, Any]) -> str:
    rows = []
    for k, found in report["by_k"].items():
        for name, cell in found.items():
            rows.append(
                _row(f"{name} (k={k})", f"{cell['rate']:.4f}", f"{cell['low']:.3f}-{cell['high']:.3f}", cell["n"])
            )
    rows += [
        _row(name, f"{cell['rate']:.4f}", f"{cell['low']:.3f}-{cell['high']:.3f}", cell["n"])
        for name in ("no_tool_auroc", "domain_auroc")
        if (cell := report[name])
    ]
    rows += [_row(name, value, "", "") for name, value in report["latency"].items()]
    return f"<table><tr><th>지표<th>값<th>95 % 구간<th>질문</tr>{''.join(rows)}</table>"


def _ablation(report: dict[str, Any]) -> str:
    if not report.get("ablation"):
        return ""
    rows = [
        _row(f"{name} 없이", *(f"{cell['rate']:.4f}" for cell in found.values()))
        for name, found in report["ablation"].items()
    ]
    head = "<tr><th>소스<th>Hit@1<th>Recall@3<th>Recall@k<th>MRR</tr>"
    return f"<h2>소스를 하나씩 빼면</h2><table>{head}{''.join(rows)}</table>"


def _row(*cells: object) -> str:
    return "<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in cells) + "</tr>"


def _matrix(outcomes: Sequence[Outcome]) -> str:
    counts = confusions(outcomes)
    names = sorted({name for pair in counts for name in pair})
    totals = {name: sum(n for (wanted, _), n in counts.items() if wanted == name) for name in names}
    side = _NAMES + _CELL * len(names)
    place = {name: _NAMES + _CELL * i for i, name in enumerate(names)}
    marks = []
    for name in names:
        at = place[name] + _CELL - 3
        marks.append(f'<text x="{_NAMES - 4}" y="{at}" text-anchor="end">{escape(name)}</text>')
        marks.append(f'<text transform="translate({at},{_NAMES - 4}) rotate(-90)">{escape(name)}</text>')
    for (wanted, got), n in counts.items():
        share = n / max(totals[wanted], 1)
        colour = "#1f6feb" if wanted == got else "#d1242f"
        tip = f"<title>{escape(wanted)} → {escape(got)}: {n}</title>"
        box = f'x="{place[got]}" y="{place[wanted]}" width="{_CELL - 1}" height="{_CELL - 1}"'
        marks.append(f'<rect {box} fill="{colour}" fill-opacity="{0.15 + 0.85 * share:.2f}">{tip}</rect>')
    return f'<svg viewBox="0 0 {side} {side}" font-size="9" role="img" aria-label="혼동 행렬">{"".join(marks)}</svg>'


def _worst(outcomes: Sequence[Outcome]) -> str:
    wrong = sorted(((n, pair) for pair, n in confusions(outcomes).items() if pair[0] != pair[1]), reverse=True)
    rows = [_row(wanted, got, n) for n, (wanted, got) in wrong[:_WORST]]
    return f"<table><tr><th>바란 도구<th>고른 도구<th>횟수</tr>{''.join(rows)}</table>"


def _head_pairs(outcomes: Sequence[Outcome]) -> list[tuple[float, bool]]:
    pairs = []
    for outcome in outcomes:
        first = outcome.route.candidates[0] if outcome.route.candidates else None
        if first is not None and outcome.case.expected and (head := first.sources.get("head")):
            pairs.append((min(max(head.score, 0.0), 1.0), outcome.rank == 1))
    return pairs


def _reliability(title: str, pairs: Sequence[tuple[float, bool]]) -> str:
    if not pairs:
        return ""
    most = max(count for _, _, count in reliability(pairs))
    marks = [f'<rect width="{_BOX}" height="{_BOX}" fill="none" stroke="#cfd8e0"/>']
    marks.append(f'<line x1="0" y1="{_BOX}" x2="{_BOX}" y2="0" stroke="#8a97a3" stroke-dasharray="4 4"/>')
    for mean, share, count in reliability(pairs):
        radius = 3 + 9 * (count / most) ** 0.5
        tip = f"<title>확률 {mean:.2f}, 실제 {share:.2f}, 질문 {count}</title>"
        at = f'cx="{mean * _BOX:.1f}" cy="{(1 - share) * _BOX:.1f}" r="{radius:.1f}"'
        marks.append(f'<circle {at} fill="#1f6feb" fill-opacity=".7">{tip}</circle>')
    box = f'viewBox="-12 -12 {_BOX + 24} {_BOX + 24}" width="{_BOX + 24}"'
    return f"<figure><figcaption>{escape(title)}</figcaption><svg {box} role=img>{''.join(marks)}</svg></figure>"
