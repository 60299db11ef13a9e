"""API keys on the command line: make, list, revoke.

python -m scripts.keys create --role staff --label "지점 상담 화면"
python -m scripts.keys create --role customer --customer-id C0001 --days 30 --label "김민수 고객"
python -m scripts.keys list
python -m scripts.keys revoke 1a2b3c4d5e6f
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from datetime import UTC, datetime, timedelta

from app.access import ROLE_ORDER, SCOPES
from app.adapters.audit_head import HEAD_FILE, AuditHead
from app.adapters.audit_log import AuditLog
from app.adapters.database import Database, open_database
from app.adapters.field_cipher import FieldCipher
from app.adapters.key_store import KeyRecord, KeyStore
from app.adapters.secret_files import open_secrets
from app.errors import AppError
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
    secrets = open_secrets(settings)
    database = await open_database(settings.effective_database_url, FieldCipher(secrets.data_key()))
    try:
        store = KeyStore(database, secrets.signing_key("keys"))
        audit_key = secrets.signing_key("audit")
        audit = AuditLog(database, audit_key, head=AuditHead(settings.data_dir / HEAD_FILE, audit_key))
        return await _COMMANDS[options.command](options, store, audit, database)
    finally:
        await database.close()


async def _create(options: argparse.Namespace, store: KeyStore, audit: AuditLog, _: Database) -> int:
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


async def _list(options: argparse.Namespace, store: KeyStore, audit: AuditLog, _: Database) -> int:
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


async def _revoke(options: argparse.Namespace, store: KeyStore, audit: AuditLog, _: Database) -> int:
    record = await store.revoke(options.key_id.removeprefix("ins_"))
    await audit.record(ACTOR, "key.revoke", record.prefix)
    print(f"키 {record.key_id}({record.label})를 폐기했습니다. 실행 중인 서버에는 2초 안에 반영됩니다.")
    return 0


async def _clean(options: argparse.Namespace, store: KeyStore, audit: AuditLog, _: Database) -> int:
    count = await store.remove_unusable()
    await audit.record(ACTOR, "key.clean", str(count))
    print(f"폐기되었거나 만료된 키 {count}개를 지웠습니다.")
    return 0


_COMMANDS = {"create": _create, "list": _list, "revoke": _revoke, "clean": _clean}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m scripts.keys", description="API 키를 만들고, 보고, 폐기합니다.")
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
    raise SystemExit(main())
