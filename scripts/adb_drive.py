"""A drive over adb: a recording pushed to the phone's daemon at real speed, and a table of the outcome."""

from __future__ import annotations

import argparse
import contextlib
import statistics
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from adb_link import ROOT, Phone, PhoneError

from pitwall import __version__

if TYPE_CHECKING:
    from pitwall.telemetry.recordings.base import Recording

DEMO = ROOT / "scripts" / "data" / "sonoma-simulated.vbo"
EVERY_S = 0.1
# A batch is answered once it is on the disk, which is written every 100 ms; more is a phone out of breath.
SLOW_S = 0.5
# The path's last cues are decided, and the database is written, within so long after the last fix.
SETTLED_S = 6.0


class Sent(NamedTuple):
    """What was pushed, and how long the daemon took to have it on the disk, s."""

    samples: int
    median_s: float
    most_s: float


def push_drive(phone: Phone, path: Path, begin_s: float, seconds: float) -> Sent:
    """Push a piece of a recording at real speed. PhoneError where it can't be read, or is refused."""
    # Late: `--help` runs on any Python.
    from pitwall.telemetry.recordings.base import RecordingError
    from pitwall.telemetry.recordings.detect import open_recording

    try:
        recording = open_recording(path)
    except RecordingError as error:
        raise PhoneError(str(error)) from None
    begun_s, first_t, took_s, samples = time.monotonic(), None, list[float](), 0
    run = f"adb-{time.time_ns()}"
    batch: list[dict[str, Any]] = []
    due_t = 0.0
    for sample in recording.samples():
        first_t = sample.t if first_t is None else first_t
        at_s = sample.t - first_t - begin_s
        if at_s > seconds:
            break
        if at_s < 0.0:
            continue
        if batch and at_s >= due_t:
            took_s.append(_hand_in(phone, recording, f"{run}:{len(took_s)}", batch, begun_s + due_t))
            samples, batch = samples + len(batch), []
        if not batch:
            due_t = at_s + EVERY_S
        batch.append({"stream": sample.stream, "source_s": sample.t, "values": list(sample.values)})
    if batch:
        took_s.append(_hand_in(phone, recording, f"{run}:{len(took_s)}", batch, begun_s + due_t))
        samples += len(batch)
    if not took_s:
        raise PhoneError(f"{path} holds nothing from second {begin_s:g} on")
    return Sent(samples, statistics.median(took_s), max(took_s))


def _hand_in(
    phone: Phone, recording: Recording, batch_id: str, batch: list[dict[str, Any]], due_s: float
) -> float:
    """Push a batch when its last reading has been made; how long that took, s."""
    time.sleep(max(due_s - time.monotonic(), 0.0))
    streams = [
        {
            "group": f"{stream.source}-{stream.id}",
            "latency_s": stream.latency_s,
            "channels": [{"name": c.name, "unit": c.unit, "label": c.label} for c in stream.channels],
        }
        for stream in recording.info.streams
    ]
    began_s = time.monotonic()
    body = {"batch_id": batch_id, "source": "adb", "streams": streams, "samples": batch}
    phone.ask("daemon", "/telemetry", body)
    return time.monotonic() - began_s


class Heard(threading.Thread):
    """What the daemon shows at /live meanwhile: callouts, and events by their kind."""

    def __init__(self, phone: Phone) -> None:
        super().__init__(daemon=True)
        self.callouts: list[str] = []
        self.events: list[tuple[str, str]] = []
        self.connected = threading.Event()
        self._phone = phone

    def run(self) -> None:
        """Listen until the daemon goes, or this process does."""
        try:
            for message in self._phone.live():
                self.connected.set()
                if message["type"] == "callout":
                    self.callouts.append(message["callout"]["text"])
                elif message["type"] == "event":
                    self.events.append((message["kind"], message["detail"]))
        except (PhoneError, OSError, ValueError):
            return


def release() -> str:
    """What is here, as install.sh names it: two copies that differ have two names."""
    command = ["sh", str(ROOT / "termux" / "install.sh"), "--version"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def smoke(phone: Phone, asked: argparse.Namespace) -> int:
    """Drive 60 s of the demo on the phone at real speed: laps must advance, callouts come in time."""
    health, here, old = phone.ask("daemon", "/health"), release(), ""
    with contextlib.suppress(PhoneError):  # without the helper the daemon's number alone tells
        there = phone.ask("helper", "/health").get("release", "")
        old = there if there != here else ""
    before = phone.ask("daemon", "/status?details=voice")["details"]["voice"]
    heard = Heard(phone)
    heard.start()
    heard.connected.wait(20.0)
    sent = push_drive(phone, DEMO, asked.begin, asked.seconds)
    spoken = _ledger(phone, heard)
    voice = phone.ask("daemon", "/status?details=voice")["details"]["voice"]
    laps = [detail for kind, detail in heard.events if kind == "lap"]
    late = [line["text"] for line in spoken if (line["time_in_hand_s"] or 0.0) < 0.0]
    unheard = voice["unheard"] - before["unheard"]
    rows = [
        ("version", health["version"] == __version__ and not old,
         f"{old or health['version']}, here {here}: scripts/adb-install brings this one"
         if old or health["version"] != __version__ else here),
        ("telemetry", sent.median_s <= asked.slow,
         f"{sent.samples} samples, on the disk after {sent.median_s * 1e3:.0f} ms"
         + (": the phone is too slow, let it cool" if sent.median_s > asked.slow else "")),
        ("laps advance", bool(laps), f"lap {', '.join(laps)}" if laps else "no lap was begun"),
        ("callouts", bool(spoken), ", ".join(line["text"] for line in spoken) or "none was spoken"),
        ("in time", not late, f"too late: {late}" if late else "none was late"),
        ("handed over", unheard == 0, f"{unheard} could not be played"),
        ("heard", voice["heard"] is not False,
         f"nobody hears them: {voice['trouble']}" if voice["heard"] is False else _player(voice)),
    ]  # fmt: skip
    for name, good, found in rows:
        print(f"{'good' if good else 'RED':<6}{name:<14}{found}")
    return 0 if all(good for _, good, _ in rows) else 1


def _ledger(phone: Phone, heard: Heard) -> list[dict[str, Any]]:
    """What was spoken, once the ledger has every callout that was shown."""
    deadline_s = time.monotonic() + SETTLED_S
    while True:
        session = phone.ask("daemon", "/status")["session"]["id"]
        lines = phone.ask("daemon", f"/sessions/{session}/ledger") if session else []
        spoken = [line for line in lines if line["outcome"].endswith("spoken")]
        if len(spoken) >= len(heard.callouts) > 0 or time.monotonic() > deadline_s:
            return spoken
        time.sleep(0.5)


def _player(voice: dict[str, Any]) -> str:
    name = voice["player"]["name"] if voice["player"] else "no player"
    return (
        f"through {name}, {voice['delay_s'] * 1e3:.0f} ms to the ear"
        if voice["delay_s"]
        else f"through {name}"
    )
