"""Who was let in at the pit wall, and what became of what was said there. Nothing here knows aiohttp."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import logging
import secrets
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import msgspec

from pitwall.contract.problems import Refused
from pitwall.contract.wall import MOST_WORDS, CrewLine, CrewMessage, Role, WallDevice, WallLink, WallOwned
from pitwall.voice.wav import write_whole

log = logging.getLogger("pitwall")

FILE = "wall.json"
LINK_S = 600.0
# A device stays paired for a season of days.
COOKIE_S = 90 * 86_400
MOST_LINKS, MOST_DEVICES, MOST_MESSAGES = 8, 16, 50
# Messages of a device a minute. A driver bears fewer.
MOST_SAID, SAID_S = 20, 60.0
# "Traffic behind" is no longer true when a slow network brings it later than this.
MOST_AGE_S = 10.0
# A page asks every second; one that went home is missed for ten minutes.
MISSED_S, GONE_S = 10.0, 600.0
# Switched on, it is reached within this time, or its owner hears why not.
UP_WITHIN_S = 3.0
# Nobody answers what was said longer ago.
ANSWER_S = 300.0


class CrewPort(Protocol):
    """Passes a message on to the driver."""

    def crew_says(self, message: CrewMessage, by: str) -> None:
        """Hand a message to the drive. Refused (409) where nobody drives."""
        ...


class Pace:
    """Counts what may happen `most` times within `within_s`."""

    def __init__(self, most: int, within_s: float) -> None:
        self._most, self._within_s = most, within_s
        self._at_s: list[float] = []

    def allows(self) -> bool:
        """Count one more; False where it is one too many."""
        now_s = time.monotonic()
        self._at_s = [at_s for at_s in self._at_s if now_s - at_s < self._within_s]
        if len(self._at_s) >= self._most:
            return False
        self._at_s.append(now_s)
        return True


class _Kept(msgspec.Struct, frozen=True):
    """What outlasts the daemon, in `wall.json`. `on`: None: never switched."""

    on: bool | None
    devices: list[WallDevice]


class Wall:
    """Who was let in, and what was said. `port`: 0 while it is not served."""

    def __init__(self, root: Path, address: str = "", *, on: bool = False) -> None:
        self._file, self._address = root / FILE, address
        self.port, self.up, self.down = 0, asyncio.Event(), asyncio.Event()
        self.down.set()
        kept = self._stored()
        self._switched, self.devices = kept.on, kept.devices
        self.switched_on, self.switched_off = asyncio.Event(), asyncio.Event()
        (self.switched_on if (on if kept.on is None else kept.on) else self.switched_off).set()
        self.messages: dict[str, CrewLine] = {}
        self._links: dict[str, tuple[Role, str, float]] = {}
        self._said: dict[str, Pace] = {}
        # When each device asked last.
        self._asked_s: dict[str, float] = {}

    # --- the owner's part ---

    async def switch(self, on: bool) -> WallOwned:
        """Switch it on or off, for this start and the next ones. Paired devices stay paired."""
        self._switched = on
        self._store()
        (self.switched_off if on else self.switched_on).clear()
        (self.switched_on if on else self.switched_off).set()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for((self.up if on else self.down).wait(), UP_WITHIN_S)
        return self.owned()

    def owned(self) -> WallOwned:
        """Return what its owner sees, without what lets the devices in."""
        on = self.switched_on.is_set()
        devices = tuple(msgspec.structs.replace(each, secret="") for each in self.devices)
        trouble = "its port can't be had: another program has it, see the log" if on and not self.port else ""
        return WallOwned(on, trouble, devices)

    def link(self, role: Role, name: str) -> WallLink:
        """Make a link. Refused where the wall is off or full."""
        if not self.port:
            raise Refused(409, "the pit wall is off", "pitwall wall on")
        if len(self.devices) >= MOST_DEVICES:
            raise Refused(409, f"{MOST_DEVICES} devices are paired", "pitwall wall forget ID")
        now_s = time.monotonic()
        self._links = {key: each for key, each in self._links.items() if each[2] > now_s}
        while len(self._links) >= MOST_LINKS:
            del self._links[next(iter(self._links))]
        code = secrets.token_urlsafe(16)
        self._links[_digest(code)] = (role, name, now_s + LINK_S)
        # Behind "#": no server, proxy or log sees it, and no preview of a chat uses it up.
        address = self._address or local_address() or "127.0.0.1"
        shown = f"[{address}]" if ":" in address else address
        made = f"http://{shown}:{self.port}/#{code}"
        return WallLink(made, role, name, LINK_S, qr_rows(made))

    def forget(self, id_: str) -> None:
        """Shut a device out; "all" shuts out all."""
        gone = [each.id for each in self.devices if id_ in ("all", each.id)]
        if not gone and id_ != "all":
            raise Refused(404, f"no paired device is {id_!r}", "see `pitwall wall devices`")
        self.devices = [each for each in self.devices if each.id not in gone]
        self._store()

    def trouble(self) -> str:
        """Say who of the crew looked on and is gone, "" where none is missed."""
        now_s = time.monotonic()
        missed = [
            each.name
            for each in self.devices
            if each.role == "crew" and MISSED_S < now_s - self._asked_s.get(each.id, now_s) < GONE_S
        ]
        return f"the link to {', '.join(missed)} is lost" if missed else ""

    # --- a device's part ---

    def enter(self, code: str) -> str | None:
        """Return the cookie for a link's code, once; of 128 bits: no number of tries finds one."""
        role, name, until_s = self._links.pop(_digest(code), ("view", "", 0.0))
        if until_s <= time.monotonic():
            return None
        cookie = secrets.token_urlsafe(32)
        id_ = secrets.token_hex(4)
        self.devices = [*self.devices, WallDevice(id_, role, name, time.time(), _digest(cookie))]
        self._store()
        return cookie

    def known(self, cookie: str) -> WallDevice | None:
        """Return the device that this cookie is of."""
        given, found = _digest(cookie), None
        for each in self.devices:
            if hmac.compare_digest(each.secret, given) and time.time() - each.since_utc_s < COOKIE_S:
                found = each
        if found is not None:
            self._asked_s[found.id] = time.monotonic()
        return found

    def say(self, device: WallDevice, message: CrewMessage, port: CrewPort) -> CrewLine:
        """Hand a message on, once. Refused where this device may not, or nobody drives."""
        if device.role != "crew":
            raise Refused(403, "this device may look, not speak", "ask the driver for a link of the crew")
        if (message.says == "target") != (message.target_s is not None):
            raise Refused(422, "a lap time belongs to a target, and to nothing else", "send target_s with it")
        if (message.says == "line") != (0 < len(message.line.split()) <= MOST_WORDS):
            raise Refused(422, f"a line has one to {MOST_WORDS} words", "write a shorter one")
        if known := self.messages.get(message.id):
            return known
        if not self._said.setdefault(device.id, Pace(MOST_SAID, SAID_S)).allows():
            raise Refused(429, f"{MOST_SAID} messages a minute are the most", "a driver can't hear more")
        age_s = time.monotonic() - message.pressed_s
        if age_s > MOST_AGE_S:
            raise Refused(409, f"it came {age_s:.0f} s after the button", "say it again if it still holds")
        line = CrewLine(
            id=message.id, says=message.says, by=device.name, sent_utc_s=time.time(), text=message.line
        )
        self._keep(line)
        try:
            port.crew_says(message, device.name)
        except Refused:
            del self.messages[message.id]
            raise
        return self.messages[message.id]

    def ended(self, id_: str, text: str, ended: str, why: str) -> None:
        """Note what became of a message."""
        if line := self.messages.get(id_):
            self.messages[id_] = msgspec.structs.replace(line, text=text, ended=ended, why=why)

    def understood(self, sounds: Callable[[CrewLine], bool]) -> CrewLine | None:
        """Note and return the driver's answer to the last message that he heard."""
        for line in reversed(self.messages.values()):
            if (
                not ("spoken" in line.ended or (not line.ended and sounds(line)))
                or line.understood_utc_s is not None
            ):
                continue
            now_utc_s = time.time()
            if now_utc_s - line.sent_utc_s > ANSWER_S:
                return None
            self.messages[line.id] = msgspec.structs.replace(line, understood_utc_s=now_utc_s)
            return line
        return None

    def _keep(self, line: CrewLine) -> None:
        self.messages[line.id] = line
        while len(self.messages) > MOST_MESSAGES:
            del self.messages[next(iter(self.messages))]

    def _stored(self) -> _Kept:
        try:
            # An older program kept the devices alone.
            kept = msgspec.json.decode(self._file.read_bytes(), type=_Kept | list[WallDevice])
            return kept if isinstance(kept, _Kept) else _Kept(None, kept)
        except FileNotFoundError:
            pass
        except (OSError, msgspec.MsgspecError) as error:
            log.warning("%s can't be used (%s): every device pairs again", self._file, error)
        return _Kept(None, [])

    def _store(self) -> None:
        try:
            kept = msgspec.json.encode(_Kept(self._switched, self.devices))
            write_whole(self._file, kept, prefix=".wall-", sync=True)
        except OSError as error:
            log.warning("%s can't be written (%s): devices pair again after a restart", self._file, error)


def qr_rows(text: str) -> tuple[str, ...]:
    """Return the QR code of a text with its quiet zone, each row in 0 and 1."""
    import segno  # here: a daemon whose wall stays off never needs it

    return tuple("".join(map(str, row)) for row in segno.make(text, micro=False).matrix_iter(border=4))


def local_address() -> str:
    """Return the address that this machine would send from; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return ""
        return str(probe.getsockname()[0])


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
