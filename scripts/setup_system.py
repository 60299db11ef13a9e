"""The programs of the system that the tests run: `python -m scripts.setup_system`, called by `make test`.

As root on Debian or Ubuntu what is missing is installed; elsewhere it is named, with the command that installs it, and
the tests that need it are left out and counted (tests/conftest.py). With CI=true a missing part is an error. Needs
nothing but Python itself.
"""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A program that tests run. `packages` are Debian's."""

    name: str
    packages: tuple[str, ...]
    is_here: Callable[[], bool]


def program(name: str) -> str | None:
    """Where a program lies; also where Debian keeps servers and only root's PATH looks."""
    return shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin")))


def _command(*names: str) -> Callable[[], bool]:
    return lambda: any(program(name) for name in names)


def _postgres() -> bool:
    return bool(glob.glob("/usr/lib/postgresql/*/bin/initdb")) or shutil.which("initdb") is not None


def _korean_font() -> bool:
    if shutil.which("fc-list") is None:
        return bool(glob.glob("/usr/share/fonts/**/*CJK*", recursive=True))
    found = subprocess.run(["fc-list", ":lang=ko", "family"], capture_output=True, text=True, check=False)
    return bool(found.stdout.strip())


PARTS = (
    Part("Chromium", ("chromium",), _command("chromium", "chromium-browser", "google-chrome")),
    Part("한글 글꼴", ("fonts-noto-cjk",), _korean_font),
    Part("PostgreSQL", ("postgresql",), _postgres),
    Part("Redis", ("redis-server",), _command("redis-server")),
    Part("nginx", ("nginx",), _command("nginx")),
)


def missing() -> tuple[Part, ...]:
    """The parts that this machine lacks."""
    return tuple(part for part in PARTS if not part.is_here())


def must_be_whole(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a missing part is an error: nobody reads what CI leaves out."""
    return environment.get("CI", "").lower() in ("true", "1")


def main() -> int:
    """0 when the tests may run, 1 after telling what CI lacks."""
    lacking = missing()
    if lacking and os.geteuid() == 0 and shutil.which("apt-get"):
        print(f"테스트에 쓰는 프로그램을 설치합니다: {_named(lacking)}", flush=True)
        _install([package for part in lacking for package in part.packages])
        lacking = missing()
    if not lacking:
        return 0
    packages = " ".join(package for part in lacking for package in part.packages)
    print(
        f"이 컴퓨터에 없는 프로그램: {_named(lacking)}. 이것이 필요한 시험은 빼고, 몇 개를 뺐는지 끝에 알려 드립니다.\n"
        f"모두 돌리려면: sudo apt-get install -y --no-install-recommends {packages} (Debian, Ubuntu의 꾸러미 이름)",
        file=sys.stderr,
    )
    return 1 if must_be_whole() else 0


def _named(parts: tuple[Part, ...]) -> str:
    return ", ".join(part.name for part in parts)


def _install(packages: list[str]) -> None:
    # RUNLEVEL: the tests start servers of their own; Debian's packages must start none.
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *packages],
    ):
        done = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
        if done.returncode:
            print(f"'{' '.join(command)}'가 실패했습니다(코드 {done.returncode}).", file=sys.stderr)


if __name__ == "__main__":
    raise SystemExit(main())
