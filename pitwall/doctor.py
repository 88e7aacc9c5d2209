"""Checks all that the daemon and the paddock need, by one table. Each check has its own deadline.

The checks of the paddock ask no question and send no key.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import re
import shutil
import socket
import stat
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from pitwall.config import Home
from pitwall.contract.settings import endpoint_of, model_trouble
from pitwall.contract.status import Check
from pitwall.settings import FILE_NAME, Loaded, Settings, SourceSettings, hide_secrets
from pitwall.store.errors import StoreError
from pitwall.store.lock import holder
from pitwall.store.store import Store
from pitwall.telemetry.sources.base import SourceAbsentError, SourceError, open_source
from pitwall.track.library import known_tracks
from pitwall.voice.player import PATIENT_TRY_S, find_sound
from pitwall.voice.render import VoiceError, engine_id, program_words

# MB that are kept in an hour, journal and database: of a bus with 2,000 frames/s, of an IMU at 100
# Hz with GPS, of a receiver at 25 Hz.
KEPT_MB_PER_HOUR = {"can": 740.0, "sensorserver": 120.0}
KEPT_OF_OTHERS_MB_PER_HOUR = 30.0
# A track day drives for so long.
DRIVING_HOURS = 4.0
# The time of a check. A busy phone reads its tracks and its database in some seconds.
LOOK_WITHIN_S = 15.0
CONNECT_WITHIN_S = 1.0
# An earlier clock was never set: the phone's clock battery is flat, and there was no network.
BUILT_UTC_S = 1_735_689_600.0
INTERFACES = Path("/sys/class/net")
IFF_UP = 1

BASE = ("duckdb", "aiohttp", "msgspec", "pyttsx3", "rich", "platformdirs")
# extra: (its modules, what is off without them)
EXTRAS: dict[str, tuple[tuple[str, ...], str]] = {
    "can": (("can", "cantools", "serial"), "no CAN bus and no serial port"),
    "aim": (("libxrk",), "no .xrk files of AiM's loggers"),
    "paddock": (("google.adk",), "no briefing and no debriefing by a model"),
    "litert": (("ai_edge_litert",), "no forecasts of the next seconds: the rules decide alone"),
}
WITHOUT = "questions are answered with composed sentences"
SET_MODEL = 'set kind under [paddock.model] in pitwall.toml; see "A model" in pitwall/paddock/README.md'
# The URIs of sources that connect to a server. Others listen, or read a device.
_PEER = re.compile(
    r"(?:nmea:tcp:|sensorserver:ws:|can:slcan:)//(?:socket/)?(?P<host>\[[^\]]+\]|[^/:@]+):(?P<port>\d+)"
)


class Trouble(Exception):
    """A check that found something wrong. `mend` and `needed` take the place of the row's own."""

    def __init__(self, found: str, mend: str = "", *, needed: bool = False) -> None:
        super().__init__(found)
        self.found, self.mend, self.needed = found, mend, needed


Look = Callable[[Home, Settings], str]


class Row(NamedTuple):
    """A check. `look` returns what was found, or raises Trouble, which `mend` mends."""

    name: str
    look: Look
    mend: str = ""
    needed: bool = False


def table(settings: Settings) -> Iterable[Row]:
    """Return all checks, in the order in which one would fix things."""
    uses_can = any(source.uri.startswith("can:") for source in settings.sources.values())
    yield Row("packages", _packages, "install Pitwall again", needed=True)
    for extra in EXTRAS:
        mend = f'pip install "pitwall[{extra}]"'
        yield Row(f"extra {extra}", _extra_look(extra), mend, needed=extra == "can" and uses_can)
    yield Row("home", _home, "make the folder yours, or choose another PITWALL_HOME", needed=True)
    yield Row("damaged files", _damaged, "look at them, and delete what you don't need")
    yield Row("token", _token)
    yield Row("free space", _space, "delete something, or lower limits.free_floor_mb in pitwall.toml")
    yield Row("clock", _clock, "set the clock from the network: sessions are named by the clock")
    yield Row("speech", _speech, needed=True)
    yield Row("sound", _sound)
    yield Row(
        "voice scripts", _scripts, "correct or remove the file; until then others' phrases are spoken there"
    )
    yield Row("tracks", _tracks, "build one from a recording: pitwall track build RECORDING")
    yield Row("reference lap", _reference_lap)
    yield Row("free port", _port, "end the program that uses the port, or set another api.port", needed=True)
    yield Row("forecasts", _forecasts, "install Pitwall again: the rules decide alone until then")
    if not settings.sources:
        yield Row("sources", _no_sources)
    for name, source in settings.sources.items():
        yield Row(f"source {name}", _source_look(source))
    yield Row("paddock model", _model, SET_MODEL)
    yield Row("paddock endpoint", _endpoint)


