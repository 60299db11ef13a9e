"""Duties of those who sell: what must be explained, scripts to read, and disclaimers of comparisons."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz

from app.insurance.models import ChannelName, Model, Product
from app.insurance.names import name_key
from app.insurance.reference import SalesDuty, Script

_ALIKE = 70.0


class Duty(Model):
    """One thing to explain, with its law or rule; `own` when it is the product's own."""

    item: str
    text: str
    basis: str
    own: bool


class RequiredDisclosures(Model):
    """Everything to explain when selling a product over a channel, the product's own duties first."""

    code: str
    name: str
    channel: ChannelName | None
    duties: tuple[Duty, ...]
    count: int


class PhraseScript(Model):
    """A script that the phrase check passes. `hits` is how many violations the check found in it: always 0."""

    topic: str
    code: str | None
    name: str | None
    channel: ChannelName | None
    script: str
    checked: bool
    hits: int
    other_topics: tuple[str, ...]


class UnknownTopic(Model):
    """No script fits; the topics there are."""

    topic: str
    topics: tuple[str, ...]


class RecordingNotice(Model):
    """The notice to read out before a talk is recorded."""

    channel: ChannelName | None
    notices: tuple[str, ...]
    duties: tuple[Duty, ...]


class ComparisonDisclaimer(Model):
    """What must be said beside a comparison of these products."""

    names: tuple[str, ...]
    codes: tuple[str, ...]
    texts: tuple[str, ...]
    differences: tuple[str, ...]


class PhraseFinding(Model):
    """One forbidden expression in a text; half-open span in characters."""

    start: int
    end: int
    text: str
    rule_id: str
    category: str
    why: str
    basis: str
    rewording: str


class MisleadingCheck(Model):
    """The verdict on a sales text."""

    text: str
    verdict: str
    findings: tuple[PhraseFinding, ...]
    count: int


class MaskedText(Model):
    """A text with its personal data hidden. `counts` by Korean kind."""

    masked: str
    counts: dict[str, int]
    total: int


def required_disclosures(product: Product, common: Sequence[SalesDuty], channel: ChannelName | None) -> RequiredDisclosures:
    """The product's own duties and the common ones; those of other channels are left out when a channel is named."""
    own = [Duty(item=d.item, text=d.text, basis=d.basis, own=True) for d in product.disclosures if _fits(d.channels, channel)]
    shared = [Duty(item=d.item, text=d.text, basis=d.basis, own=False) for d in common if _fits(d.channels, channel)]
    duties = (*own, *shared)
    return RequiredDisclosures(code=product.code, name=product.name, channel=channel, duties=duties, count=len(duties))


def find_scripts(scripts: Sequence[Script], kind: str, topic: str, channel: ChannelName | None) -> tuple[Script, ...]:
    """Scripts of a kind on a topic, best first; a script for the named channel wins over one for all."""
    asked = name_key(topic)
    scored: list[tuple[float, Script]] = []
    for script in scripts:
        if script.kind != kind or not _fits(script.channels, channel):
            continue
        keys = [name_key(word) for word in (script.topic, *script.keywords)]
        inside = max((len(key) for key in keys if key in asked or (len(asked) > 1 and asked in key)), default=0)
        score = 100.0 + inside if inside else max(fuzz.ratio(asked, key) for key in keys)
        scored.append((score + (1 if channel and channel in script.channels else 0), script))
    return tuple(script for score, script in sorted(scored, key=lambda pair: -pair[0]) if score >= _ALIKE)


def written_out(script: Script, product: Product | None) -> str:
    """The script with the product's name in its slot; '이 상품' where none is named."""
    return script.text.replace("{product}", product.name if product else "이 상품")


def recording_notice(scripts: Sequence[Script], duties: Sequence[SalesDuty], channel: ChannelName | None) -> RecordingNotice:
    """The recording notices of a channel, or of all."""
    fitting = [s for s in scripts if s.kind == "녹취" and (channel is None or not s.channels or channel in s.channels)]
    bound = [Duty(item=d.item, text=d.text, basis=d.basis, own=False) for d in duties if channel and channel in d.channels]
    return RecordingNotice(channel=channel, notices=tuple(s.text for s in fitting), duties=tuple(bound))


def comparison_disclaimer(products: Sequence[Product], scripts: Sequence[Script]) -> ComparisonDisclaimer:
    """The standing comparison sentences, and what these products differ in so that a bare premium comparison misleads."""
    texts = tuple(written_out(s, None) for s in scripts if s.kind == "비교면책")
    names = tuple(product.name for product in products)
    differences = []
    if len({p.renewal.kind for p in products}) > 1:
        kinds = ", ".join(f"{p.name} {p.renewal.kind}" for p in products)
        differences.append(f"갱신 여부가 다릅니다: {kinds}. 갱신형은 갱신할 때 보험료가 오를 수 있습니다.")
    if len({p.simplified for p in products}) > 1:
        simple = ", ".join(p.name for p in products if p.simplified)
        differences.append(f"심사 방식이 다릅니다: {simple}은(는) 간편심사 상품으로 일반심사 상품보다 보험료가 높을 수 있습니다.")
    if len({max(b.waiting_days for b in p.benefits) for p in products}) > 1:
        waits = ", ".join(f"{p.name} {max(b.waiting_days for b in p.benefits)}일" for p in products)
        differences.append(f"주계약의 가장 긴 면책기간이 다릅니다: {waits}.")
    if len({p.sum_insured.default for p in products}) > 1:
        differences.append("기준 가입금액이 달라 보험료만으로는 비교할 수 없습니다.")
    return ComparisonDisclaimer(
        names=names, codes=tuple(p.code for p in products), texts=texts, differences=tuple(differences)
    )


def _fits(channels: Sequence[ChannelName], channel: ChannelName | None) -> bool:
    return channel is None or not channels or channel in channels
