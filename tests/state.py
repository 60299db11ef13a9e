"""A state folder whose documents are read and indexed, made once a test run and copied: making it takes longest."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

from app.composition import open_services
from app.settings import ROOT, Settings

# Where the folder to be copied lies, for all test processes of a run: tests/conftest.py makes and removes it.
PLACE = "ASSISTANT_TEST_STATE"
# What a start makes again, or what belongs to one installation alone.
_OWN = ("customer.db*", "checkpoints.db*", "secret.key", "data.key")


def lay_out(folder: Path) -> Path:
    """Copy documents and vectors of the shipped content into `folder`, which is answered; what lies there stays."""
    made = Path(os.environ[PLACE])
    with (made / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the test processes of one run share it
        if not (made / "done").exists():
            subprocess.run([sys.executable, "-m", "tests.state", str(made / "state")], cwd=ROOT, check=True)
            (made / "done").touch()
    if not any(folder.glob("documents-*.sqlite")):
        shutil.copytree(made / "state", folder, dirs_exist_ok=True)
    return folder


async def _make(folder: Path) -> None:
    async with open_services(Settings(_env_file=None, data_dir=folder)):
        pass


if __name__ == "__main__":
    target = Path(sys.argv[1])
    asyncio.run(_make(target))
    for path in [path for pattern in _OWN for path in target.glob(pattern)]:
        path.unlink()
