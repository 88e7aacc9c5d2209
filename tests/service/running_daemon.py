"""A real `pitwall run` in a process of its own: started, asked, told to end, killed."""

from __future__ import annotations

import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pitwall.config import Home

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "scripts" / "data" / "sonoma-simulated.vbo"
# Long enough for a loaded machine; whatever hangs fails here.
WITHIN_S = 120.0
# `pitwall run` as it is typed, but with all the time that it needs to end in order on a loaded machine: most
# tests ask how it ends. What hangs at the end is cut off in a test of its own.
PATIENT = (
    "import gc; gc.disable(); "  # as `main` imports it
    f"import pitwall.commands.run as run; run.EXIT_WITHIN_S = {WITHIN_S}; "
    "from pitwall.cli import main; raise SystemExit(main())"
)


def write_settings(home: Home, sources: dict[str, str], **limits: float) -> None:
    """A pitwall.toml: sources by name, text instead of sound, any free port."""
    lines = ["[audio]", 'player = "text"', "[api]", "port = 0", "[limits]"]
    lines += [f"{name} = {value}" for name, value in limits.items()]
    for name, uri in sources.items():
        lines += [f"[sources.{name}]", f'uri = "{uri}"']
    (home.root / "pitwall.toml").write_text("\n".join(lines) + "\n")


class Daemon:
    """`pitwall run` on a home, ready to be asked."""

    def __init__(self, home: Home, clock_set_by_s: float = 0.0, program: Sequence[str] = ()) -> None:
        """`clock_set_by_s`: the clock that tells the day says so much more than it should. `program`:
        a script that runs it, and its arguments."""
        self.home = home
        # What it said, each with the seconds since the machine's boot at which that was heard.
        self.heard: list[tuple[float, str]] = []
        clock = f"import time; real = time.time; time.time = lambda: real() + {clock_set_by_s}; "
        self._process = subprocess.Popen(
            [sys.executable, *(program or ("-c", (clock if clock_set_by_s else "") + PATIENT, "-v", "run"))],
            env={**os.environ, "PITWALL_HOME": str(home.root)},
            cwd=ROOT,
            stdin=subprocess.PIPE if program else None,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self.log: list[str] = []
        self._readers = [
            threading.Thread(target=self._read, args=(stream,), daemon=True)
            for stream in (self._process.stdout, self._process.stderr)
        ]
        for reader in self._readers:
            reader.start()
        ready = self.wait_for_line("pitwall is ready")
        found = re.search(r"http://([^,]+),", ready)
        assert found, ready
        self.address = f"http://{found[1]}"
        self.token = (home.root / "token").read_text().strip()

    def __enter__(self) -> Daemon:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self.kill()

    def _read(self, stream: Any) -> None:
        for line in stream:
            if line.startswith('  "'):
                self.heard.append((time.clock_gettime(time.CLOCK_BOOTTIME), line.strip().strip('"')))
            self._lines.put(line.rstrip("\n"))

    def wait_for_line(self, wanted: str) -> str:
        """The next line of output that holds this; AssertionError where it does not come."""
        while True:
            try:
                line = self._lines.get(timeout=WITHIN_S)
            except queue.Empty:
                raise AssertionError(f"{wanted!r} never came; log: {self.log}") from None
            self.log.append(line)
            if wanted in line:
                return line

    def ask(self, path: str, body: object = None) -> tuple[int, Any]:
        """Status and JSON answer of one request."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.address + path,
            data=data,
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=WITHIN_S) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def status(self) -> Any:
        """Every part of /status."""
        code, answer = self.ask("/status?details=all")
        assert code == 200, answer
        return answer["details"]

    def wait_until(self, true_of: Callable[[Any], bool]) -> Any:
        """Ask /status again and again until this is true of it. Waits for news by way of /live."""
        request = urllib.request.Request(
            self.address + "/live?hz=20", headers={"Authorization": f"Bearer {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=WITHIN_S) as live:
            status = self.status()
            while not true_of(status):
                assert live.readline(), "the live page ended"
                status = self.status()
        return status

    def end(self) -> int:
        """SIGTERM; the exit code. subprocess.TimeoutExpired where it hangs."""
        self._process.send_signal(signal.SIGTERM)
        code = self._process.wait(2 * WITHIN_S)
        self._join()
        return code

    def kill(self) -> None:
        """kill -9."""
        self._process.kill()
        self._process.wait()
        self._join()

    def _join(self) -> None:
        for reader in self._readers:
            reader.join(WITHIN_S)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        while not self._lines.empty():
            self.log.append(self._lines.get())
