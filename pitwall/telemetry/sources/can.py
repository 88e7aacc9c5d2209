"""Frames from a CAN bus as readings: by a DBC and a mapping, or by OBD-II questions.

    can:slcan:///dev/ttyUSB0?bitrate=1000000     an slcan adapter on a serial port
    can:slcan://socket/127.0.0.1:3333            one behind a TCP server (a phone's USB); also can:slcan:socket://
    can:socketcan/can0                           the kernel's CAN
    can:virtual/NAME                             python-can's bus inside this process

Options, in the source's table of `pitwall.toml` or behind the `?` (the table wins):

    dbc = "aim-mxp"         shipped, or the path of a DBC
    mapping = "aim-mxp"     shipped, or the path of a mapping (can_dbc.py); a shipped DBC brings its own.
                            Without one every signal is stored, but none is canonical
    keep = "all"            or "mapped": only signals that the mapping names are decoded and stored
    obd = true              poll service 01; or a list of PIDs (can_obd.py): [0x0C, 0x0D], behind a `?`: 0C,0D
    bitrate = 1000000       of the bus, for slcan
    baud = 115200           of the serial port, for real UARTs
    listen_only = false     slcan: acknowledge nothing on the bus; not with `obd`

Relative paths are relative to the working directory. A thread reads and decodes, so that no driver
ever blocks the event loop; readings wait for the loop in a bounded queue. Messages that come at one
rate, from 45 Hz on, are one stream with the signals of all of them (RowBuilder); each other message
is a stream of its own, and so is each part of a multiplexed one. Ids that nothing decodes are
counted in the first five seconds, then left out: by the kernel's filter, or by the beginning of
their slcan line.

What the frames of a stored log mean says the first of these that there is: a DBC that was named
(`--dbc`), one next to the log under its name (`drive.log`, `drive.dbc`), one in the log's zip
archive, those of the CAN sources in `pitwall.toml`. The mapping is found with it: named, `.toml` in
the same place, or the shipped one's own."""

from __future__ import annotations

import asyncio
import importlib
import re
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import msgspec

from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.sources.base import (
    Inbox,
    Options,
    Source,
    SourceAbsentError,
    SourceError,
    SourceHealth,
    SourceUri,
    parse_uri,
    read_options,
)
from pitwall.telemetry.sources.can_dbc import BY_NAME, load_dbc, load_mapping, mapping_by_name
from pitwall.telemetry.sources.can_decode import Decoders, compile_dbc
from pitwall.telemetry.sources.can_link import (
    BITRATES,
    BusLink,
    Link,
    LinkDownError,
    SerialPort,
    SlcanLink,
    TcpPort,
)
from pitwall.telemetry.sources.can_obd import BY_PID, PIDS, ObdPoller
from pitwall.telemetry.sources.can_reader import CanReader

SHIPPED = Path(__file__).resolve().parent / "data"
INSTALL = 'install the extra: pip install "pitwall[can]"'
FORMS = "can:slcan:///dev/ttyUSB0, can:slcan://socket/HOST:PORT, can:socketcan/can0 or can:virtual/NAME"
DEFAULT_BAUD = 115_200
# Longer only while a connection is being made.
JOIN_S = 3.0
BitsPerSecond = Annotated[int, msgspec.Meta(gt=0)]

_SOCKET = re.compile(r"(?://socket/|socket://)(?P<host>.+):(?P<port>\d{1,5})/?")


class BusAddress(NamedTuple):
    """Where the bus is. `port`: of slcan over TCP, whose `channel` is the host."""

    interface: str
    channel: str
    port: int = 0


class CanOptions(msgspec.Struct, frozen=True):
    """The options as they are written."""

    dbc: str | None = None
    mapping: str | None = None
    keep: Literal["all", "mapped"] = "all"
    obd: bool | list[int | str] | str = False
    bitrate: BitsPerSecond | None = None
    baud: BitsPerSecond = DEFAULT_BAUD
    listen_only: bool = False


class CanSettings(NamedTuple):
    """The options, with files found and PIDs checked."""

    given: CanOptions
    dbc: Path | None
    mapping: Path | None
    obd: frozenset[int]


class CanSource:
    """A bus; see the module's docstring."""

    def __init__(
        self,
        uri: str,
        open_link: Callable[[], Link],
        decoders: Decoders,
        obd: ObdPoller | None,
    ) -> None:
        self.health = SourceHealth(uri)
        self._open_link, self._decoders, self._obd = open_link, decoders, obd

    async def run(self, inbox: Inbox) -> None:
        """Read until cancelled; then end the thread, close the bus, hand over the rest."""
        self.health.state = "starting"
        reader = CanReader(self.health, self._open_link, self._decoders, self._obd, inbox)
        reader.start()
        try:
            await asyncio.shield(reader.ended)
        finally:
            reader.stop()
            await asyncio.wait({reader.ended}, timeout=JOIN_S)
            reader.finish()
            self.health.state = "stopped"


