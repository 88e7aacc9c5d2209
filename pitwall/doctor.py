"""What the daemon needs, looked at one by one. Nothing here hangs: each look has its own deadline."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
import socket
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from pitwall.config import Home
from pitwall.drive.prepare import known_tracks
from pitwall.settings import Settings, hide_secrets
from pitwall.store.lock import holder
from pitwall.telemetry.sources import open_source
from pitwall.telemetry.sources.base import SourceAbsentError, SourceError
from pitwall.voice.player import open_player
from pitwall.voice.render import VoiceError, engine_id

Verdict = Literal["good", "note", "missing"]
# Whatever takes longer on a phone is as good as not there.
LOOK_WITHIN_S = 4.0
CONNECT_WITHIN_S = 1.0
# A clock before this was never set: a phone's RTC battery is flat and there was no network since.
BUILT_UTC_S = 1_735_689_600.0

BASE = ("duckdb", "aiohttp", "msgspec", "pyttsx3", "rich", "platformdirs")
# extra: (its modules, what is off without it)
EXTRAS: dict[str, tuple[tuple[str, ...], str]] = {
    "can": (("can", "cantools", "serial"), "no CAN bus and no serial port"),
    "paddock": (("google.adk",), "no briefing and no debriefing by a model"),
    "llm": (("litert_lm",), "no language model on the phone"),
}


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at. `missing`: the daemon can't do its work without it; `mend`: how to."""

    name: str
    verdict: Verdict
    found: str
    mend: str = ""


Look = Callable[[], Iterable[Check]]


def examine(home: Home, settings: Settings) -> list[Check]:
    """Look at everything, in the order in which one would mend it."""
    looks: list[tuple[str, Look]] = [
        ("python", _python),
        ("packages", _packages),
        ("extras", lambda: _extras(settings)),
        ("home", lambda: _home(home)),
        ("token", lambda: _token(home)),
        ("free space", lambda: _space(home, settings)),
        ("clock", _clock),
        ("speech", _speech),
        ("sound", lambda: _sound(settings)),
        ("tracks", lambda: _tracks(home)),
        ("port", lambda: _port(home, settings)),
        *((f"source {name}", _source_look(name, settings)) for name in settings.sources),
    ]
    return looked_at(looks)


def looked_at(looks: Iterable[tuple[str, Look]]) -> list[Check]:
    """What these looks find, one after the other, each given up after LOOK_WITHIN_S."""
    return [check for name, look in looks for check in _within(name, look)]


def _within(name: str, look: Look) -> list[Check]:
    """One look, given up after its time. Its thread is a daemon: it can't keep the process alive."""
    found: list[Check] = []

    def run() -> None:
        try:
            found.extend(look())
        except Exception as error:  # a look that fails is a finding, not the end of the doctor
            found.append(Check(name=name, verdict="note", found=f"could not be looked at: {error}"))

    thread = threading.Thread(target=run, name=f"doctor {name}", daemon=True)
    thread.start()
    thread.join(LOOK_WITHIN_S)
    if thread.is_alive():
        mend = "something below it hangs: unplug it, or restart it"
        return [Check(name=name, verdict="note", found=f"no answer in {LOOK_WITHIN_S:g} s", mend=mend)]
    return found


def _python() -> Iterable[Check]:
    version = ".".join(str(part) for part in sys.version_info[:3])
    good = sys.version_info >= (3, 11)
    yield Check(
        name="python",
        verdict="good" if good else "missing",
        found=version,
        mend="" if good else "install Python 3.11 or newer",
    )


def _packages() -> Iterable[Check]:
    for name in BASE:
        if importlib.util.find_spec(name) is None:
            mend = f"pip install {name}, or install pitwall again"
            yield Check(name=f"package {name}", verdict="missing", found="not installed", mend=mend)
        else:
            yield Check(name=f"package {name}", verdict="good", found=importlib.metadata.version(name))


def _extras(settings: Settings) -> Iterable[Check]:
    wanted = {"can"} if any(each.uri.startswith("can:") for each in settings.sources.values()) else set()
    for extra, (modules, off) in EXTRAS.items():
        absent = [module for module in modules if not is_there(module)]
        if not absent:
            yield Check(name=f"extra {extra}", verdict="good", found="installed")
            continue
        yield Check(
            name=f"extra {extra}",
            verdict="missing" if extra in wanted else "note",
            found=f"not installed ({', '.join(absent)}): {off}",
            mend=f'pip install "pitwall[{extra}]"',
        )


