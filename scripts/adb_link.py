"""A phone over adb: its shell, its files, and its two ports, the daemon's and the helper's."""

from __future__ import annotations

import contextlib
import http.client
import importlib.util
import json
import os
import re
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DAEMON_PORT, HELPER_PORT = 8765, 8766
# What adb says, and what to do about it.
TROUBLES = (
    ("no devices/emulators found|no device", "no phone is connected: plug it in, with USB debugging on"),
    ("unauthorized|failed to authenticate", "the phone does not trust this computer: unlock it, allow it"),
    ("offline", "the phone is offline: unplug it, plug it in again"),
    ("more than one device", "more than one phone is connected: name one with -s SERIAL (adb devices)"),
    ("not found", "there is no such phone: adb devices lists those that are there"),
    ("cannot connect to daemon|failed to check server version", "adb itself does not start: adb kill-server"),
)  # fmt: skip


class PhoneError(Exception):
    """Something that a person can mend: printed as one line, exit code 2."""


class Phone:
    """The phone of this serial number, "" for the only one. Its token lies in this user's configuration."""

    def __init__(self, serial: str, daemon_port: int = DAEMON_PORT, helper_port: int = HELPER_PORT) -> None:
        self._chosen = ["-s", serial] if serial else []
        self._ports = {"daemon": daemon_port, "helper": helper_port}
        self._forwarded: dict[str, int] = {}
        name = re.sub(r"[^A-Za-z0-9.-]", "_", self.adb("get-serialno").strip())
        folder = Path(os.environ.get("XDG_CONFIG_HOME", Path.home() / ".config")) / "pitwall" / "phones"
        self.notes = folder / f"{name}.json"

    def adb(self, *arguments: str, within_s: float = 60.0) -> str:
        """What adb printed. PhoneError where it failed."""
        done = self._adb(arguments, within_s)
        if done.returncode:
            raise PhoneError(explained(done.stderr or done.stdout))
        return done.stdout

    def shell(self, command: str, within_s: float = 60.0) -> tuple[int, str]:
        """(exit code, what it printed) of a command in the phone's shell."""
        done = self._adb(("shell", command), within_s)
        if done.returncode and re.search("^(error|adb): ", done.stderr):
            raise PhoneError(explained(done.stderr))
        return done.returncode, done.stdout + done.stderr

    def _adb(self, arguments: tuple[str, ...], within_s: float) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                ["adb", *self._chosen, *arguments],
                capture_output=True, text=True, errors="replace", timeout=within_s, check=False,
                stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except FileNotFoundError:
            raise PhoneError("adb is not installed: apt-get install adb") from None
        except subprocess.TimeoutExpired:
            raise PhoneError(f"the phone gave no answer in {within_s:g} s to adb {arguments[0]}") from None

    def noted(self) -> dict[str, Any]:
        """What this machine remembers of the phone: its token, and the settings that stood there before."""
        with contextlib.suppress(OSError, ValueError):
            return dict(json.loads(self.notes.read_text()))
        return {}

    def note(self, **what: Any) -> None:
        """Remember it, readable for this user only."""
        noted = self.noted() | what
        self.notes.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(self.notes, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(fd, "w") as file:
            json.dump(noted, file)

    def token(self) -> str:
        """The token that adb-install gave to the phone; made where there is none."""
        noted = self.noted()
        if "token" not in noted:
            self.note(token=secrets.token_urlsafe(32))
        return str(self.noted()["token"])

    def address(self, which: str) -> str:
        """Where this machine reaches the phone's port."""
        if which not in self._forwarded:
            self._forwarded[which] = int(self.adb("forward", "tcp:0", f"tcp:{self._ports[which]}"))
        return f"127.0.0.1:{self._forwarded[which]}"

    def close(self) -> None:
        """Take the forwarded ports back."""
        for port in self._forwarded.values():
            self._adb(("forward", "--remove", f"tcp:{port}"), 10.0)

    def open(
        self, which: str, method: str, path: str, body: object = None, within_s: float = 20.0
    ) -> http.client.HTTPResponse:
        """One request to the daemon or the helper. PhoneError where nobody answers, or the token is wrong."""
        address = self.address(which)
        connection = http.client.HTTPConnection(address, timeout=within_s)
        port = self._ports[which]
        headers = {
            "Authorization": f"Bearer {self.token()}",
            "Content-Type": "application/json",
            "Host": f"127.0.0.1:{port}",
        }
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
        except (OSError, http.client.HTTPException) as error:
            connection.close()
            raise PhoneError(
                f"the {which} does not answer on the phone's port {port} ({error}): tap pitwall-start, "
                f"or in Termux: sv up {'pitwall' if which == 'daemon' else 'pitwall-phone'}"
            ) from None
        if answer.status == 401:
            raise PhoneError(
                f"the {which} does not know this computer's token: run scripts/adb-install from here"
            )
        return answer

    def ask(self, which: str, path: str, body: object = None, within_s: float = 20.0) -> Any:
        """The JSON answer. PhoneError for any status but 2xx."""
        with self.open(which, "GET" if body is None else "POST", path, body, within_s) as answer:
            told = answer.read()
        if answer.status // 100 != 2:
            raise PhoneError(
                f"the {which} refuses {path}: {answer.status} {told.decode(errors='replace')[:300]}"
            )
        return json.loads(told) if told else None

    def live(self) -> Iterator[dict[str, Any]]:
        """What the daemon shows at /live, until it goes."""
        with self.open("daemon", "GET", "/live?hz=1", within_s=60.0) as answer:
            for line in answer:
                if line.startswith(b"data:"):
                    yield json.loads(line[5:])


def explained(told: str) -> str:
    """What adb said in our words; its own last line where we have none."""
    for words, mend in TROUBLES:
        if re.search(words, told):
            return mend
    lines = [line for line in told.strip().splitlines() if line.strip()]
    return lines[-1] if lines else "adb failed without a word"


def phone_helper() -> ModuleType:
    """termux/phone.py: its table of Android's settings is read here too."""
    spec = importlib.util.spec_from_file_location("phone", ROOT / "termux" / "phone.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["phone"] = module
    spec.loader.exec_module(module)
    return module
