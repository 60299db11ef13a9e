"""API keys on the command line: make, list, revoke. And the two secrets of the installation: change one for another.

python -m scripts.keys create --role staff --label "지점 상담 화면"
python -m scripts.keys create --role customer --customer-id C0001 --days 30 --label "김민수 고객"
python -m scripts.keys list
python -m scripts.keys revoke 1a2b3c4d5e6f
python -m scripts.keys rotate-data        (every server stopped: all encrypted columns get a new key, or none)
python -m scripts.keys accept-secret      (every server stopped: SECRET_KEY was changed on purpose)
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import SecretStr

from app.access import ROLE_ORDER, SCOPES
from app.adapters.audit_head import HEAD_FILE, AuditHead
from app.adapters.audit_log import AuditLog
from app.adapters.data_rotation import OLD_FILE, rotate_data_key, settle_rotation
from app.adapters.database import Database, open_database
from app.adapters.field_cipher import FieldCipher
from app.adapters.key_checks import KeyChecks
from app.adapters.key_store import KeyRecord, KeyStore
from app.adapters.quiet_database import admitted, undisturbed
from app.adapters.secret_files import DATA_FILE, open_secrets
from app.adapters.state_folder import prepare_state_folder
from app.adapters.state_lock import shared_folder
from app.adapters.state_swap import finish
from app.errors import AppError, BadRequest
from app.settings import Settings

ACTOR = "scripts.keys"


def main(arguments: list[str] | None = None) -> int:
    """0 when it was done, 1 with the reason in Korean when not."""
    options = _parser().parse_args(arguments)
    try:
        return asyncio.run(_run(options))
    except AppError as error:
        print(error, file=sys.stderr)
        return 1


async def _run(options: argparse.Namespace) -> int:
    settings = Settings()
    prepare_state_folder(settings.data_dir)
    if options.command in _ALONE:
        with undisturbed(settings):
            finish(settings.data_dir)
            return await _ALONE[options.command](options, settings)
    with shared_folder(settings.data_dir):
        await settle_rotation(settings)
        async with _opened(settings) as desk:
            await admitted(desk.database)
            if fault := await desk.checks.settle():
                print(f"주의: {fault}", file=sys.stderr)
            return await _COMMANDS[options.command](options, desk.store, desk.audit)


@dataclass(frozen=True)
class Desk:
    """What the commands work with."""

    database: Database
    store: KeyStore
    audit: AuditLog
    checks: KeyChecks


@asynccontextmanager
async def _opened(settings: Settings) -> AsyncIterator[Desk]:
    secrets = open_secrets(settings)
    database = await open_database(settings.effective_database_url, FieldCipher(secrets.data_key()))
    try:
        audit_key = secrets.signing_key("audit")
        yield Desk(
            database,
            KeyStore(database, secrets.signing_key("keys")),
            AuditLog(database, audit_key, head=AuditHead(settings.data_dir / HEAD_FILE, audit_key)),
            KeyChecks(database, secrets),
        )
    finally:
        await database.close()


async def _rotate_data(options: argparse.Namespace, settings: Settings) -> int:
    given = _read_key(options.new_key_file) if options.new_key_file else None
    changed = await rotate_data_key(settings, given)
    if settings.data_key is not None and settings.data_key.get_secret_value():
        print(f"암호화된 값 {changed}개를 새 키로 바꾸었습니다.")
        print("이제 DATA_KEY를 새 값으로 바꾼 뒤 서비스를 시작해 주세요.")
        settings = settings.model_copy(update={"data_key": SecretStr(given or "")})
    else:
        print(f"암호화된 값 {changed}개를 새 키로 바꾸었습니다. 새 키는 {settings.data_dir / DATA_FILE}에 있습니다.")
        print(f"전 키는 {settings.data_dir / OLD_FILE}에 남겼습니다. 다른 곳으로 옮겨 두세요.")
    print("지금까지 만든 백업은 전 키로만 읽을 수 있습니다. 그 백업을 지킬 동안 전 키도 지켜 주세요.")
    async with _opened(settings) as desk:
        await desk.audit.record(ACTOR, "data_key.rotate", details={"values": changed})
    return 0


async def _accept_secret(_: argparse.Namespace, settings: Settings) -> int:
    async with _opened(settings) as desk:
        if await desk.checks.settle() is None:
            print("SECRET_KEY가 이 데이터베이스에서 쓰던 것과 같습니다. 바꿀 것이 없습니다.")
            return 0
        dead = [record for record in await desk.store.list() if record.revoked_at is None]
        up_to = await desk.audit.restart()
        for record in dead:
            await desk.store.revoke(record.key_id)
        await desk.checks.accept_signing()
        await desk.audit.record(ACTOR, "secret_key.accept", details={"revoked": len(dead), "audit_up_to": up_to})
    print(f"지금의 SECRET_KEY를 받아들였습니다. 전 값으로 만든 API 키 {len(dead)}개를 폐기했으니 다시 만들어 주세요.")
    print(f"감사 기록 {up_to}번까지는 전 값으로만 확인할 수 있습니다. 그다음부터 새로 이어집니다.")
    return 0


_ALONE = {"rotate-data": _rotate_data, "accept-secret": _accept_secret}


def _read_key(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"새 키 파일 {path}를 읽을 수 없습니다({error}). 경로와 내용을 확인해 주세요.") from error


async def _create(options: argparse.Namespace, store: KeyStore, audit: AuditLog) -> int:
    made = await store.create(
        label=options.label,
        role=options.role,
        scopes=tuple(options.scope),
        customer_id=options.customer_id,
        expires_at=datetime.now(UTC) + timedelta(days=options.days) if options.days else None,
        created_by=ACTOR,
    )
    details = {"role": options.role, "scopes": options.scope, "customer_id": options.customer_id}
    await audit.record(ACTOR, "key.create", made.record.prefix, details=details)
    print("키를 만들었습니다. 아래 값은 지금 한 번만 보이니 안전한 곳에 옮겨 두세요.\n")
    print(f"  {made.key}\n")
    print(f"  역할 {made.record.role}, 범위 {', '.join(made.record.scopes) or '역할이 할 수 있는 모든 것'}")
    if made.record.customer_id:
        print(f"  묶인 고객 {made.record.customer_id}: 이 고객의 계약만 볼 수 있습니다.")
    print(f"  만료 {_day(made.record.expires_at) if made.record.expires_at else '없음'}")
    print('\n쓰는 법: curl -H "X-API-Key: <키>" http://127.0.0.1:8080/api/me')
    print("키가 하나라도 있으면 로컬 모드(이 컴퓨터에서 접속하면 관리자)는 꺼집니다.")
    return 0


async def _list(options: argparse.Namespace, store: KeyStore, audit: AuditLog) -> int:
    found = await store.list()
    if not found:
        print(
            "만들어 둔 키가 없습니다. 'python -m scripts.keys create --role staff --label 이름'으로 만들 수 있습니다."
        )
        return 0
    for record in found:
        owner = f" 고객 {record.customer_id}" if record.customer_id else ""
        used = _day(record.last_used_at)
        print(f"{record.key_id}  {record.role:<8}{owner}  {_state(record)}  마지막 사용 {used}  {record.label}")
    return 0


async def _revoke(options: argparse.Namespace, store: KeyStore, audit: AuditLog) -> int:
    record = await store.revoke(options.key_id.removeprefix("ins_"))
    await audit.record(ACTOR, "key.revoke", record.prefix)
    print(f"키 {record.key_id}({record.label})를 폐기했습니다. 실행 중인 서버에는 2초 안에 반영됩니다.")
    return 0


async def _clean(options: argparse.Namespace, store: KeyStore, audit: AuditLog) -> int:
    count = await store.remove_unusable()
    await audit.record(ACTOR, "key.clean", str(count))
    print(f"폐기되었거나 만료된 키 {count}개를 지웠습니다.")
    return 0


_COMMANDS = {"create": _create, "list": _list, "revoke": _revoke, "clean": _clean}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m scripts.keys", description="API 키를 만들고, 보고, 폐기하며 비밀값을 바꿉니다."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    create = commands.add_parser("create", help="키를 만듭니다. 값은 한 번만 보입니다.")
    create.add_argument("--role", choices=ROLE_ORDER, required=True, help="키로 할 수 있는 일")
    create.add_argument("--label", required=True, help="어디에 쓰는 키인지 (1~100자)")
    create.add_argument("--scope", choices=SCOPES, action="append", default=[], help="여러 번 쓸 수 있음. 없으면 모두")
    create.add_argument("--customer-id", help="고객 키가 묶일 고객 번호 (예: C0001)")
    create.add_argument("--days", type=int, help="며칠 뒤 만료되는지")
    commands.add_parser("list", help="키 목록. 값은 보이지 않습니다.")
    revoke = commands.add_parser("revoke", help="키를 폐기합니다.")
    revoke.add_argument("key_id", help="목록에 나오는 id")
    commands.add_parser("clean", help="폐기되었거나 만료된 키를 지웁니다.")
    rotate = commands.add_parser("rotate-data", help="암호화된 열을 모두 새 DATA_KEY로 바꿉니다. 서버를 멈춘 뒤에.")
    rotate.add_argument("--new-key-file", type=Path, help="새 키를 담은 파일. DATA_KEY를 설정에서 줄 때는 꼭 필요")
    commands.add_parser("accept-secret", help="일부러 바꾼 SECRET_KEY를 받아들입니다. 서버를 멈춘 뒤에.")
    return parser


def _state(record: KeyRecord) -> str:
    if record.revoked_at is not None:
        return f"폐기 {_day(record.revoked_at)}"
    if not record.usable(datetime.now(UTC)):
        return f"만료 {_day(record.expires_at)}"
    return f"사용 중(만료 {_day(record.expires_at)})" if record.expires_at else "사용 중"


def _day(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d}" if at else "-"


if __name__ == "__main__":
    os.umask(0o077)  # what is written is for this user alone
    raise SystemExit(main())