def settings_check(loaded: Loaded, named: str) -> Check:
    """Return what is wrong in the settings, else which they are."""
    if not loaded.wrong:
        return Check(name="settings", verdict="good", found=named)
    mend = "correct this; meanwhile the default counts, and a source that is wrong is left out"
    return Check(name="settings", verdict="missing", found="\n".join(loaded.wrong), mend=mend)


def examine(home: Home, settings: Settings) -> list[Check]:
    """Run all checks."""
    return [check for row in table(settings) for check in looked_at(row, home, settings)]


def looked_at(row: Row, home: Home, settings: Settings) -> list[Check]:
    """Run a check, given up after its time."""
    found: list[Check] = []

    def run() -> None:
        try:
            seen = row.look(home, settings)
            found.extend([Check(name=row.name, verdict="good", found=seen)] if seen else [])
        except Trouble as trouble:
            needed = row.needed or trouble.needed
            found.append(
                Check(
                    name=row.name,
                    verdict="missing" if needed else "note",
                    found=trouble.found,
                    mend=trouble.mend or row.mend,
                )
            )
        except Exception as error:  # the other checks are still wanted
            found.append(
                Check(name=row.name, verdict="note", found=f"can't be checked: {error}", mend=row.mend)
            )

    thread = threading.Thread(target=run, name=f"doctor {row.name}", daemon=True)
    thread.start()
    thread.join(LOOK_WITHIN_S)
    if thread.is_alive():
        mend = "what this needs hangs: unplug it, or restart it"
        return [Check(name=row.name, verdict="note", found=f"no answer in {LOOK_WITHIN_S:g} s", mend=mend)]
    return found


def is_there(module: str) -> bool:
    """Return whether a module could be imported (google.adk takes a second to)."""
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False


def _packages(home: Home, settings: Settings) -> str:
    absent = [name for name in BASE if not is_there(name)]
    if absent:
        raise Trouble(f"not installed: {', '.join(absent)}", f"pip install {' '.join(absent)}")
    return f"python {platform.python_version()}, " + ", ".join(
        f"{name} {importlib.metadata.version(name)}" for name in BASE
    )


def _extra_look(extra: str) -> Look:
    def look(home: Home, settings: Settings) -> str:
        modules, off = EXTRAS[extra]
        absent = [module for module in modules if not is_there(module)]
        if absent:
            raise Trouble(f"not installed ({', '.join(absent)}): {off}")
        return "installed"

    return look


def _home(home: Home, settings: Settings) -> str:
    try:
        home.prepare()
        with tempfile.NamedTemporaryFile(dir=home.root, prefix=".doctor-") as file:
            file.write(b"pitwall")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise Trouble(f"{home.root} can't be written: {error.strerror or error}") from None
    return f"{home.root} can be written and synced"


def _damaged(home: Home, settings: Settings) -> str:
    kept = len(list(home.damaged.iterdir())) if home.damaged.is_dir() else 0
    if kept:
        raise Trouble(f"{kept} files were set aside in {home.damaged}")
    return ""


