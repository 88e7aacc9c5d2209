"""Sessions as their profile events: what a driver did on a track, one after the other."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from pitwall.analysis.places import Place
from pitwall.analysis.profile import Driven, FaultSeen, IncidentSeen
from pitwall.store.lessons import DriverEvent

DAY_S = 86_400.0
# 2026-05-01
FIRST_S = 1_777_593_600.0
CORNERS = ("turn_1", "turn_7", "turn_11")


class PlainNames:
    """Names without a track file."""

    def track(self, track: str) -> str:
        return track.capitalize()

    def places(self, track: str) -> dict[str, Place]:
        return {}

    def also(self, track: str, corner: str) -> str:
        return "carousel" if corner == "turn_7" else ""


NAMES = PlainNames()


def session(
    day: int,
    *,
    faults: dict[str, str] | None = None,
    troubles: dict[str, int] | None = None,
    laps: int = 4,
    fault_laps: int = 3,
    judged: Iterable[str] = CORNERS,
    driver: str = "Ann",
    track: str = "club",
) -> list[DriverEvent]:
    """The events of one session `day` days after the first; `troubles`: corner -> number of spins."""
    at_utc_s = FIRST_S + day * DAY_S
    numbers = tuple(range(2, 2 + laps))
    found: list[msgspec.Struct] = [
        Driven(
            at_utc_s=at_utc_s, track=track, driver=driver, laps=numbers, best_s=60.0,
            judged_corners=tuple(judged),
        )
    ]  # fmt: skip
    for corner, cause in (faults or {}).items():
        found.append(
            FaultSeen(
                at_utc_s=at_utc_s, track=track, corner=corner, phase="apex", cause=cause,
                loss_s=round(0.4 + day / 100, 2), laps=numbers[:fault_laps],
            )
        )  # fmt: skip
    for corner, count in (troubles or {}).items():
        found += [
            IncidentSeen(at_utc_s=at_utc_s, track=track, corner=corner, kind="spin", lap=lap)
            for lap in numbers[:count]
        ]
    name = f"s{day:03d}-{driver}-{track}"
    return [
        DriverEvent(name, float(t), what.__struct_config__.tag, msgspec.json.encode(what).decode())
        for t, what in enumerate(found)
    ]
