"""From the cells of one row to values: numbers, units, and what the logger itself marks as no fix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite
from operator import itemgetter

from pitwall.telemetry.findings import FindingKind, FindingLog
from pitwall.telemetry.recordings.columns import Column
from pitwall.telemetry.signals import NEEDS_FIX

Values = list[float | None]
Decoder = Callable[[Sequence[str], float], Values]

# What a fix says of itself, under the names that readers give these columns: 0 means no fix in all of them.
VALIDITY = ("satellites", "fix_type", "fix_quality", "gps_qual", "gpsqual")


def number(cell: str) -> float | None:
    """A finite float, or None. A comma is taken for a decimal point."""
    try:
        value = float(cell)
    except ValueError:
        try:
            value = float(cell.replace(",", "."))
        except ValueError:
            return None
    return value if isfinite(value) else None


def make_decoder(
    columns: Sequence[Column], log: FindingLog, masks: dict[str, int], validity: Sequence[str]
) -> Decoder:
    """A function (cells, t) -> values in the columns' order, None where blank, garbage or not finite.

    `masks`: bits to keep of a channel that packs flags. `validity`: channels whose 0 voids the fix.
    """
    names = [column.channel.name for column in columns]
    pick = _picker([column.cell for column in columns])
    linear = [(i, c.scale, c.offset) for i, c in enumerate(columns) if (c.scale, c.offset) != (1.0, 0.0)]
    masked = [(names.index(name), mask) for name, mask in masks.items() if name in names]
    check_fix = _fix_checker(names, log, validity)

    # Most files have no blanks: then the fastest way is tried first, until a row proves otherwise.
    full = True

    def decode(cells: Sequence[str], t: float) -> Values:
        nonlocal full
        picked = pick(cells)
        try:
            values: Values = (
                list(map(float, picked)) if full else [float(cell) if cell else None for cell in picked]
            )
        except ValueError:
            full = False
            values = _slowly(picked, names, log, t)
        for i, scale, offset in linear:
            value = values[i]
            if value is not None:
                values[i] = value * scale + offset
        if not isfinite(sum(filter(None, values))):
            values = [v if v is None or isfinite(v) else None for v in values]
        for i, mask in masked:
            value = values[i]
            if value is not None:
                values[i] = float(int(value) & mask)
        check_fix(values, t)
        return values

    return decode


def _picker(cells: list[int]) -> Callable[[Sequence[str]], Sequence[str]]:
    if cells == list(range(len(cells))):
        return lambda row: row[: len(cells)]
    if len(cells) == 1:
        return lambda row: (row[cells[0]],)
    return itemgetter(*cells)


def _slowly(cells: Sequence[str], names: list[str], log: FindingLog, t: float) -> Values:
    values: Values = []
    for cell, name in zip(cells, names, strict=True):
        value = number(cell) if cell else None
        # NaN is a logger's way of writing a blank; anything else that is not a number is damage.
        if value is None and cell.strip() and cell.strip().lower() not in ("nan", "null", "n/a", "-", "inf"):
            log.add("malformed_row", name, t, f"{cell.strip()[:40]!r} is not a number")
        values.append(value)
    return values


def _fix_checker(
    names: list[str], log: FindingLog, validity: Sequence[str]
) -> Callable[[Values, float], None]:
    """Blanks the fix where the logger marks it invalid, or where it is no place on earth."""
    flags = [names.index(name) for name in validity if name in names]
    fix = [names.index(name) for name in NEEDS_FIX if name in names]
    if "lat_deg" not in names or "lon_deg" not in names:
        return lambda values, t: None
    lat_at, lon_at = names.index("lat_deg"), names.index("lon_deg")
    heading_at = names.index("heading_deg") if "heading_deg" in names else None

    def check(values: Values, t: float) -> None:
        for i in flags:
            if values[i] == 0.0:
                return blank(values, t, "void_fix", "the logger says it has no fix")
        lat, lon = values[lat_at], values[lon_at]
        if lat is None or lon is None:
            # Half a position is none.
            values[lat_at] = values[lon_at] = None
        elif lat == 0.0:
            return blank(values, t, "void_fix", "position 0, 0")
        elif not (-90.0 <= lat <= 90.0 and -180.0 <= lon <= 180.0):
            return blank(values, t, "out_of_range", f"{lat:.4f}, {lon:.4f} is no place on earth")
        if heading_at is not None:
            heading = values[heading_at]
            # Some loggers write -180..180.
            if heading is not None and -360.0 <= heading < 0.0:
                values[heading_at] = heading + 360.0
        return None

    def blank(values: Values, t: float, kind: FindingKind, why: str) -> None:
        if values[lat_at] is None and values[lon_at] is None:
            return
        for i in fix:
            values[i] = None
        log.add(kind, "lat_deg", t, why)

    return check
