"""The link to a CAN adapter: one interface, over python-can's buses and by our slcan.

slcan, the ASCII protocol of LAWICEL's CANUSB that most USB adapters speak, over a serial port or
TCP. Not python-can's slcan: that one reads byte by byte (two system calls each: 44,000 bytes a
second on a busy bus), ends on the first garbled byte, waits two seconds after opening, leaves its
socket open when the peer is gone, and stamps frames when it reads them. Here a frame has the
adapter's own stamp if it gives one (command `Z1`, milliseconds that wrap at one minute).

Lines end with CR; BELL is a refusal. `tIIILDD..` is a data frame (id 3 hex digits, length 1 digit,
bytes), `T` the same with 8 digits of id, `d D b B` are CAN FD's, `r R` remote frames.
"""

from __future__ import annotations

import contextlib
import socket
import time
from binascii import unhexlify
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from pitwall.telemetry.recordings.can_logs import EXTENDED

# A batch of 256 is 1/8 s of a busy bus.
BATCH_FRAMES = 256


class CanFrame(NamedTuple):
    """A data frame. `key`: its id, EXTENDED for 29 bits; `stamp_s`: the interface's own time."""

    key: int
    data: bytes
    stamp_s: float | None


class LinkDownError(Exception):
    """The way to the bus is gone; it is tried again."""


# CAN_RAW_FILTER_MAX of Linux.
MOST_KERNEL_FILTERS = 512


class IdFilter(NamedTuple):
    """Lets frames through whose key has the bits of `key` where `mask` has ones."""

    key: int
    mask: int = EXTENDED | 0x1FFF_FFFF

    def admits(self, key: int) -> bool:
        """Return whether a frame is let through."""
        return (key ^ self.key) & self.mask == 0


class Link(Protocol):
    """An open way to a bus, for one thread. `counts`: what was no data frame."""

    counts: Counter[str]

    def keep_only(self, filters: Sequence[IdFilter]) -> None:
        """Leave out frames that none of these admits, as early as the link can."""
        ...

    def read(self, timeout_s: float) -> list[CanFrame]:
        """Return the frames that came in, waiting for the first. LinkDownError."""
        ...

    def send(self, key: int, data: bytes) -> None:
        """Put one frame on the bus. LinkDownError."""
        ...

    def close(self) -> None:
        """Let go of everything; never raises."""
        ...


class BusLink:
    """A bus that python-can opens: socketcan, virtual."""

    def __init__(self, interface: str, channel: str) -> None:
        import can

        self.counts: Counter[str] = Counter()
        self._message = can.Message
        self._errors = (can.CanError, OSError, ValueError)
        try:
            self._bus = can.Bus(channel=channel, interface=interface, ignore_config=True)
        except self._errors as error:
            raise LinkDownError(f"{interface} {channel} can't be opened: {error}") from None

    def keep_only(self, filters: Sequence[IdFilter]) -> None:
        """Give the filters to the kernel. Of more than it takes python-can would try one by one."""
        if len(filters) > MOST_KERNEL_FILTERS:
            return
        with contextlib.suppress(*self._errors):
            self._bus.set_filters(
                [
                    {
                        "can_id": each.key & ~EXTENDED,
                        "can_mask": each.mask & ~EXTENDED,
                        "extended": bool(each.key & EXTENDED),
                    }
                    for each in filters
                ]
            )

    def read(self, timeout_s: float) -> list[CanFrame]:
        frames: list[CanFrame] = []
        try:
            message = self._bus.recv(timeout_s)
            while message is not None:
                if message.is_error_frame:
                    self.counts["error_frames"] += 1
                elif message.is_remote_frame:
                    self.counts["remote_frames"] += 1
                else:
                    key = message.arbitration_id | (EXTENDED if message.is_extended_id else 0)
                    frames.append(CanFrame(key, bytes(message.data), message.timestamp or None))
                if len(frames) >= BATCH_FRAMES:
                    break
                message = self._bus.recv(0)
        except self._errors as error:
            raise LinkDownError(f"the bus was lost: {error}") from None
        return frames

    def send(self, key: int, data: bytes) -> None:
        """Send one frame."""
        extended = bool(key & EXTENDED)
        message = self._message(arbitration_id=key & ~EXTENDED, data=data, is_extended_id=extended)
        try:
            self._bus.send(message, timeout=0.1)
        except self._errors as error:
            raise LinkDownError(f"the bus took no frame: {error}") from None

    def close(self) -> None:
        """Close the link."""
        with contextlib.suppress(*self._errors):
            self._bus.shutdown()


