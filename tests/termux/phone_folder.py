"""A folder that stands for Termux's $PREFIX, with stand-ins for the phone's commands, and the helper."""

from __future__ import annotations

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HELPER = ROOT / "termux" / "phone.py"
STAND_IN = Path(__file__).with_name("stand_in.sh")
NAMES = (
    *(
        "termux-wake-lock",
        "termux-wake-unlock",
        "termux-battery-status",
        "termux-audio-info",
        "termux-volume",
        "termux-wifi-connectioninfo",
    ),
    *("termux-telephony-deviceinfo", "termux-notification", "termux-notification-remove", "termux-vibrate"),
    *(
        "termux-tts-speak",
        "play-audio",
        "pulseaudio",
        "pm",
        "settings",
        "dumpsys",
        "am",
        "cmd",
        "input",
        "getprop",
    ),
)
WITHIN_S = 120.0
NULL_SINK = "module-null-sink sink_name=test rate=22050 channels=1 format=s16le"


class PhoneFolder:
    """`prefix` is $PREFIX, `state` is what the stand-ins go by and write down, `home` is PITWALL_HOME."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.prefix, self.state, self.home = folder / "usr", folder / "state", home
        for made in (self.prefix / "bin", self.prefix / "tmp", self.state, home):
            made.mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            (self.prefix / "bin" / name).symlink_to(STAND_IN)

    def environment(self, **more: str) -> dict[str, str]:
        """What a program in Termux sees."""
        return {
            **os.environ,
            "PATH": f"{self.prefix / 'bin'}:{os.environ['PATH']}",
            "PREFIX": str(self.prefix),
            "PHONE": str(self.state),
            "TMPDIR": str(self.prefix / "tmp"),
            "PITWALL_HOME": str(self.home),
            **more,
        }

    def be(self, name: str, content: str = "") -> None:
        """From now on the phone is so: a file of the stand-ins."""
        path = self.state / name
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.new")
        fresh.write_text(content)
        fresh.rename(path)

    def no_longer(self, name: str) -> None:
        (self.state / name).unlink()

    def lines(self, name: str) -> list[str]:
        """What the stand-ins wrote down: `calls`, `played`, `spoken`."""
        path = self.state / name
        return path.read_text().splitlines() if path.exists() else []


class HelperProcess:
    """A real `phone.py serve`."""

    def __init__(
        self, phone: PhoneFolder, daemon: str, *, patience_s: float = 5.0, file: Path = HELPER
    ) -> None:
        self.pulse_port = free_port()
        self.log: list[str] = []
        self._lines: queue.Queue[str] = queue.Queue()
        self.process = subprocess.Popen(
            [
                *(sys.executable, str(file), "--port", "0", "serve", "--daemon", daemon),
                *("--pulse-port", str(self.pulse_port), "--sink", NULL_SINK, "--patience", str(patience_s)),
            ],
            env=phone.environment(),
            stderr=subprocess.PIPE,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.port = 0
        while not self.port:
            line = self._lines.get(timeout=WITHIN_S)
            if "listens on 127.0.0.1:" in line:
                self.port = int(line.rpartition(":")[2])

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.log.append(line.rstrip("\n"))
            self._lines.put(line)

    def ask(self, path: str, token: str = "", body: object = None) -> tuple[int, Any]:
        """(status, JSON) of one request to its port."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {token}"} if token else {},
        )
        try:
            with urllib.request.urlopen(request, timeout=WITHIN_S) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.load(error)

    def end(self) -> int:
        """SIGTERM; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.close()

    def close(self) -> int:
        code = self.process.wait(WITHIN_S)
        self._reader.join(WITHIN_S)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
