"""All settings, frozen and typed. Read once in an entry point and passed on; nothing else reads the environment."""

from __future__ import annotations

from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, SecretStr, computed_field, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

OPENROUTER = "https://openrouter.ai/api/v1"
ROOT = Path(__file__).resolve().parent.parent
COMPANY_FILE = "company.yaml"
_ASYMMETRIC = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")


def listed(value: str) -> tuple[str, ...]:
    """The parts of a comma-separated setting, without blanks."""
    return tuple(part.strip() for part in value.split(",") if part.strip())


class Settings(BaseSettings):
    """Every option with its type, default and one sentence. Units stand in the names."""

    model_config = SettingsConfigDict(env_file=".env", env_file_encoding="utf-8", frozen=True, extra="forbid")

    company_name: str = Field("라이나생명", description="회사 이름. 화면, 답변, 생성 문서에 쓰입니다.")
    host: str = Field("127.0.0.1", description="서버가 여는 주소.")
    port: Annotated[int, Field(ge=1, le=65535, description="서버 포트.")] = 8080
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field("INFO", description="로그 수준.")
    log_format: Literal["text", "json"] = Field("text", description="로그 형식: 사람이 읽는 text, 모으기 좋은 json.")
    otel_endpoint: str = Field(
        "", description="추적을 보낼 OTLP/HTTP 수집기 주소(예: http://127.0.0.1:4318). 비우면 보내지 않습니다."
    )

    data_dir: Path = Field(ROOT / "var", description="상태 폴더: 색인, 데이터베이스, 체크포인트, 캐시.")
    content_dir: Path = Field(ROOT / "data", description="상품·카드·지식 등 원천 데이터 폴더.")
    database_url: str | None = Field(None, description="고객·계약 데이터베이스 URL. 없으면 DATA_DIR의 SQLite.")
    database_pool_size: Annotated[
        int, Field(ge=1, le=200, description="Postgres 연결 수(표와 대화 기억에 따로 이만큼).")
    ] = 10
    chroma_url: str | None = Field(None, description="Chroma 서버 주소. 없으면 DATA_DIR의 Chroma 폴더.")
    redis_url: SecretStr | None = Field(
        None, description="Redis 주소. 여러 워커가 함께 일할 때 줍니다(Postgres와 Chroma 서버도 필요합니다)."
    )

    embedding_model: str = Field("bundled", description="'bundled' 또는 sentence-transformers 모델 이름·폴더.")
    openrouter_api_key: SecretStr | None = Field(None, description="OpenRouter 키. 없으면 내장 플래너가 답합니다.")
    openrouter_model: str = Field("qwen/qwen3-14b", description="OpenAI 호환 모델 이름.")
    engine: Literal["planner", "model", "auto"] = Field(
        "auto",
        description="누가 답할지: planner(내장 플래너만), model(모델만), auto(플래너가 확신하면 플래너, 아니면 모델). "
        "모델이 설정되지 않았으면 언제나 플래너입니다.",
    )
    auto_error_rate: Annotated[
        float,
        Field(gt=0, lt=1, description="auto에서 플래너가 맡은 턴 중 틀려도 되는 비율. 낮으면 모델이 더 맡습니다."),
    ] = 0.03
    model_budget_usd_day: Annotated[
        float, Field(ge=0, description="하루(서울)에 모델에 쓸 상한(미국 달러). 넘으면 플래너가 답합니다. 0이면 없음.")
    ] = 0.0
    llm_base_url: str = Field(OPENROUTER, description="OpenAI 호환 엔드포인트.")
    llm_timeout_s: Annotated[float, Field(gt=0, description="모델 호출 제한 시간(초).")] = 60.0
    llm_connect_timeout_s: Annotated[float, Field(gt=0, description="모델 서버에 연결되기까지의 제한 시간(초).")] = 5.0
    llm_first_token_timeout_s: Annotated[
        float,
        Field(
            gt=0,
            description="한 턴에서 읽을 것 없이 모델을 기다리는 시간의 합(초). 넘으면 내장 플래너가 답합니다.",
        ),
    ] = 8.0
    llm_thinking_timeout_s: Annotated[
        float, Field(gt=0, description="모델이 생각이나 도구 호출을 쓰고 있을 때 한 턴에서 기다리는 시간의 합(초).")
    ] = 12.0
    llm_least_letters_per_s: Annotated[
        float,
        Field(ge=0, description="모델이 이보다 느리게(초당 글자) 쓰면 내장 플래너가 답합니다. 0이면 재지 않습니다."),
    ] = 5.0
    llm_silence_timeout_s: Annotated[
        float, Field(gt=0, description="모델이 다음 조각을 보내기까지의 제한 시간(초).")
    ] = 20.0
    llm_max_attempts: Annotated[int, Field(ge=1, le=10, description="한 번의 모델 호출을 시도하는 횟수.")] = 3
    llm_retry_budget_s: Annotated[
        float, Field(ge=0, description="다시 시도하며 기다리는 시간의 합(초). Retry-After가 더 길면 기다리지 않습니다.")
    ] = 8.0
    llm_breaker_failures: Annotated[
        int, Field(ge=1, description="이만큼 잇달아 실패하면 모델을 잠시 부르지 않습니다.")
    ] = 5
    llm_breaker_open_s: Annotated[float, Field(gt=0, description="모델을 부르지 않고 쉬는 시간(초).")] = 30.0
    llm_fallback: bool = Field(True, description="모델이 답하지 못하면 내장 플래너가 대신 답합니다.")
    llm_temperature: Annotated[float, Field(ge=0, le=2, description="모델의 온도.")] = 0.0
    llm_max_output_tokens: Annotated[int, Field(ge=64, description="모델 답변의 토큰 상한.")] = 2048
    llm_history_tokens: Annotated[
        int, Field(ge=500, description="모델에 보내는 대화의 토큰 상한(어림). 넘으면 오래된 턴부터 뺍니다.")
    ] = 8000
    llm_result_chars: Annotated[
        int, Field(ge=500, description="모델에 보내는 도구 결과 하나의 상한(글자). 넘으면 줄입니다.")
    ] = 8000
    llm_rewrites: bool = Field(True, description="짧은 후속 질문을 모델이 다시 씁니다. 끄면 내장 플래너가 씁니다.")
    llm_judges_domain: bool = Field(True, description="보험 질문인지 애매하면 모델에 묻습니다(L3).")
    llm_aide_timeout_s: Annotated[float, Field(gt=0, description="다시 쓰기와 판정의 제한 시간(초).")] = 4.0
    llm_aide_tokens: Annotated[int, Field(ge=64, description="다시 쓰기와 판정 답변의 토큰 상한.")] = 512
    llm_price_input_usd: Annotated[float, Field(ge=0, description="입력 백만 토큰의 값(미국 달러). 0이면 모름.")] = 0.0
    llm_price_output_usd: Annotated[float, Field(ge=0, description="출력 백만 토큰의 값(미국 달러). 0이면 모름.")] = 0.0

    twin_process: bool = Field(
        True,
        description="가드와 도구 고르기를 둘째 프로세스에 맡깁니다. 코어가 둘 이상인 Linux에서만 씁니다.",
    )
    tool_search_top_k: Annotated[int, Field(ge=1, le=20, description="한 턴에 모델에 묶는 도구 수.")] = 5
    rag_top_k: Annotated[int, Field(ge=1, le=50, description="문서 검색 기본 결과 수.")] = 5
    recursion_limit: Annotated[int, Field(ge=5, le=100, description="그래프 단계 상한.")] = 30
    max_output_retries: Annotated[int, Field(ge=0, le=3, description="출력 가드레일 재작성 횟수.")] = 1
    max_conversation_turns: Annotated[int, Field(ge=1, le=200, description="기억하는 대화 턴 수.")] = 20
    rewrite_threshold_chars: Annotated[
        int, Field(ge=0, le=200, description="이보다 짧은 후속 질문은 재작성(글자).")
    ] = 15
    turn_timeout_s: Annotated[float, Field(gt=0, description="한 턴의 제한 시간(초).")] = 30.0
    max_tool_calls: Annotated[int, Field(ge=1, le=50, description="한 턴의 도구 호출 상한.")] = 8
    max_model_calls: Annotated[int, Field(ge=1, le=50, description="한 턴의 모델 호출 상한.")] = 6
    max_body_bytes: Annotated[int, Field(ge=1024, description="JSON 본문 상한(바이트).")] = 65_536
    max_upload_bytes: Annotated[int, Field(ge=1024, description="올리는 문서 하나의 상한(바이트).")] = 52_428_800
    secret_key: SecretStr | None = Field(
        None, description="쿠키 서명과 API 키 확인의 비밀값(32자 이상). 없으면 DATA_DIR에 만듭니다."
    )
    data_key: SecretStr | None = Field(
        None, description="전화번호·주민등록번호 암호화의 비밀값(32자 이상). 없으면 DATA_DIR에 만듭니다."
    )
    oidc_issuer: str = Field("", description="JWT 발급자(iss). OIDC 설정은 발급자, 대상, JWKS를 함께 줍니다.")
    oidc_audience: str = Field("", description="JWT 대상(aud).")
    oidc_jwks: str = Field("", description="JWKS의 https 주소 또는 파일 경로.")
    oidc_algorithms: str = Field("RS256,ES256", description="받아들이는 서명 방식(쉼표로 나눔, 비대칭만).")
    oidc_role_claim: str = Field("role", description="역할이 든 클레임. 점으로 안쪽을 가리킵니다.")
    oidc_customer_claim: str = Field("customer_id", description="고객 번호가 든 클레임.")
    oidc_leeway_s: Annotated[int, Field(ge=0, le=300, description="토큰 시각의 허용 오차(초).")] = 30
    session_hours: Annotated[int, Field(ge=1, le=720, description="화면 로그인이 이어지는 시간(시간).")] = 12
    trusted_proxies: str = Field("", description="X-Forwarded-*를 믿을 프록시 주소나 대역(쉼표로 나눔).")
    allowed_hosts: str = Field("", description="받아들이는 Host 이름(쉼표로 나눔). 비우면 가리지 않습니다.")
    cors_origins: str = Field("", description="다른 출처에서 부를 수 있게 할 주소(쉼표로 나눔). 비우면 막습니다.")
    widget_origins: str = Field(
        "", description="대화창(widget.js)을 넣을 수 있는 사이트의 출처(쉼표로 나눔). 비우면 열지 않습니다."
    )
    rate_limit_per_minute: Annotated[int, Field(ge=1, description="사용자 한 명의 분당 요청 상한.")] = 600
    rate_limit_turns_per_minute: Annotated[int, Field(ge=1, description="사용자 한 명의 분당 질문 상한.")] = 60
    rate_limit_address_per_minute: Annotated[int, Field(ge=1, description="주소 하나의 분당 요청 상한.")] = 1200
    max_streams: Annotated[int, Field(ge=1, description="사용자 한 명이 동시에 여는 SSE 연결 상한.")] = 8
    body_timeout_s: Annotated[float, Field(gt=0, description="요청 본문을 다 받기까지의 제한 시간(초).")] = 20.0
    max_header_bytes: Annotated[int, Field(ge=1024, description="요청 헤더 전체의 상한(바이트).")] = 16_384
    retention_days: Annotated[int, Field(ge=0, description="대화와 의견을 지키는 날수. 0이면 지우지 않습니다.")] = 90
    audit_retention_days: Annotated[int, Field(ge=0, description="감사 기록을 지키는 날수. 0이면 지우지 않습니다.")] = (
        1095
    )
    require_approval: str = Field("", description="쓰기 도구 말고도 승인을 받을 도구 이름(쉼표로 나눔).")
    approval_ttl_s: Annotated[float, Field(gt=0, description="승인을 기다리는 시간(초). 지나면 거절로 봅니다.")] = 900.0
    tool_paths: str = Field("", description="도구 모듈을 더 찾을 폴더(쉼표로 나눔). 카드는 같은 이름의 .yaml입니다.")
    tool_import_timeout_s: Annotated[float, Field(gt=0, description="도구 모듈을 불러오는 제한 시간(초).")] = 10.0
    tool_change_timeout_s: Annotated[
        float,
        Field(
            gt=0, description="도구 모듈·카드·가져오기·스위치를 바꾸는 작업의 제한 시간(초). 넘으면 이전 도구를 씁니다."
        ),
    ] = 30.0
    reload_on_change: bool = Field(False, description="도구 파일이나 카드가 바뀌면 스스로 다시 불러옵니다(개발용).")
    tool_source_hosts: str = Field(
        "",
        description="도구를 가져오고 부를 수 있는 서버(쉼표로 나눔, 예: api.example.com,*.example.org:8443). "
        "포트가 없으면 80·443만 갑니다.",
    )
    tool_source_networks: str = Field(
        "", description="그 서버로 허락하는 사설 주소나 대역(쉼표로 나눔, 예: 127.0.0.0/8). 비우면 공인 주소만 갑니다."
    )
    tool_source_auth: SecretStr | None = Field(
        None, description='가져온 도구의 인증(JSON: 이름별 {"type":"bearer|api_key|basic|env",…}).'
    )
    tool_source_timeout_s: Annotated[float, Field(gt=0, description="가져온 도구 호출의 제한 시간(초).")] = 10.0
    tool_result_chars: Annotated[int, Field(ge=200, description="가져온 도구 결과의 상한(글자).")] = 4000
    mcp_commands: str = Field(
        "", description="stdio MCP 서버로 실행해도 되는 명령줄(세미콜론으로 나눔). 인자까지 같아야 합니다."
    )
    mcp_connect_timeout_s: Annotated[float, Field(gt=0, description="MCP 서버에 연결하는 제한 시간(초).")] = 10.0
    webhook_hosts: str = Field(
        "",
        description="웹훅을 보낼 수 있는 서버(쉼표로 나눔, 예: hooks.example.com,*.example.org:8443). "
        "포트가 없으면 80·443만 갑니다.",
    )
    webhook_networks: str = Field(
        "", description="그 서버로 허락하는 사설 주소나 대역(쉼표로 나눔). 비우면 공인 주소만 갑니다."
    )
    webhook_timeout_s: Annotated[float, Field(gt=0, description="웹훅 한 번의 제한 시간(초).")] = 10.0
    webhook_attempts: Annotated[int, Field(ge=1, le=20, description="웹훅을 보내 보는 횟수.")] = 6
    webhook_first_pause_s: Annotated[
        float, Field(gt=0, description="웹훅을 다시 보내기까지의 첫 시간(초). 그 뒤로 네 배씩 길어집니다.")
    ] = 10.0
    mcp_session_idle_s: Annotated[float, Field(gt=0, description="소식이 없는 MCP 세션을 닫기까지의 시간(초).")] = 300.0
    mcp_max_sessions: Annotated[int, Field(ge=1, description="동시에 열리는 MCP 세션의 상한.")] = 1000
    chunk_chars: Annotated[int, Field(ge=100, le=4000, description="문서 조각 크기(글자).")] = 500
    chunk_overlap_chars: Annotated[int, Field(ge=0, le=1000, description="문서 조각 겹침(글자).")] = 100

    @field_validator("tool_source_hosts", "webhook_hosts")
    @classmethod
    def _servers(cls, value: str) -> str:
        for part in listed(value):
            port = part.rpartition("]")[2].removeprefix(":") if part.startswith("[") else part.partition(":")[2]
            if "/" in part or not (port in ("", "*") or port.isdecimal() or ":" in port):
                raise ValueError(f"{part!r}: 주소가 아니라 이름이나 이름:포트로 적어 주세요(예: api.example.com:8443)")
        return value

    @field_validator("trusted_proxies", "tool_source_networks", "webhook_networks")
    @classmethod
    def _networks(cls, value: str) -> str:
        for part in listed(value):
            ip_network(part, strict=False)
        return value

    @model_validator(mode="after")
    def _place_of_its_own(self) -> Self:
        """Another company's state stands beside the shipped one's, unless DATA_DIR says where."""
        if "data_dir" not in self.model_fields_set and (self.content_dir / COMPANY_FILE).is_file():
            object.__setattr__(self, "data_dir", self.data_dir / self.content_dir.resolve().name)
        return self

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.redis_url is not None:
            if not (self.database_url or "").startswith("postgres"):
                raise ValueError("REDIS_URL로 여러 워커를 쓰려면 DATABASE_URL에 Postgres 주소가 필요합니다")
            if self.chroma_url is None:
                raise ValueError("REDIS_URL로 여러 워커를 쓰려면 CHROMA_URL에 Chroma 서버 주소가 필요합니다")
        return self

    @field_validator("oidc_algorithms")
    @classmethod
    def _asymmetric(cls, value: str) -> str:
        if unknown := [name for name in listed(value) if name not in _ASYMMETRIC]:
            raise ValueError(f"{', '.join(unknown)}: 비대칭 서명만 쓸 수 있습니다({', '.join(_ASYMMETRIC)})")
        return value

    @computed_field  # type: ignore[prop-decorator]
    @property
    def chroma_path(self) -> Path:
        """Chroma's folder."""
        return self.data_dir / "chroma_data"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def checkpoints_path(self) -> Path:
        """The checkpointer's SQLite file."""
        return self.data_dir / "checkpoints.db"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def effective_database_url(self) -> str:
        """The SQLAlchemy (async) URL of customers, contracts and service requests."""
        return self.database_url or f"sqlite+aiosqlite:///{self.data_dir / 'customer.db'}"
