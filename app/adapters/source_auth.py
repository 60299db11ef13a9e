"""The credentials of imported tools, by source name, from TOOL_SOURCE_AUTH. They reach requests and nothing else."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, TypeAdapter, ValidationError

from app.errors import StartError
from app.messages import worded

_MASK = "***"
_LEAST_HIDDEN = 4


class _Auth(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class Bearer(_Auth):
    """`Authorization: Bearer …`."""

    type: Literal["bearer"]
    token: SecretStr


class ApiKey(_Auth):
    """A key in a header, the query or a cookie; without a name, where the API's description puts it."""

    type: Literal["api_key"]
    value: SecretStr
    name: str | None = None
    place: Literal["header", "query", "cookie"] | None = Field(None, alias="in")


class Basic(_Auth):
    """User name and password."""

    type: Literal["basic"]
    username: str
    password: SecretStr


class Environment(_Auth):
    """Environment variables of a stdio MCP server."""

    type: Literal["env"]
    values: dict[str, SecretStr]


SourceAuth = Bearer | ApiKey | Basic | Environment
_ADAPTER: TypeAdapter[dict[str, SourceAuth]] = TypeAdapter(
    dict[str, Annotated[SourceAuth, Field(discriminator="type")]]
)


@dataclass(frozen=True)
class Credentials:
    """What a source's requests carry, and how its answers are kept free of it."""

    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    query: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    def hidden(self, text: str) -> str:
        """`text` without any secret that a server sent back."""
        for secret in self.secrets:
            if len(secret) >= _LEAST_HIDDEN:
                text = text.replace(secret, _MASK)
        return text


def read_auth(raw: SecretStr | None) -> dict[str, SourceAuth]:
    """The credentials by source name. Raises StartError without showing them."""
    if raw is None or not raw.get_secret_value().strip():
        return {}
    try:
        return _ADAPTER.validate_python(json.loads(raw.get_secret_value()))
    except ValidationError as error:
        places = ", ".join(sorted({".".join(map(str, item["loc"][:2])) for item in error.errors()}))
        raise StartError(worded("source_auth.unreadable", places=places)) from None
    except ValueError:
        raise StartError(worded("source_auth.not_json")) from None


def credentials(auth: SourceAuth | None, declared: ApiKeyPlace | None = None) -> Credentials:
    """What the requests of a source carry. `declared` is where the API's description puts a key."""
    match auth:
        case None:
            return Credentials()
        case Bearer():
            token = auth.token.get_secret_value()
            return Credentials(headers=(("Authorization", f"Bearer {token}"),), secrets=(token,))
        case Basic():
            password = auth.password.get_secret_value()
            pair = base64.b64encode(f"{auth.username}:{password}".encode()).decode()
            return Credentials(headers=(("Authorization", f"Basic {pair}"),), secrets=(pair, password))
        case Environment():
            values = {name: value.get_secret_value() for name, value in auth.values.items()}
            return Credentials(environment=values, secrets=tuple(values.values()))
        case ApiKey():
            key = auth.value.get_secret_value()
            name = auth.name or (declared.name if declared else "X-API-Key")
            place = auth.place or (declared.place if declared else "header")
            if place == "query":
                return Credentials(query=((name, key),), secrets=(key,))
            header = ("Cookie", f"{name}={key}") if place == "cookie" else (name, key)
            return Credentials(headers=(header,), secrets=(key,))


@dataclass(frozen=True)
class ApiKeyPlace:
    """Where an API's description says its key goes."""

    name: str
    place: Literal["header", "query", "cookie"]