def open_can(uri: str, options: Options) -> Source:
    """Open a source for `uri`. SourceError, also for a missing extra."""
    parsed = parse_uri(uri)
    address = parse_address(f"can:{parsed.rest}")
    settings = _settings(uri, read_options(parsed, options, CanOptions))
    _need_bus(address)
    files = None if settings.dbc is None else DbcFiles(settings.dbc, settings.mapping)
    decoders = (
        Decoders() if files is None else decoders_of(files, only_mapped=settings.given.keep == "mapped")
    )
    used = {
        channel.name for decoder in decoders.every() for part in decoder.parts for channel in part.channels
    }
    obd = ObdPoller(settings.obd, used) if settings.obd else None
    return CanSource(uri, _opener(address, settings), decoders, obd)


class DbcFiles(NamedTuple):
    """A DBC and the mapping that goes with it."""

    dbc: Path
    mapping: Path | None


def named_dbc(uri: str, options: Options) -> DbcFiles | None:
    """Return the files that a source's address and options name, if any. SourceError."""
    parsed = parse_uri(uri) if uri.startswith("can:") else SourceUri(uri, "can", "", {})
    given = read_options(parsed, options, CanOptions)
    settings = _settings(uri, CanOptions(dbc=given.dbc, mapping=given.mapping, obd=True))
    return None if settings.dbc is None else DbcFiles(settings.dbc, settings.mapping)


def decoders_of(files: DbcFiles, *, only_mapped: bool = False) -> Decoders:
    """Return their decoders by frame key. SourceError, also for a missing extra."""
    _need("cantools")
    dbc = load_dbc(files.dbc)
    if files.mapping == BY_NAME:
        return compile_dbc(dbc, mapping_by_name(dbc), only_mapped=only_mapped)
    mapping = load_mapping(files.mapping, dbc) if files.mapping is not None else {}
    return compile_dbc(dbc, mapping, only_mapped=only_mapped)


def parse_address(place: str) -> BusAddress:
    """Return the address in a URI without its query. SourceError."""
    scheme, _, rest = place.partition(":")
    interface = re.match(r"[a-z]*", rest)
    name = interface[0] if interface else ""
    channel = rest[len(name) :]
    if scheme == "can" and name in ("socketcan", "virtual") and len(channel) > 1 and channel[0] in ":/":
        return BusAddress(name, channel.lstrip(":/"))
    if scheme == "can" and name == "slcan" and channel.startswith(":"):
        found = _SOCKET.fullmatch(channel[1:])
        if found is not None and 0 < int(found["port"]) < 65536:
            return BusAddress("slcan", found["host"].strip("[]"), int(found["port"]))
        if channel.startswith((":///", ":/d")) and len(channel) > 4:
            return BusAddress("slcan", "/" + channel[1:].lstrip("/"))
    raise SourceError(f"{place}: is no address of a CAN bus; write {FORMS}")


def _settings(uri: str, given: CanOptions) -> CanSettings:
    dbc, mapping = given.dbc, given.mapping
    if mapping is None and dbc is not None and (SHIPPED / f"{dbc}.toml").is_file():
        mapping = dbc
    found = CanSettings(
        given, _file(uri, "dbc", dbc), _file(uri, "mapping", mapping, ".toml"), _pids(uri, given.obd)
    )
    if found.dbc is None and found.mapping is not None:
        raise SourceError(f"{uri}: option mapping without dbc; name the DBC whose signals it maps")
    if given.keep == "mapped" and found.mapping is None:
        raise SourceError(f'{uri}: keep = "mapped" without a mapping keeps nothing; name one')
    if found.dbc is None and not found.obd:
        raise SourceError(f'{uri}: nothing says what the frames mean; give dbc = "..." or obd = true')
    if given.listen_only and found.obd:
        raise SourceError(f"{uri}: obd asks the car and listen_only forbids it; take one of them out")
    return found


def _file(uri: str, key: str, value: str | None, suffix: str = ".dbc") -> Path | None:
    if value is None:
        return None
    if key == "mapping" and value == str(BY_NAME):
        return BY_NAME
    shipped = SHIPPED / f"{value}{suffix}"
    path = shipped if "/" not in value and shipped.is_file() else Path(value).expanduser()
    if not path.is_file():
        names = ", ".join(sorted(file.stem for file in SHIPPED.glob(f"*{suffix}")))
        # A bare name is one of ours misspelt; a path may lie on a card that is out.
        kind = SourceAbsentError if "/" in value else SourceError
        raise kind(f"{uri}: option {key}: no file {path}; give its path, or a shipped one: {names}")
    return path


