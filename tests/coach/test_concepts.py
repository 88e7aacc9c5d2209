"""The table of concepts: each row stands by its own cases, and no two of them contradict each other."""

from __future__ import annotations

import pytest
from concept_cases import CASES
from hypothesis import given, settings
from hypothesis import strategies as st

from pitwall.coach.concepts import CONCEPTS, Concept
from pitwall.coach.cue import PHASES
from pitwall.coach.diagnosis import shown
from pitwall.coach.pair import Pair
from pitwall.track.technique import Technique
from pitwall.words.language import ENGLISH


@pytest.mark.parametrize("row", CONCEPTS.values(), ids=lambda row: row.id)
def test_a_row_makes_of_its_cases_what_it_should(row: Concept) -> None:
    strengths = [row.strength(case.pair) for case in CASES[row.id]]
    found = ["unsure" if each is None else "fires" if each >= 1.0 else "silent" for each in strengths]
    assert found == [case.expected for case in CASES[row.id]]
    assert {"fires", "silent"} <= set(found)


@pytest.mark.parametrize("row", CONCEPTS.values(), ids=lambda row: row.id)
def test_a_row_is_whole(row: Concept) -> None:
    assert row.phase in PHASES
    assert row.explains
    assert set(row.explains) <= set("bme")
    assert set(row.opposite) <= set(CONCEPTS) - {row.id}
    # An amount is measured for all advice whose words can say one in metres of braking, and for no other.
    assert row.metres is None or ENGLISH.takes_amount(row.id)


def maybe(low: float, high: float) -> st.SearchStrategy[float | None]:
    return st.none() | st.floats(low, high)


PASSES = st.builds(
    Technique,
    time_s=st.floats(5.0, 20.0),
    start_mps=st.floats(20.0, 70.0),
    entry_mps=st.floats(10.0, 60.0),
    slowest_mps=st.floats(8.0, 50.0),
    slowest_m=st.floats(0.0, 100.0),
    exit_mps=st.floats(10.0, 60.0),
    end_mps=st.floats(10.0, 60.0),
    brake_m=maybe(-200.0, 20.0),
    release_m=maybe(-50.0, 100.0),
    brake_g=maybe(0.25, 1.5),
    bites=st.integers(0, 3),
    coast_s=maybe(0.0, 3.0),
    lift_pct=maybe(0.0, 100.0),
    pickup_m=maybe(-20.0, 150.0),
    flat_m=maybe(-20.0, 200.0),
    gain_m=maybe(0.0, 200.0),
    lifts=st.integers(0, 2),
    drive_pct=maybe(0.0, 100.0),
    turn_in_m=maybe(-40.0, 60.0),
    entry_offset_m=maybe(-8.0, 8.0),
    turning_offset_m=maybe(-8.0, 8.0),
    apex_offset_m=maybe(-8.0, 8.0),
    exit_offset_m=maybe(-8.0, 8.0),
    corner_g=maybe(0.2, 2.0),
    slowest_g=maybe(0.2, 2.0),
    gear=st.none() | st.integers(1, 6),
    corrections=st.none() | st.integers(0, 5),
)
LOSSES = st.floats(-0.5, 1.0)


@pytest.mark.long
@settings(max_examples=400)
@given(own=PASSES, target=PASSES, brake_s=LOSSES, mid_s=LOSSES, exit_s=LOSSES)
def test_one_pass_never_shows_two_that_push_opposite_ways(
    own: Technique, target: Technique, brake_s: float, mid_s: float, exit_s: float
) -> None:
    found = shown(Pair(own, target, brake_s, mid_s, exit_s))
    assert [(one, other) for one in found for other in CONCEPTS[one].opposite if other in found] == []
