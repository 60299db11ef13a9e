"""Whose illness made somebody think of themselves: 엄마가 암 수술을 하셔서 저도 하나 들려고요."""

from __future__ import annotations

import re
from dataclasses import replace

from app.language.mentions import Entities

_ILL = re.compile(
    r"^(?:이|가|께서|도|는|은|님이|님께서)?\s?.{0,24}?(?:수술|걸리|걸려|앓|아프|아파|쓰러|투병|진단|입원|고생|암으로|치매|편찮"
    r"|다치|다쳐|부러|골절|낙상|넘어지|넘어져|돌아가|세상을)"
    r".{0,60}?(?:서|고|구|니|니까|거든|어|아|습니다|데|길래|걸 보니|더니|네)[요여]?[\s,.]"
)
_ME_TOO = re.compile(r"^(?:저|나)(?:도|두|까지)(?!\s?(?:같이|함께|둘|다 같이))")


def without_motive(entities: Entities) -> Entities:
    """Without the relative whose illness made the speaker think of themselves, and without that illness."""
    speaker = next((m for m in entities.people if m.who == "본인" and _ME_TOO.match(entities.text[m.start :])), None)
    before = [m for m in entities.people if speaker and m.end <= speaker.start and m.who not in ("본인", "고객")]
    if speaker is None or not before or not _ILL.match(entities.text[before[-1].end : speaker.start]):
        return entities
    start, end = before[-1].start, speaker.start
    return replace(
        entities,
        people=tuple(m for m in entities.people if not start <= m.start < end),
        medical=tuple(m for m in entities.medical if not start <= m.start < end),
        claims=tuple(m for m in entities.claims if not start <= m.start < end),
        ages=tuple(m for m in entities.ages if not start <= m.start < end),
        births=tuple(m for m in entities.births if not start <= m.start < end),
    )