def _pids(uri: str, value: bool | list[int | str] | str) -> frozenset[int]:
    if isinstance(value, str):
        switch = {"true": True, "1": True, "false": False, "0": False}.get(value.lower())
        value = [each for each in value.split(",") if each] if switch is None else switch
    if isinstance(value, bool):
        return frozenset(BY_PID) if value else frozenset()
    if not value:
        raise SourceError(f"{uri}: option obd names no PID; write true, or a list such as [0x0C, 0x0D]")
    return frozenset(_pid(uri, pid) for pid in value)


def _pid(uri: str, value: int | str) -> int:
    try:
        pid = int(value, 16) if isinstance(value, str) else value
    except ValueError:
        pid = -1
    if pid not in BY_PID:
        known = " ".join(f"{row.pid:02X}" for row in PIDS)
        what = f"{value!r} is no PID that we decode; write true, or a list of these (hex): {known}"
        raise SourceError(f"{uri}: option obd: {what}")
    return pid


def _need_bus(address: BusAddress) -> None:
    if address.interface != "slcan":
        _need("can")
    elif not address.port:
        _need("serial")


def _need(package: str) -> None:
    try:
        importlib.import_module(package)
    except ImportError as error:
        raise SourceAbsentError(
            f"can: the Python package of {error.name or package} is missing; {INSTALL}"
        ) from None


def _opener(address: BusAddress, settings: CanSettings) -> Callable[[], Link]:
    bitrate = settings.given.bitrate
    if address.interface != "slcan":
        if bitrate is not None:
            what = (
                f"{address.interface} can't set the bitrate; take it out (ip link set {address.channel} ...)"
            )
            raise SourceError(f"can: {what}")
        return lambda: BusLink(address.interface, address.channel)
    if bitrate is not None and bitrate not in BITRATES:
        known = ", ".join(str(bitrate) for bitrate in BITRATES)
        raise SourceError(f"can: slcan has no bitrate {bitrate}; it has {known}")

    def open_slcan() -> Link:
        try:
            port: SerialPort | TcpPort
            if address.port:
                port = TcpPort(address.channel, address.port)
            else:
                port = SerialPort(address.channel, settings.given.baud)
        except (OSError, ValueError) as error:
            raise LinkDownError(f"the adapter can't be reached: {error}") from None
        return SlcanLink(port, bitrate, settings.given.listen_only)

    return open_slcan


SUFFIXES = (".dbc", ".toml")
MOST_PACKED_BYTES = 8 << 20


def log_decoders(
    path: Path, dbc: str | None, mapping: str | None, sources: Sequence[tuple[str, Options]]
) -> Decoders | None:
    """Return the decoders for the log at `path`, None without a DBC. RecordingError."""
    try:
        files = files_of_log(path, dbc, mapping)
        if files is not None:
            return decoders_of(files)
        with tempfile.TemporaryDirectory(prefix="pitwall-dbc-") as folder:
            files = _with_mapping(_unpacked(path, Path(folder)), mapping)
            if files is not None:
                return decoders_of(files)
        found = Decoders()
        for uri, options in sources:
            files = named_dbc(uri, options)
            if files is not None:
                found.join(decoders_of(files))
        return found if found or found.groups else None
    except SourceError as error:
        raise RecordingError(path, f"its DBC can't be used: {error}") from None


def files_of_log(path: Path, dbc: str | None, mapping: str | None) -> DbcFiles | None:
    """Return the DBC that was named, or lies next to the log. SourceError."""
    if dbc is not None:
        return named_dbc(str(path), {"dbc": dbc, "mapping": mapping})
    return _with_mapping(path.with_suffix(".dbc"), mapping)


def _with_mapping(dbc: Path, mapping: str | None) -> DbcFiles | None:
    if not dbc.is_file():
        return None
    table = dbc.with_suffix(".toml")
    return named_dbc(
        str(dbc), {"dbc": str(dbc), "mapping": mapping or (str(table) if table.is_file() else None)}
    )


def _unpacked(path: Path, folder: Path) -> Path:
    if not zipfile.is_zipfile(path):
        return folder / "packed.dbc"
    with zipfile.ZipFile(path) as archive:
        for each in archive.infolist():
            suffix = Path(each.filename).suffix.lower()
            if suffix in SUFFIXES and 0 < each.file_size <= MOST_PACKED_BYTES:
                with archive.open(each) as file:
                    (folder / f"packed{suffix}").write_bytes(file.read(MOST_PACKED_BYTES))
    return folder / "packed.dbc"
