"""What a question names in its own words: the words left over when those of asking, and those that only name the kind
of thing asked for, are gone. '광고 문안 검수 좀 해줘요' names no text to be checked, '위험등급 조회' no job."""

from __future__ import annotations

from app.planner.view import View
from app.planner.words import PlannerWords

_LEAST = 2
_TAKES_THEM = frozenset({"query", "term", "keyword"})
_OF_A_PERSON = frozenset({"goal", "case_summary"})
_PARTICULARS = ("ages", "births", "genders", "jobs", "money", "durations", "counts")
# A message this short is an answer, or names its thing and nothing else, 글자.
_BRIEF = 14
# What a rider, a job, a topic or a term is called is never longer, 글자.
_LONGEST_NAME = 24
_CALLED = frozenset({"job", "topic", "benefit", "rider", "keyword", "term", "code_or_name"})


def subject(view: View, field: str) -> str | None:
    """The words that name what `field` asks for, as they were said; None where nothing but words of asking is left, or
    a whole story: nothing is called by that many words."""
    words = view.topic_words() if is_named(view, field) else None
    return None if words and field in _CALLED and len(words) > _LONGEST_NAME else words


def is_named(view: View, field: str) -> bool:
    """Whether the question names what `field` asks for."""
    # 3.3.5가 뭔 뜻인지: what is also a product's name may be the word that is asked for
    words = view.words.subjects
    text = view.question if field == "term" else view.without_products()
    # 58세 여성분이고 3시에 끝: who it was for is not what it was about
    told = view.without("products", *_PARTICULARS) if field in _OF_A_PERSON else text
    if not names(view.words, told, field):
        return False
    if len(text) <= _BRIEF or field in view.facts.asked:
        return True
    tells = words.tells.get(field)
    return not words.unnamed.search(text) and (tells is None or bool(tells.search(words.no_disease.sub(" ", text))))


def another(view: View) -> bool:
    """Whether one more, another, or one whose name is not known is asked for: none that the talk has had."""
    return bool(view.words.subjects.unnamed.search(view.said.text))


def names(words: PlannerWords, text: str, field: str) -> bool:
    """Whether anything but words of asking, and words for the kind of thing, is in the text."""
    own = words.subjects
    if field in _TAKES_THEM and own.whole.search(text):
        return True
    rest = own.asked[field].sub(" ", own.particles.sub(" ", text))
    return any(len(word) >= _LEAST and not own.endings.fullmatch(word) for word in own.word.findall(rest))
