"""URIs of sources and the options of their tables, checked once and told in the user's words; which file
serves which scheme. A source's dependencies are loaded only when it is used.
"""

from __future__ import annotations

import importlib
import ipaddress
import re
from collections.abc import Callable
from typing import NamedTuple, TypeVar, cast, get_args, get_type_hints
from urllib.parse import parse_qsl

import msgspec

from pitwall.telemetry.sources.base import Options, Source, SourceError

T = TypeVar("T", bound=msgspec.Struct)

_HOST_PORT = re.compile(r"//(?P<host>\[[^\]]+\]|[^/:@]+):(?P<port>\d{1,5})/?")


class SourceUri(NamedTuple):
    """`nmea:tcp://host:1?a=b`: `scheme` is nmea, `rest` is tcp://host:1, `query` is {"a": "b"}."""

    text: str
    scheme: str
    rest: str
    query: dict[str, str]


class Address(NamedTuple):
    host: str
    port: int


def parse_uri(text: str) -> SourceUri:
    """The parts of a source's URI. SourceError where it has no scheme."""
    scheme, colon, rest = text.partition(":")
    if not colon or not re.fullmatch(r"[a-z][a-z0-9-]*", scheme):
        raise SourceError(f"{text!r}: is no source; write SCHEME:..., such as nmea:tcp://127.0.0.1:5000")
    place, _, query = rest.partition("?")
    return SourceUri(text, scheme, place, dict(parse_qsl(query, keep_blank_values=True)))


def parse_address(uri: SourceUri, rest: str, form: str) -> Address:
    """Host and port of `//HOST:PORT`. SourceError shows the right `form`."""
    found = _HOST_PORT.fullmatch(rest)
    port = int(found["port"]) if found else -1
    if found is None or not 0 <= port <= 65535:
        raise SourceError(f"{uri.text}: needs a host and a port; write {form}")
    return Address(found["host"].strip("[]"), port)


def is_loopback(host: str) -> bool:
    """Return whether only programs of this machine can reach it there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def read_options(uri: SourceUri, options: Options, kind: type[T]) -> T:
    """The options of the table and of the query (the table wins). SourceError names the mistake and what
    there is to choose from."""
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
        mend = f"use {', '.join(map(str, allowed))}" if what.startswith("Invalid enum") else "correct it"
        raise SourceError(f"{uri.text}: option {name} = {given.get(name)!r}: {what}; {mend}") from None


# scheme: (module of this package, its function (uri, options) -> Source)
SCHEMES: dict[str, tuple[str, str]] = {
    "ble": ("ble", "open_ble"),
    "can": ("can", "open_can"),
    "nmea": ("nmea", "open_nmea"),
    "push": ("push", "open_push"),
    "replay": ("replay", "open_replay"),
    "sensorserver": ("sensorserver", "open_sensorserver"),
    "ubx": ("ubx", "open_ubx"),
}


def open_source(uri: str, options: Options) -> Source:
    """The source for `uri`, not yet running. SourceError says what is wrong and what to do: an unknown
    scheme or option, an address that is none, a missing extra."""
    scheme = parse_uri(uri).scheme
    found = SCHEMES.get(scheme)
    if found is None:
        raise SourceError(f"{uri}: no source is called {scheme!r}; there are {', '.join(SCHEMES)}")
    module = importlib.import_module(f"pitwall.telemetry.sources.{found[0]}")
    make = cast(Callable[[str, Options], Source], getattr(module, found[1]))
    return make(uri, options)
