"""Forbidden sales expressions: found in any spacing, left alone where they are denied, quoted or asked about."""

from __future__ import annotations

from itertools import pairwise

import pytest

from app.safety.clauses import clauses
from app.safety.phrases import PhraseChecker

FORBIDDEN = [
    ("암이면 무조건 보장됩니다.", "definitive"),
    ("이 상품은 원금이 보장됩니다.", "principal_guarantee"),
    ("무 조 건 보 장 됩니다.", "definitive"),
    ("무\u200b조건 보장됩니다.", "definitive"),
    ("업계 최고 보장이라고 자부합니다.", "exaggeration"),
    ("오늘 지나면 이 조건은 사라집니다.", "urgency"),
    ("혈압약 드시는 건 말씀 안 하셔도 됩니다.", "duty_denial"),
    ("가입하시면 상품권을 챙겨 드립니다.", "rebate"),
]
ALLOWED = [
    "무조건 보장되는 것은 아닙니다.",
    "원금이 보장되지 않으며 해약환급금이 적을 수 있습니다.",
    '"무조건 보장"이라는 표현은 쓸 수 없습니다.',
    "'원금 보장'이라는 문구는 사실과 다르므로 삭제해 주세요.",
    "가입 가능 여부는 심사 결과에 따라 달라집니다.",
    "오늘 결정하지 않으셔도 됩니다.",
    "최대 가입금액은 5,000만원입니다.",
    "만 45세 남성 기준 월 보험료는 20,625원입니다.",
    "알릴 의무를 지키지 않으면 계약이 해지될 수 있습니다.",
    "연락은 고객센터로 해 주세요.",
    "나이와 성별을 알려 주시면 계산해 드릴게요.",
]


@pytest.mark.parametrize(("text", "category"), FORBIDDEN)
def test_forbidden_expressions_are_found_with_their_grounds(phrases: PhraseChecker, text: str, category: str) -> None:
    hits = phrases.check(text)
    assert hits
    assert category in {hit.category for hit in hits}
    assert all(hit.why and hit.basis and hit.rewording and text[hit.start : hit.end] == hit.text for hit in hits)


@pytest.mark.parametrize("text", ALLOWED)
def test_denials_quotations_and_plain_facts_are_no_hits(phrases: PhraseChecker, text: str) -> None:
    assert phrases.check(text) == ()


def test_offsets_stand_in_the_text_as_given(phrases: PhraseChecker) -> None:
    text = "안녕하세요. 무\u200b조건 보장됩니다. 감사합니다."
    (hit,) = phrases.check(text)
    assert text[hit.start : hit.end].startswith("무\u200b조건")
    assert "안녕" not in hit.text


def test_the_examples_of_every_rule_are_found(phrases: PhraseChecker) -> None:
    missed = [example for rule, _ in phrases._rules for example in rule.examples if not phrases.check(example)]
    assert missed == []


def test_rewordings_are_allowed_themselves(phrases: PhraseChecker) -> None:
    forbidden = [rule.rewording for rule, _ in phrases._rules if phrases.check(rule.rewording)]
    assert forbidden == []


@pytest.mark.parametrize(
    ("text", "categories"),
    [
        (
            "이 상품은 무조건 보장되고 원금 손실이 절대 없고 누구나 가입됩니다.",
            ["definitive", "principal_guarantee", "definitive"],
        ),
        ("암이면 무조건 나오고, 원금도 전액 돌려받으실 수 있어요.", ["definitive", "principal_guarantee"]),
        ("심사는 무난히 통과되고 원금도 보장돼요.", ["definitive", "principal_guarantee"]),
        ("보험료는 월 3만원이고 원금도 보장돼요.", ["principal_guarantee"]),
    ],
)
def test_one_forbidden_thing_hides_no_second_in_the_sentence(
    phrases: PhraseChecker, text: str, categories: list[str]
) -> None:
    hits = phrases.check(text)
    assert [hit.category for hit in hits] == categories
    assert all(a.end <= b.start for a, b in pairwise(hits))
    assert all(text[hit.start : hit.end] == hit.text for hit in hits)


@pytest.mark.parametrize(
    ("sentence", "finished"),
    [
        ("원금 손실이 절대 없고 보험료도 싸요.", ["원금 손실이 절대 없습니다.", "보험료도 싸요."]),
        ("심사는 통과되고, 약도 팔고 끝나요.", ["심사는 통과됩니다.", "약도 팔고 끝나요."]),
        ("교통사고 보장과 광고 문구를 봅니다.", []),
        ("한 문장입니다.", []),
    ],
)
def test_clauses_are_finished_as_sentences_and_nouns_are_not_cut(sentence: str, finished: list[str]) -> None:
    assert [part.finished for part in clauses(sentence)] == finished


def test_the_last_of_many_sentences_is_judged_like_the_first(phrases: PhraseChecker) -> None:
    harmless = [f"{number}번째 안내입니다." for number in range(40)]
    violation = "낸 돈은 만기에 이자까지 얹어서 다 돌려드리니 손해 보실 일이 없어요."
    assert phrases.check(" ".join([violation, *harmless]))
    assert phrases.check(" ".join([*harmless, violation]))


