"""`pitwall doctor --phone`: what must be green before a track day on a phone in Termux.

The helper in native Termux (termux/phone.py) reports what Android may kill: inside the Debian no
phone command is reliable. A phone's sources are looked for on their usual ports.
"""

from __future__ import annotations

import http.client
import os
import socket
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

import msgspec

from pitwall.api.token import TokenError, address_of, shown_token
from pitwall.config import Home, shipped
from pitwall.contract.status import Check, SourceStatus
from pitwall.doctor import CONNECT_WITHIN_S, Look, Row, Trouble, looked_at
from pitwall.drive.controls import OnTrack, record_of
from pitwall.settings import FILE_NAME, Settings
from pitwall.track.library import load_track
from pitwall.voice.delay import Route, delay_in_force, output_device

HELPER_PORT = 8766
# The helper asks a dozen commands of the phone in turn, each with a limit of its own.
HELPER_WITHIN_S = 60.0
# A silence in this time is one on the road too.
WATCHED_S, SILENT_S = 12.0, 10.0
# What a drive takes of a server's core with receivers alone, and with a bus of 2,000 frames/s too
# (scripts/bench live); what the path takes for a sample, s.
SHARE, SHARE_WITH_BUS, PATH_S = 0.08, 0.16, 57e-6
TIMED_SAMPLES, TIMED_CALLS = 500, 2_000
# How often a drive wakes the daemon in a second, and what it asks of the kernel then.
WAKES_PER_S, CALLS_PER_WAKE = 250, 8
# More of a core leaves too little for a hot phone; with more than the other calls come late.
MUCH_OF_A_CORE, ALL_OF_A_CORE = 0.5, 0.9
ENOUGH_PCT = 60.0
HELPER_MEND = "in Termux: sv up pitwall-phone; its log: tail $PREFIX/var/log/sv/pitwall-phone/current"


class PhoneSource(NamedTuple):
    """A source that a phone can have: its address, its name in the settings, and its setup."""

    what: str
    name: str
    port: int
    uri: str
    taps: str


SOURCES = (
    PhoneSource(
        "GPS and IMU of the phone",
        "phone",
        8080,
        "sensorserver:ws://127.0.0.1:8080",
        "install SensorServer from F-Droid; in its settings turn Local host on, then tap Start",
    ),
    PhoneSource(
        "GPS over Bluetooth or USB",
        "gps",
        5000,
        "nmea:tcp://127.0.0.1:5000",
        "in an app that gives NMEA over TCP (Share GPS, BlueNMEA): TCP server, port 5000, Start",
    ),
    PhoneSource(
        "CAN adapter on USB",
        "car",
        3333,
        "can:slcan://socket/127.0.0.1:3333",
        "in an app that bridges USB serial to TCP (TCPUART): plug in, tick Always where Android asks, allow; "
        "TCP server, port 3333, Start",
    ),
)


def examine_phone(home: Home, settings: Settings, watched_s: float = WATCHED_S) -> list[Check]:
    """Return what the helper sees, and this phone's sources, watched for some seconds."""
    return [
        *_seen_by_helper(home, settings),
        *_running_sources(home, watched_s),
        *(check for row in _table() for check in looked_at(row, home, settings)),
    ]


def _table() -> Iterable[Row]:
    yield Row("speed", _speed, "let nothing else run; a lower rate of the receiver costs less")
    yield Row("sound delay", _sound_delay, "connect the headset, then: pitwall audio calibrate")
    for source in SOURCES:
        yield Row(source.what, _source_look(source))
    yield Row("a source", _any_source, f"set one of the three up, and add it to {FILE_NAME}", needed=True)


def _row(name: str, good: bool | None, found: str, mend: str = "") -> Check:
    """A check that is good or missing; None: a note. Only what is not good is to be mended."""
    verdict: Literal["good", "note", "missing"] = "note" if good is None else "good" if good else "missing"
    return Check(name=name, verdict=verdict, found=found, mend="" if good else mend)


def _seen_by_helper(home: Home, settings: Settings) -> list[Check]:
    port = int(os.environ.get("PITWALL_PHONE_PORT", HELPER_PORT))
    try:
        found = msgspec.json.decode(_ask(home, port, "/checks"), type=list[Check])
        phone = msgspec.json.decode(_ask(home, port, "/phone"), type=_Phone)
    except (OSError, http.client.HTTPException, TokenError, msgspec.MsgspecError) as error:
        return [_row("helper", False, f"no answer ({error})", HELPER_MEND)]
    loud = phone.sound.startswith("module-")
    quiet = "pkg install pulseaudio; then sv restart pitwall-phone. Until then calls come later"
    return [
        _row("helper", True, f"answers on 127.0.0.1:{port}"),
        *found,
        _row("sound path", loud, phone.sound, quiet),
        *_ear(phone),
        *_battery(phone.battery, settings),
    ]


