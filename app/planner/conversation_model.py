"""The trained model that chooses among routed tools in the light of the talk: a log-linear score over what is known of
each tool here (routes of three readings, cues, the tool used last) and over the words of a follow-up themselves.

Trained by scripts/train_conversation.py on data/dialogues; docs/routing.md has what it was measured at.
"""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.errors import DataFaults, Fault
from app.packed import SUFFIX, Int8Rows, open_packed, write_packed
from app.planner.follow_up import changed_by
from app.planner.situation import NO_TOOL, Floats, Heard, Situation
from app.planner.talk_network import TalkNetwork

SHIPPED = Path("models") / "conversation" / f"ranker{SUFFIX}"
BUCKETS = 1 << 15
# Weight of a mark (the last tool, a kind of mention) beside the words, whose length is 1.
MARK = 0.4
_LONGEST = 3
_LEAST_SHARE = 1e-3
# Fused scores lie about 0.003 apart from rank to rank.
_FUSED_SCALE = 30.0
_TINY, _SHORT, _LONG = 8, 12, 20
_UNSURE, _VERY_UNSURE = 0.35, 0.2
_SPACES = re.compile(r"\s+")
_NONE: frozenset[str] = frozenset()

FEATURES = (
    *(f"{reading}_{part}" for reading in ("standing", "alone", "joined") for part in ("fused", "log", "share")),
    "continuing_cue",
    "first_cue",
    "other_cue",
    "hint",
    "group_of_last",
    "last",
    "last_stated",
    "last_fits",
    "last_short",
    "last_unsure",
    "last_very_unsure",
    "untaken_kinds",
    "takes_all_kinds",
    "long_log",
    "first_turn_log",
    "follow_up",
    "lacking",
    "network",
    "words",
)
# What speaks for no tool at all: judged beside the tools.
TALK_FEATURES = (
    "talk_always",
    *(f"talk_{reading}" for reading in ("standing", "alone", "joined")),
    "talk_in_talk",
    "talk_substance",
    "talk_substance_in_talk",
    "talk_cues",
    "talk_best_share",
    "talk_short",
    "talk_states",
    "talk_follow_up",
    "talk_alone_in_talk",
    "talk_network",
    "talk_words",
)