BITRATES = {
    10_000: "S0", 20_000: "S1", 50_000: "S2", 100_000: "S3", 125_000: "S4",
    250_000: "S5", 500_000: "S6", 800_000: "S7", 1_000_000: "S8",
}  # fmt: skip
# An adapter silent for so long was not listening yet: Arduino boards boot for up to two seconds
# when their port is opened.
ASK_AGAIN_S = 2.5
CONNECT_S = 2.0
WRITE_S = 1.0
# About 350 frames.
CHUNK_BYTES = 8 * 1024
# A stamped CAN FD frame of 64 bytes: 1 + 8 + 1 + 128 + 4.
MAX_LINE_BYTES = 142
HIGHEST_STANDARD, HIGHEST_EXTENDED = 0x7FF, 0x1FFF_FFFF
STAMP_WRAP_MS = 60_000
# A stamp this much later is one that went back a little.
STAMP_BACK_MS = 5_000
# For this many ids the filters are asked once.
MOST_ADMITTED = 4_096
# A dead TCP peer is found in 5 + 3 * 2 seconds.
KEEPALIVE = (("TCP_KEEPIDLE", 5), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 3))

_FD_LENGTHS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64)
# First letter of a data frame: digits of its id, whether it is CAN FD.
_DATA = {
    ord("t"): (3, False), ord("T"): (8, False), ord("x"): (8, False),
    ord("d"): (3, True), ord("D"): (8, True), ord("b"): (3, True), ord("B"): (8, True),
}  # fmt: skip
# Answers to our own commands.
_ANSWERS = frozenset(b"VvNFzZ")
_REMOTE = frozenset(b"rR")


class TcpPort:
    """An adapter behind a TCP server: how a phone reaches one on USB."""

    def __init__(self, host: str, port: int) -> None:
        self._socket = socket.create_connection((host, port), timeout=CONNECT_S)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, seconds in KEEPALIVE:
            if hasattr(socket, name):
                self._socket.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), seconds)

    def read(self, timeout_s: float) -> bytes:
        if timeout_s != self._socket.gettimeout():
            self._socket.settimeout(timeout_s)
        try:
            data = self._socket.recv(CHUNK_BYTES)
        except TimeoutError:
            return b""
        if not data:
            raise ConnectionResetError("the peer has closed the connection")
        return data

    def write(self, data: bytes) -> None:
        """Send bytes."""
        self._socket.settimeout(WRITE_S)
        self._socket.sendall(data)

    def close(self) -> None:
        """Close the link."""
        self._socket.close()


class SerialPort:
    """A serial port; only real UARTs heed the speed."""

    def __init__(self, path: str, baud: int) -> None:
        import serial

        self._serial = serial.Serial(path, baud, timeout=0, write_timeout=WRITE_S)

    def read(self, timeout_s: float) -> bytes:
        self._serial.timeout = timeout_s
        first: bytes = self._serial.read(1)
        if not first:
            return b""
        waiting = min(self._serial.in_waiting, CHUNK_BYTES)
        return first + self._serial.read(waiting) if waiting else first

    def write(self, data: bytes) -> None:
        """Send bytes."""
        self._serial.write(data)

    def close(self) -> None:
        """Close the link."""
        self._serial.close()


