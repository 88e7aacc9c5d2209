"""When a session begins, which part of it this is, when it ends; which track is near, found, and left."""

from __future__ import annotations

import math

import pytest
import split_drive

from pitwall.config import Home
from pitwall.daemon.sessions.life import (
    ENDED_S,
    MOVING_S,
    SILENT_S,
    STANDING_S,
    UNKNOWN_S,
    Departure,
    Life,
)
from pitwall.daemon.sessions.place import Leaving, PlaceFinder, Surroundings
from pitwall.drive.prepare import known_tracks
from pitwall.settings import LimitSettings
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.fusion import Fusion
from pitwall.track.lap import LapKind, Position
from pitwall.track.model import Track

LIMITS = LimitSettings(close_standing_s=100.0, close_silent_s=50.0)


@pytest.fixture
def tracks(home: Home) -> dict[str, Track]:
    return known_tracks(home)[0]


def at(t: float, speed_mps: float | None, metres_north: float = 0.0) -> Frame:
    return Frame(t, lat_deg=45.0 + metres_north / 111_195.0, lon_deg=7.0, speed_mps=speed_mps)


def test_a_session_begins_when_the_car_has_moved_for_a_while_not_with_one_bad_fix() -> None:
    departure = Departure()
    assert not departure.feed(at(0.0, 0.0))
    assert not departure.feed(at(0.1, 30.0))
    assert not departure.feed(at(0.2, 0.1))
    moved = [departure.feed(at(1.0 + tenth / 10.0, 5.0)) for tenth in range(30)]
    assert moved.index(True) == round(MOVING_S * 10)


def test_the_paddock_hears_of_a_departure_at_the_second_fix() -> None:
    departure = Departure()
    begins = []
    for t, speed_mps in ((0.0, 0.0), (0.1, 30.0), (0.2, 0.1), (1.0, 5.0), (1.1, 5.0), (1.2, 5.0), (1.3, 0.0)):
        departure.feed(at(t, speed_mps))
        begins.append(departure.begins)
    assert begins == [False, False, False, False, True, True, False]


def test_a_source_without_speed_shows_movement_by_its_place() -> None:
    departure = Departure()
    wandering = [departure.feed(at(float(second), None, 5.0 * math.sin(second))) for second in range(60)]
    assert not any(wandering)
    driving = [departure.feed(at(60.0 + second, None, 10.0 * second)) for second in range(10)]
    assert any(driving)


@pytest.mark.parametrize(
    ("running", "status", "known", "state"),
    [
        ("out", "on", True, "out lap"),
        ("flying", "on", True, "flying"),
        ("flying", "off", True, "flying"),
        ("flying", "pit", True, "in lap"),
        ("in", "on", True, "in lap"),
        ("out", "pit", True, "out lap"),
        ("out", None, False, "street"),
    ],
)
def test_the_state_follows_from_lap_and_place(
    running: LapKind, status: str | None, known: bool, state: str
) -> None:
    life = Life(LIMITS, 0.0)
    position = None if status is None else Position(1.0, 0.0, 0.0, status)  # type: ignore[arg-type]
    assert life.feed(at(1.0, 20.0), position, running, known)
    assert life.state == state


def test_standing_is_the_paddock_and_ends_the_session_when_it_lasts() -> None:
    life = Life(LIMITS, 0.0)
    life.feed(at(1.0, 20.0), None, "flying", True)
    for second in range(2, 12):
        life.feed(at(float(second), 0.0), None, "flying", True)
    assert life.state == "paddock"
    for second in range(12, 102):
        assert life.over(float(second - 1)) == ""
        life.feed(at(float(second), 0.2), None, "flying", True)
    assert life.over(101.0) == "stood for 100 s"


def test_silence_ends_the_session_when_it_lasts_and_data_handed_in_keep_it() -> None:
    life = Life(LIMITS, 0.0)
    life.feed(at(1.0, 20.0), None, "flying", True)
    assert life.over(50.9) == ""
    assert life.over(51.0) == "no data for 50 s"
    life.handed_in(40.0)
    assert life.over(51.0) == ""


def test_what_is_handed_in_while_the_car_stands_keeps_it_neither_awake_nor_open() -> None:
    life = Life(LIMITS, 0.0)
    states, ended = [], ""
    for second in range(1, 200):
        life.handed_in(float(second))
        life.feed(at(float(second), 0.0), None, "flying", True)
        states.append(life.state)
        ended = ended or life.over(float(second))
    assert states.index("paddock") == round(STANDING_S) - 1
    assert ended == "stood for 100 s"


def blind(t: float) -> Frame:
    """Rpm and pedals, but neither a speed nor a place."""
    return Frame(t, rpm=3000.0)


@pytest.mark.parametrize("hole_s", [30, 60])
def test_a_hole_of_gps_in_a_drive_is_no_paddock_and_no_end(hole_s: int) -> None:
    life = Life(LIMITS, 0.0)
    life.feed(at(1.0, 20.0), None, "flying", True)
    for tenth in range(10 * hole_s):
        t = 1.1 + tenth / 10.0
        life.feed(blind(t), None, "flying", True)
        assert (life.state, life.over(t)) == ("flying", "")
    # The first thing that is seen again is a spin: slow, but not for long.
    life.feed(at(2.0 + hole_s, 0.5), None, "flying", True)
    assert life.state == "flying"
    life.feed(at(2.0 + hole_s + STANDING_S - 0.1, 0.5), None, "flying", True)
    assert life.state == "flying"


