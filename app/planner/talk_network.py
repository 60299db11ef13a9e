"""A small neural reading of a message in its talk: which tool is meant, by its words, what it names, the tool used
last and what the router makes of it.

Trained by scripts/train_conversation.py with torch; read with numpy alone. Beside the linear readings it raises the
right first tool on unseen authors' talks by about 2 points (docs/routing.md, "Talks").
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.packed import Int8Rows, Packed, Part
from app.planner.situation import NO_TOOL, Floats, Situation

BUCKETS = 1 << 15
_LEAST_SHARE = 1e-4
_SHORT, _LONG = 12, 30
_STATES = 6


@dataclass(frozen=True)
class TalkNetwork:
    """One hidden layer over a bag of words and the rest. `table` is buckets x width, `last` a row for each label and
    one for none, `hidden` and `out` the layers with their biases in the last row, `last_bias` labels beside labels."""

    idf: Floats
    table: Int8Rows
    last: Floats
    last_bias: Floats
    hidden: Floats
    out: Floats
    labels: Mapping[str, int]
    kinds: Mapping[str, int]

    def log_shares(self, seen: Situation) -> Floats:
        """The logarithm of the share of each tool of `seen` and, last, of none (about 0.1 ms). A tool that it was not
        trained on has the share that the router gives it."""
        places, values = bag_of(seen.features, self.idf)
        bag = self.table.weighed(places, values)
        last = place_of_last(seen, self.labels)
        inside = np.concatenate([bag, self.last[last], dense_of(seen, self.labels, self.kinds), _ONE])
        outside = np.append(np.maximum(inside @ self.hidden, 0.0), _ONE)
        scores = outside @ self.out + self.last_bias[last]
        scores -= scores.max()
        logs = np.maximum(scores - math.log(float(np.exp(scores).sum())), math.log(_LEAST_SHARE))
        routed = seen.standing.share
        found = [
            logs[self.labels[tool]] if tool in self.labels else math.log(max(routed.get(tool, 0.0), _LEAST_SHARE))
            for tool in (*seen.tools, NO_TOOL)
        ]
        return np.array(found, dtype=np.float32)

    def parts(self) -> dict[str, Part]:
        """What is stored of it, each part's name behind `network_`."""
        return {
            "network_idf": self.idf.astype(np.float16),
            "network_table": self.table,
            "network_last": self.last.astype(np.float16),
            "network_last_bias": self.last_bias.astype(np.float16),
            "network_hidden": self.hidden.astype(np.float16),
            "network_out": self.out.astype(np.float16),
            "network_labels": tuple(self.labels),
            "network_kinds": tuple(self.kinds),
        }

    @classmethod
    def of(cls, stored: Packed) -> TalkNetwork:
        """From what was stored. Raises KeyError or ValueError where a part is missing or damaged."""
        single = {
            name: stored.array(f"network_{name}").astype(np.float32)
            for name in ("idf", "last", "last_bias", "hidden", "out")
        }
        labels, kinds = stored.names("network_labels"), stored.names("network_kinds")
        return cls(
            table=stored.rows("network_table"),
            labels={label: number for number, label in enumerate(labels)},
            kinds={kind: number for number, kind in enumerate(kinds)},
            **single,
        )


_ONE = np.ones(1, dtype=np.float32)


def counts_of(features: Mapping[str, int]) -> tuple[NDArray[np.intp], Floats]:
    """The buckets of a message's letters and words, with their damped counts."""
    found: dict[int, float] = {}
    for name, count in features.items():
        bucket = zlib.crc32(name.encode()) % BUCKETS
        found[bucket] = found.get(bucket, 0.0) + 1.0 + math.log(count)
    return np.fromiter(found, np.intp, len(found)), np.fromiter(found.values(), np.float32, len(found))


def bag_of(features: Mapping[str, int], idf: Floats) -> tuple[NDArray[np.intp], Floats]:
    """The same, the rarer the heavier, together of length 1."""
    places, values = counts_of(features)
    values = values * idf[places]
    return places, values / (float(np.sqrt(values @ values)) or 1.0)


def place_of_last(seen: Situation, labels: Mapping[str, int]) -> int:
    """The row of the tool used last; that behind all labels where there was none, or one that is not known."""
    return len(labels) if seen.last_tool is None else labels.get(seen.last_tool, len(labels))


def dense_of(seen: Situation, labels: Mapping[str, int], kinds: Mapping[str, int]) -> Floats:
    """What is known beside the words: kinds of mention, the message's form, and for each label the router's three
    readings and the cues."""
    named = np.zeros(len(kinds) + _STATES, dtype=np.float32)
    for kind in seen.kinds:
        if kind in kinds:
            named[kinds[kind]] = 1.0
    form = (seen.states, seen.last_tool is None, seen.follow_up is not None)
    named[len(kinds) :] = (*form, len(seen.asked) < _SHORT, len(seen.asked) > _LONG, seen.substance)
    routed = np.zeros((3, len(labels)), dtype=np.float32)
    for row, heard, talk in zip(routed, (seen.standing, seen.alone, seen.joined), seen.talk, strict=True):
        for tool, share in heard.share.items():
            if tool in labels:
                row[labels[tool]] = share
        row[labels[NO_TOOL]] = talk
    cued = np.zeros(len(labels), dtype=np.float32)
    for cue in (*seen.cues, seen.continuing, seen.hint, seen.follow_up):
        if cue is not None and cue in labels:
            cued[labels[cue]] += 1.0
    return np.concatenate([named, routed.ravel(), cued])