def _ear(phone: _Phone) -> list[Check]:
    """Whether a call reaches the driver; nothing where the phone does not say."""
    if phone.route is None and phone.volume_pct is None:
        return []
    where = {"speaker": "the phone's own speaker", None: "not known"}.get(
        phone.route, f"a {phone.route} headset"
    )
    volume, call = phone.volume_pct, phone.call
    unseen = "can't be seen: the driver may be called and hear no callout"
    return [
        _row("sound goes to", phone.route in ("wired", "bluetooth") or None, where, "connect the headset"),
        _row(
            "media volume",
            None if volume is None else volume > 0.0,
            "not known" if volume is None else f"{volume:.0f} %",
            "turn the phone's media volume up: at 0 nobody hears a call",
        ),
        _row(
            "phone call",
            None if call is None else not call,
            unseen if call is None else "on" if call else "none",
            "scripts/adb-tune gives the right to see it" if call is None else "end it",
        ),
    ]


class _Battery(msgspec.Struct, frozen=True):
    percentage: float | None = None
    plugged: str = ""
    status: str = ""


class _Phone(msgspec.Struct, frozen=True):
    sound: str
    route: Route | None = None
    volume_pct: float | None = None
    call: bool | None = None
    battery: _Battery = _Battery()


class _Sources(msgspec.Struct, frozen=True):
    sources: tuple[SourceStatus, ...] = ()


def _running_sources(home: Home, watched_s: float) -> list[Check]:
    """Whether readings come without a gap, where a daemon runs."""
    port = urlsplit(address_of(home)).port
    if port is None:
        return []
    first: dict[str, SourceStatus] = {}
    silent_s: dict[str, float] = {}
    begun_s = time.monotonic()
    while True:
        try:
            found = msgspec.json.decode(_ask(home, port, "/status"), type=_Sources).sources
        except (OSError, http.client.HTTPException, TokenError, msgspec.MsgspecError) as error:
            return [_row("readings", False, f"the daemon gives no answer ({error})")]
        for each in found:
            first.setdefault(each.name, each)
            silent_s[each.name] = max(silent_s.get(each.name, 0.0), each.age_s or 0.0)
        if not found or time.monotonic() - begun_s >= watched_s:
            took_s = time.monotonic() - begun_s
            return [_readings(first[each.name], each, silent_s[each.name], took_s) for each in found]
        time.sleep(1.0)


def _readings(before: SourceStatus, source: SourceStatus, silent_s: float, watched_s: float) -> Check:
    late = source.age_s is None or silent_s > SILENT_S
    rate_hz = (source.readings - before.readings) / watched_s if watched_s > 0.0 else source.rate_hz or 0.0
    what = (
        "none yet"
        if source.age_s is None
        else f"{rate_hz:.1f} a second, the last one {source.age_s:.1f} s ago, at most {silent_s:.1f} s apart"
    )
    what = f"{what}; {source.last_error}" if source.last_error and late else what
    mend = "open its app, look for a fix or frames there, and exempt that app from the battery saver"
    return _row(f"readings of {source.name}", not late, what, mend)


def _battery(battery: _Battery, settings: Settings) -> list[Check]:
    """A day needs a charger that gives more than phone and adapter take."""
    if battery.percentage is None:
        return []
    supply = battery.plugged.upper().removeprefix("PLUGGED_")
    plugged = supply not in ("", "UNPLUGGED")
    weak = plugged and battery.status.upper() == "DISCHARGING"
    good = not weak and (plugged or battery.percentage >= ENOUGH_PCT)
    charging = f"charging ({supply})" if plugged else "on no charger"
    mend = "plug in the charger that you use in the car, and look whether it charges"
    if weak:
        charging = f"on a supply ({supply}) that gives less than the phone takes"
        mend = "take a charger of 15 W or more, not a computer's port"
    rows = [_row("battery", good, f"{battery.percentage:.0f} %, {charging}", mend)]
    if not plugged and any("slcan" in source.uri for source in settings.sources.values()):
        fed = "the phone feeds the USB adapter, which takes the charger's place"
        rows.append(_row("USB power", None, fed, "use a hub with power delivery"))
    return rows