def _token(home: Home, settings: Settings) -> str:
    path = home.root / "token"
    if not path.exists():
        return "none yet: the first start makes one"
    mode = stat.S_IMODE(path.stat().st_mode)
    if mode & 0o077:
        raise Trouble(f"others can read {path}: its mode is {mode:04o}", f"chmod 600 {path}")
    return f"{path}, only you can read it"


def _space(home: Home, settings: Settings) -> str:
    free_mb, floor_mb = shutil.disk_usage(home.root).free / 1e6, settings.limits.free_floor_mb
    kinds = [source.uri.partition(":")[0] for source in settings.sources.values()] or ["can"]
    each_hour_mb = sum(KEPT_MB_PER_HOUR.get(kind, KEPT_OF_OTHERS_MB_PER_HOUR) for kind in kinds)
    hours = max(free_mb - floor_mb, 0.0) / each_hour_mb
    of = f"with {', '.join(settings.sources)}" if settings.sources else "of a full bus"
    found = f"{free_mb:.0f} MB, {floor_mb:.0f} MB wanted; room for {hours:.0f} hours {of}"
    if free_mb < floor_mb or hours < DRIVING_HOURS:
        raise Trouble(found)
    return found


def _clock(home: Home, settings: Settings) -> str:
    now_s = time.time()
    found = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(now_s))
    if now_s < BUILT_UTC_S:
        raise Trouble(found)
    return found


def _speech(home: Home, settings: Settings) -> str:
    try:
        engine = engine_id()
    except VoiceError as error:
        found, _, mend = str(error).partition(": ")
        raise Trouble(found, mend) from None
    if settings.audio.speak:
        try:
            return f"{engine.name} {engine.version}, and {program_words(settings.audio.speak)[0]}"
        except VoiceError as error:
            raise Trouble(str(error), "install it, or mend audio.speak; until then espeak speaks") from None
    return f"{engine.name} {engine.version}"


def _sound(home: Home, settings: Settings) -> str:
    if settings.audio.player != "auto":
        found = f"audio.player is {settings.audio.player}: nothing is heard, as the settings say"
        raise Trouble(found, 'to hear callouts set audio.player = "auto" in pitwall.toml')
    player, why = find_sound(PATIENT_TRY_S)
    if player is None:
        mend = "start the sound server (pulseaudio --start), or install pulseaudio-utils or alsa-utils"
        raise Trouble(f"no sound device answers, callouts are shown as text ({why})", mend)
    player.stop()
    return f"through {player.name}"


def _tracks(home: Home, settings: Settings) -> str:
    tracks, problems = known_tracks(home)
    if problems:
        raise Trouble("; ".join(problems), "correct or remove the file")
    if not tracks:
        raise Trouble("none is known")
    return ", ".join(sorted(tracks))


def _reference_lap(home: Home, settings: Settings) -> str:
    from pitwall.drive.reference import WITHOUT_A_LAP, rides_along

    if settings.coach.reference:
        return f"{settings.coach.reference}, as set in pitwall.toml"
    if not settings.coach.remember:
        return f"none: coach.remember is false in pitwall.toml; {WITHOUT_A_LAP}"
    if not home.database.exists():
        return f"none yet: {WITHOUT_A_LAP}"
    store = Store(home)
    try:
        store.open_to_read(copy=True)
        return rides_along(store, home.references, known_tracks(home)[0], settings.driver, settings.vehicle)
    except StoreError as error:
        raise Trouble(str(error)) from None
    finally:
        store.close()


def _scripts(home: Home, settings: Settings) -> str:
    from pitwall.drive.prepare import script_trouble

    tracks, _ = known_tracks(home)
    wrong = [line for track in tracks.values() for line in script_trouble(home, track)]
    if wrong:
        raise Trouble("; ".join(dict.fromkeys(wrong)))
    return "all of them are good"


def _forecasts(home: Home, settings: Settings) -> str:
    if not settings.coach.forecast:
        return "off: coach.forecast is false in pitwall.toml"
    from pitwall.coach.model.network import ModelError, installed, read_card

    try:
        read_card()
    except ModelError as error:
        raise Trouble(str(error)) from None
    return "the network is whole and times calls" if installed() else "off: the extra litert is not installed"


