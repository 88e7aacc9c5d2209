"""What was done in a pass: each mistake that is planted in a simulated drive shows in its own measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
import pytest
from club import club_circuit
from long_runs import some

from pitwall.drive.reference import reference_of
from pitwall.simulator.plan import Driver, Mistake, MistakeKind, Sensors, SimulationPlan
from pitwall.simulator.sensors import GPS_CHANNELS, stream
from pitwall.simulator.simulate import simulate
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.fusion import Fusion
from pitwall.track.braking import BrakeReading, whole_braking
from pitwall.track.lap import Lap, Position
from pitwall.track.matcher import MapMatcher
from pitwall.track.passes import CornerPasses
from pitwall.track.technique import Stretch, Technique, TechniqueTrace
from pitwall.track.timing import LapTimer

# Three hairpins with 400 m between them: whatever is done in one of them has faded away at the next.
CIRCUIT = club_circuit(legs=((400.0, 28.0, 120.0),) * 3)
# One brakes 105 m before each of them.
TRACK = msgspec.structs.replace(
    CIRCUIT,
    corners=tuple(msgspec.structs.replace(each, brake_m=each.entry_m - 105.0) for each in CIRCUIT.corners),
)
CORNER = "turn_2"
# A difference to the clean pass: the value of a technique, its sign, and whether it is a share.
DIFFERENCES: dict[str, tuple[str, int, bool]] = {
    "entry_slow_mps": ("entry_mps", -1, False),
    "slow_mps": ("slowest_mps", -1, False),
    "start_slow_mps": ("start_mps", -1, False),
    "exit_slow_mps": ("exit_mps", -1, False),
    "more_lifts": ("lifts", 1, False),
    "brake_late_m": ("brake_m", 1, False),
    "release_late_m": ("release_m", 1, False),
    "coast_more_s": ("coast_s", 1, False),
    "roll_more_s": ("roll_s", 1, False),
    "pickup_late_m": ("pickup_m", 1, False),
    "flat_late_m": ("flat_m", 1, False),
    "gain_late_m": ("gain_m", 1, False),
    "less_drive_pct": ("drive_pct", -1, False),
    "lifted_pct": ("lift_pct", -1, False),
    "turn_in_late_m": ("turn_in_m", 1, False),
    "entry_tight_m": ("entry_offset_m", 1, False),
    "apex_wide_m": ("apex_offset_m", -1, False),
    "exit_tight_m": ("exit_offset_m", 1, False),
    "gear_higher": ("gear", 1, False),
    "more_corrections": ("corrections", 1, False),
    "harder_share": ("brake_g", 1, True),
    "more_bites": ("bites", 1, False),
}
Bounds = dict[str, tuple[float, float]]
# What is planted, one lap each; what it must show with all sensors; what of that GPS alone must show too.
PLANTED: list[tuple[MistakeKind, float, Bounds, str]] = [
    ("brake_early", 25.0, {"brake_late_m": (-28.0, -20.0), "harder_share": (-0.4, -0.15)},
     "brake_late_m harder_share"),
    ("brake_soft", 0.35, {"brake_late_m": (-40.0, -25.0), "harder_share": (-0.4, -0.25)},
     "brake_late_m harder_share"),
    ("brake_late", 15.0, {"brake_late_m": (10.0, 18.0), "entry_slow_mps": (-4.0, -1.0),
     "apex_wide_m": (1.2, 8.0)}, "brake_late_m entry_slow_mps apex_wide_m"),
    ("brake_hard", 2.0, {"brake_late_m": (-5.0, 5.0), "entry_slow_mps": (1.5, 4.0), "slow_mps": (1.5, 2.5)},
     "entry_slow_mps slow_mps brake_late_m"),
    ("two_bites", 30.0, {"more_bites": (1, 1), "brake_late_m": (-40.0, -15.0)}, "more_bites brake_late_m"),
    ("long_brake", 20.0, {"release_late_m": (12.0, 25.0), "brake_late_m": (-5.0, 5.0),
     "slow_mps": (2.0, 4.0)}, "release_late_m slow_mps"),
    ("coast", 80.0, {"coast_more_s": (0.8, 2.0), "start_slow_mps": (1.5, 7.0)}, "start_slow_mps"),
    ("overslow", 2.0, {"slow_mps": (1.6, 2.4), "brake_late_m": (-5.0, 5.0)}, "slow_mps brake_late_m"),
    ("late_throttle", 70.0, {"pickup_late_m": (10.0, 60.0), "gain_late_m": (10.0, 60.0),
     "slow_mps": (-0.5, 0.5)}, "gain_late_m"),
    ("slow_exit", 0.4, {"less_drive_pct": (14.0, 30.0), "slow_mps": (-0.5, 0.5)}, ""),
    ("lifted_again", 40.0, {"more_lifts": (1, 1), "pickup_late_m": (-4.0, 4.0),
     "less_drive_pct": (14.0, 40.0)}, "more_lifts"),
    ("gear_too_high", 1.0, {"gear_higher": (1, 1), "slow_mps": (-0.5, 0.5)}, ""),
    ("missed_apex", 3.0, {"apex_wide_m": (2.0, 4.0)}, "apex_wide_m"),
    ("early_turn_in", 2.5, {"entry_tight_m": (1.5, 3.2), "exit_tight_m": (-3.2, -1.5)},
     "entry_tight_m exit_tight_m"),
    ("late_turn_in", 3.0, {"apex_wide_m": (1.5, 3.5)}, "apex_wide_m"),
    ("pinched_exit", 3.0, {"exit_tight_m": (2.0, 4.0)}, "exit_tight_m"),
    ("exit_unused", 3.0, {"exit_tight_m": (2.2, 4.2)}, "exit_tight_m"),
]  # fmt: skip
# What two laps driven alike may differ by: no measure alone is then enough for advice.
ALIKE = {
    "brake_late_m": 5.0, "release_late_m": 5.0, "harder_share": 0.1, "more_bites": 0, "start_slow_mps": 0.4,
    "entry_slow_mps": 0.4, "slow_mps": 0.4, "exit_slow_mps": 0.5, "coast_more_s": 0.21, "pickup_late_m": 5.0,
    "flat_late_m": 6.0, "gain_late_m": 5.0, "less_drive_pct": 4.0, "more_lifts": 0, "lifted_pct": 10.0,
    "turn_in_late_m": 5.0, "entry_tight_m": 1.0, "apex_wide_m": 1.0, "exit_tight_m": 1.0, "gear_higher": 0,
    "more_corrections": 1, "roll_more_s": 0.31,
}  # fmt: skip
CAR_ONLY = (
    "coast_s", "roll_s", "lift_pct", "flat_m", "drive_pct", "gear", "corrections", "steering_deg", "caught_s",
)  # fmt: skip
CLEAN, AGAIN = 1, len(PLANTED) + 2

Techniques = dict[int, Technique | None]
Seen = Callable[[int, float], bool]


def plan(channels: tuple[str, ...] = ()) -> SimulationPlan:
    mistakes = tuple(
        Mistake(CORNER, kind, amount, lap, lap) for lap, (kind, amount, *_) in enumerate(PLANTED, 2)
    )
    return SimulationPlan(
        laps=AGAIN,
        driver=Driver(grip_use=0.92, brake_use=0.8, variation=0.0),
        mistakes=mistakes,
        sensors=Sensors(channels=channels),
    )


def placed(driven: SimulationPlan) -> Iterator[tuple[Frame, Position, int]]:
    fusion, matcher = Fusion((stream(driven.sensors),)), MapMatcher(TRACK)
    timer = LapTimer(TRACK.gate, TRACK.length_m, ())
    for sample in simulate(TRACK, driven):
        frame = fusion.feed(sample)
        if frame is not None:
            position = matcher.feed(frame)
            timer.feed(frame, position)
            yield frame, position, timer.lap_number


def techniques(driven: SimulationPlan, seen: Seen = lambda lap, place_m: True) -> Techniques:
    """What was done in the corner by lap; frames that are not `seen` are left out."""
    passes, found = CornerPasses(TRACK), Techniques()
    for frame, position, lap in placed(driven):
        if not seen(lap, position.distance_m):
            continue
        done = passes.feed(frame, position, lap)
        if done is not None and done.corner == CORNER:
            found[done.lap] = passes.technique
    return found


@pytest.fixture(scope="module")
def driven() -> Techniques:
    return techniques(plan())


@pytest.fixture(scope="module")
def driven_by_gps() -> Techniques:
    return techniques(plan(GPS_CHANNELS))


def test_a_lap_to_drive_against_has_its_own_techniques_and_none_of_the_laps_around_it() -> None:
    slow = Mistake("turn_1", "overslow", 4.0, 3, 3)
    timer, laps, trace = LapTimer(TRACK.gate, TRACK.length_m, ()), dict[int, Lap](), []
    for frame, position, _ in placed(msgspec.structs.replace(plan(), laps=3, mistakes=(slow,))):
        done = timer.feed(frame, position)
        if done is not None:
            laps[done.number] = done
        trace.append((frame, position))
    found = [reference_of(TRACK, laps[number], trace, "drive") for number in (1, 2, 3)]
    slowest_mps = [lap.techniques["turn_1"].slowest_mps for lap in found if lap is not None]
    assert slowest_mps == pytest.approx([16.9, 16.9, 12.9], abs=0.2)


@pytest.mark.parametrize(("first", "begins_m"), [(1.6, -79.5), (1.1, -39.6)])
def test_the_brake_zone_begins_at_the_first_of_two_brakings_that_belong_together(
    first: float, begins_m: float
) -> None:
    """A dab of half the effort half a second before is where this driver begins to brake; a touch is not."""
    efforts = [0.0, *[first] * 20, *[0.2] * 20, *[3.0] * 40, *[0.0] * 20]
    braked = [BrakeReading(0.04 * i, i - 80.0, effort) for i, effort in enumerate(efforts)]
    begun_m, _, _ = whole_braking(braked, -39.6, 0.0, 20.0)
    assert begun_m == pytest.approx(begins_m, abs=0.5)


@pytest.mark.parametrize(
    ("let_go_s", "again", "held_s", "bites"),
    [
        (0.4, 2.0, 0.4, 2),
        # Tyres that scrub slow a car too; a bump is no press, and off for an instant is not let go.
        (0.4, 1.2, 0.4, 1),
        (0.4, 2.0, 0.2, 1),
        (0.2, 2.0, 0.4, 1),
    ],
)
def test_a_second_bite_is_pressed_hard_and_held(
    let_go_s: float, again: float, held_s: float, bites: int
) -> None:
    efforts = [0.0, *[2.0] * 20, *[0.5] * round(let_go_s * 25), *[again] * round(held_s * 25), 0.0, 0.0]
    braked = [BrakeReading(0.04 * i, i - 60.0, effort) for i, effort in enumerate(efforts)]
    assert 1 + len(whole_braking(braked, -59.0, 20.0, 50.0)[2]) == bites


def beside_clean(driven: Techniques, lap: int) -> dict[str, float | None]:
    """What was done otherwise than in the clean lap; None where it is not known of both."""
    own, clean = driven[lap], driven[CLEAN]
    assert own is not None
    assert clean is not None
    found: dict[str, float | None] = {}
    for name, (value, sign, is_share) in DIFFERENCES.items():
        mine, theirs = getattr(own, value), getattr(clean, value)
        known = mine is not None and theirs is not None and not (is_share and theirs <= 0.0)
        found[name] = sign * (mine / theirs - 1.0 if is_share else mine - theirs) if known else None
    return found


def check(values: dict[str, float | None], bounds: Bounds) -> None:
    within = {name: _within(values[name], *bounds[name]) for name in bounds}
    assert all(within.values()), {name: values[name] for name, good in within.items() if not good}


def _within(value: float | None, least: float, most: float) -> bool:
    return value is not None and least <= value <= most


@pytest.mark.parametrize("lap", some(range(2, AGAIN), 6), ids=[kind for kind, *_ in PLANTED])
def test_a_mistake_shows_in_its_own_measure(driven: Techniques, lap: int) -> None:
    check(beside_clean(driven, lap), PLANTED[lap - 2][2])


@pytest.mark.parametrize("lap", some(range(2, AGAIN), 6), ids=[kind for kind, *_ in PLANTED])
def test_gps_alone_shows_what_it_can(driven_by_gps: Techniques, lap: int) -> None:
    _, _, bounds, by_gps = PLANTED[lap - 2]
    check(beside_clean(driven_by_gps, lap), {name: bounds[name] for name in by_gps.split()})
    own = driven_by_gps[lap]
    assert [getattr(own, name) for name in CAR_ONLY] == [None] * len(CAR_ONLY)


def test_the_same_again_differs_by_less_than_any_advice_needs(
    driven: Techniques, driven_by_gps: Techniques
) -> None:
    around = {name: (-most, most) for name, most in ALIKE.items()}
    check(beside_clean(driven, AGAIN), around)
    known = {name: bounds for name, bounds in around.items() if name in "".join(row[3] for row in PLANTED)}
    check(beside_clean(driven_by_gps, AGAIN), known)


@pytest.mark.parametrize("channel", ["brake_bar", "throttle_pct", "g_lat", "gear"])
def test_without_a_sensor_only_its_own_measures_are_unknown(channel: str) -> None:
    some = msgspec.structs.replace(plan(), laps=1, mistakes=())
    every = techniques(some)[CLEAN]
    left = tuple(name for name in (*GPS_CHANNELS, "g_lat", "g_long", "brake_bar", "throttle_pct", "gear"))
    without = techniques(
        msgspec.structs.replace(
            some, sensors=Sensors(channels=tuple(name for name in left if name != channel))
        )
    )[CLEAN]
    assert without is not None
    lost = {
        "throttle_pct": {
            "coast_s",
            "roll_s",
            "lift_pct",
            "flat_m",
            "drive_pct",
            "waited_s",
            "both_s",
            "spare_pct",
        },
        "gear": {"gear"},
        # Deceleration and course of the fix stand in for these.
        "brake_bar": set(),
        "g_lat": set(),
    }
    unknown = {name for name in every.__struct_fields__ if getattr(without, name) is None}
    assert unknown == lost[channel] | {"corrections", "steering_deg", "caught_s", "lifted_m"}


@pytest.mark.parametrize(
    ("ahead_m", "hole_m", "known"),
    [
        (0.0, 0.0, True),
        (-70.0, 30.0, False),  # where the brakes come on
        (20.0, 15.0, False),  # at the apex
        (90.0, 25.0, False),  # on the way out
        (-135.0, 60.0, False),  # the beginning of the brake zone
        (-400.0, 100.0, True),  # long before
    ],
)
def test_a_pass_with_a_hole_is_not_known_and_the_next_one_is(
    ahead_m: float, hole_m: float, known: bool
) -> None:
    from_m = next(corner.entry_m for corner in TRACK.corners if corner.id == CORNER) + ahead_m
    two_laps = msgspec.structs.replace(plan(), laps=2, mistakes=())
    found = techniques(two_laps, lambda lap, place_m: lap != 1 or not from_m <= place_m < from_m + hole_m)
    assert (found.get(1) is not None) is known
    assert found[2] is not None


STEP_S, SPEED_MPS = 0.05, 20.0
STRETCH = Stretch(start_m=-100.0, search_m=-150.0, apex_m=40.0, exit_m=80.0, end_m=180.0, inside=1.0)
ByPlace = Callable[[float], float]


def passed(speed_mps: ByPlace = lambda m: SPEED_MPS, **signals: ByPlace) -> Technique:
    """A pass at 20 Hz in which each signal is a function of the place."""
    trace, t, place_m = TechniqueTrace(), 0.0, -160.0
    while place_m < 200.0:
        values = {name: value(place_m) for name, value in signals.items()}
        trace.add(msgspec.structs.replace(Frame(t, speed_mps=speed_mps(place_m)), **values), place_m, 0.0)
        t, place_m = t + STEP_S, place_m + STEP_S * SPEED_MPS
    found = trace.measure(STRETCH, 0.0, (), None)
    assert found is not None
    return found


def braked(**signals: ByPlace) -> Technique:
    """The same with the brakes on from -95 m to the entry, and the corner before 250 m back."""
    trace, t, place_m, efforts = TechniqueTrace(), 0.0, -250.0, list[tuple[float, float, float]]()
    while place_m < 200.0:
        values = {name: value(place_m) for name, value in signals.items()}
        trace.add(msgspec.structs.replace(Frame(t, speed_mps=slow_at_apex(place_m)), **values), place_m, 0.0)
        efforts.append((t, place_m, 5.0 if -95.0 <= place_m < 0.0 else 0.0))
        t, place_m = t + STEP_S, place_m + STEP_S * SPEED_MPS
    found = trace.measure(msgspec.structs.replace(STRETCH, after_m=-240.0), 0.0, efforts, -95.0)
    assert found is not None
    return found


def slow_at_apex(place_m: float) -> float:
    return SPEED_MPS + abs(place_m - STRETCH.apex_m) / 20.0


@pytest.mark.parametrize(("closed_s", "lifts"), [(0.0, 0), (0.3, 0), (0.8, 1)])
def test_a_gear_change_is_no_lift(closed_s: float, lifts: int) -> None:
    closed_m = closed_s * SPEED_MPS

    def throttle(place_m: float) -> float:
        return 90.0 if place_m >= 45.0 and not 100.0 <= place_m < 100.0 + closed_m else 0.0

    found = passed(slow_at_apex, throttle_pct=throttle)
    assert found.lifts == lifts
    assert found.pickup_m == pytest.approx(45.0, abs=1.5)


@pytest.mark.parametrize(("closes_m", "lifts"), [(60.0, 1), (120.0, 0)])
def test_a_throttle_that_stays_closed_is_a_lift_of_the_corner_that_it_closed_in(
    closes_m: float, lifts: int
) -> None:
    found = passed(slow_at_apex, throttle_pct=lambda place_m: 90.0 if 42.0 <= place_m < closes_m else 0.0)
    assert found.lifts == lifts


@pytest.mark.parametrize(
    ("closed", "bend_g", "slows_g", "waited_s"),
    [
        ((-115.0, -95.0), 0.0, 0.1, 1.0),
        ((-115.0, -95.0), 0.8, 0.1, 0.0),
        ((-103.0, -95.0), 0.0, 0.1, 0.4),
        ((0, 0), 0.0, 0.1, 0.0),
        ((-115.0, -95.0), 0.0, 0.9, 0.0),  # the brakes of the corner's first half
    ],
)
def test_a_foot_on_neither_pedal_before_the_brakes_waits(
    closed: tuple[float, float], bend_g: float, slows_g: float, waited_s: float
) -> None:
    found = braked(
        throttle_pct=lambda m: 0.0 if closed[0] <= m < closed[1] or m >= -95.0 else 95.0,
        g_lat=lambda m: bend_g,
        g_long=lambda m: -slows_g,
    )
    assert found.waited_s == pytest.approx(waited_s, abs=0.1)


@pytest.mark.parametrize(("until_m", "both_s"), [(-95.0, 0.0), (-89.0, 0.3), (-75.0, 1.0)])
def test_both_pedals_at_once_are_timed(until_m: float, both_s: float) -> None:
    found = braked(throttle_pct=lambda m: 60.0 if m < until_m else 0.0, g_lat=lambda m: 0.0)
    assert found.both_s == pytest.approx(both_s, abs=0.1)


@pytest.mark.parametrize(
    ("closed_s", "bend_g", "is_lift"), [(0.5, 0.0, False), (1.2, 0.0, True), (1.2, 0.6, False)]
)
def test_a_long_lift_on_the_straight_before_is_known_by_its_place(
    closed_s: float, bend_g: float, is_lift: bool
) -> None:
    to_m = -190.0 + closed_s * SPEED_MPS
    found = braked(
        throttle_pct=lambda m: 10.0 if -190.0 <= m < to_m or m > -95.0 else 96.0, g_lat=lambda m: bend_g
    )
    assert (found.lifted_m is not None) is is_lift
    if is_lift:
        assert found.lifted_m == pytest.approx(-190.0, abs=1.5)


def test_throttle_that_is_left_unused_is_known_where_the_run_is_straight() -> None:
    throttle = {"throttle_pct": lambda m: 60.0 if m > 45.0 else 0.0}
    assert braked(**throttle, g_lat=lambda m: 0.0).spare_pct == pytest.approx(40.0)
    assert braked(**throttle, g_lat=lambda m: 0.5).spare_pct is None


def test_a_lift_that_makes_the_car_slower_than_the_apex_did_is_one() -> None:
    found = passed(
        lambda place_m: SPEED_MPS + min(abs(place_m - 40.0), abs(place_m - 75.0) - 5.0) / 20.0,
        throttle_pct=lambda place_m: 90.0 if 42.0 <= place_m < 52.0 or place_m >= 76.0 else 0.0,
    )
    assert found.slowest_m > 70.0
    assert found.lifts == 1


def test_a_wheel_that_is_turned_out_of_the_corner_catches_a_slide() -> None:
    caught = passed(
        slow_at_apex,
        g_lat=lambda place_m: 0.9,
        steering_deg=lambda place_m: -12.0 if 60.0 <= place_m < 70.0 else 50.0,
    )
    assert caught.caught_s == pytest.approx(0.5, abs=0.06)
    assert caught.steering_deg == pytest.approx(50.0)


@pytest.mark.parametrize(("swing_deg", "corrections"), [(0.0, 0), (4.0, 0), (12.0, 2)])
def test_a_wheel_that_goes_back_and_on_again_is_a_correction(swing_deg: float, corrections: int) -> None:
    def steering(place_m: float) -> float:
        turned = max(0.0, 1.0 - abs(place_m - 40.0) / 40.0) * 60.0
        return turned - (
            swing_deg + 15.0 if int(place_m) in (25, 26, 27, 55, 56, 57) and swing_deg > 6 else 0.0
        )

    assert passed(slow_at_apex, steering_deg=steering).corrections == corrections
