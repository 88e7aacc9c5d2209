"""What every live source is: streams of stamped readings, health, URI; which file serves it.

A source's dependencies are loaded only when used."""

from __future__ import annotations

import asyncio
import importlib
import ipaddress
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar, cast, get_args, get_type_hints
from urllib.parse import parse_qsl

import msgspec

from pitwall.contract.status import SourceState
from pitwall.helpers.backoff import SOURCE, Backoff
from pitwall.telemetry.sample import Channel, Values


class SourceError(Exception):
    """A wrongly configured source: what a person must mend; an absent peer is tried again."""


class SourceAbsentError(SourceError):
    """The configuration is right, but this machine lacks something: an extra, a file."""


class SourceHealth(msgspec.Struct):
    """A source's own state; `timed`: readings come when made; `replays`: a file played as live."""

    uri: str
    state: SourceState = "starting"
    readings: int = 0
    shed: int = 0
    errors: int = 0
    reconnects: int = 0
    last_received_s: float | None = None
    last_error: str = ""
    details: dict[str, int] = {}  # counters of its own, such as unknown CAN ids or bad checksums
    timed: bool = True
    replays: str = ""


class Inbox(Protocol):
    """Receives a source's readings. Both calls return at once and never raise."""

    def stream(self, channels: Sequence[Channel], *, group: str, latency_s: float) -> int:
        """Register channels that arrive together; return their id, the same for the same
        `group`."""
        ...

    def put(
        self,
        stream: int,
        source_s: float | None,
        received_s: float,
        values: Values,
    ) -> None:
        """Hand over one reading; `source_s`: its own stamp, `received_s`: when its bytes came."""
        ...


class Source(Protocol):
    """A live source. `run` reconnects by itself and leaves nothing behind."""

    health: SourceHealth

    async def run(self, inbox: Inbox) -> None:
        """Read for ever. Raises only SourceError and CancelledError."""
        ...


Options = Mapping[str, object]
"""A source's own table in `pitwall.toml`, already plain values; unknown keys are a SourceError."""


T = TypeVar("T")
OptionsT = TypeVar("OptionsT", bound=msgspec.Struct)

# A connection that is not there after so long is tried again.
CONNECT_S = 5.0
# No receiver is silent this long.
SILENT_S = 10.0


async def keep_connected(health: SourceHealth, connection: Callable[[], Awaitable[str]]) -> None:
    """Run `connection` again and again, with waits between; a try without a reading failed."""
    backoff = Backoff(SOURCE)
    while True:
        readings = health.readings
        try:
            why = await connection()
        except OSError as error:
            why = str(error) or type(error).__name__
            health.errors += 1
        health.state, health.last_error = "down", why
        if health.readings > readings:
            backoff.reset()
        await asyncio.sleep(backoff.next_s())
        health.reconnects += 1


async def within(seconds: float, what: str, wanted: Awaitable[T]) -> T:
    """Wait for `wanted`; TimeoutError says that there was no `what` for so long."""
    try:
        async with asyncio.timeout(seconds):
            return await wanted
    except TimeoutError:
        raise TimeoutError(f"no {what} for {seconds:.0f} s") from None


def received(health: SourceHealth, now_s: float) -> None:
    """Note one reading."""
    health.readings += 1
    health.last_received_s = now_s
    health.state = "up"


def count(health: SourceHealth, what: str, more: int = 1) -> None:
    """Count `what` in the details."""
    health.details[what] = health.details.get(what, 0) + more


def fault(health: SourceHealth, what: str, more: int = 1) -> None:
    """Count an error."""
    health.errors += more
    count(health, what, more)


