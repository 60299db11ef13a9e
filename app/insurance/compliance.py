"""Duties of those who sell: what must be explained, scripts to read, and disclaimers of comparisons."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rapidfuzz import fuzz

from app.insurance.models import ChannelName, Disclosure, Model, Product
from app.insurance.names import name_key
from app.insurance.reference import SalesDuty, Script
from app.insurance.wording import money, percent, topic

_ALIKE = 70.0
# What people put around a topic: '갱신 안내 멘트 좀 만들어 주세요'.
_POLITE = re.compile(
    r"(?:안내)?(?:멘트|스크립트|문구|대본|화법)(?:를|을|좀)*|(?:좀|하나)?(?:만들어|써|뽑아|알려|보여)(?:줘|주세요|줄래|달라)"
)
_RENEWAL_SCRIPT = "cmp_renewal"
# Spoken when another company's product or a contract to be replaced is compared, which this tool never sees.
_OTHER_CASES = ("cmp_other", "cmp_switch")


class Duty(Model):
    """One thing to explain, with its law or rule; `own` when it is the product's own."""

    item: str
    text: str
    basis: str
    own: bool


class RequiredDisclosures(Model):
    """Everything to explain when selling a product over a channel, the product's own duties first.

    `channel_note` is set when the product is not sold over that channel.
    """

    code: str
    name: str
    channel: ChannelName | None
    channel_note: str | None
    duties: tuple[Duty, ...]
    count: int


class PhraseScript(Model):
    """A script that the phrase check passes. `hits` is how many violations the check found in it: always 0.

    `product_facts` are sentences on the topic that hold for the named product; they stand in the script too.
    """

    topic: str
    code: str | None
    name: str | None
    channel: ChannelName | None
    script: str
    product_facts: tuple[str, ...]
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
    """The verdict on a sales text. `mended` is the whole text said otherwise, which passes the same check; None where
    there is nothing to mend or a person must write it anew."""

    text: str
    verdict: str
    findings: tuple[PhraseFinding, ...]
    count: int
    mended: str | None


class MaskedText(Model):
    """A text with its personal data hidden. `counts` by the kind's Korean name."""

    masked: str
    counts: dict[str, int]
    total: int


def required_disclosures(
    product: Product, common: Sequence[SalesDuty], channel: ChannelName | None
) -> RequiredDisclosures:
    """The product's own duties and the common ones; those of other channels are left out when a channel is named."""
    own = [_duty(d, own=True) for d in product.disclosures if _fits(d.channels, channel)]
    shared = [_duty(d, own=False) for d in common if _fits(d.channels, channel)]
    duties = (*own, *shared)
    sold = [c.channel for c in product.channels if c.available]
    note = None
    if channel and channel not in sold:
        note = f"{topic(product.name)} {channel} 채널로 판매하지 않습니다. 판매 채널: {', '.join(sold)}"
    return RequiredDisclosures(
        code=product.code, name=product.name, channel=channel, channel_note=note, duties=duties, count=len(duties)
    )


def find_scripts(scripts: Sequence[Script], kind: str, words: str, channel: ChannelName | None) -> tuple[Script, ...]:
    """Scripts of a kind on a topic, best first; a script for the named channel wins over one for all."""
    asked = _POLITE.sub("", name_key(words)) or name_key(words)
    scored = [
        (_likeness(asked, script) + (1 if channel and channel in script.channels else 0), script)
        for script in scripts
        if script.kind == kind and _fits(script.channels, channel)
    ]
    return tuple(script for score, script in sorted(scored, key=lambda pair: -pair[0]) if score >= _ALIKE)


def _likeness(asked: str, script: Script) -> float:
    """A key itself 200; else the longest key inside the words from 100 up; else the shortest key around them; else
    the likeness of letters."""
    keys = [name_key(word) for word in (script.topic, *script.keywords)]
    if asked in keys:
        return 200.0
    if inside := [len(key) for key in keys if key in asked]:
        return 100.0 + max(inside)
    if around := [len(key) for key in keys if len(asked) > 1 and asked in key]:
        return 100.0 - (min(around) - len(asked))
    return max(fuzz.ratio(asked, key) for key in keys)


def written_out(script: Script, product: Product | None) -> str:
    """The script with the product's name in its slot; '이 상품' where none is named."""
    if product is None:
        return script.text.replace("{product} 상품", "이 상품").replace("{product}", "이 상품")
    return script.text.replace("{product}", product.name)