def _speed(home: Home, settings: Settings) -> str:
    """What of a core a drive takes here, by the time of the path and a system call (proot)."""
    bus = any(source.uri.startswith("can:") for source in settings.sources.values())
    slower, call_s = _path_s() / PATH_S, _call_s()
    share = (SHARE_WITH_BUS if bus else SHARE) * slower + WAKES_PER_S * CALLS_PER_WAKE * call_s
    found = (
        f"a drive {'with a full bus ' if bus else ''}takes about {100.0 * share:.0f} % of a core "
        f"({slower:.1f} times that of a server; a system call {1e6 * call_s:.1f} µs)"
    )
    if share > ALL_OF_A_CORE:
        raise Trouble(f"{found}: calls will come late", needed=True)
    if share > MUCH_OF_A_CORE:
        raise Trouble(f"{found}: tight once the phone is hot")
    return found


def _path_s() -> float:
    from pitwall.drive.prepare import DriveSettings
    from pitwall.drive.session import DriveSession, Supplies
    from pitwall.simulator.plan import SimulationPlan
    from pitwall.simulator.simulate import simulate_to_file
    from pitwall.telemetry.recordings.journal import JournalRecording

    track = load_track(shipped("track_data") / "sonoma.json")
    with tempfile.TemporaryDirectory(prefix="pitwall-speed-") as folder:
        file = Path(folder) / "drive.pwj"
        simulate_to_file(track, SimulationPlan(laps=1), "journal", file)
        recording = JournalRecording(file)
        drive = DriveSession(Supplies({track.id: track}), DriveSettings())
        for stream in recording.info.streams:
            drive.stream(stream)
        drive.control(record_of(0.0, OnTrack(track.id)))
        samples = list(recording.samples())
    took_s = []
    for first in range(0, len(samples) - TIMED_SAMPLES, TIMED_SAMPLES):
        begun_s = time.thread_time()
        for sample in samples[first : first + TIMED_SAMPLES]:
            drive.feed(sample)
        took_s.append(time.thread_time() - begun_s)
    return min(took_s) / TIMED_SAMPLES


def _call_s() -> float:
    begun_s = time.perf_counter()
    for _ in range(TIMED_CALLS):
        os.getppid()
    return (time.perf_counter() - begun_s) / TIMED_CALLS


def phone_route(home: Home) -> Route | None:
    """Return where Android sends sound, None if unknown."""
    port = int(os.environ.get("PITWALL_PHONE_PORT", HELPER_PORT))
    try:
        return msgspec.json.decode(_ask(home, port, "/phone"), type=_Phone).route
    except (OSError, http.client.HTTPException, TokenError, msgspec.MsgspecError):
        return None


def _ask(home: Home, port: int, path: str) -> bytes:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=HELPER_WITHIN_S)
    try:
        connection.request("GET", path, headers={"Authorization": f"Bearer {shown_token(home)}"})
        answer = connection.getresponse()
        answer_bytes = answer.read()
    finally:
        connection.close()
    if answer.status != 200:
        raise OSError(f"{path}: status {answer.status}")
    return answer_bytes


def _sound_delay(home: Home, settings: Settings) -> str:
    if settings.audio.delay_s is not None:
        return f"{settings.audio.delay_s * 1000.0:.0f} ms to the ear, as the settings say"
    delay = delay_in_force(home, output_device(), settings.audio.path, phone_route(home))
    if delay.source == "nominal":
        raise Trouble(f"{delay.seconds * 1000.0:.0f} ms is what is usual, nobody has measured it")
    return f"{delay.seconds * 1000.0:.0f} ms to the ear"


def _source_look(source: PhoneSource) -> Look:
    def look(home: Home, settings: Settings) -> str:
        configured = any(f":{source.port}" in each.uri for each in settings.sources.values())
        at = f"127.0.0.1:{source.port}"
        if not _answers(source.port):
            raise Trouble(f"nothing answers on {at}", source.taps, needed=configured)
        if not configured:
            lines = f'[sources.{source.name}] and uri = "{source.uri}"'
            use = f"to use it write two lines into {home.root / FILE_NAME}: {lines}"
            raise Trouble(f"something answers on {at}, and no source uses it", use)
        return f"answers on {at}"

    return look


def _any_source(home: Home, settings: Settings) -> str:
    if not settings.sources:
        raise Trouble("none is configured")
    return ", ".join(settings.sources)


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), CONNECT_WITHIN_S).close()
    except OSError:
        return False
    return True
