"""Real Postgres, Redis, Chroma and nginx servers on loopback, started as a user who is not root."""

from __future__ import annotations

import glob
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from scripts.setup_system import program

USER = "postgres"
_MISSING = "{} 서버가 없습니다: python -m scripts.setup_system"


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listening(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(0.5)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until(check: Callable[[], bool], timeout_s: float, what: str) -> None:
    """Raises AssertionError when it takes longer."""
    deadline = time.monotonic() + timeout_s
    while not check():
        assert time.monotonic() < deadline, f"{what}: not within {timeout_s:.0f} s"
        time.sleep(0.05)


def as_other_user() -> dict[str, Any]:
    """Popen's arguments for a process that must not be root's."""
    return {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}


def _own(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    if os.geteuid() == 0:
        shutil.chown(folder, USER, USER)
        for parent in folder.parents:  # pytest's folders are closed to others
            if parent == Path("/tmp") or parent == parent.parent:
                break
            parent.chmod(parent.stat().st_mode | 0o011)
    return folder


class Postgres:
    """A Postgres of its own: `url` for SQLAlchemy, `database(name)` for one more database in it."""

    def __init__(self, folder: Path) -> None:
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin")) or [str(Path(shutil.which("initdb") or "").parent)]
        assert (Path(found[-1]) / "initdb").exists(), _MISSING.format("Postgres")
        self._bin, self._folder, self.port = Path(found[-1]), _own(folder), free_port()
        self._run(
            "initdb", "-D", f"{folder}/db", "-A", "trust", "-U", USER, "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"
        )
        self.start()

    def start(self) -> None:
        options = (
            f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={self._folder} "
            "-c fsync=off -c max_connections=200"
        )
        self._run("pg_ctl", "-D", f"{self._folder}/db", "-w", "-l", f"{self._folder}/log", "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", f"{self._folder}/db", "-m", "immediate", "stop")

    def database(self, name: str) -> str:
        """The URL of a new, empty database."""
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", USER, name)
        return f"postgresql+psycopg://{USER}@127.0.0.1:{self.port}/{name}"

    def _run(self, command: str, *arguments: str) -> None:
        # Output goes to a file: the server that pg_ctl leaves behind would keep a pipe open.
        with (self._folder / f"{command}.out").open("wb") as told:
            done = subprocess.run(
                [self._bin / command, *arguments], cwd="/", stdout=told, stderr=told, check=False, **as_other_user()
            )
        text = (self._folder / f"{command}.out").read_text(errors="replace")
        assert done.returncode == 0, f"{command}: {done.returncode} {text}"


class Process:
    """A server in the foreground of a process of its own."""

    def __init__(self, command: list[str], port: int, folder: Path, env: Mapping[str, str] | None = None) -> None:
        assert shutil.which(command[0]) or Path(command[0]).exists(), _MISSING.format(command[0])
        self._command, self.port, self.folder = command, port, folder
        self._env = {**os.environ, **(env or {})}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self, timeout_s: float = 30) -> None:
        log = (self.folder / f"{Path(self._command[0]).name}-{self.port}.log").open("ab")
        self._process = subprocess.Popen(
            self._command, cwd=self.folder, stdout=log, stderr=log, env=self._env, **self._user()
        )
        log.close()
        wait_until(lambda: self.alive and listening(self.port), timeout_s, " ".join(self._command[:2]))

    def _user(self) -> dict[str, Any]:
        return as_other_user()

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def stop(self, how: signal.Signals = signal.SIGTERM, timeout_s: float = 45) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(how)
            try:
                self._process.wait(timeout_s)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._process = None


def redis_server(folder: Path) -> Process:
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    server = Process([*command, "--dir", str(_own(folder))], port, folder)
    server.start()
    return server


def chroma_server(folder: Path) -> Process:
    port = free_port()
    command = [str(Path(sys.executable).parent / "chroma"), "run", "--path", str(_own(folder) / "data")]
    home = {"HOME": str(folder), "ANONYMIZED_TELEMETRY": "False"}
    server = _OwnUser([*command, "--host", "127.0.0.1", "--port", str(port)], port, folder, home)
    server.start(60)
    wait_until(lambda: _answers(f"http://127.0.0.1:{port}/api/v2/heartbeat"), 30, "chroma")
    return server


class _OwnUser(Process):
    """Runs from a virtual environment that other users may not be able to read."""

    def _user(self) -> dict[str, Any]:
        return {}


def nginx_server(folder: Path, template: Path, workers: list[int]) -> Process:
    """nginx with the shipped configuration, in front of these ports."""
    port = free_port()
    upstream = "\n".join(f"    server 127.0.0.1:{worker} max_fails=2 fail_timeout=2s;" for worker in workers)
    text = template.read_text(encoding="utf-8")
    head, _, rest = text.partition("    # workers")
    _, _, tail = rest.partition("    # end of workers")
    text = head + upstream + tail
    text = text.replace("listen 8080", f"listen 127.0.0.1:{port}")
    _own(folder)
    conf = folder / "nginx.conf"
    temp = "".join(
        f"    {kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    conf.write_text(
        f"daemon off;\nerror_log {folder}/error.log;\npid {folder}/nginx.pid;\nevents {{}}\nhttp {{\n"
        f"    access_log off;\n{temp}{text}\n}}\n",
        encoding="utf-8",
    )
    server = Process([program("nginx") or "nginx", "-p", str(folder), "-c", str(conf)], port, folder)
    server.start()
    return server


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=1) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


class Worker(_OwnUser):
    """One worker of the service, as `python run.py` starts it."""

    def ready(self) -> bool:
        return self.alive and _answers(f"http://127.0.0.1:{self.port}/api/health/ready")


def start_worker(root: Path, folder: Path, settings: Mapping[str, str]) -> Worker:
    """Start without waiting; ask `ready`."""
    port = free_port()
    folder.mkdir(parents=True, exist_ok=True)
    clean = {name: value for name, value in os.environ.items() if name not in ("HOST", "PORT")}
    env = {**clean, "PORT": str(port), "HF_HUB_OFFLINE": "1", "TWIN_PROCESS": "true", **settings}
    worker = Worker([sys.executable, str(root / "run.py")], port, folder, env)
    log = (folder / f"worker-{port}.log").open("ab")
    worker._process = subprocess.Popen(worker._command, cwd=root, stdout=log, stderr=log, env=env)
    log.close()
    return worker