def test_a_session_that_lost_what_tells_its_speed_is_parked_and_closed_in_the_end() -> None:
    life = Life(LimitSettings(close_standing_s=2 * UNKNOWN_S), 0.0)
    life.feed(at(1.0, 20.0), None, "flying", True)
    parked_t = ended_t = None
    for second in range(2, 1000):
        t = float(second)
        life.feed(blind(t), None, "flying", True)
        parked_t = t if parked_t is None and life.state == "paddock" else parked_t
        ended_t = t if ended_t is None and life.over(t) else ended_t
    assert parked_t == 1.0 + UNKNOWN_S
    assert ended_t == 1.0 + 2 * UNKNOWN_S
    assert life.over(ended_t) == f"not seen to move for {2 * UNKNOWN_S:.0f} s"


def test_a_minute_without_any_reading_opens_the_paddock_until_the_car_is_seen_to_move() -> None:
    """The feed is lost at speed: the ignition is off, and nobody saw the car stop."""
    life = Life(LimitSettings(close_silent_s=600.0), 0.0)
    life.feed(at(1.0, 40.0), None, "flying", True)
    assert not life.quiet(SILENT_S)
    assert life.state == "flying"
    recording = Life(LIMITS, 1.0)
    recording.feed(at(1.0, 40.0), None, "flying", True)
    assert not recording.quiet(0.9 + ENDED_S, ended=True), "what it brought last may still be on its way"
    assert recording.quiet(1.0 + ENDED_S, ended=True), "nothing can come: nobody waits for a minute"
    assert life.quiet(1.0 + SILENT_S)
    assert (life.state, life.over(1.0 + SILENT_S)) == ("paddock", "")
    assert not life.quiet(2.0 + SILENT_S), "told once"
    life.feed(blind(100.0), None, "flying", True)
    assert life.state == "paddock", "a reading that knows no speed does not shut it again"
    assert life.feed(at(101.0, 20.0), None, "flying", True)
    assert life.state == "flying"


def test_a_car_whose_wheels_turn_is_driven_however_long_the_gps_is_away() -> None:
    life = Life(LimitSettings(), 0.0)
    life.feed(at(1.0, 40.0), None, "flying", True)
    for second in range(2, 700):
        life.feed(Frame(float(second), wheel_speed_mps=30.0), None, "flying", True)
        assert not life.quiet(float(second))
    assert life.state == "flying"


def test_a_car_parked_indoors_stays_parked_and_is_none_any_more_once_it_moves() -> None:
    life = Life(LIMITS, 0.0)
    for second in range(1, 20):
        life.feed(at(float(second), 0.0), None, "out", True)
    for second in range(20, 50):
        life.feed(blind(float(second)), None, "out", True)
    assert life.state == "paddock"
    life.feed(at(50.0, 0.0), None, "out", True)
    assert life.state == "paddock"
    life.feed(at(51.0, 5.0), None, "out", True)
    assert life.state == "out lap"


def test_without_a_speed_the_places_tell_whether_it_stands() -> None:
    life = Life(LIMITS, 0.0)
    for second in range(1, 60):
        life.feed(at(float(second), None, 20.0 * second), None, "flying", True)
    assert (life.state, life.over(59.0)) == ("flying", "")
    for second in range(60, 190):
        life.feed(at(float(second), None, 1200.0 + 5.0 * math.sin(second)), None, "flying", True)
        assert life.state == ("flying" if second < 70 else life.state)
    assert life.state == "paddock"
    assert life.over(189.0).startswith("stood for ")


def test_the_track_is_near_in_the_paddock_and_recognised_on_its_line(tracks: dict[str, Track]) -> None:
    surroundings = Surroundings(tracks)
    finder, fusion = PlaceFinder(tracks, surroundings), Fusion(split_drive.streams())
    found_at = None
    for sample in split_drive.drive(30.0):
        frame = fusion.feed(sample)
        if frame is not None and finder.feed(frame):
            found_at = frame.t
        if sample.t == 0.0 and frame is not None:
            assert [track.id for track in finder.near] == ["sonoma"], "its words can be made ready"
    assert finder.track == "sonoma"
    assert found_at is not None
    assert found_at < 15.0


def test_an_unknown_place_is_said_to_be_unknown_soon(tracks: dict[str, Track]) -> None:
    finder = PlaceFinder(tracks, Surroundings(tracks))
    for tenth in range(200):
        finder.feed(at(tenth / 10.0, 20.0, 2.0 * tenth))
    assert finder.track == ""
    assert finder.nowhere


def test_a_session_is_of_one_place(tracks: dict[str, Track]) -> None:
    sonoma = tracks["sonoma"]
    leaving = Leaving(sonoma, Surroundings(tracks))
    gate = sonoma.gate

    def beside(t: float, km: float) -> Frame:
        return Frame(t, lat_deg=gate.a_lat_deg + km / 111.195, lon_deg=gate.a_lon_deg, speed_mps=20.0)

    assert not any(leaving.feed(beside(float(second), 0.5)) for second in range(30))
    gone = [leaving.feed(beside(30.0 + second, 8.0)) for second in range(20)]
    assert gone.index(True) == 10
