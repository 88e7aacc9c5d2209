"""`pitwall doctor --phone`: what must be green before a track day on a phone in Termux.

The helper in native Termux (termux/phone.py) reports what Android may kill: inside the Debian no
phone command is reliable. A phone's sources are looked for on their usual ports.
"""

from __future__ import annotations

import http.client
import os
import socket
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

import msgspec

from pitwall.api.token import TokenError, address_of, shown_token
from pitwall.config import Home
from pitwall.contract.status import Check, SourceStatus
from pitwall.doctor import CONNECT_WITHIN_S, Look, Row, Trouble, looked_at
from pitwall.settings import FILE_NAME, Settings
from pitwall.voice.delay import Route, delay_in_force, output_device

HELPER_PORT = 8766
# The helper asks a dozen commands of the phone in turn, each with a limit of its own.
HELPER_WITHIN_S = 60.0
# A source that is silent for so long on a standing phone gives nothing on the road either.
SILENT_S = 10.0
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
        "in an app that gives NMEA over TCP: choose the receiver, TCP server, port 5000, Start",
    ),
    PhoneSource(
        "CAN adapter on USB",
        "car",
        3333,
        "can:slcan://socket/127.0.0.1:3333",
        "in an app that bridges USB serial to TCP: plug in, allow it, TCP server, port 3333, Start",
    ),
)


def examine_phone(home: Home, settings: Settings) -> list[Check]:
    """Return what the helper sees, and the sources of this phone."""
    return [
        *_seen_by_helper(home),
        *_running_sources(home),
        *(check for row in _table() for check in looked_at(row, home, settings)),
    ]


def _table() -> Iterable[Row]:
    yield Row("sound delay", _sound_delay, "connect the headset, then: pitwall audio calibrate")
    for source in SOURCES:
        yield Row(source.what, _source_look(source))
    yield Row("a source", _any_source, f"set one of the three up, and add it to {FILE_NAME}", needed=True)


def _seen_by_helper(home: Home) -> list[Check]:
    port = int(os.environ.get("PITWALL_PHONE_PORT", HELPER_PORT))
    try:
        found = msgspec.json.decode(_ask(home, port, "/checks"), type=list[Check])
        phone = msgspec.json.decode(_ask(home, port, "/phone"), type=_Phone)
    except (OSError, http.client.HTTPException, TokenError, msgspec.MsgspecError) as error:
        return [Check(name="helper", verdict="missing", found=f"no answer ({error})", mend=HELPER_MEND)]
    loud = phone.sound.startswith("module-")
    path = Check(
        name="sound path",
        verdict="good" if loud else "missing",
        found=phone.sound,
        mend=""
        if loud
        else "pkg install pulseaudio; then sv restart pitwall-phone. Until then calls come later",
    )
    helper = Check(name="helper", verdict="good", found=f"answers on 127.0.0.1:{port}")
    return [helper, *found, path, *_ear(phone), *_battery(phone.battery)]


def _ear(phone: _Phone) -> list[Check]:
    """Whether a call reaches the driver; nothing where the phone does not say."""
    if phone.route is None and phone.volume_pct is None:
        return []
    headset = phone.route in ("wired", "bluetooth")
    where = {"speaker": "the phone's own speaker", None: "not known"}
    goes = Check(
        name="sound goes to",
        verdict="good" if headset else "note",
        found=where.get(phone.route, f"a {phone.route} headset"),
        mend="" if headset else "connect the headset before you drive",
    )
    volume = Check(
        name="media volume",
        verdict="good" if phone.volume_pct else "missing",
        found="not known" if phone.volume_pct is None else f"{phone.volume_pct:.0f} %",
        mend="" if phone.volume_pct else "turn the phone's media volume up: at 0 nobody hears a call",
    )
    return [goes, volume]


class _Battery(msgspec.Struct, frozen=True):
    percentage: float | None = None
    plugged: str = ""


class _Phone(msgspec.Struct, frozen=True):
    sound: str
    route: Route | None = None
    volume_pct: float | None = None
    battery: _Battery = _Battery()


class _Sources(msgspec.Struct, frozen=True):
    sources: tuple[SourceStatus, ...] = ()


def _running_sources(home: Home) -> list[Check]:
    """Whether readings really come, where a daemon runs: an app that listens may have none to give."""
    port = urlsplit(address_of(home)).port
    if port is None:
        return []
    try:
        found = msgspec.json.decode(_ask(home, port, "/status"), type=_Sources)
    except (OSError, http.client.HTTPException, TokenError, msgspec.MsgspecError) as error:
        return [Check(name="readings", verdict="missing", found=f"the daemon gives no answer ({error})")]
    return [_readings(each) for each in found.sources]


def _readings(source: SourceStatus) -> Check:
    late = source.age_s is None or source.age_s > SILENT_S
    rate = "" if source.rate_hz is None else f"{source.rate_hz:.1f} a second, "
    what = "none yet" if source.age_s is None else f"{rate}the last one {source.age_s:.1f} s ago"
    mend = "open its app, look for a fix or frames there, and exempt that app from the battery saver"
    return Check(
        name=f"readings of {source.name}",
        verdict="missing" if late else "good",
        found=f"{what}; {source.last_error}" if source.last_error and late else what,
        mend=mend if late else "",
    )


def _battery(battery: _Battery) -> list[Check]:
    """A day needs a charger: below this the phone is full for an hour or two at most."""
    if battery.percentage is None:
        return []
    charging = battery.plugged.upper() not in ("", "UNPLUGGED")
    good = charging or battery.percentage >= ENOUGH_PCT
    return [
        Check(
            name="battery",
            verdict="good" if good else "missing",
            found=f"{battery.percentage:.0f} %, " + ("charging" if charging else "on no charger"),
            mend="" if good else "plug in the charger that you use in the car, and look whether it charges",
        )
    ]


def phone_route(home: Home) -> Route | None:
    """Return where Android sends sound, None away from a phone or where its helper does not know."""
    port = int(os.environ.get("PITWALL_PHONE_PORT", HELPER_PORT))
    try:
        return msgspec.json.decode(_ask(home, port, "/phone"), type=_Phone).route
    except (OSError, http.client.HTTPException, TokenError, msgspec.MsgspecError):
        return None


def _ask(home: Home, port: int, path: str) -> bytes:
    """The helper's answer. OSError or HTTPException if none or it refuses."""
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
        configured = _configured(settings, source)
        if not _answers(source.port):
            if configured:
                raise Trouble(f"nothing answers on 127.0.0.1:{source.port}", source.taps, needed=True)
            raise Trouble(f"none on 127.0.0.1:{source.port}", source.taps)
        if not configured:
            lines = f'[sources.{source.name}] and uri = "{source.uri}"'
            raise Trouble(
                f"something answers on 127.0.0.1:{source.port}, and no source uses it",
                f"to use it write two lines into {home.root / FILE_NAME}: {lines}",
            )
        return f"answers on 127.0.0.1:{source.port}"

    return look


def _any_source(home: Home, settings: Settings) -> str:
    if not settings.sources:
        raise Trouble("none is configured")
    return ", ".join(settings.sources)


def _configured(settings: Settings, source: PhoneSource) -> bool:
    return any(f":{source.port}" in each.uri for each in settings.sources.values())


def _answers(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), CONNECT_WITHIN_S).close()
    except OSError:
        return False
    return True
