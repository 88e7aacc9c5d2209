"""Bytes as they come in, cut into lines; what never ends a line can't fill the memory."""

from __future__ import annotations

# NMEA allows 82 characters, proprietary sentences take a few hundred.
MAX_LINE_BYTES = 1024


class LineSplitter:
    """Cuts a stream of bytes at CR or LF. `overlong` counts those beyond MAX_LINE_BYTES: dropped."""

    __slots__ = ("_dropping", "_tail", "overlong")

    def __init__(self) -> None:
        self._tail = b""
        self._dropping = False
        self.overlong = 0

    def feed(self, data: bytes) -> list[str]:
        """The lines that `data` completes, blank ones left out. Any byte is one character."""
        parts = (self._tail + data).replace(b"\r", b"\n").split(b"\n")
        tail = parts.pop()
        if self._dropping and parts:
            del parts[0]
            self._dropping = False
        if len(tail) > MAX_LINE_BYTES or self._dropping:
            self._drop()
            tail = b""
        self._tail = tail
        lines: list[str] = []
        for part in parts:
            if len(part) > MAX_LINE_BYTES:
                self.overlong += 1
            elif part:
                lines.append(part.decode("latin-1"))
        return lines

    def _drop(self) -> None:
        if not self._dropping:
            self.overlong += 1
        self._dropping = True
