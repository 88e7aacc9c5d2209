"""Lessons: what it takes to learn one, what takes it away, and that it outlives the sessions it came from."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lesson_drives import CORNERS, FIRST_S, NAMES, session

from pitwall.analysis.lessons import MOST_EVIDENCE, RULES, judge
from pitwall.store.lessons import DriverEvent, Lesson

SLOW = {"turn_7": "more_apex_speed"}


def learned(*sessions: list[DriverEvent], known: list[Lesson] | None = None) -> dict[str, Lesson]:
    """The lessons by `kind corner cause`."""
    found = judge(itertools.chain(*sessions), known or [], NAMES)
    return {f"{each.kind} {each.corner} {each.cause}": each for each in found}


def test_one_session_of_a_few_laps_teaches_nothing() -> None:
    assert learned(session(0, faults=SLOW)) == {}


def test_two_sessions_do_and_the_lesson_carries_its_evidence() -> None:
    lesson = learned(session(0, faults=SLOW), session(3, faults=SLOW))["fault turn_7 more_apex_speed"]
    assert lesson.active
    assert [(each.session, each.laps, each.seconds, each.shows) for each in lesson.evidence] == [
        ("s000-Ann-club", (2, 3, 4), 0.4, True),
        ("s003-Ann-club", (2, 3, 4), 0.43, True),
    ]
    assert lesson.text == (
        "Turn 7: you are slow in the middle, about 0.43 s a lap (6 laps in 2 sessions, last on 2026-05-04). "
        "Come off the brake sooner and carry more speed through the middle."
    )
    assert lesson.created_utc_s == lesson.updated_utc_s == FIRST_S + 3 * 86_400.0


def test_so_does_one_long_session() -> None:
    enough = RULES["fault"].laps
    assert learned(session(0, faults=SLOW, laps=enough, fault_laps=enough - 1)) == {}
    assert learned(session(0, faults=SLOW, laps=enough, fault_laps=enough))[
        "fault turn_7 more_apex_speed"
    ].active


def test_a_clean_session_between_two_is_no_row() -> None:
    assert learned(session(0, faults=SLOW), session(1), session(2, faults=SLOW)) == {}


def test_a_session_that_could_not_show_it_says_nothing() -> None:
    unjudged = session(1, judged=("turn_1",))
    assert learned(session(0, faults=SLOW), unjudged, session(2, faults=SLOW))[
        "fault turn_7 more_apex_speed"
    ].active


def test_newer_evidence_retires_it_and_says_why() -> None:
    lesson = learned(session(0, faults=SLOW), session(1, faults=SLOW), session(2))[
        "fault turn_7 more_apex_speed"
    ]
    assert not lesson.active
    assert lesson.retired_why == "on 2026-05-03 it was driven without it"
    assert lesson.evidence[-1].shows is False
    assert lesson.updated_utc_s == lesson.evidence[-1].at_utc_s


def test_another_cause_in_the_same_corner_retires_it_too() -> None:
    # As an older home has it.
    late = {"turn_7": "late on the throttle"}
    found = learned(session(0, faults=SLOW), session(1, faults=SLOW), session(2, faults=late))
    assert found["fault turn_7 more_apex_speed"].retired_why.endswith(
        "it was another matter: late on the throttle"
    )
    assert "fault turn_7 throttle_sooner" not in found, "seen once"


def test_back_again_needs_no_second_proof() -> None:
    drives = [session(0, faults=SLOW), session(1, faults=SLOW), session(2), session(3, faults=SLOW)]
    lesson = learned(*drives)["fault turn_7 more_apex_speed"]
    assert (lesson.active, lesson.retired_why) == (True, "")
    assert lesson.created_utc_s == FIRST_S + 86_400.0, "it was first learned then"


def test_a_cured_fault_is_a_lesson_of_its_own_until_it_is_back() -> None:
    drives = [session(0, faults=SLOW), session(1, faults=SLOW), session(2)]
    assert "cured turn_7 more_apex_speed" not in learned(*drives)
    cured = learned(*drives, session(3))["cured turn_7 more_apex_speed"]
    assert cured.active
    assert cured.text.startswith(
        "Turn 7 no longer costs you time: it used to be that you are slow in the middle there."
    )
    back = learned(*drives, session(3), session(4, faults=SLOW))
    assert back["cured turn_7 more_apex_speed"].retired_why == "on 2026-05-05 it was back: slow in the middle"
    assert back["fault turn_7 more_apex_speed"].active


def test_trouble_is_unlearned_by_two_careful_sessions_of_some_laps() -> None:
    spins = [session(0, troubles={"turn_1": 1}), session(1, troubles={"turn_1": 1})]
    assert learned(spins[0]) == {}
    assert learned(*spins)["trouble turn_1 spin"].active
    assert learned(session(0, troubles={"turn_1": 2}))["trouble turn_1 spin"].active
    assert learned(*spins, session(2))["trouble turn_1 spin"].active
    assert learned(*spins, session(2), session(3, laps=2))["trouble turn_1 spin"].active, "too short to tell"
    gone = learned(*spins, session(2), session(3))["trouble turn_1 spin"]
    assert gone.retired_why == "2 sessions without, the last on 2026-05-04"


def test_a_habit_is_the_same_cause_in_several_proven_corners() -> None:
    two = {"turn_7": "brake_later", "turn_11": "brake_later"}
    drives = [session(0, faults=two), session(1, faults=two)]
    habit = learned(*drives)["habit  brake_later"]
    assert habit.text.startswith(
        "A habit at Club: you brake early in Turn 11 and Turn 7 (3 laps in one session"
    )
    assert habit.evidence[-1].corners == ("turn_11", "turn_7")
    less = learned(*drives, session(2, faults={"turn_7": "brake_later"}))
    assert less["habit  brake_later"].retired_why == "since 2026-05-03 it shows in fewer than 2 corners"
    line = {"turn_7": "repeat", "turn_11": "repeat"}
    assert "habit  line" not in learned(session(0, faults=line), session(1, faults=line))


def test_drivers_and_tracks_are_kept_apart() -> None:
    assert learned(session(0, faults=SLOW), session(1, faults=SLOW, driver="Bob")) == {}
    assert learned(session(0, faults=SLOW), session(1, faults=SLOW, track="ring")) == {}
    many = {"faults": SLOW, "laps": 6, "fault_laps": 6}
    both = judge([*session(0, **many), *session(1, **many, driver="Bob")], [], NAMES)  # type: ignore[arg-type]
    assert {each.driver for each in both} == {"Ann", "Bob"}
    assert len({each.id for each in both}) == 2
    assert not any(name in each.id for each in both for name in ("Ann", "Bob"))


def test_the_evidence_does_not_grow_for_ever() -> None:
    drives = [session(day, faults=SLOW) for day in range(MOST_EVIDENCE + 5)]
    lesson = learned(*drives)["fault turn_7 more_apex_speed"]
    assert len(lesson.evidence) == MOST_EVIDENCE
    assert f"36 laps in 12 of the last {MOST_EVIDENCE} sessions that tell of it" in lesson.text
    assert lesson.evidence[-1].session == "s016-Ann-club"


def test_a_lesson_outlives_its_sessions_and_is_still_retired_by_a_new_one() -> None:
    known = list(learned(session(0, faults=SLOW), session(1, faults=SLOW)).values())
    assert learned(known=known) == {"fault turn_7 more_apex_speed": known[0]}
    gone = learned(session(5), known=known)["fault turn_7 more_apex_speed"]
    assert (gone.active, len(gone.evidence)) == (False, 3)


def test_sessions_that_are_judged_anew_and_show_nothing_take_their_lesson_back() -> None:
    known = list(learned(session(0, faults=SLOW), session(1, faults=SLOW)).values())
    again = learned(session(0), session(1), known=known)["fault turn_7 more_apex_speed"]
    assert (again.active, again.retired_why) == (False, "its sessions, judged again, no longer show it")


CAUSES = st.sampled_from(["more_apex_speed", "brake_later", "repeat"])
DRIVES = st.lists(
    st.fixed_dictionaries(
        {
            "faults": st.dictionaries(st.sampled_from(CORNERS), CAUSES, max_size=3),
            "troubles": st.dictionaries(st.sampled_from(CORNERS), st.integers(1, 2), max_size=1),
            "laps": st.integers(2, 7),
            "fault_laps": st.integers(2, 7),
            "judged": st.sets(st.sampled_from(CORNERS)).map(sorted),
            "driver": st.sampled_from(["Ann", "Ann", "Bob"]),
        }
    ),
    max_size=10,
)


@given(DRIVES)
@pytest.mark.long
def test_judging_again_changes_nothing_and_every_lesson_has_its_proof(plans: list[dict[str, object]]) -> None:
    events = [event for day, plan in enumerate(plans) for event in session(day, **plan)]  # type: ignore[arg-type]
    found = judge(events, [], NAMES)
    assert judge(reversed(events), found, NAMES) == found
    for each in found:
        shown = [one for one in each.evidence if one.shows]
        rule = RULES[each.kind]
        assert len(shown) >= rule.sessions or any(len(set(one.laps)) >= rule.laps for one in shown)
        assert each.active == (each.retired_why == "")
        assert each.active == each.evidence[-1].shows or each.kind == "trouble"
        assert all(one.session.split("-")[1] == each.driver for one in each.evidence)


# The third session's fault is no lesson: it only keeps the second session from being half of a cure.
FAULT_BETWEEN = [
    {"faults": SLOW, "laps": 5, "fault_laps": 5},
    {"laps": 2, "judged": ["turn_7"]},
    {"faults": {"turn_7": "brake_later"}, "laps": 2, "fault_laps": 2},
    {"laps": 6, "judged": ["turn_7"]},
]


@given(DRIVES, st.integers(0, 10))
@example(FAULT_BETWEEN, 3)
@pytest.mark.long
def test_dropped_sessions_change_no_lesson(plans: list[dict[str, object]], dropped: int) -> None:
    sessions = [session(day, **plan) for day, plan in enumerate(plans)]  # type: ignore[arg-type]
    found = judge(itertools.chain(*sessions), [], NAMES)
    assert judge(itertools.chain(*sessions[dropped:]), found, NAMES) == found


@pytest.mark.parametrize("split", range(7))
def test_learning_session_by_session_is_learning_at_once(split: int) -> None:
    drives = [
        session(0, faults=SLOW), session(1, faults=SLOW, troubles={"turn_1": 1}), session(2),
        session(3, troubles={"turn_1": 1}), session(4, faults=SLOW), session(5), session(6),
    ]  # fmt: skip
    first = list(learned(*drives[:split]).values())
    assert learned(*drives, known=first) == learned(*drives)
