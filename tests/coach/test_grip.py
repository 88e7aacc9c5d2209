"""Rain, traffic and care show in all corners at once: what is driven so is no fault of technique."""

from __future__ import annotations

from random import Random

from coach_world import CORNERS, Lost, one_second, pace, passed, reference, ring

from pitwall.coach.grip import Fading, GripUsed
from pitwall.coach.lead import Delays
from pitwall.coach.rules import RuleCoach
from pitwall.coach.scripts import load_scripts
from pitwall.track.lap import Lap

LAP_S = 80.0
NAMES = [f"turn_{number}" for number in range(1, 13)]


def drive(used: GripUsed, laps: int, least_g: float, most_g: float) -> list[bool]:
    """Laps whose corners are driven with so much grip: whether each pass was eased."""
    rng, eased = Random(3), []
    for _ in range(laps):
        for corner in NAMES:
            used.feed(corner, rng.uniform(least_g, most_g))
            eased.append(bool(used.eased))
    return eased


def test_what_a_driver_spreads_by_is_not_eased_and_less_grip_everywhere_is() -> None:
    used = GripUsed(len(NAMES))
    assert not any(drive(used, 10, 0.92, 1.05))
    assert not any(drive(used, 1, 0.75, 0.85)[:3])
    assert all(drive(used, 1, 0.75, 0.85))
    # At pace again: the first corners show it.
    assert not any(drive(used, 1, 0.97, 1.05)[1:])


def test_one_corner_that_is_driven_slower_is_not_eased() -> None:
    used = GripUsed(len(NAMES))
    drive(used, 2, 1.0, 1.0)
    for corner in NAMES * 3:
        used.feed(corner, 0.6 if corner in NAMES[3:5] else 1.0)
        assert not used.eased


def test_what_is_not_known_is_never_eased() -> None:
    used = GripUsed(2)
    assert not any(used.feed(corner, None) or used.eased for corner in NAMES * 3)


def test_less_grip_for_laps_is_what_there_is_today() -> None:
    used = GripUsed(len(NAMES))
    drive(used, 2, 1.0, 1.0)
    usual = [used.feed(corner, 0.8) for corner in NAMES * 4]
    assert usual.count(True) == 1
    assert not any(drive(used, 3, 0.78, 0.82))


WET = {"corner_g": 0.75, "slowest_g": 0.75, "slowest_mps": 17.0, "entry_mps": 21.0}


def test_nobody_is_told_to_carry_more_speed_in_the_rain_and_is_coached_in_it_later() -> None:
    track = ring(speed=pace)
    made = RuleCoach(track, load_scripts((), track), one_second, Delays())
    made.set_reference(reference())
    wet, early = Lost(0.1, 0.3, 0.2, WET), Lost(0.6, 0.3, 0.2, {**WET, "brake_m": -130.0})
    told: dict[int, list[str]] = {}
    why = ""
    for lap in range(1, 13):
        told[lap] = [call.concept for call in made.calls(lap) if call.concept]
        for at in CORNERS:
            fault = at.id == "turn_2" and lap >= 9
            brought = made.corner_pass(*passed(at.id, lap, early if fault else wet if lap >= 4 else Lost()))
            told[lap] += [brought.after.concept] if brought.after else []
            why = brought.why if "less grip" in brought.why else why
        made.lap(Lap(lap, "flying", lap * LAP_S, (lap + 1) * LAP_S, LAP_S))
    assert why.startswith("25 % less grip than before in 8 corners")
    assert not any(told[lap] for lap in range(6, 10))
    assert "brake_later" in told[11] + told[12]


def test_tyres_go_in_all_corners_and_a_fault_shows_in_one() -> None:
    fading, faulty, fresh = Fading(6), Fading(6), Fading(6)
    for corner in range(6):
        assert not fading
        fading.feed(0.05)
        faulty.feed(0.2 if corner == 2 else 0.0)
        fresh.feed(0.01 - 0.02 * (corner % 2))
    assert fading
    assert not faulty
    assert not fresh


def test_tyres_are_going_where_each_lap_has_less_grip_than_the_one_before() -> None:
    going, careful, broken = Fading(6), Fading(6), Fading(6)
    for lap, less in enumerate((0.0, 0.03, 0.06)):
        broken.forget()
        for _ in range(6):
            going.feed(less)
            careful.feed(0.06 if lap else 0.0)
            broken.feed(less)
    assert going.going
    assert careful  # less grip for two laps, and no less than before
    assert not careful.going
    assert broken  # the laps between were no evidence
    assert not broken.going