class Allowance:
    """A bucket that fills with `rate_per_s` up to `burst`."""

    def __init__(self, rate_per_s: float, burst: float) -> None:
        self._rate_per_s, self._burst = rate_per_s, burst
        self._level, self._at_s = burst, 0.0

    def take(self, amount: float, now_s: float) -> bool:
        """Spend `amount` if allowed; return whether it was."""
        self._fill(now_s)
        if self._level < amount:
            return False
        self._level -= amount
        return True

    def owe(self, amount: float, now_s: float) -> float:
        """Spend `amount` in any case; return seconds until it is made good."""
        self._fill(now_s)
        self._level -= amount
        return max(0.0, -self._level / self._rate_per_s)

    def _fill(self, now_s: float) -> None:
        if now_s > self._at_s:
            self._level = min(self._burst, self._level + (now_s - self._at_s) * self._rate_per_s)
        self._at_s = now_s


_HOST_PORT = re.compile(r"//(?P<host>\[[^\]]+\]|[^/:@]+):(?P<port>\d{1,5})/?")


class SourceUri(NamedTuple):
    """`nmea:tcp://host:1?a=b`: scheme nmea, rest tcp://host:1, query {"a": "b"}."""

    text: str
    scheme: str
    rest: str
    query: dict[str, str]


class Address(NamedTuple):
    host: str
    port: int


def parse_uri(text: str) -> SourceUri:
    """Return the parts of a source's URI. SourceError."""
    scheme, colon, rest = text.partition(":")
    if not colon or not re.fullmatch(r"[a-z][a-z0-9-]*", scheme):
        raise SourceError(f"{text!r}: is no source; write SCHEME:..., such as nmea:tcp://127.0.0.1:5000")
    place, _, query = rest.partition("?")
    return SourceUri(text, scheme, place, dict(parse_qsl(query, keep_blank_values=True)))


def parse_address(uri: SourceUri, rest: str, form: str) -> Address:
    """Return host and port of `//HOST:PORT`. SourceError shows the right `form`."""
    found = _HOST_PORT.fullmatch(rest)
    port = int(found["port"]) if found else -1
    if found is None or not 0 <= port <= 65535:
        raise SourceError(f"{uri.text}: needs a host and a port; write {form}")
    return Address(found["host"].strip("[]"), port)


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach it."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


_MENDS = {"bool`": "write true or false", "int": "write a whole number", "str": "write it as text"}


def read_options(uri: SourceUri, options: Options, kind: type[OptionsT]) -> OptionsT:
    """Return the options of the table and the query (the table wins). SourceError."""
    known = kind.__struct_fields__
    given: dict[str, object] = {**uri.query, **options}
    unknown = sorted(set(given) - set(known))
    if unknown:
        there = f"known are {', '.join(known)}" if known else "it has none"
        raise SourceError(f"{uri.text}: unknown option {unknown[0]!r}; {there}")
    try:
        return msgspec.convert(given, kind, strict=False)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        name = where.rstrip("`")
        allowed = get_args(get_type_hints(kind).get(name))
        expected = what.partition(", got")[0]
        mend = next((say for type_, say in _MENDS.items() if f"`{type_}" in expected), "correct it")
        mend = f"use {', '.join(map(str, allowed))}" if what.startswith("Invalid enum") else mend
        raise SourceError(f"{uri.text}: option {name} = {given.get(name)!r}: {what}; {mend}") from None


# scheme: (module, its function (uri, options) -> Source)
SCHEMES: dict[str, tuple[str, str]] = {
    "can": ("can", "open_can"),
    "nmea": ("nmea", "open_nmea"),
    "push": ("push", "open_push"),
    "replay": ("replay", "open_replay"),
    "sensorserver": ("sensorserver", "open_sensorserver"),
    "ubx": ("ubx", "open_ubx"),
}


def open_source(uri: str, options: Options) -> Source:
    """Open the source for `uri`, not yet running. SourceError."""
    scheme = parse_uri(uri).scheme
    found = SCHEMES.get(scheme)
    if found is None:
        raise SourceError(f"{uri}: no source is called {scheme!r}; there are {', '.join(SCHEMES)}")
    module = importlib.import_module(f"pitwall.telemetry.sources.{found[0]}")
    make = cast(Callable[[str, Options], Source], getattr(module, found[1]))
    return make(uri, options)