class SlcanLink:
    """An opened adapter. `listen_only`: acknowledge no frame."""

    def __init__(self, port: TcpPort | SerialPort, bitrate: int | None, listen_only: bool) -> None:
        self.counts: Counter[str] = Counter()
        self._port = port
        # Two empty lines flush what was half-written; a bitrate is accepted only while closed.
        speed = "" if bitrate is None else BITRATES[bitrate] + "\r"
        self._opening = f"\r\rC\r{speed}Z1\r{'L' if listen_only else 'O'}\r".encode()
        self._rest = b""
        self._filters: Sequence[IdFilter] = ()
        # Whether a line is admitted, by the digits of its id.
        self._admitted: dict[bytes, bool] = {}
        self._heard = False
        self._asked_s = 0.0
        self._stamp_ms: int | None = None
        self._stamp_base_ms = 0
        self._stamped_s = 0.0
        self._ask()

    def keep_only(self, filters: Sequence[IdFilter]) -> None:
        """Leave other lines unread. The adapter's own filter differs between makers: it stays
        open."""
        self._filters = filters

    def read(self, timeout_s: float) -> list[CanFrame]:
        try:
            data = self._port.read(timeout_s)
        except OSError as error:
            raise LinkDownError(f"the adapter was lost: {error}") from None
        if not data:
            if not self._heard and time.monotonic() - self._asked_s > ASK_AGAIN_S:
                self._ask()
            return []
        self._heard = True
        *lines, self._rest = (self._rest + data).replace(b"\x07", b"\r").split(b"\r")
        if len(self._rest) > MAX_LINE_BYTES:
            self.counts["garbled_lines"] += 1
            self._rest = b""
        now_s = time.monotonic()
        return [frame for line in lines if line and (frame := self._frame(line, now_s)) is not None]

    def send(self, key: int, data: bytes) -> None:
        """Send one frame."""
        ident = f"T{key & ~EXTENDED:08X}" if key & EXTENDED else f"t{key:03X}"
        self._write(f"{ident}{len(data)}{data.hex().upper()}\r".encode())

    def close(self) -> None:
        """Close the link."""
        with contextlib.suppress(OSError):
            self._port.write(b"C\r")
        with contextlib.suppress(OSError):
            self._port.close()

    def _ask(self) -> None:
        self._asked_s = time.monotonic()
        self._write(self._opening)

    def _write(self, data: bytes) -> None:
        try:
            self._port.write(data)
        except OSError as error:
            raise LinkDownError(f"the adapter takes no command: {error}") from None

    def _frame(self, line: bytes, now_s: float) -> CanFrame | None:
        kind = line[0]
        layout = _DATA.get(kind)
        if layout is None:
            if kind in _REMOTE:
                self.counts["remote_frames"] += 1
            elif kind not in _ANSWERS:
                self.counts["garbled_lines"] += 1
            return None
        digits, fd = layout
        admitted = self._admitted.get(line[: digits + 1]) if self._filters else True
        if admitted is False:
            return None
        # Id, length, bytes and stamp as bytes; an even number of digits.
        head = 2 if digits == 3 else 5
        try:
            raw = unhexlify(line[1:] if digits == 3 else b"0" + line[1:])
            word = int.from_bytes(raw[:head])
            key, size = word >> 4, word & 0xF
            end = head + (_FD_LENGTHS[size] if fd else size)
            if len(raw) not in (end, end + 2):
                raise ValueError("a line of the wrong length")
            if (size > 8 and not fd) or key > (HIGHEST_EXTENDED if digits == 8 else HIGHEST_STANDARD):
                raise ValueError("no such length or id")
        except ValueError:
            self.counts["garbled_lines"] += 1
            return None
        key = key | EXTENDED if digits == 8 else key
        if admitted is None:
            admitted = any(each.admits(key) for each in self._filters)
            if len(self._admitted) < MOST_ADMITTED:
                self._admitted[line[: digits + 1]] = admitted
            if not admitted:
                return None
        stamp_s = self._stamp(raw[end] << 8 | raw[end + 1], now_s) if len(raw) > end else None
        return CanFrame(key, raw[head:end], stamp_s)

    def _stamp(self, ms: int, now_s: float) -> float:
        """Return seconds since the adapter's first minute; our clock bridges silent minutes."""
        if self._stamp_ms is not None:
            step = (ms - self._stamp_ms) % STAMP_WRAP_MS
            if step > STAMP_WRAP_MS - STAMP_BACK_MS:
                step -= STAMP_WRAP_MS
            minutes = max(0, round(((now_s - self._stamped_s) * 1000 - step) / STAMP_WRAP_MS))
            self._stamp_base_ms += step + minutes * STAMP_WRAP_MS
        else:
            self._stamp_base_ms = ms
        self._stamp_ms, self._stamped_s = ms, now_s
        return self._stamp_base_ms / 1000
