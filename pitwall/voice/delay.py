"""The delay from handing sound over to hearing it: nominal, or as `audio.json` has it."""

from __future__ import annotations

import contextlib
import logging
import os
import shutil
import subprocess
from typing import Annotated, Literal

import msgspec

from pitwall.config import Home
from pitwall.voice.player import AUDIO_DELAY_S
from pitwall.voice.wav import write_whole

log = logging.getLogger("pitwall.voice")

FILE_NAME = "audio.json"
Route = Literal["speaker", "wired", "bluetooth"]

ASK_S = 1.0  # for the sound server to answer; a hung one must not hold up a start
BLUETOOTH = ("bluez_", "bluealsa", "bluetooth")  # how PulseAudio, PipeWire and ALSA name such devices
ALSA_DEFAULT = "alsa:default"  # aplay plays there, and ALSA has no name for what that is
NO_DEVICE = ""

Link = Literal["wired", "bluetooth"]


class Calibration(msgspec.Struct, frozen=True):
    """A device's measurement. `delay_s`: median of `count`; `spread_s`: a robust standard
    deviation; `error_s`: what taps can't show plus twice the standard error of the median."""

    delay_s: Annotated[float, msgspec.Meta(ge=0.0, le=2.0)]
    spread_s: float
    error_s: float
    count: int
    measured_utc_s: float


class AudioDelay(msgspec.Struct, frozen=True):
    """From handing PCM over to the ear. `device` is "" if there is no sound device."""

    seconds: float
    source: Literal["calibrated", "nominal"]
    device: str


class _File(msgspec.Struct, frozen=True):
    devices: dict[str, Calibration] = {}


def output_device(player: str = "") -> str:
    """Return the player's output device: PulseAudio's default sink, else ALSA's, else ""."""
    if player == "aplay":
        return ALSA_DEFAULT
    lines = _server_info().splitlines()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("Default Sink:")]
    if named and named[0]:
        return os.environ.get("PULSE_SINK") or named[0]
    return ALSA_DEFAULT if shutil.which("aplay") and os.path.exists("/dev/snd") else NO_DEVICE


def _server_info() -> str:
    try:
        return subprocess.run(
            ("pactl", "info"),  # noqa: S607, the one the user has
            env={**os.environ, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ASK_S,
            check=True,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return ""


def on_route(device: str, route: Route | None) -> str:
    """Return the name that a delay is kept under, of device and `route`."""
    return f"{device} ({route})" if device and route is not None else device


def is_bluetooth(device: str) -> bool:
    """Guess from the name. A phone's own sink hides its headset: see `on_route`."""
    return any(mark in device.lower() for mark in BLUETOOTH)


def delay_in_force(home: Home, device: str, path: Link = "wired", route: Route | None = None) -> AudioDelay:
    """Return the delay to assume on `device`: measured, else nominal by route; never fails."""
    device, path = on_route(device, route), path if route is None else "wired"
    try:
        known = calibrations(home).get(device)
    except ValueError as error:
        log.warning("%s", error)
        known = None
    if known is not None and device != NO_DEVICE:
        return AudioDelay(known.delay_s, "calibrated", device)
    return AudioDelay(AUDIO_DELAY_S["bluetooth" if is_bluetooth(device) else path], "nominal", device)


def calibrations(home: Home) -> dict[str, Calibration]:
    """Return what was measured, by device. ValueError if the file can't be used."""
    file = home.root / FILE_NAME
    try:
        return msgspec.json.decode(file.read_bytes(), type=_File).devices
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError, UnicodeError) as error:
        raise ValueError(f"{file} can't be used ({error}): run `pitwall audio calibrate` again") from error


def keep_calibration(home: Home, device: str, calibration: Calibration) -> None:
    """Store it atomically; a damaged file is replaced. OSError."""
    kept: dict[str, Calibration] = {}
    with contextlib.suppress(ValueError):
        kept = calibrations(home)
    content = msgspec.json.format(msgspec.json.encode(_File({**kept, device: calibration})), indent=2)
    home.root.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_whole(home.root / FILE_NAME, content + b"\n", prefix=f".{FILE_NAME}-", sync=True)
