"""Writes AiM's binary log, as far as a reader needs it: channels, their samples, fixes, laps, a few texts."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

# Where a channel's unit and kind of number stand: name, unit code, kind (6: float), bytes.
CHANNELS = (("Engine RPM", 15, 6, 4), ("Brake Press", 14, 6, 4))
GPS = struct.Struct("<iIihBBiiiIiiiIHBBI")
A_M, F = 6_378_137.0, 1 / 298.257223563
E2 = F * (2.0 - F)


def message(token: str, payload: bytes) -> bytes:
    """`<h` token, size, version `>` payload `<` token, sum `>`."""
    named = token.encode().ljust(4, b"\0")
    return (
        b"<h" + named + struct.pack("<iB", len(payload), 1) + b">" + payload
        + b"<" + named + struct.pack("<H", sum(payload) & 0xFFFF) + b">"
    )  # fmt: skip


def write_xrk(
    path: Path,
    columns: Mapping[str, Sequence[float | None]],
    rate_hz: int,
    laps_s: Sequence[tuple[float, float]],
    *,
    packed: bool = False,
) -> Path:
    """`columns`: canonical signals at `rate_hz` from 0 s. `laps_s`: begin and end of each lap."""
    described = b"".join(_channel(n, *row) for n, row in enumerate(CHANNELS))
    parts = [message("CNF", described)]
    texts = (("RCR", "A. Driver"), ("VEH", "M3"), ("TMD", "17/05/2025"), ("TMT", "10:00:00"))
    parts += [message(token, text.encode() + b"\0") for token, text in texts]
    ends = list(enumerate(laps_s))
    count = len(columns["lat_deg"])
    for n in range(count):
        ms = round(n * 1000 / rate_hz)
        for index, signal in enumerate(("rpm", "brake_bar")):
            parts.append(b"(S" + struct.pack("<iHf", ms, index, columns[signal][n] or 0.0) + b")")
        parts.append(message("GPS", _fix(columns, n, ms)))
        while ends and ends[0][1][1] * 1000.0 <= ms:
            number, (begun_s, ended_s) = ends.pop(0)
            parts.append(_lap(number, begun_s, ended_s))
    data = b"".join(parts) + b"\0" * 16
    path.write_bytes(zlib.compress(data) if packed else data)
    return path


def _channel(index: int, name: str, unit: int, kind: int, size: int) -> bytes:
    raw = bytearray(112)
    struct.pack_into("<H", raw, 0, index)
    raw[12], raw[16], raw[20], raw[72] = unit, 1, kind, size
    raw[24:32] = name[:7].encode().ljust(8, b"\0")
    raw[32:56] = name.encode().ljust(24, b"\0")
    struct.pack_into("<I", raw, 64, 100_000)
    return message("CHS", bytes(raw))


def _lap(number: int, begun_s: float, ended_s: float) -> bytes:
    duration, end = round((ended_s - begun_s) * 1000), round(ended_s * 1000)
    return message("LAP", struct.pack("<xBHI8xI", 0, number, duration, end))


def _fix(columns: Mapping[str, Sequence[float | None]], n: int, ms: int) -> bytes:
    lat, lon = (math.radians(columns[name][n] or 0.0) for name in ("lat_deg", "lon_deg"))
    speed, course = columns["speed_mps"][n] or 0.0, math.radians(columns["heading_deg"][n] or 0.0)
    radius_m = A_M / math.sqrt(1.0 - E2 * math.sin(lat) ** 2)
    x = radius_m * math.cos(lat) * math.cos(lon)
    y = radius_m * math.cos(lat) * math.sin(lon)
    z = radius_m * (1.0 - E2) * math.sin(lat)
    east, north = speed * math.sin(course), speed * math.cos(course)
    vx = -math.sin(lon) * east - math.sin(lat) * math.cos(lon) * north
    vy = math.cos(lon) * east - math.sin(lat) * math.sin(lon) * north
    vz = math.cos(lat) * north
    cm = [round(each * 100) for each in (x, y, z, vx, vy, vz)]
    return GPS.pack(ms, ms, 0, 2365, 3, 0xDD, *cm[:3], 80, *cm[3:], 20, 120, 0, 12, 0)
