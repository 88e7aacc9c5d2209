"""The passes by which each row of `concepts` is tried."""

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


CASES: dict[str, tuple[Case, ...]] = {
    "brake_later": (
        *cases_of((0.2, 0.05, 0.0), brake_m=-120.0),
        # Inside the corner, and far wide before the apex: the brakes came on for the line.
        one_case(
            "silent", (0.01, 0.4, 0.0), target=wrong_pass(brake_m=40.0), brake_m=20.0, turning_offset_m=-3.5
        ),
    ),
    "brake_earlier": (
        *cases_of((-0.05, 0.2, 0.1), brake_m=-78.0),
        # Inside before the apex: the corner was cut, and the brakes came later for that.
        one_case("silent", (-0.1, 0.0, 0.4), brake_m=-78.0, turning_offset_m=1.5),
    ),
    "brake_harder": cases_of((0.2, 0.0, 0.0), brake_g=0.7),
    "brake_lighter": (
        *cases_of((0.1, 0.1, 0.0), brake_g=1.25, entry_mps=22.0),
        one_case("silent", (0.1, 0.2, 0.0), brake_g=1.25, entry_mps=22.0, turning_offset_m=-2.5),
        # Braked where the target does not: for nothing, or for a line that is too tight.
        one_case("fires", (0.1, 0.1, 0.0), target=FAST, slowest_mps=36.0, corner_g=0.8, slowest_g=0.8),
        one_case("silent", (0.1, 0.1, 0.0), target=FAST, slowest_mps=36.0),
    ),
    "brake_once": cases_of((0.2, 0.0, 0.0), bites=2),
    "release_sooner": (
        *cases_of((0.0, 0.2, 0.0), release_m=24.0, slowest_mps=18.5),
        # On the brakes through the apex: it shows on the way out.
        one_case("fires", (0.0, 0.0, 0.2), release_m=50.0, slowest_mps=18.5, slowest_m=80.0, pickup_m=82.0),
    ),
    "trail_longer": (
        *cases_of((0.1, 0.1, 0.0), release_m=-5.0, roll_s=0.5),
        one_case("silent", (0.1, 0.1, 0.0), brake_m=-120.0, release_m=-15.0, roll_s=0.5),
        one_case("silent", (0.1, 0.1, 0.0), release_m=-5.0, roll_s=0.5, entry_mps=23.5),
        one_case("silent", (0.1, 0.1, 0.0), release_m=-5.0, roll_s=0.5, brake_g=1.25, slowest_mps=18.0),
    ),
    "no_coasting": cases_of((0.1, 0.1, 0.0), coast_s=0.9),
    "turn_in_earlier": (
        *cases_of((0.0, 0.15, 0.1), turning_offset_m=-2.0),
        *cases_of((0.0, 0.15, 0.1), target=NO_LINE, unsure=False, turn_in_m=32.0),
    ),
    "turn_in_later": (
        *cases_of((0.0, 0.1, 0.15), turning_offset_m=2.0),
        one_case("fires", (0.0, 0.0, 0.3), turning_offset_m=1.2, leaving_offset_m=-2.5, drive_pct=72.0),
        *cases_of((0.0, 0.1, 0.15), target=NO_LINE, unsure=False, turn_in_m=-4.0),
    ),
    "wider_entry": cases_of((0.0, 0.15, 0.1), entry_offset_m=-1.0),
    "clip_apex": (
        *cases_of((0.0, 0.15, 0.05), apex_offset_m=1.0),
        # Slower by as much as the grip that was not used: no line would have made up for that.
        one_case("silent", (0.0, 0.3, 0.1), apex_offset_m=1.0, slowest_mps=18.0, corner_g=0.81),
    ),
    "over_slowed": (
        *cases_of((0.0, 0.2, 0.1), unsure=False, slowest_mps=18.0, corner_g=0.8, slowest_g=0.8),
        one_case(
            "silent",
            (-0.05, 0.3, 0.1),
            brake_m=-80.0,
            entry_mps=27.0,
            slowest_mps=18.0,
            corner_g=0.8,
            slowest_g=0.8,
        ),
        # Braked later from as much speed, and ran wide.
        one_case(
            "silent",
            (0.0, 0.1, 0.4),
            brake_m=-86.0,
            apex_offset_m=0.4,
            slowest_mps=17.5,
            corner_g=0.9,
            slowest_g=0.75,
        ),
        # The same line, and slow already in the brake zone.
        one_case(
            "fires",
            (0.2, 0.4, 0.1),
            brake_m=-86.0,
            apex_offset_m=0.4,
            slowest_mps=17.5,
            corner_g=0.9,
            slowest_g=0.75,
        ),
        # Slower still at the exit, and most of it lost there.
        one_case("silent", (0.0, 0.1, 0.3), slowest_mps=19.0, corner_g=0.9, exit_mps=27.5),
        # As soon at the apex, from the inside: the line costs the way out.
        one_case(
            "silent", (-0.05, 0.0, 0.4), turning_offset_m=1.5, slowest_mps=18.0, corner_g=0.8, slowest_g=0.8
        ),
    ),
    "more_apex_speed": (
        *cases_of((0.0, 0.2, 0.1), target=FAST, unsure=False, slowest_mps=38.0, corner_g=0.9, slowest_g=0.9),
        *cases_of((0.0, 0.1, 0.2), target=FAST, unsure=False, exit_mps=28.0, corner_g=0.86),
        # As slow as ever at its end, for the next corner; less grip used in it, and no less throttle.
        one_case("fires", (0.0, 0.12, 0.21), exit_mps=28.0, corner_g=0.86),
        # Arrived slower, slowed down all the same, and had grip left.
        Case(
            Pair(
                msgspec.structs.replace(FAST, start_mps=42.0, entry_mps=40.0, slowest_mps=36.0, corner_g=0.8),
                msgspec.structs.replace(FAST, entry_mps=44.0),
                0.1,
                0.6,
                0.2,
            ),
            "fires",
        ),
    ),
    "throttle_sooner": (
        *cases_of((0.0, 0.0, 0.2), unsure=False, pickup_m=62.0),
        # Part open as soon, to hold the speed; the car is on its way out later, and flat as soon.
        one_case("fires", (0.0, 0.0, 0.35), gain_m=93.0, exit_mps=27.8, drive_pct=74.0),
        # On the brakes for as much longer.
        one_case("silent", (0.0, 0.0, 0.2), release_m=50.0, slowest_m=80.0, pickup_m=82.0),
        # Open sooner and flat later: it did not come late.
        one_case("silent", (0.0, 0.0, 0.2), pickup_m=34.0, flat_m=139.0, drive_pct=76.0),
    ),
    "throttle_fully": (
        *cases_of((0.0, 0.0, 0.2), pickup_m=40.0, flat_m=130.0, drive_pct=75.0),
        one_case("silent", (0.0, 0.0, 0.2), pickup_m=40.0, flat_m=130.0),
        # Inside before the apex and wide after it: the car had to be waited for.
        one_case("silent", (0.0, 0.0, 0.3), turning_offset_m=1.2, leaving_offset_m=-2.5, drive_pct=72.0),
        one_case("silent", (0.0, 0.0, 0.2), pickup_m=62.0, flat_m=130.0, drive_pct=75.0),
        one_case("silent", (0.0, 0.0, 0.35), gain_m=93.0, drive_pct=70.0),
    ),
    "throttle_smoother": (
        *cases_of((0.0, 0.0, 0.2), pickup_m=22.0, flat_m=125.0),
        one_case("silent", (0.0, 0.0, 0.2), pickup_m=22.0, flat_m=90.0),
        one_case("silent", (0.0, 0.0, 0.2), flat_m=125.0),
    ),
    "throttle_once": (
        *cases_of((0.0, 0.0, 0.2), unsure=False, lifts=1, exit_mps=29.0),
        # A foot that is never still: as many lifts, and the slowest point far behind the corner.
        one_case("fires", (0.0, 0.0, 0.2), target=wrong_pass(lifts=2), lifts=2, slowest_m=200.0),
        one_case("silent", (0.0, 0.0, 0.2), target=wrong_pass(lifts=2), lifts=2),
    ),
    "use_exit": (
        *cases_of((0.0, 0.0, 0.2), exit_offset_m=0.0),
        # Slower at the same grip, and none of it lost on the way out.
        one_case("fires", (0.3, 0.2, 0.0), slowest_mps=19.0, exit_offset_m=0.0),
        one_case("silent", (0.3, 0.2, -0.1), slowest_mps=19.0, exit_offset_m=0.0),
    ),
    "unpinch_exit": cases_of((0.0, 0.0, 0.2), turning_offset_m=2.0, exit_offset_m=-1.0),
    "less_lift": cases_of((0.1, 0.1, 0.0), target=FAST, unsure=False, lift_pct=20.0),
    "flat_possible": cases_of(
        (0.1, 0.1, 0.0), target=msgspec.structs.replace(FAST, lift_pct=98.0), unsure=False, lift_pct=50.0
    ),
    "gear_up": cases_of((0.0, 0.1, 0.1), gear=2),
    "gear_down": cases_of((0.0, 0.0, 0.2), gear=4),
    "fewer_corrections": cases_of((0.0, 0.1, 0.1), corrections=3),
    "understeer": cases_of((0.0, 0.15, 0.1), steering_deg=80.0, corner_g=0.97),
    "oversteer": cases_of((0.0, 0.05, 0.15), caught_s=0.5),
}
