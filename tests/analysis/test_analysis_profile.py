"""The driver's profile: events from sessions, folded; the same from a store, twice, and in any order."""

from __future__ import annotations

import msgspec
import pytest
from stored_facts import WritableStoreFacts, report_on

from pitwall.analysis.compose import compose_debrief
from pitwall.analysis.hands import Hands
from pitwall.analysis.port import Facts
from pitwall.analysis.profile import Driven, FaultSeen, decoded, fold_events, level_of
from pitwall.analysis.report import profile_events
from pitwall.simulator.plan import Driver, Mistake
from pitwall.store.lessons import DriverEvent
from pitwall.words.forms import Level


def event(session: str, what: msgspec.Struct) -> DriverEvent:
    return DriverEvent(session, 0.0, what.__struct_config__.tag, msgspec.json.encode(what).decode())


ANN = Driven(at_utc_s=0.0, track="club", driver="Ann", laps=(1, 2), best_s=60.0, judged_corners=())
FAULT = FaultSeen(
    at_utc_s=1.0, track="club", corner="turn_1", phase="apex", cause="over-slows", loss_s=0.4, laps=(1,)
)


def driven(session: str, at: float, best_s: float) -> DriverEvent:
    return event(session, msgspec.structs.replace(ANN, at_utc_s=at, best_s=best_s))


def test_each_track_and_car_has_its_record_whatever_the_order_of_rows():
    events = [
        driven("b", 2.0, 50.0), driven("a", 1.0, 60.0), driven("c", 3.0, 59.0), event("a", FAULT),
        DriverEvent("a", 5.0, "gps lost", "4 s"), DriverEvent("a", 6.0, "profile.fault", "not json"),
    ]  # fmt: skip
    found = fold_events(events, vehicles={"a": "car", "b": "kart", "c": "car"})
    assert [(each.vehicle, each.best_s, each.best_session, each.sessions) for each in found.tracks] == [
        ("car", 59.0, "c", ("a", "c")), ("kart", 50.0, "b", ("b",)),
    ]  # fmt: skip
    assert fold_events(events) == fold_events(list(reversed(events)))
    assert fold_events(events, driver="Bob").tracks == ()


@pytest.mark.long
def test_a_profile_from_stored_sessions_is_the_same_when_made_again(store, drive):
    facts = WritableStoreFacts(store)

    def update_profile(row):
        facts.put_events(row.id, profile_events(facts, row))
        return fold_events(facts.events(""))

    wrong = drive(Mistake("turn_4", "overslow", 3.0, 2, 5), seed=1, start_utc_s=1.70e9)
    first = update_profile(wrong)
    assert update_profile(wrong) == first
    clean = drive(seed=2, start_utc_s=1.71e9)
    after = update_profile(clean)
    assert after.tracks[0].sessions == (wrong.id, clean.id)
    assert after.tracks[0].best_s == pytest.approx(min(wrong.best_lap_s, clean.best_lap_s))
    won_s = wrong.best_lap_s - clean.best_lap_s
    praised = f"That is a personal best here, {won_s:.3f} s under the old one."
    assert (praised in compose_debrief(report_on(facts, clean))) == (won_s > 0.0)
    assert won_s > 0.0


def hands(level: Level) -> Hands:
    return Hands(level=level, laps=5)


def test_the_level_is_that_of_the_hands_that_drove_last_and_a_setting_outranks_it():
    shown = [
        event(session, msgspec.structs.replace(ANN, at_utc_s=at, driver=driver, hands=seen))
        for session, at, driver, seen in (
            ("b", 2.0, "Ann", hands("expert")),
            ("a", 1.0, "Ann", hands("beginner")),
            ("c", 3.0, "Ann", None),  # without pedals nothing is read
            ("d", 4.0, "Bob", hands("beginner")),
        )
    ]
    assert level_of("auto", shown, "Ann") == ("expert", "b")
    assert level_of("beginner", shown, "Ann") == ("beginner", "")
    assert level_of("auto", shown, "Eve") == ("intermediate", "")


@pytest.mark.long
def test_an_even_driver_is_read_as_an_expert_and_one_who_coasts_and_brakes_anywhere_is_not(store, drive):
    even = Driver(grip_use=0.95, brake_use=0.95, variation=0.005)
    rough = Driver(grip_use=0.75, brake_use=0.5, brake_early_m=20.0, coast_m=60.0, variation=0.09)
    read = []
    for seed, driver in enumerate((even, rough), 1):
        facts, row = Facts(store), drive(laps=4, seed=seed, driver=driver)
        [what] = [what for _, what in decoded(profile_events(facts, row)) if isinstance(what, Driven)]
        read.append(what.hands)
    assert read[0].level == "expert"
    assert read[1].level != "expert"
    assert read[1].coast_pct > 2.0 * read[0].coast_pct
    assert read[1].brake_spread_m > 2.0 * read[0].brake_spread_m
