"""The types of arguments that many tools share, with the words the model reads."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from app.insurance.models import ChannelName, Gender

# The pattern is told but not enforced here: the catalogue's own refusal is in Korean and names codes that look alike.
CodeArg = Annotated[
    str, Field(description="상품 코드. B와 숫자 8자리 (예: B00115023)", json_schema_extra={"pattern": r"^B\d{8}$"})
]
CodesArg = Annotated[list[str], Field(description="상품 코드 2~4개 (예: ['B00115023', 'B00355005'])")]
AgeArg = Annotated[int, Field(ge=0, le=120, description="만 나이, 세")]
# The pattern is told but not enforced here: the refusal of what is no date is in Korean.
BirthDateArg = Annotated[
    str,
    Field(
        description="생년월일, YYYY-MM-DD (태어난 날을 모르면 YYYY-MM). 알면 보험나이로 계산한다",
        json_schema_extra={"pattern": r"^\d{4}-\d{2}(-\d{2})?$"},
    ),
]
GenderArg = Annotated[Gender, Field(description="성별. M 남성, F 여성")]
WonArg = Annotated[int, Field(ge=0, description="금액, 원")]
ChannelArg = Annotated[ChannelName, Field(description="판매 채널: TM(전화), CM(다이렉트), 대면, 온라인, 방카(은행)")]
ConditionsArg = Annotated[
    list[str],
    Field(
        description="가입할 사람에 대해 알린 병·치료·장기요양등급·치아 상태·직업·사정을 말한 그대로, 하나씩. "
        "언제였는지와 개수도 함께 (예: ['3년 전 유방암 수술', '틀니 사용', '장기요양 3등급']). "
        "없다고 한 것과 다른 사람의 것은 넣지 않는다"
    ),
]