def is_there(module: str) -> bool:
    """Whether a module could be imported, without importing it (google.adk takes a second)."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _home(home: Home) -> Iterable[Check]:
    try:
        home.prepare()
        with tempfile.NamedTemporaryFile(dir=home.root, prefix=".doctor-") as file:
            file.write(b"pitwall")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        mend = "make the folder yours, or choose another PITWALL_HOME"
        why = f"{home.root}: {error.strerror or error}"
        yield Check(name="home", verdict="missing", found=why, mend=mend)
        return
    yield Check(name="home", verdict="good", found=f"{home.root} can be written and synced")
    kept = len(list(home.damaged.iterdir()))
    if kept:
        found, mend = f"{kept} files were set aside", f"look at {home.damaged}; delete what you don't need"
        yield Check(name="damaged files", verdict="note", found=found, mend=mend)


def _token(home: Home) -> Iterable[Check]:
    path = home.root / "token"
    if not path.exists():
        yield Check(name="token", verdict="good", found="none yet: made at the first start")
        return
    mode = stat.S_IMODE(path.stat().st_mode)
    private = not mode & 0o077
    yield Check(
        name="token",
        verdict="good" if private else "note",
        found=f"{path} has mode {mode:04o}",
        mend="" if private else f"chmod 600 {path}; the next start makes a new one",
    )


def _space(home: Home, settings: Settings) -> Iterable[Check]:
    free_mb = shutil.disk_usage(home.root).free / 1e6
    floor_mb = settings.limits.free_floor_mb
    enough = free_mb >= floor_mb
    yield Check(
        name="free space",
        verdict="good" if enough else "note",
        found=f"{free_mb:,.0f} MB, {floor_mb:,.0f} MB wanted",
        mend="" if enough else "delete something, or lower limits.free_floor_mb",
    )


def _clock() -> Iterable[Check]:
    now_s = time.time()
    shown = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(now_s))
    good = now_s > BUILT_UTC_S
    yield Check(
        name="clock",
        verdict="good" if good else "note",
        found=f"{shown} UTC",
        mend="" if good else "set the phone's clock (network time): sessions are named by it",
    )


def _speech() -> Iterable[Check]:
    try:
        engine = engine_id()
    except VoiceError as error:
        what, _, mend = str(error).partition(": ")
        yield Check(name="speech", verdict="missing", found=what, mend=mend)
        return
    yield Check(name="speech", verdict="good", found=f"{engine.name} {engine.version}")


def _sound(settings: Settings) -> Iterable[Check]:
    if settings.audio.player != "auto":
        found = f"audio.player is {settings.audio.player}: nothing is heard, as it was wished"
        yield Check(name="sound", verdict="note", found=found, mend='set audio.player = "auto"')
        return
    player = open_player("auto")
    try:
        heard = player.name != "text"
    finally:
        player.stop()
    yield Check(
        name="sound",
        verdict="good" if heard else "note",
        found=f"through {player.name}" if heard else "no sound device answers: callouts are shown as text",
        mend=""
        if heard
        else "start the sound server (in Termux: pulseaudio --start), install pulseaudio-utils or alsa-utils",
    )


def _tracks(home: Home) -> Iterable[Check]:
    tracks, problems = known_tracks(home)
    yield Check(
        name="tracks",
        verdict="good" if tracks else "note",
        found=", ".join(sorted(tracks)) or "none is known",
        mend="" if tracks else "build one: pitwall track build RECORDING",
    )
    for problem in problems:
        yield Check(name="tracks", verdict="note", found=problem, mend="mend or remove the file")


def _port(home: Home, settings: Settings) -> Iterable[Check]:
    api = settings.api
    if not api.enabled:
        yield Check(name="port", verdict="note", found="the API is off", mend="set api.enabled = true")
        return
    family = socket.AF_INET6 if ":" in api.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((api.host, api.port))
        except OSError as error:
            yield _port_taken(home, api.host, api.port, error)
            return
    yield Check(name="port", verdict="good", found=f"{api.host}:{api.port} is free")


def _port_taken(home: Home, host: str, port: int, error: OSError) -> Check:
    """Taken by the daemon of this home, which is as it should be, or by somebody else."""
    number = holder(home.root)
    if number.isdigit() and Path(f"/proc/{number}").exists():
        return Check(name="port", verdict="good", found=f"{host}:{port}: the daemon runs (process {number})")
    mend = "end what uses it, or set another api.port"
    return Check(name="port", verdict="missing", found=f"{host}:{port}: {error.strerror}", mend=mend)


def _source_look(name: str, settings: Settings) -> Look:
    """One source: whether it can be opened, and whether its device or peer is there."""
    source = settings.sources[name]

    def look() -> Iterable[Check]:
        shown = hide_secrets(source.uri)
        label = f"source {name}"
        try:
            open_source(source.uri, source.options)
        except SourceError as error:
            why = hide_secrets(str(error))
            absent = isinstance(error, SourceAbsentError)
            mend = "until the next start the daemon runs without it" if absent else "mend it in pitwall.toml"
            yield Check(name=label, verdict="missing", found=why, mend=mend)
            return
        device = next(iter(_devices(source.uri)), None)
        usable = device is None or os.access(device, os.F_OK if device.is_dir() else os.R_OK | os.W_OK)
        if device is not None and not usable:
            there = device.exists()
            yield Check(
                name=label,
                verdict="note",
                found=f"{device} {'may not be used by you' if there else 'is not there'}",
                mend="join its group (often dialout)" if there else "plug it in; the daemon waits for it",
            )
            return
        refused = _unreachable(source.uri)
        mend = "start the other side; the daemon tries again by itself" if refused else ""
        yield Check(name=label, verdict="note" if refused else "good", found=refused or shown, mend=mend)

    return look


def _devices(uri: str) -> Iterable[Path]:
    """The device file that a URI names."""
    if "/dev/" in uri:
        yield Path("/dev/" + uri.split("/dev/", 1)[1].split("?")[0])
    elif uri.startswith("can:socketcan/"):
        yield Path("/sys/class/net") / uri.removeprefix("can:socketcan/").split("?")[0]


def _unreachable(uri: str) -> str:
    """Why the TCP peer of a URI can't be reached, "" where it can or there is none."""
    scheme, _, rest = uri.partition(":")
    if scheme not in ("nmea", "sensorserver") or not rest.startswith(("tcp://", "ws://")):
        return ""
    parts = urlsplit(rest)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 80), CONNECT_WITHIN_S):
            return ""
    except OSError as error:
        return f"{parts.hostname}:{parts.port} does not answer: {error.strerror or error}"
