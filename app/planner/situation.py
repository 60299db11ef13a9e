"""What is known of a message among the tools that may be meant by it: what the conversation model judges."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
# The label of messages that no tool is for.
NO_TOOL = ""


@dataclass(frozen=True)
class Heard:
    """What is known of one tool's standing in one reading: its fused score and the share that the head gives it."""

    fused: Mapping[str, float]
    share: Mapping[str, float]


@dataclass(frozen=True)
class Situation:
    """A message among its tools, in order. `groups`, `arguments` and `required` are the tools' modules and arguments.

    `known` are the arguments that the facts fill, `follow_up` the tool that the message goes on with by its form,
    `talk` how likely each of the three readings is mere talk, `substance` whether it names what an insurer works with.
    `features` are the letters and words of the message by name, with their counts.
    """

    asked: str
    kinds: tuple[str, ...]
    states: bool
    last_tool: str | None
    tools: tuple[str, ...]
    groups: Mapping[str, str]
    arguments: Mapping[str, frozenset[str]]
    standing: Heard
    alone: Heard
    joined: Heard
    continuing: str | None = None
    cues: tuple[str, ...] = ()
    hint: str | None = None
    required: Mapping[str, frozenset[str]] = field(default_factory=dict)
    known: Collection[str] = ()
    follow_up: str | None = None
    talk: tuple[float, float, float] = (0.0, 0.0, 0.0)
    substance: bool = False
    features: Mapping[str, int] = field(default_factory=dict)
