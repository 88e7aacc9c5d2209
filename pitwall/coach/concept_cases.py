"""The passes by which each row of `concepts` is tried when the program starts."""

from __future__ import annotations

import msgspec

from pitwall.coach.pair import Pair
from pitwall.track.technique import Technique


class Case(msgspec.Struct, frozen=True):
    """A pass with what it has to do with a row: fire it, leave it silent, or leave it unsure."""

    pair: Pair
    expected: str  # "fires", "silent", "unsure"


# A pass as it should be, for the cases: 100 m of braking into a slow corner.
GOOD = Technique(
    time_s=12.0,
    start_mps=48.0,
    entry_mps=25.0,
    slowest_mps=20.0,
    slowest_m=45.0,
    exit_mps=30.0,
    end_mps=38.0,
    brake_m=-95.0,
    release_m=10.0,
    brake_g=1.0,
    bites=1,
    coast_s=0.4,
    roll_s=0.2,
    lift_pct=0.0,
    pickup_m=45.0,
    flat_m=100.0,
    gain_m=55.0,
    lifts=0,
    drive_pct=85.0,
    turn_in_m=15.0,
    entry_offset_m=-3.0,
    turning_offset_m=0.0,
    apex_offset_m=3.0,
    leaving_offset_m=0.0,
    exit_offset_m=-3.0,
    corner_g=1.0,
    slowest_g=1.0,
    gear=3,
    corrections=0,
    steering_deg=60.0,
    caught_s=0.0,
)
FAST = msgspec.structs.replace(
    GOOD, brake_m=None, release_m=None, brake_g=None, bites=0, coast_s=0.0, lift_pct=60.0, slowest_mps=40.0
)
# What a source of speed alone knows of it, and what one without a line knows.
BLIND = Technique(
    **{
        name: getattr(GOOD, name)
        for name in Technique.__struct_fields__[: -len(Technique.__struct_defaults__)]
    }
)
NO_LINE = msgspec.structs.replace(
    GOOD, **{name: None for name in Technique.__struct_fields__ if name.endswith("_offset_m")}
)

Change = float | int | None


def wrong_pass(**wrong: Change) -> Technique:
    """A good pass with something wrong."""
    return msgspec.structs.replace(GOOD, **wrong)


def one_case(
    expected: str, lost: tuple[float, float, float], target: Technique = GOOD, **wrong: Change
) -> Case:
    """Return what a row has to make of a good pass with something wrong, that lost so much on `target`."""
    return Case(Pair(wrong_pass(**wrong), target, *lost), expected)


def cases_of(
    lost: tuple[float, float, float], target: Technique = GOOD, unsure: bool = True, **wrong: Change
) -> tuple[Case, ...]:
    """Fires on `wrong` with these losses; silent on a good pass, and on `wrong` that lost nothing; unsure
    where the source knows no more than speed."""
    bad = msgspec.structs.replace(target, **wrong)
    cases = (
        Case(Pair(bad, target, *lost), "fires"),
        Case(Pair(target, target, *lost), "silent"),
        Case(Pair(bad, target, 0.0, 0.0, 0.0), "silent"),
    )
    return (*cases, Case(Pair(BLIND, target, *lost), "unsure")) if unsure else cases