@pytest.mark.parametrize(
    "sentence",
    [
        "걱정 붙들어 매이소, 청구하믄 무조건 다 나옵니더.",
        "혈압약 자시는 건 안 적어도 된당께, 다들 그라고 들었어라.",
        "이거는 원금이 하나도 안 까져유.",
    ],
)
def test_sales_talk_in_dialect_is_found(phrases: PhraseChecker, sentence: str) -> None:
    assert phrases.check(sentence)


def test_careful_words_in_dialect_are_allowed(phrases: PhraseChecker) -> None:
    assert not phrases.check("나오는지는 약관을 봐야 아니께 무조건 된다고는 말씀을 못 드려유.")


@pytest.mark.parametrize(
    "text",
    [
        "만기 때 원금도 돌려드려요.",
        "암이면 무조건 나옵니다. 가입 나이는 19세부터예요. 오늘 당장 결정하셔야 돼요.",
        "Your principal is fully guaranteed. Sign today or you will regret it.",
    ],
)
def test_a_forbidden_text_is_said_otherwise_and_passes_then(phrases: PhraseChecker, text: str) -> None:
    better = phrases.mended(text)
    assert phrases.check(text) and better and not phrases.check(better)
    assert ("19세부터" in better) == ("19세부터" in text)


@pytest.mark.parametrize(
    "pitch",
    [
        "이 가격에 이 보장, 놓치시면 평생 후회하실 텐데요?",
        "원금 손실 제로, 수익은 무한대!",
        "약 드시는 건 굳이 안 적으셔도...",
        "은행에 넣어두느니 여기 넣는 게 훨씬 낫지 않으세요?",
        "기존 거 깨고 오시면 제가 손해 보신 만큼 현금으로",
    ],
)
def test_hints_headings_and_questions_of_a_pitch_are_judged(phrases: PhraseChecker, pitch: str) -> None:
    assert phrases.check(pitch, pitch=True)
    better = phrases.mended(pitch)
    assert better and not phrases.check(better, pitch=True)


@pytest.mark.parametrize(
    "pitch",
    [
        "혹시 최근 3개월 안에 병원에 다녀오신 적이 있으신가요?",
        "기존 계약을 해지하면 손해를 볼 수 있다는 점, 알고 계셨나요?",
        "암보험 보장 개시일과 감액 기간 안내",
        "상담만 받으셔도 되고 가입은 천천히 정하셔도",
    ],
)
def test_honest_hints_headings_and_questions_pass(phrases: PhraseChecker, pitch: str) -> None:
    assert not phrases.check(pitch, pitch=True)


@pytest.mark.parametrize(
    "text", ["암이면 무조건 나온다고 약속 못 해요.", "비용처리는 회계 기준을 봐야 해서 무조건 된다고 말씀 못 드려요."]
)
def test_a_denial_may_begin_within_the_expression(phrases: PhraseChecker, text: str) -> None:
    assert not phrases.check(text)


@pytest.mark.parametrize(
    "text",
    [
        "소개해 주셨지만 소개비는 못 드려요, 규정상 안 되거든요",
        "소개는 감사하지만 사례비는 못 드려요 규정이 그래서요",
    ],
)
def test_a_denial_may_stand_within_the_expression(phrases: PhraseChecker, text: str) -> None:
    assert phrases.check(text, pitch=True) == ()


@pytest.mark.parametrize(
    "text",
    [
        "오늘 가입 안 하면 평생 못 든다고 하던데 사실이에요?",
        "100% 나온다던데 맞아요?",
        "원금은 무조건 지켜진다는 말 믿어도 되나요?",
    ],
)
def test_what_was_said_elsewhere_may_be_asked_about(phrases: PhraseChecker, text: str) -> None:
    assert phrases.check(text, pitch=True) == ()


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("Your savings are totally safe, they cannot go down.", "principal_guarantee"),
        ("Anyone can join, there is no medical check at all.", "definitive"),
        ("Don't mention the MRI on the form, nobody checks that.", "duty_denial"),
        ("Only two places left, decide before we hang up.", "urgency"),
        ("It works just like a bank account.", "savings_disguise"),
        ("I'll pay your first two premiums myself.", "rebate"),
        ("Cancel your old policy, this one beats it.", "replacement"),
        ("The other insurer never pays.", "disparagement"),
        ("The premium will never go up.", "renewal_hidden"),
        ("Don't bother reading the fine print.", "exclusion_hidden"),
        ("It is recommended by the regulator.", "false_authority"),
    ],
)
def test_english_sales_talk_is_found(phrases: PhraseChecker, text: str, category: str) -> None:
    assert category in {hit.category for hit in phrases.check(text, pitch=True)}


def test_what_passes_needs_no_mending(phrases: PhraseChecker) -> None:
    assert phrases.mended("해약환급금은 낸 보험료보다 적을 수 있습니다.") is None


@pytest.mark.parametrize(
    "text",
    [
        "Your principal is not guaranteed.",
        "Please do not tell anyone your password.",
        "Which is the best plan for my teeth?",
        "Benefits are paid if the terms of the policy are met.",
        "We can't guarantee your principal.",
        "Not every illness is covered.",
        "Is it true that the principal is guaranteed?",
        "Anyone can join, but the premium is higher.",
        "This is not just a savings account; you may lose money if you cancel early.",
        "Don't cancel your old policy until the new one is accepted.",
        "The government does not back this product.",
        "The premium may go up at renewal.",
    ],
)
def test_honest_english_sentences_pass(phrases: PhraseChecker, text: str) -> None:
    assert not phrases.check(text)
