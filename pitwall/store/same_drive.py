"""Tell whether two sessions are one drive: in two formats, trimmed or converted.

Both were at the same places at the same times. If a day is unknown, the drive's own times count.
Two cars driving nose to tail differ by their lap times.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence

import msgspec

from pitwall.store.queries import Readable, Writable, rows
from pitwall.telemetry.frame import PLACE_AGE_S
from pitwall.telemetry.session_clock import DAY_S

# Two receivers in one car differ by less, two cars by more.
SAME_PLACE_M = 12.0
# How far two devices' clocks may be apart, and the step of the search.
CLOCKS_S, STEP_S = 3.0, 0.25
# Less driving in common is no evidence.
LEAST_S = 30
# The rest allows for a fix that jumped.
SAME_SHARE = 0.8
# Laps of one drive, of two devices' positions; and of one device's, in two files.
SAME_LAP_S, SAME_RECEIVER_LAP_S = 0.15, 0.05
# Standing is the same for everybody.
MOVING_MPS = 3.0
# A longer step has a hole.
_HOLE_S = 2.5
_NEAR_DEG = 0.2
_MOST_POINTS = 240
_M_PER_DEG = 111_195.0


class _Known(msgspec.Struct, frozen=True):
    """What the table says of one session. `start_utc_s` None: the day is unknown."""

    id: str
    start_utc_s: float | None
    created_utc_s: float
    lat_deg: float | None
    lon_deg: float | None
    driver: str
    vehicle: str
    same_as: str
    track: str
    timed_laps: int


class _Driven:
    """The way of one session, a place a second, in metres; and its timed laps."""

    def __init__(
        self,
        places: Sequence[tuple[float, float, float]],
        laps: Sequence[tuple[float, float]],
        lat_deg: float,
    ) -> None:
        self.laps = laps
        self.t = [t for t, _, _ in places]
        scale = math.cos(math.radians(lat_deg))
        self.xy = [(lon * scale * _M_PER_DEG, lat * _M_PER_DEG) for _, lat, lon in places]
        self.moving = [
            index
            for index in range(1, len(self.t))
            if math.dist(self.xy[index], self.xy[index - 1])
            > MOVING_MPS * max(self.t[index] - self.t[index - 1], 0.1)
        ]

    def at(self, t: float) -> tuple[float, float] | None:
        """Return the place at this second, if known."""
        index = bisect_left(self.t, t)
        if index == 0 or index == len(self.t) or self.t[index] - self.t[index - 1] > _HOLE_S:
            return None
        (x0, y0), (x1, y1) = self.xy[index - 1], self.xy[index]
        share = (t - self.t[index - 1]) / (self.t[index] - self.t[index - 1])
        return x0 + share * (x1 - x0), y0 + share * (y1 - y0)


def mark_same_drive(store: Writable, session: str) -> str:
    """Find the sessions of the same drive and keep which stands for it; "": this one.
    StoreError."""
    known = {each.id: each for each in _known(store)}
    own = known.get(session)
    if own is None or own.lat_deg is None:
        return ""
    driven = _driven(store, session, own.lat_deg)
    group = [own] + [
        other
        for other in known.values()
        if other.id != session
        and _may_be_same(own, other)
        and _is_same(own, driven, other, _driven(store, other.id, own.lat_deg))
    ]
    best = min(group, key=lambda each: (not each.track, -each.timed_laps, each.created_utc_s, each.id))
    ids = {each.id for each in group}
    if len(group) > 1:
        # What stood for another one in the group goes by the group's best.
        ids |= {each.id for each in known.values() if each.same_as in ids}
    for each in ids:
        wanted = "" if each == best.id else best.id
        if known[each].same_as != wanted:
            store.put("UPDATE sessions SET same_as = ? WHERE id = ?", [wanted, each])
    store.flush()
    return "" if best.id == session else best.id


def stood_for_by(store: Readable, session: str) -> list[str]:
    """Return the sessions that this one stands for. StoreError."""
    return [
        str(row[0]) for row in rows(store, "SELECT id FROM sessions WHERE same_as = ? ORDER BY id", [session])
    ]


def _known(store: Readable) -> Iterable[_Known]:
    sql = (
        # A clock of an unknown zone tells no UTC.
        "SELECT s.id, coalesce(e.driven_utc_s, CASE WHEN s.time_of_day_s IS NULL THEN s.start_utc_s END), "
        "s.created_utc_s, s.lat_deg, s.lon_deg, "
        "s.driver, s.vehicle, s.same_as, s.track, count(l.time_s) "
        "FROM sessions s LEFT JOIN session_edits e ON e.session = s.id LEFT JOIN laps l ON l.session = s.id "
        "WHERE s.kind <> 'replay' AND s.closed_utc_s IS NOT NULL GROUP BY ALL"
    )
    for each in (_Known(*row) for row in rows(store, sql, [])):
        if each.lat_deg is not None:
            yield each
            continue
        first = "SELECT arg_min(lat_deg, t), arg_min(lon_deg, t) FROM frames WHERE session = ?"
        [(lat_deg, lon_deg)] = rows(store, first + " AND lon_deg IS NOT NULL", [each.id])
        yield msgspec.structs.replace(each, lat_deg=lat_deg, lon_deg=lon_deg)


def _driven(store: Readable, session: str, lat_deg: float) -> _Driven:
    places = rows(
        store,
        "SELECT min(t), arg_min(lat_deg, t), arg_min(lon_deg, t) FROM frames WHERE session = ? "
        "AND lat_deg IS NOT NULL AND lon_deg IS NOT NULL AND fix_age_s < ? GROUP BY floor(t) ORDER BY 1",
        [session, PLACE_AGE_S],
    )
    laps = rows(
        store,
        "SELECT end_t, time_s FROM laps WHERE session = ? AND time_s IS NOT NULL ORDER BY end_t",
        [session],
    )
    return _Driven(places, laps, lat_deg)


def _may_be_same(one: _Known, other: _Known) -> bool:
    if any(a and b and a != b for a, b in ((one.driver, other.driver), (one.vehicle, other.vehicle))):
        return False
    if one.lat_deg is None or one.lon_deg is None or other.lat_deg is None or other.lon_deg is None:
        return False
    if abs(one.lat_deg - other.lat_deg) > _NEAR_DEG or abs(one.lon_deg - other.lon_deg) > _NEAR_DEG:
        return False
    if one.start_utc_s is None or other.start_utc_s is None:
        return True
    return abs(one.start_utc_s - other.start_utc_s) < DAY_S


def _is_same(one: _Known, a: _Driven, other: _Known, b: _Driven) -> bool:
    if len(a.moving) > len(b.moving):
        one, a, other, b = other, b, one, a
    if len(a.moving) < LEAST_S:
        return False
    step = max(1, len(a.moving) // _MOST_POINTS)
    points = a.moving[::step]
    if one.start_utc_s is not None and other.start_utc_s is not None:
        middles, reach_s, same_lap_s = [one.start_utc_s - other.start_utc_s], CLOCKS_S, SAME_LAP_S
    else:
        middles, reach_s, same_lap_s = _meetings(a, b), 1.0, SAME_RECEIVER_LAP_S
    steps = round(reach_s / STEP_S)
    return any(
        _share(a, points, b, middle + number * STEP_S) >= SAME_SHARE
        and _laps_agree(a, b, middle + number * STEP_S, same_lap_s)
        for middle in middles
        for number in range(-steps, steps + 1)
    )


def _meetings(a: _Driven, b: _Driven) -> list[float]:
    anchor = a.moving[len(a.moving) // 2]
    near_m = 60.0  # a second at speed
    found: list[float] = []
    for index in b.moving:
        offset = b.t[index] - a.t[anchor]
        if math.dist(b.xy[index], a.xy[anchor]) <= near_m and (not found or offset - found[-1] > 1.0):
            found.append(offset)
    return found


def _share(a: _Driven, points: Sequence[int], b: _Driven, offset_s: float) -> float:
    both = same = 0
    for index in points:
        place = b.at(a.t[index] + offset_s)
        if place is not None:
            both += 1
            same += math.dist(place, a.xy[index]) <= SAME_PLACE_M
    enough = min(LEAST_S, len(points) // 2)
    return same / both if both >= max(enough, 1) else 0.0


def _laps_agree(a: _Driven, b: _Driven, offset_s: float, same_lap_s: float) -> bool:
    return all(
        abs(time_a - time_b) <= same_lap_s
        for end_a, time_a in a.laps
        for end_b, time_b in b.laps
        if abs(end_a + offset_s - end_b) <= 1.0
    )