def describe(seen: Situation) -> Floats:
    """Tools x FEATURES without the last two, which the model adds itself."""
    place = {tool: row for row, tool in enumerate(seen.tools)}
    routes = (seen.standing, seen.alone, seen.joined)
    # Often two of the readings are one.
    read = {id(heard): _routed(heard, seen.tools) for heard in routes}
    columns: list[NDArray[np.floating]] = [column for heard in routes for column in read[id(heard)]]
    alone_log = read[id(seen.alone)][1]
    best = max(seen.alone.share.values(), default=1.0)
    group = seen.groups.get(seen.last_tool or "")

    def marked(*tools: str | None) -> NDArray[np.float32]:
        """1 where one of these tools stands."""
        column = np.zeros(len(place), dtype=np.float32)
        column[[place[tool] for tool in tools if tool in place]] = 1.0
        return column

    last = marked(seen.last_tool)
    changed = changed_by(seen.kinds)

    def untaken(tool: str) -> int:
        """How many kinds of mention change no argument of the tool."""
        own = seen.arguments.get(tool, _NONE)
        return sum(arguments.isdisjoint(own) for arguments in changed)

    fitting = bool(seen.kinds) and seen.last_tool is not None and not untaken(seen.last_tool)
    unfit = np.array([untaken(tool) for tool in seen.tools], dtype=np.float32)
    filled = frozenset(seen.known).union(*changed)
    columns += [
        marked(seen.continuing),
        marked(*seen.cues[:1]),
        marked(*seen.cues[1:]),
        marked(seen.hint),
        np.array([group is not None and seen.groups.get(tool) == group for tool in seen.tools], dtype=np.float32),
        last,
        last * seen.states,
        last * fitting,
        last * (len(seen.asked) < _SHORT),
        last * (best < _UNSURE),
        last * (best < _VERY_UNSURE),
        unfit,
        (unfit == 0) * float(bool(changed)),
        alone_log * (len(seen.asked) >= _LONG),
        alone_log * (seen.last_tool is None),
        marked(seen.follow_up),
        # Required arguments that neither the message nor the facts fill.
        np.array([len(seen.required.get(tool, _NONE) - filled) for tool in seen.tools], dtype=np.float32),
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def describe_talk(seen: Situation) -> Floats:
    """TALK_FEATURES without the last two, which the model adds itself."""
    likely = np.clip(seen.talk, _LEAST_SHARE, 1 - _LEAST_SHARE)
    odds = np.log(likely / (1 - likely))
    in_talk = seen.last_tool is not None
    return np.array(
        [
            1.0,
            *odds,
            in_talk,
            seen.substance,
            seen.substance and in_talk,
            bool(seen.cues),
            max(seen.alone.share.values(), default=1.0),
            len(seen.asked) < _TINY,
            seen.states,
            seen.follow_up is not None,
            odds[1] * in_talk,
        ],
        dtype=np.float32,
    )


def _routed(heard: Heard, tools: Sequence[str]) -> tuple[NDArray[np.floating], ...]:
    """Fused score, logarithm of the head's share, and that share of each tool in one reading."""
    fused = np.array([heard.fused.get(tool, 0.0) for tool in tools]) * _FUSED_SCALE
    shares = np.clip([heard.share.get(tool, 0.0) for tool in tools], _LEAST_SHARE, 1.0)
    return fused, np.log(shares), shares


def words_of(text: str, last_tool: str | None) -> tuple[NDArray[np.intp], Floats]:
    """The buckets of a text's letters in ones, twos and threes within words, by themselves and behind the last tool,
    with their damped counts."""
    found: Counter[int] = Counter()
    before = zlib.crc32(f"{last_tool}|".encode())
    for word in _SPACES.split(text.strip().lower()):
        framed = f" {word} "
        for size in range(1, _LONGEST + 1):
            grams = [framed[at : at + size].encode() for at in range(len(framed) - size + 1)]
            grams = [gram for gram in grams if gram.strip()]
            found.update(zlib.crc32(gram) % BUCKETS for gram in grams)
            found.update(zlib.crc32(gram, before) % BUCKETS for gram in grams)
    values = np.array([1.0 + math.log(count) for count in found.values()], dtype=np.float32)
    return np.array(list(found), dtype=np.intp), values


def marks_of(seen: Situation) -> tuple[str, ...]:
    """What is known beside the words: the last tool and the kinds of mention."""
    return (f"last={seen.last_tool}", *(f"kind={kind}" for kind in seen.kinds))


@dataclass(frozen=True)
class ConversationModel:
    """`weights` of FEATURES and `talk_weights` of TALK_FEATURES; `table` (buckets x labels) and `marks` give the words'
    score of each known tool and of NO_TOOL, `network` gives another reading of the same."""

    weights: Floats
    talk_weights: Floats
    idf: Floats
    table: Int8Rows
    marks: Mapping[str, Floats]
    base: Floats
    labels: Mapping[str, int]
    network: TalkNetwork

    def scores(self, seen: Situation) -> Floats:
        """One score a tool of `seen` and, last, one for no tool at all; higher is likelier, softmax gives shares."""
        learned = self.learned(seen)
        tools = np.concatenate([describe(seen), learned[:-1]], axis=1) @ self.weights
        talk = np.append(describe_talk(seen), learned[-1]) @ self.talk_weights
        return np.append(tools, talk).astype(np.float32)

    def learned(self, seen: Situation) -> Floats:
        """What the network and the words say of each tool and, last, of none: (tools + 1) x 2."""
        return np.stack([self.network.log_shares(seen), self.words(seen)], axis=1)

    def words(self, seen: Situation) -> Floats:
        """What the words themselves say of each tool and, last, of none; of what was never trained on, the mean, 0."""
        buckets, values = words_of(seen.asked, seen.last_tool)
        values = values * self.idf[buckets]
        length = float(np.sqrt(values @ values)) or 1.0
        said = self.table.weighed(buckets, values / length) + self.base
        for mark in marks_of(seen):
            if mark in self.marks:
                said = said + MARK * self.marks[mark]
        columns = [self.labels.get(tool, -1) for tool in (*seen.tools, NO_TOOL)]
        return np.append(said, np.float32(0.0))[columns].astype(np.float32)

    def save(self, path: Path) -> None:
        """Write the file that is shipped."""
        parts = {
            "weights": self.weights,
            "talk_weights": self.talk_weights,
            "features": FEATURES + TALK_FEATURES,
            "idf": self.idf.astype(np.float16),
            "table": self.table,
            "mark_names": tuple(self.marks),
            "marks": np.stack(list(self.marks.values())).astype(np.float16),
            "base": self.base,
            "labels": tuple(self.labels),
            **self.network.parts(),
        }
        write_packed(path, parts)

    @classmethod
    def load(cls, path: Path) -> ConversationModel:
        """Read a saved model. Raises DataFaults when it is missing, broken or of other features."""
        try:
            with open_packed(path) as held:
                if tuple(held.names("features")) != FEATURES + TALK_FEATURES:
                    raise ValueError("다른 판의 특징으로 학습했습니다")
                marks = held.array("marks").astype(np.float32)
                return cls(
                    held.array("weights"),
                    held.array("talk_weights"),
                    held.array("idf").astype(np.float32),
                    held.rows("table"),
                    dict(zip(held.names("mark_names"), marks, strict=True)),
                    held.array("base"),
                    {label: number for number, label in enumerate(held.names("labels"))},
                    TalkNetwork.of(held),
                )
        except (OSError, ValueError) as error:
            again = "`python -m scripts.train_conversation`으로 다시 만들어 주세요"
            raise DataFaults([Fault(str(path), 0, f"대화 모델을 읽을 수 없습니다({error}). {again}")]) from error