def product_facts(script: Script, product: Product | None) -> tuple[str, ...]:
    """What the script's topic means for this product, so that 'if it renews' does not stay open."""
    if product is None:
        return ()
    if script.topic in ("갱신", "비갱신"):
        return (_renewal_fact(product),)
    if script.topic == "면책":
        longest = max(benefit.waiting_days for benefit in product.benefits)
        none = f"{product.name}의 주계약에는 면책기간이 없습니다."
        return (f"{product.name} 주계약의 가장 긴 면책기간은 {longest}일입니다." if longest else none,)
    if script.topic == "감액":
        cuts = [b.reduction for b in product.benefits if b.reduction]
        if not cuts:
            return (f"{product.name}의 주계약에는 감액기간이 없습니다.",)
        cut = max(cuts, key=lambda one: one.months)
        paid = f"보험금의 {percent(cut.rate)}만 지급하는 담보가 있습니다"
        return (f"{product.name} 주계약에는 가입 후 최대 {cut.months}개월 동안 {paid}.",)
    if script.topic == "간편심사":
        kind = "간편심사 상품입니다" if product.simplified else "간편심사 상품이 아니라 일반심사 상품입니다"
        return (f"{topic(product.name)} {kind}.",)
    return ()


def _renewal_fact(product: Product) -> str:
    renewal = product.renewal
    if renewal.kind == "비갱신형" or not renewal.period_years:
        return f"{topic(product.name)} 비갱신형입니다."
    every = f"{renewal.period_years}년마다 갱신되며"
    return f"{topic(product.name)} {every}, 최대 {renewal.max_age}세까지 갱신할 수 있습니다."


def recording_notice(
    scripts: Sequence[Script], duties: Sequence[SalesDuty], channel: ChannelName | None
) -> RecordingNotice:
    """The recording notices of a channel, or of all, and the duties that this channel alone has."""
    fitting = [script for script in scripts if script.kind == "녹취" and _fits(script.channels, channel)]
    bound = [_duty(d, own=False) for d in duties if channel and channel in d.channels]
    return RecordingNotice(
        channel=channel, notices=tuple(written_out(script, None) for script in fitting), duties=tuple(bound)
    )


def comparison_disclaimer(products: Sequence[Product], scripts: Sequence[Script]) -> ComparisonDisclaimer:
    """The standing comparison sentences, and the differences that make a bare premium comparison misleading."""
    names = tuple(product.name for product in products)
    joined = "·".join(names)
    kinds = {product.renewal.kind for product in products}
    texts = tuple(
        script.text.replace("{product}", joined)
        for script in scripts
        if script.kind == "비교면책"
        and script.id not in _OTHER_CASES
        and (script.id != _RENEWAL_SCRIPT or len(kinds) > 1)
    )
    return ComparisonDisclaimer(
        names=names, codes=tuple(p.code for p in products), texts=texts, differences=tuple(_differences(products))
    )


def _differences(products: Sequence[Product]) -> Iterator[str]:
    if len({p.renewal.kind for p in products}) > 1:
        kinds = ", ".join(f"{p.name} {p.renewal.kind}" for p in products)
        yield f"갱신 여부가 다릅니다: {kinds}. 갱신형은 갱신할 때 보험료가 오를 수 있습니다."
    if len({p.simplified for p in products}) > 1:
        simple = ", ".join(p.name for p in products if p.simplified)
        yield f"심사 방식이 다릅니다: {topic(simple)} 간편심사 상품이라 일반심사 상품보다 보험료가 높을 수 있습니다."
    waits = {p.name: max(b.waiting_days for b in p.benefits) for p in products}
    if len(set(waits.values())) > 1:
        told = ", ".join(f"{name} {f'{days}일' if days else '없음'}" for name, days in waits.items())
        yield f"주계약의 가장 긴 면책기간이 다릅니다: {told}."
    if len({p.sum_insured.default for p in products}) > 1:
        sums = ", ".join(f"{p.name} {money(p.sum_insured.default)}" for p in products)
        yield f"기준 가입금액이 달라 보험료만으로는 비교할 수 없습니다: {sums}."
    if len({p.category for p in products}) > 1:
        categories = ", ".join(f"{p.name} {p.category}" for p in products)
        yield f"보장하는 위험이 다릅니다: {categories}."


def _duty(duty: SalesDuty | Disclosure, *, own: bool) -> Duty:
    return Duty(item=duty.item, text=duty.text, basis=duty.basis, own=own)


def _fits(channels: Sequence[ChannelName], channel: ChannelName | None) -> bool:
    return channel is None or not channels or channel in channels
