"""Bad news (a death, a diagnosis, an accident) that a customer tells of themselves or their family: it is met with one
human sentence, once a talk, before anything else is said."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import yaml
from langchain_core.messages import AIMessage, BaseMessage
from pydantic import Field, ValidationError

from app.errors import DataFaults, Fault
from app.insurance.models import Model
from app.language.normalise import nfc
from app.messages import worded
from app.yaml_text import read_yaml

DEATH = "사망"  # the kind of news, and of the claim that follows it


class News(Model):
    """One kind of news: regexes that tell it, one that takes it back, the sentence, and what is offered where the
    message asks for nothing."""

    kind: str
    says: tuple[re.Pattern[str], ...] = Field(min_length=1)
    unless: re.Pattern[str] | None = None
    sentence: str
    offer: str


class _NewsData(Model):
    unless: re.Pattern[str]
    news: tuple[News, ...] = Field(min_length=1)


class NewsReader:
    """Built from data/language/news.yaml. Raises DataFaults when the file is missing or broken."""

    def __init__(self, path: Path) -> None:
        try:
            self._data = _NewsData.model_validate(read_yaml(path.read_text(encoding="utf-8")))
        except (OSError, yaml.YAMLError, ValidationError) as error:
            raise DataFaults([Fault(str(path), 0, worded("news.unreadable", error=error))]) from error

    def told(self, text: str) -> News | None:
        """The news that a message tells as having happened; None for what is only supposed, long past or another's."""
        plain = nfc(text)
        if self._data.unless.search(plain):
            return None
        for news in self._data.news:
            if any(says.search(plain) for says in news.says) and not (news.unless and news.unless.search(plain)):
                return news
        return None

    def first_told(self, text: str, messages: Sequence[BaseMessage]) -> News | None:
        """The news of a message, unless some was met with its sentence before in this talk."""
        found = self.told(text)
        if found is None:
            return None
        said = [str(message.content) for message in messages if isinstance(message, AIMessage)]
        return None if any(news.sentence in text for news in self._data.news for text in said) else found
