"""Which file serves which scheme; a source's dependencies are loaded only when it is used."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import cast

from pitwall.telemetry.sources.base import Options, Source, SourceError
from pitwall.telemetry.sources.uri import parse_uri

# scheme: (module of this package, its function (uri, options) -> Source)
SCHEMES: dict[str, tuple[str, str]] = {
    "can": ("can", "open_can"),
    "nmea": ("nmea", "open_nmea"),
    "push": ("push", "open_push"),
    "replay": ("replay", "open_replay"),
    "sensorserver": ("sensorserver", "open_sensorserver"),
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
