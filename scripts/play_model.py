"""An OpenAI-compatible model that answers from labelled talks, with an error rate, latency and price of your choice.

    python -m scripts.play_model --cases data/evaluation/dialogues/unseen.jsonl --error-rate 0.05 --latency 1
    LLM_BASE_URL=http://127.0.0.1:9000/v1 LLM_PRICE_INPUT_USD=0.4 LLM_PRICE_OUTPUT_USD=1.6 python run.py

For a question of the talks it calls what its label says, where the tools offered allow it, and tells that it is done;
for any other it says one sentence. Which questions it gets wrong depends on the seed and their words alone, so that two
runs, and two engines, meet the same model. Tokens are counted by the length of what it was sent.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.evaluation.dialogues import Call, Dialogue, Turn, load_dialogues
from app.evaluation.scoring import agrees
from tests.api.openai_server import OpenAiServer, Play, answers_whole, calls, openai_server, says

DONE = "요청하신 내용을 확인해 정리해 드렸어요. 더 궁금한 점이 있으시면 편하게 말씀해 주세요."
KNOWS_NOTHING = "무엇을 도와드릴까요? 보험에 관해 편하게 물어봐 주세요."
_A_TOKEN = 3  # bytes: a Korean syllable, or three Latin letters
_SAID = 60
_CHOICE, _WORDS = "Choice", "QuotedWords"  # the shapes of app/graph/model_help.py
_COUNTED = {"completion_tokens": _SAID, "prompt_tokens_details": {"cached_tokens": 0}}


@dataclass
class Player:
    """Answers requests from the labels. `error_rate` of the questions get another tool, or none; `latency_s` goes by
    before the first letter of each answer."""

    talks: Sequence[Dialogue]
    error_rate: float = 0.0
    latency_s: float = 0.0
    seed: int = 1
    _turns: dict[str, list[tuple[int, Turn]]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for talk in self.talks:
            for number, turn in enumerate(talk.turns, 1):
                self._turns.setdefault(turn.user.strip(), []).append((number, turn))

    def errs(self, question: str) -> bool:
        """Whether the played model gets a question wrong."""
        digest = hashlib.sha256(f"{self.seed}:{question.strip()}".encode()).digest()
        return int.from_bytes(digest[:6], "big") / 2**48 < self.error_rate

    def play(self, body: Mapping[str, Any]) -> Play:
        """What is answered to a request."""
        if not body.get("stream"):
            return self._decision(body)
        messages = body["messages"]
        place = max((at for at, message in enumerate(messages) if message["role"] == "user"), default=-1)
        question = _text(messages[place]) if place >= 0 else ""
        number = sum(message["role"] == "user" for message in messages)
        turn = self._turn(question, number)
        offered = [tool["function"]["name"] for tool in body.get("tools") or ()]
        usage = {**_COUNTED, "prompt_tokens": (sent := _tokens(body)), "total_tokens": sent + _SAID}
        done = list(_done(messages[place + 1 :]))
        wanted = self._wanted(turn, question, offered, done)
        if wanted:
            return calls(*((call.tool, call.args) for call in wanted), step=400, delay_s=self.latency_s, usage=usage)
        text = DONE if turn is not None and turn.calls else KNOWS_NOTHING
        return says(text, step=200, delay_s=self.latency_s, **usage)

    def _decision(self, body: Mapping[str, Any]) -> Play:
        """The answer to one decision alone, by the label of the question that it is about; to anything else nothing."""
        wanted = (body.get("response_format") or {}).get("json_schema") or {}
        said = _text(body["messages"][-1])
        place, question = max(((said.rfind(known), known) for known in self._turns), default=(-1, ""))
        turn = self._turns[question][0][1] if place >= 0 else None
        if turn is None or wanted.get("name") not in (_CHOICE, _WORDS):
            return answers_whole("")
        if wanted["name"] == _WORDS:
            told = [str(value) for call in turn.calls for value in call.args.values()]
            words = next((word for word in said[: place + len(question)].split() if any(t in word for t in told)), "")
            return answers_whole(json.dumps({"words": "" if turn.needs_input or self.errs(question) else words}))
        *options, neither = wanted["schema"]["properties"]["choice"]["enum"]
        right = [name for name in options if name in (*turn.expected_tools, *turn.also_ok)]
        if self.errs(question):
            right = [name for name in options if name not in right]
        return answers_whole(json.dumps({"choice": right[0] if right else neither}))

    def _turn(self, question: str, number: int) -> Turn | None:
        found = self._turns.get(question.strip(), [])
        return min(found, key=lambda pair: abs(pair[0] - number))[1] if found else None

    def _wanted(self, turn: Turn | None, question: str, offered: Sequence[str], done: Sequence[Call]) -> list[Call]:
        """The calls that are still to be made."""
        if turn is None:
            return []
        if self.errs(question):
            others = [name for name in offered if name not in (*turn.expected_tools, *turn.also_ok)]
            return [Call(others[0], {})] if others and not any(call.tool == others[0] for call in done) else []
        return [call for call in turn.calls if call.tool in offered and not _made(call, done)]


def _made(call: Call, done: Iterable[Call]) -> bool:
    """Whether a call was made already, as far as its label is certain."""
    return any(
        other.tool == call.tool and all(agrees(name, value, other.args.get(name)) for name, value in call.args.items())
        for other in done
    )


def _done(messages: Sequence[Mapping[str, Any]]) -> Iterable[Call]:
    for message in messages:
        for call in message.get("tool_calls") or ():
            yield Call(call["function"]["name"], json.loads(call["function"]["arguments"] or "{}"))


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(str(part.get("text", "")) for part in content)


def _tokens(body: Mapping[str, Any]) -> int:
    sent = json.dumps([body["messages"], body.get("tools") or []], ensure_ascii=False)
    return len(sent.encode()) // _A_TOKEN


@dataclass
class PlayedServer(OpenAiServer):
    """A server whose model is a player."""

    player: Player | None = None

    def _next(self, body: dict[str, Any]) -> Play:
        assert self.player is not None
        return self.player.play(body)


@asynccontextmanager
async def played_model(player: Player, port: int = 0) -> AsyncIterator[PlayedServer]:
    """A running endpoint on a free port, or the given one."""
    served = PlayedServer(player=player)
    async with openai_server(port, served=served):
        yield served


async def _serve(player: Player, port: int) -> None:
    async with played_model(player, port) as server:
        print(f"{server.url} — 틀리는 비율 {player.error_rate:.0%}, 첫 글자까지 {player.latency_s:g}초")
        await asyncio.Event().wait()


def main() -> None:
    """Serve until it is stopped."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=Path, action="append", required=True, help="정답이 달린 대화(여러 번)")
    parser.add_argument("--port", type=int, default=9000)
    parser.add_argument("--error-rate", type=float, default=0.0, help="틀리는 질문의 비율, 0~1")
    parser.add_argument("--latency", type=float, default=0.0, help="첫 글자까지의 시간(초)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    talks = [talk for path in options.cases for talk in load_dialogues(path)]
    asyncio.run(_serve(Player(talks, options.error_rate, options.latency, options.seed), options.port))


if __name__ == "__main__":
    main()