def _port(home: Home, settings: Settings) -> str:
    api = settings.api
    if not api.enabled:
        return "the API is off (api.enabled)"
    family = socket.AF_INET6 if ":" in api.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((api.host, api.port))
        except OSError as error:
            daemon = holder(home.root)
            if daemon.isdigit() and Path(f"/proc/{daemon}").exists():
                return f"{api.host}:{api.port}: the daemon runs (process {daemon})"
            raise Trouble(f"{api.host}:{api.port}: {error.strerror}") from None
    return f"{api.host}:{api.port} is free"


def _no_sources(home: Home, settings: Settings) -> str:
    raise Trouble(
        "none is configured: the daemon sees only what other programs send to its API",
        f"write two lines into {home.root / FILE_NAME}: [sources.gps] and "
        'uri = "nmea:tcp://127.0.0.1:5000"; README.md, "In the car", shows the other kinds',
    )


def _source_look(source: SourceSettings) -> Look:
    """Return whether a source can be opened, and whether its device or server is there."""

    def look(home: Home, settings: Settings) -> str:
        try:
            open_source(source.uri, source.options)
        except SourceError as error:
            absent = isinstance(error, SourceAbsentError)
            mend = (
                "until then the daemon runs without this source" if absent else "correct it in pitwall.toml"
            )
            raise Trouble(hide_secrets(str(error)), mend, needed=True) from None
        if source.uri.startswith("can:socketcan/"):
            _look_at_can(source.uri)
        elif "/dev/" in source.uri:
            _look_at_device(Path("/dev/" + source.uri.split("/dev/", 1)[1].split("?")[0]))
        elif peer := _PEER.match(source.uri):
            _look_at_peer(peer["host"].strip("[]"), int(peer["port"]))
        return hide_secrets(source.uri)

    return look


def _look_at_can(uri: str) -> None:
    name = uri.removeprefix("can:socketcan/").split("?")[0]
    kind = "" if name.startswith("vcan") else " type can bitrate 500000 (or the bitrate of your car's bus)"
    command = f"sudo ip link set {name} up{kind}"
    flags = INTERFACES / name / "flags"
    if not flags.exists():
        first = f"sudo ip link add {name} type vcan" if name.startswith("vcan") else "plug the adapter in"
        raise Trouble(f"there is no network interface {name}", f"{first}, then: {command}")
    if not int(flags.read_text(), 16) & IFF_UP:
        raise Trouble(f"the network interface {name} is down", command)


def _look_at_device(device: Path) -> None:
    if not device.exists():
        raise Trouble(f"{device} is not there", "plug it in; the daemon waits for it")
    if not os.access(device, os.R_OK | os.W_OK):
        raise Trouble(f"you may not use {device}", "sudo usermod -aG dialout $USER, then log in again")


def _look_at_peer(host: str, port: int) -> None:
    try:
        socket.create_connection((host, port), CONNECT_WITHIN_S).close()
    except OSError as error:
        mend = "start the other side; the daemon tries again by itself"
        raise Trouble(f"{host}:{port} does not answer: {error.strerror or error}", mend) from None


def _model(home: Home, settings: Settings) -> str:
    model = settings.paddock.model
    if model.kind == "none":
        raise Trouble(f"none is set: {WITHOUT}")
    if trouble := model_trouble(model):
        raise Trouble(f"{trouble}; {WITHOUT}")
    if not is_there("google.adk"):
        found = f"{model.name} is set, but the extra paddock is not installed: {WITHOUT}"
        raise Trouble(found, 'pip install "pitwall[paddock]"')
    key = "with a key" if model.api_key else "by Vertex" if model.project else "without a key"
    return f"{model.kind} {model.name}, {key}"


def _endpoint(home: Home, settings: Settings) -> str:
    address = endpoint_of(settings.paddock.model)
    if address is None:
        return ""
    _look_at_peer(*address)
    return f"{address[0]} takes connections"
