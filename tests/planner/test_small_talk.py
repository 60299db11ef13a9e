"""Talk that needs no tool: what is recognised, in the spellings people use, and what must be left to the tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import DataFaults
from app.planner.small_talk import SmallTalk, bare_letters

RULES = Path(__file__).resolve().parents[2] / "data" / "language" / "small_talk.yaml"


@pytest.fixture(scope="module")
def talk() -> SmallTalk:
    return SmallTalk(RULES, "라이나생명")


@pytest.mark.parametrize(
    ("kind", "questions"),
    [
        ("greeting", ["안녕하세요", "안녕 하세요!!", "안뇽", "ㅎㅇ", "hi", "Hello~", "여보세요?", "처음 뵙겠습니다"]),
        ("greeting_wish", ["안녕하세요 보험 하나 들고 싶어서요", "안녕하세요. 보험 상담 받으려고요"]),
        ("goodbye", ["안녕히 계세요", "이만 끊을게요", "나중에 다시 올게요", "좋은 하루 되세요", "ㅂㅂ"]),
        (
            "thanks",
            [
                "감사합니다",
                "감사합니당",
                "고마워여",
                "ㄱㅅ",
                "ㄳ",
                "땡큐~",
                "수고하세요",
                "설명 잘 들었습니다",
                "똑똑하네",
            ],
        ),
        ("sorry", ["죄송해요", "미안합니다 오타예요", "아까는 화내서 미안해요"]),
        (
            "wait",
            [
                "잠시만요",
                "잠깐 만요",
                "생각 좀 해볼게요",
                "남편이랑 상의해 볼게요",
                "고민되네요",
                "아직 결정 못 했어요",
            ],
        ),
        (
            "cancel",
            [
                "아니요",
                "아뇨 괜찮아요",
                "됐어요",
                "그만할게요",
                "ㄴㄴ",
                "취소",
                "필요 없어요",
                "그냥 유지할게요",
            ],
        ),
        (
            "acknowledge",
            [
                "네",
                "넵!",
                "네네 알겠습니다",
                "ㅇㅋ",
                "ㅇㅇ",
                "오 그렇구나",
                "아하 이해됐어요",
                "ㅋㅋㅋ",
                "음…",
            ],
        ),
        (
            "human",
            [
                "상담원 연결해 주세요",
                "상담사랑 통화하고 싶어요",
                "사람 바꿔줘",
                "챗봇 말고 상담사요",
                "직원 연결 부탁",
            ],
        ),
        ("capability", ["뭘 도와줄 수 있어?", "뭐 할 수 있어요", "사용법 알려줘", "도움말", "도와줘"]),
        ("identity", ["너 누구야", "이름이 뭐예요", "혹시 사람이에요?", "너 AI야?", "챗봇이야?"]),
        ("upset", ["너무 답답해요", "짜증나네 진짜", "속상해요", "실망이에요"]),
        ("scold", ["못 알아듣네", "바보야", "그 말이 아니라니까요"]),
        ("repeat", ["다시 말해줘", "한번 더 알려주세요", "방금 뭐라고 했어요?", "못 들었어요"]),
        (
            "simplify",
            [
                "쉽게 설명해줘",
                "좀 더 짧게",
                "요약 좀",
                "세 줄로 요약",
                "그게 무슨 말이에요",
                "지금까지 얘기 정리해줘",
            ],
        ),
        ("more", ["더 자세히", "계속해", "그 다음은?", "그래서요?"]),
        ("certainty", ["확실해요?", "네가 한 말 믿어도 돼?", "근거가 뭐야"]),
        ("restart", ["다른 거 물어볼게요", "주제 바꾸자", "처음부터 다시 하자"]),
        ("cannot_send", ["메일로 보내줘", "카톡으로 정리해서 보내주세요"]),
        ("style", ["반말로 해줘", "영어로 답해줄래?", "표로 보여줘"]),
        ("screen", ["화면이 안 보여요", "글씨가 너무 작아요", "답이 느리네"]),
        ("unsure", ["잘 모르겠어요", "글쎄요 잘 모르겠네요", "너무 어렵네요"]),
        ("chat", ["점심 드셨어요?", "오늘 날씨 좋네요", "심심해"]),
    ],
)
def test_talk_is_recognised_whatever_its_spacing_endings_and_typos(
    talk: SmallTalk, kind: str, questions: list[str]
) -> None:
    heard = {question: reply.kind if (reply := talk.reply(question)) else None for question in questions}
    assert {question: found for question, found in heard.items() if found != kind} == {}


@pytest.mark.parametrize(
    "question",
    [
        "주소 변경하고 싶어요",
        "아니 여자요",
        "아니요 45세예요",
        "아니야 암보험 말고 치아보험",
        "해지하면 얼마 돌려받아요",
        "취소하고 싶은데 청약철회 되나요",
        "암보험 추천해줘",
        "45세 남자 보험료 얼마예요",
        "네 그럼 보험료는요?",
        "오늘 가입하면 언제부터 보장돼요",
        "예전에 암 수술했는데 가입돼요?",
        "어머니 보험 좀 알아보려고요",
        "아버지가 돌아가셨어요",
        "음주운전 사고도 보장되나요",
        "HIV 감염인도 가입을 받아 주나요",
        "이거 가입하면 어떤 때 돈 나오는지 정리해줘",
        "무배당이 무슨 뜻이에요",
        "90일을 왜 기다려요",
        "로봇수술 보장되나요",
        "그 암보험 이름이 뭐였죠",
        "보험금 청구 방법 알려 주시면 감사하겠습니다",
        "우울증 약 먹는데 가입되나요",
        "면책기간 다시 설명해줘",
        "메일로 보내기 전에 개인정보 가려줘",
        "고객이 생각해 본대요 어떻게 하죠",
        "오프닝 멘트 만들어줘",
        "부활",
        "",
        "???",
    ],
)
def test_what_tools_or_facts_must_answer_is_left_alone(talk: SmallTalk, question: str) -> None:
    assert talk.reply(question) is None


@pytest.mark.parametrize("question", ["네 진행해주세요", "그대로 진행해 주세요", "네 접수 부탁드려요", "ㄱㄱ"])
def test_a_go_ahead_with_nothing_pending_is_an_acknowledgement_that_says_so(talk: SmallTalk, question: str) -> None:
    """With a procedure just explained the tool gets the question and nobody asks here."""
    reply = talk.reply(question)
    assert reply and reply.kind == "acknowledge" and "아직 말씀해 주신 업무가 없어요" in reply.text
    assert talk.refusal(question) is None


@pytest.mark.parametrize(
    "question",
    [
        "김민수 전화번호 알려줘",
        "김민수 주민번호 뭐야",
        "고객 연락처도 같이 보여줘",
        "이영희님 계좌 번호 조회해줘",
        "옆집 사람 보험 뭐 들었는지 보여줘",
        "가려진 전화번호 다 보여줘",
    ],
)
def test_asking_for_personal_data_is_refused_before_any_tool(talk: SmallTalk, question: str) -> None:
    refused = talk.refusal(question)
    assert refused and refused.kind == "privacy_refusal" and "보여드릴 수 없습니다" in refused.text


@pytest.mark.parametrize(
    "question",
    [
        "전화번호 변경하고 싶어요",
        "주민번호 좀 가려줘 900101-1234567",
        "폰번호 모자이크 처리해줘",
        "청구할 때 주민번호 알려줘야 하나요",
        "환급금 받을 계좌번호 바꾸는 방법 알려줘",
        "고객센터 전화번호 알려줘",
        "약관 이메일로 보내 주세요",
        "김민수 고객 계약 알려줘",
        "동료 것도 기본형으로 뽑아 주세요",
        "안녕하세요",
    ],
)
def test_business_with_personal_data_is_not_refused(talk: SmallTalk, question: str) -> None:
    assert talk.refusal(question) is None


@pytest.mark.parametrize(
    "question",
    [
        "해지하려고 했는데 안 할래요",
        "제가 해지 신청하려다가 그냥 유지하기로 했어요",
        "고객님이 해지 안 한답니다",
        "대출 받을까 하다가 관둘게요",
        "청약 철회는 안 하기로 했습니다",
    ],
)
def test_what_is_called_off_is_left_as_it_is(talk: SmallTalk, question: str) -> None:
    said = talk.refusal(question)
    assert said and said.kind == "called_off"


@pytest.mark.parametrize(
    "question",
    [
        "해지하려고 했는데 그냥 유지하면 뭐가 좋아요?",
        "해지 안 하려면 어떻게 해요?",
        "해지 안 하려고 하는데 보험료를 줄일 수 있을까요",
        "대출은 안 할래요 해지 방법 알려 주세요",
        "해지할게요",
        "변경 신청 안 하면 어떻게 되나요",
        "고객이 해지 상담 뒤 유지하기로 함 할 일 정리해줘",
    ],
)
def test_what_is_asked_beside_is_not_taken_for_calling_off(talk: SmallTalk, question: str) -> None:
    assert talk.refusal(question) is None


def test_the_same_question_gets_the_same_answer_whatever_its_marks(talk: SmallTalk) -> None:
    one, other = talk.reply("안녕하세요"), talk.reply(" 안녕 하세요!! ")
    assert one == other


def test_talk_about_the_last_answer_says_so(talk: SmallTalk) -> None:
    assert talk.reply("다시 말해줘").use == "last_answer"  # type: ignore[union-attr]
    assert talk.reply("짧게 요약해줘").use == "last_answer_short"  # type: ignore[union-attr]


def test_the_company_is_named(talk: SmallTalk) -> None:
    assert "라이나생명의 보험 상담" in talk.reply("너 누구야").text  # type: ignore[union-attr]


def test_letters_are_compared_bare_and_lone_jamo_stay() -> None:
    assert bare_letters("ＨＩ! ㅎ ㅇ 안 녕") == "hiㅎㅇ안녕"
    assert bare_letters("안녕") == "안녕"


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("- kind: a\n  patterns: ['(']\n  answers: [b]\n", 2, "정규식이 아닙니다"),
        ("- kind: a\n  patterns: []\n  answers: [b]\n", 2, "1개 이상"),
        ("- kind: a\n  patterns: [b]\n", 1, "answers"),
        ("- kind: a\n  patterns: [b]\n  answers: [c]\n  typo: 1\n", 4, "모르는 항목"),
    ],
)
def test_a_broken_file_is_told_with_its_line(tmp_path: Path, text: str, line: int, word: str) -> None:
    path = tmp_path / "small_talk.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataFaults) as caught:
        SmallTalk(path, "회사")
    assert caught.value.faults[0].line == line and word in caught.value.faults[0].message
    with pytest.raises(DataFaults, match="없습니다"):
        SmallTalk(tmp_path / "none.yaml", "회사")
