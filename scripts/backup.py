"""Backups of everything that would be lost: made while the service runs, put back while it stands still.

    python -m scripts.backup create backup.tar.gz
    python -m scripts.backup verify backup.tar.gz
    python -m scripts.backup restore backup.tar.gz [--force]

A backup holds the database, the conversations' memory, the operator's documents and, with --with-keys, both keys.
Indexes are left out: they are built again. SQLite is copied page by page through its own backup function; Postgres
is dumped by `pg_dump` in one snapshot and put back by `pg_restore` in one transaction (both on the PATH). A restore is
refused while a server uses the state, and is whole or not at all, whenever it is cut off.
Without its keys a backup cannot be read: keep them apart from it, and keep them.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from app.errors import AppError
from app.settings import Settings
from scripts.backup_archive import create, verify
from scripts.backup_restore import restore


def main(arguments: list[str] | None = None) -> int:
    """0 when it was done, 1 with the reason in Korean when not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("create", "verify", "restore"))
    parser.add_argument("archive", type=Path)
    parser.add_argument("--with-keys", action="store_true", help="secret.key와 data.key도 담습니다")
    parser.add_argument("--force", action="store_true", help="있는 자료를 바꿉니다(전 것은 남겨 둡니다)")
    options = parser.parse_args(arguments)
    try:
        settings = Settings()
        if options.command == "create":
            files = create(settings, options.archive, with_keys=options.with_keys)
            print(f"{options.archive}: 파일 {len(files)}개를 담았습니다.")
            if not options.with_keys:
                print("키(SECRET_KEY, DATA_KEY)는 담지 않았습니다. 따로 보관해 주세요.")
        elif options.command == "verify":
            with tempfile.TemporaryDirectory() as folder:
                manifest = verify(options.archive, Path(folder))
            print(f"{options.archive}: 온전합니다({manifest['made_at']}).")
        else:
            manifest = restore(settings, options.archive, force=options.force)
            print(f"{manifest['made_at']}의 백업으로 되돌렸습니다. 이제 서비스를 시작해 주세요.")
            for warning in manifest["warnings"]:  # type: ignore[attr-defined]
                print(f"주의: {warning}", file=sys.stderr)
    except AppError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    os.umask(0o077)  # what is written is for this user alone
    raise SystemExit(main())
