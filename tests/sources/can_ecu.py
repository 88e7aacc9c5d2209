"""A car's ECUs that answer OBD-II service 01, on a python-can bus or behind the slcan peer."""

from __future__ import annotations

from collections.abc import Iterable

EXTENDED = 0x8000_0000


class Ecu:
    """`values`: the data bytes of each PID it has. `key` is the id it answers on; questions come to `ask`."""

    def __init__(self, values: dict[int, bytes], key: int = 0x7E8, ask: int = 0x7DF) -> None:
        self.values, self.key, self.ask = dict(values), key, ask
        self.asked: list[int] = []
        self.silent = False

    def answer(self, key: int, data: bytes) -> Iterable[tuple[int, bytes]]:
        """The frames with which it answers one on the bus."""
        if key != self.ask or data[:2] != b"\x02\x01" or self.silent:
            return []
        pid = data[2]
        self.asked.append(pid)
        value = self._map(pid) if pid % 0x20 == 0 else self.values.get(pid)
        if value is None:
            return []
        return [(self.key, (bytes([2 + len(value), 0x41, pid]) + value).ljust(8, b"\xaa"))]

    def _map(self, pid: int) -> bytes | None:
        above = [known for known in self.values if known > pid]
        if pid and not above:
            return None
        bits = sum(1 << (32 - (known - pid)) for known in above if known <= pid + 0x1F)
        return (bits | any(known > pid + 0x20 for known in above)).to_bytes(4, "big")
