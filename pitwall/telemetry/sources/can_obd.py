"""Ask a road car's ECU for its present values over CAN: OBD-II service 01.

One question at a time, to all ECUs (id 0x7DF, or 0x18DB33F1 on cars with 29-bit ids), answers on
0x7E8..0x7EF or 0x18DAF1xx (ISO 15765-4). First the supported PIDs (PID 00, 20, 40 answer with bit
maps); then the wanted ones in rounds, the fast ones each time, one slow one between two rounds.

A pure state machine in monotonic seconds: `due` gives the frame to send, `take` gets every frame.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from pitwall.telemetry.recordings.can_logs import EXTENDED
from pitwall.telemetry.sample import Channel, Values
from pitwall.telemetry.signals import SIGNALS
from pitwall.telemetry.sources.can_decode import MessagePart
from pitwall.telemetry.sources.can_link import IdFilter

# ISO 15765-4 lets an ECU answer in 50 ms; adapters are slow.
TIMEOUT_S = 0.1
# Some gateways drop requests right after an answer.
GAP_S = 0.01
# "Response pending" (7F 01 78): 5 s.
PENDING_S = 5.0
# A PID unanswered this often in a row is asked only with the slow ones; if all are, the ECU is
# looked for again.
LOST_AFTER = 3
SEEK_EVERY_S = 1.0
# Three PID maps: 01-20, 21-40, 41-60.
MAPS = (0x00, 0x20, 0x40)

SERVICE = 0x01
REPLY = 0x40 + SERVICE
NEGATIVE, PENDING = 0x7F, 0x78


class Addressing(NamedTuple):
    """Where questions go and answers come from."""

    ask: int
    answers: IdFilter


ADDRESSINGS = (
    Addressing(0x7DF, IdFilter(0x7E8, EXTENDED | 0x1FFF_FFF8)),
    Addressing(EXTENDED | 0x18DB33F1, IdFilter(EXTENDED | 0x18DAF100, EXTENDED | 0x1FFF_FF00)),
)


class Pid(NamedTuple):
    """value = the answer's `size` bytes, big-endian, * scale + offset. `fast`: asked in every
    round.

    Of several for one canonical name the first that the car has gets it.
    """

    pid: int
    name: str
    unit: str
    size: int
    scale: float
    offset: float
    fast: bool
    canonical: str = ""


KMH = 1 / 3.6
PERCENT = 100 / 255
# The relative pedal rests at 0, the throttle plate at 10 to 20 %.
PIDS: tuple[Pid, ...] = (
    Pid(0x0C, "engine_speed", "rpm", 2, 0.25, 0.0, True, "rpm"),
    Pid(0x0D, "vehicle_speed", "m/s", 1, KMH, 0.0, True, "wheel_speed_mps"),
    Pid(0x5A, "accelerator_pedal_relative", "%", 1, PERCENT, 0.0, True, "throttle_pct"),
    Pid(0x11, "throttle_position", "%", 1, PERCENT, 0.0, True, "throttle_pct"),
    Pid(0x04, "engine_load", "%", 1, PERCENT, 0.0, True),
    Pid(0x05, "coolant_temp", "degC", 1, 1.0, -40.0, False, "coolant_c"),
    Pid(0x5C, "oil_temp", "degC", 1, 1.0, -40.0, False, "oil_temp_c"),
    Pid(0x0B, "intake_pressure", "kPa", 1, 1.0, 0.0, False),
    Pid(0x0E, "timing_advance", "deg", 1, 0.5, -64.0, False),
    Pid(0x0F, "intake_temp", "degC", 1, 1.0, -40.0, False),
    Pid(0x10, "air_flow", "g/s", 2, 0.01, 0.0, False),
    Pid(0x2F, "fuel_level", "%", 1, PERCENT, 0.0, False),
    Pid(0x33, "barometric_pressure", "kPa", 1, 1.0, 0.0, False),
    Pid(0x42, "module_voltage", "V", 2, 0.001, 0.0, False),
    Pid(0x46, "ambient_temp", "degC", 1, 1.0, -40.0, False),
    Pid(0x49, "accelerator_pedal_d", "%", 1, PERCENT, 0.0, False),
)
BY_PID = {row.pid: row for row in PIDS}


class ObdPoller:
    """Polls one car. `wanted`: PIDs; `used`: canonical names that the bus serves otherwise."""

    def __init__(self, wanted: Collection[int], used: Collection[str] = ()) -> None:
        self.counts: Counter[str] = Counter()
        self._wanted = [row for row in PIDS if row.pid in wanted]
        self._used = frozenset(used)
        self._addressing = 0
        self._parts: dict[int, MessagePart] = {}
        self._asked: int | None = None
        self._until_s = 0.0
        self._seek()

    def due(self, now_s: float) -> tuple[int, bytes] | None:
        """Return the frame (key, data) to send now, if any."""
        if self._asked is not None:
            if now_s < self._until_s:
                return None
            self._missed(self._asked, now_s)
        if now_s < self._until_s:
            return None
        self._asked = self._next()
        self._until_s = now_s + TIMEOUT_S
        return ADDRESSINGS[self._addressing].ask, bytes((2, SERVICE, self._asked, 0, 0, 0, 0, 0))

    def answers(self, key: int) -> bool:
        """Return whether ECUs answer on this id."""
        return any(row.answers.admits(key) for row in ADDRESSINGS)

    def take(self, key: int, data: bytes, now_s: float) -> tuple[MessagePart, Values] | None:
        """Return the reading in this frame, if it answers the question."""
        addressing = ADDRESSINGS[self._addressing]
        if self._asked is None or len(data) < 3 or not addressing.answers.admits(key):
            return None
        if data[1:3] == bytes((NEGATIVE, SERVICE)) and len(data) > 3:
            self._refused(key, data, now_s)
            return None
        length = data[0]
        if data[1] != REPLY or data[2] != self._asked or not 2 < length <= 7 or len(data) <= length:
            return None
        value = data[3 : length + 1]
        if self._asked in MAPS:
            if len(value) == 4:
                self._maps.setdefault(key, {})[self._asked] = int.from_bytes(value)
            return None  # other ECUs may answer too: the time-out ends the wait
        return self._reading(key, value, now_s)

    def reset(self) -> None:
        """Look for the ECU again."""
        self._seek()

    def _seek(self) -> None:
        self._ecu: int | None = None
        self._maps: dict[int, dict[int, int]] = {}
        self._to_map = list(MAPS)
        self._fast: list[Pid] = []
        self._slow: list[Pid] = []
        self._round: list[int] = []
        self._slow_at = 0
        self._asked, self._until_s = None, 0.0
        self._in_a_row: Counter[int] = Counter()

    def _next(self) -> int:
        if self._ecu is None:
            return self._to_map[0]
        if not self._round:
            self._round = [row.pid for row in self._fast if self._in_a_row[row.pid] < LOST_AFTER]
            slow = self._slow + [row for row in self._fast if self._in_a_row[row.pid] >= LOST_AFTER]
            if slow:
                self._round.append(slow[self._slow_at % len(slow)].pid)
                self._slow_at += 1
        return self._round.pop(0)

    def _missed(self, pid: int, now_s: float) -> None:
        """Note that no answer came; for a map that is the normal end."""
        self._asked, self._until_s = None, now_s
        if self._ecu is None:
            self._mapped(now_s)
            return
        self.counts["obd_unanswered"] += 1
        self._in_a_row[pid] += 1
        if all(self._in_a_row[row.pid] >= LOST_AFTER for row in (self._fast or self._slow)):
            self.counts["obd_ecu_lost"] += 1
            self._seek()

    def _mapped(self, now_s: float) -> None:
        asked = self._to_map.pop(0)
        if not self._maps:
            self._seek()
            self._addressing = (self._addressing + 1) % len(ADDRESSINGS)
            self._until_s = now_s + (SEEK_EVERY_S if self._addressing == 0 else 0.0)
            return
        # Bit 0 of a map: there is a next one.
        if self._to_map and any(maps.get(asked, 0) & 1 for maps in self._maps.values()):
            return
        has = {ecu: _supported(maps) for ecu, maps in sorted(self._maps.items())}
        # The engine's ECU is the one with an engine speed.
        self._ecu = next((ecu for ecu, pids in has.items() if 0x0C in pids), next(iter(has)))
        rows = [row for row in self._wanted if row.pid in has[self._ecu]]
        self.counts["obd_lacking"] = len(self._wanted) - len(rows)
        if not rows:
            self._seek()
            self._until_s = now_s + SEEK_EVERY_S
            return
        self._fast = [row for row in rows if row.fast]
        self._slow = [row for row in rows if not row.fast]
        self._register(rows)

    def _register(self, rows: Sequence[Pid]) -> None:
        held = {channel.name for part in self._parts.values() for channel in part.channels} | self._used
        for row in rows:
            if row.pid in self._parts:
                continue
            canonical = row.canonical if row.canonical not in held else ""
            held.add(canonical)
            unit = SIGNALS[canonical].unit if canonical else row.unit
            channel = Channel(canonical or f"obd_{row.name}", unit, f"OBD {row.pid:02X} {row.name}")
            self._parts[row.pid] = MessagePart(f"obd.{row.pid:02x}", (channel,))

    def _refused(self, key: int, data: bytes, now_s: float) -> None:
        if self._ecu is None or key != self._ecu or self._asked is None:
            return
        if data[3] == PENDING:
            self._until_s = now_s + PENDING_S
            return
        self.counts["obd_refused"] += 1
        self._missed(self._asked, now_s)
        self._until_s = now_s + GAP_S

    def _reading(self, key: int, value: bytes, now_s: float) -> tuple[MessagePart, Values] | None:
        pid = self._asked
        if key != self._ecu or pid is None:
            return None
        row = BY_PID[pid]
        if len(value) < row.size:
            self.counts["short_frames"] += 1
            return None
        self._asked, self._until_s = None, now_s + GAP_S
        self._in_a_row[pid] = 0
        return self._parts[pid], (int.from_bytes(value[: row.size]) * row.scale + row.offset,)


def _supported(maps: dict[int, int]) -> set[int]:
    """Return the PIDs of bit maps: the highest bit of map 00 is PID 01."""
    return {base + 1 + bit for base, word in maps.items() for bit in range(32) if word >> (31 - bit) & 1}
