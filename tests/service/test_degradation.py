"""What is lost while driving: known at once, told once, and nothing is called that can't be known."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator

import pytest
import split_drive
from split_drive import CAR_ID, GPS_ID

from pitwall.coach.cue import Callout, LedgerLine
from pitwall.config import Home
from pitwall.drive.controls import control
from pitwall.drive.degradation import ROWS, TABLE, Degradations
from pitwall.drive.prepare import DriveSettings, Words, known_tracks, prepare_words
from pitwall.drive.session import DriveListener, DriveSession, Supplies
from pitwall.telemetry.recordings.journal import ControlRecord
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.track.lap import Lap
from pitwall.words.language import ENGLISH

DETECTED_S = 0.5


class Driven(DriveListener):
    """A live path at Sonoma with all its words, and what came of it."""

    def __init__(self, home: Home) -> None:
        tracks = known_tracks(home)[0]
        words = prepare_words(home, tracks["sonoma"], sound=True)

        def words_of(*_: object) -> Words:
            return words

        self.lines: list[LedgerLine] = []
        self.callouts: list[Callout] = []
        self.laps: list[Lap] = []
        self.path = DriveSession(Supplies(tracks, words_of), DriveSettings(), (self,), begun_t=0.0)
        self.path.control(control(0.0, "words", "sonoma"))
        for stream in split_drive.streams():
            self.path.stream(stream)
        self.lost_at: dict[str, float] = {}
        self.back_at: dict[str, float] = {}

    def lap(self, lap: Lap) -> None:
        self.laps.append(lap)

    def callout(self, callout: Callout) -> None:
        self.callouts.append(callout)

    def ledger(self, line: LedgerLine) -> None:
        self.lines.append(line)

    def feed(self, samples: Iterable[Sample | ControlRecord]) -> Driven:
        """Drive; the track is told after 12 s, as the finder does."""
        for sample in samples:
            if sample.t > 12.0 and self.path.track is None:
                self.path.control(control(self.path.t, "track", "sonoma"))
            if isinstance(sample, ControlRecord):
                self.path.control(sample)
            else:
                self.path.feed(sample)
            lost = {one.row.name for one in self.path.degradations.standing()}
            for row in TABLE:
                if row.name in lost:
                    self.lost_at.setdefault(row.name, self.path.t)
                elif row.name in self.lost_at:
                    self.back_at.setdefault(row.name, self.path.t)
        return self

    def told(self) -> list[tuple[str, float]]:
        """The status messages that were said, by key, and when."""
        keys = {text: key for key, text in ENGLISH.fixed.items()}
        return [(keys[each.text], each.t) for each in self.callouts if each.text in keys]


@pytest.fixture
def driven(spoken_home: Home) -> Driven:
    return Driven(spoken_home)


def with_ticks(samples: Iterable[Sample], from_t: float, to_t: float) -> Iterator[Sample | ControlRecord]:
    """The samples, and in the silence between two times the ticks that the daemon makes then."""
    ticked = False
    for sample in samples:
        if sample.t >= to_t and not ticked:
            ticked = True
            for step in range(1, int((to_t - from_t) * 10)):
                yield control(from_t + step / 10.0, "tick")
        yield sample


def test_without_can_it_is_told_once_and_the_coach_goes_on_by_gps(driven: Driven) -> None:
    driven.feed(split_drive.drive(140.0, {CAR_ID: (60.0, 100.0)}))
    assert driven.lost_at["can"] - 60.0 <= DETECTED_S
    assert 102.0 <= driven.back_at["can"] <= 102.3
    assert [key for key, _ in driven.told()] == ["can_lost", "can_back"]
    called = [line for line in driven.lines if "spoken" in line.outcome and 61.0 < line.t < 101.0]
    assert "approach" in {line.phase for line in called}


def test_a_source_that_comes_and_goes_is_told_twice_then_called_so_once() -> None:
    standing = Degradations()
    told = []
    for tenth in range(3_000):
        t = tenth / 10.0
        if tenth % 200 == 0:
            standing.lost("can", t, "a loose plug")
        elif tenth % 200 == 40:
            standing.back("can", t)
        due = standing.due(t, True)
        if due is not None:
            told.append((t, due[0]))
    assert told == [
        (1.0, "can_lost"), (4.0, "can_back"), (21.0, "can_lost"), (24.0, "can_back"), (41.0, "can_flaky"),
    ]  # fmt: skip


def test_without_gps_the_place_is_reckoned_for_five_seconds_then_timing_pauses(driven: Driven) -> None:
    driven.feed(split_drive.drive(170.0, {GPS_ID: (140.0, 155.0)}))
    assert driven.lost_at["gps"] - 140.0 <= DETECTED_S
    assert driven.back_at["gps"] <= 157.3
    (lost, lost_t), (back, back_t) = driven.told()
    assert (lost, back) == ("gps_lost", "gps_back")
    assert 143.2 <= lost_t <= 143.6
    assert 157.0 <= back_t <= 157.4
    assert driven.path.position is not None
    assert driven.path.position.status == "on"


def test_a_short_hole_of_gps_is_nobodys_business(driven: Driven) -> None:
    driven.feed(split_drive.drive(160.0, {GPS_ID: (140.0, 142.5)}))
    assert "gps" in driven.lost_at
    assert driven.told() == []


def test_while_gps_is_gone_the_status_goes_from_reckoned_to_lost(driven: Driven) -> None:
    driven.feed(split_drive.drive(143.0, {GPS_ID: (140.0, 155.0)}))
    assert driven.path.position is not None
    assert driven.path.position.status == "reckoned"
    driven.feed(sample for sample in split_drive.drive(149.0, {GPS_ID: (0.1, 999.0)}) if sample.t > 143.0)
    assert driven.path.position.status == "lost"


def test_no_data_at_all_is_one_message_and_hides_the_smaller_losses(driven: Driven) -> None:
    gone = {GPS_ID: (140.0, 150.0), CAR_ID: (140.0, 150.0)}
    driven.feed(with_ticks(split_drive.drive(165.0, gone), 139.9, 150.0))
    assert driven.lost_at["sources"] - 140.0 <= DETECTED_S
    assert [key for key, _ in driven.told()][:2] == ["data_lost", "data_back"]
    assert "can_lost" not in dict(driven.told())


IMU_ID = 2


def with_imu(samples: Iterable[Sample], gone: tuple[float, float]) -> Iterator[Sample]:
    """The samples, and beside each what a motion sensor says, but for the time when it is gone."""
    for sample in samples:
        yield sample
        if not gone[0] <= sample.t < gone[1]:
            yield Sample(IMU_ID, sample.t, (0.4 * math.sin(sample.t), 0.2 * math.cos(sample.t)))


def imu_stream() -> Stream:
    return Stream(IMU_ID, "phone:imu", (Channel("g_lat", "g", "g_lat"), Channel("g_long", "g", "g_long")))


def test_without_its_motion_sensor_it_is_told_once_and_nothing_is_off(driven: Driven) -> None:
    driven.path.stream(imu_stream())
    driven.feed(with_imu(split_drive.drive(200.0), (130.0, 160.0)))
    assert driven.lost_at["imu"] - 130.0 <= DETECTED_S
    assert 162.0 <= driven.back_at["imu"] <= 162.3
    assert [key for key, _ in driven.told()] == ["imu_lost", "imu_back"]
    assert not [line for line in driven.lines if "imu lost" in line.reason]


def test_of_gps_and_motion_sensor_of_one_phone_gps_alone_is_told(driven: Driven) -> None:
    driven.path.stream(imu_stream())
    gone = (140.0, 155.0)
    driven.feed(with_imu(split_drive.drive(170.0, {GPS_ID: gone}), gone))
    assert [key for key, _ in driven.told()] == ["gps_lost", "gps_back"]


@pytest.mark.parametrize(("name", "why"), [("disk", "300 MB free, 500 MB wanted"), ("phone", "heat severe")])
def test_what_the_daemon_finds_lost_is_told_once_and_once_when_it_is_back(
    name: str, why: str, driven: Driven
) -> None:
    told = [control(130.0, "lost", f"{name}: {why}"), control(160.0, "back", name)]
    driven.feed(heapq.merge(split_drive.drive(200.0), told, key=lambda each: each.t))
    assert [key for key, _ in driven.told()] == [ROWS[name].lost, ROWS[name].back]
    [line] = [line for line in driven.lines if line.text == ENGLISH.fixed[ROWS[name].lost]]
    assert why in line.reason


@pytest.mark.parametrize(("since_t", "times"), [(131.5, 2), (140.0, 1)], ids=["cut off", "heard before"])
def test_what_nobody_heard_is_told_again_where_it_is_still_so(
    since_t: float, times: int, driven: Driven
) -> None:
    told = [
        control(130.0, "lost", "disk: 300 MB free, 500 MB wanted"),
        control(141.0, "unheard", f"{since_t}"),
        control(160.0, "back", "disk"),
        control(162.0, "unheard", "161.0"),
    ]
    driven.feed(heapq.merge(split_drive.drive(200.0), told, key=lambda each: each.t))
    lost, back = ROWS["disk"].lost, ROWS["disk"].back
    assert [key for key, _ in driven.told()] == [lost] * times + [back] * 2


@pytest.mark.parametrize(
    ("row", "why", "said"),
    [("headset", "the bluetooth headset is gone", ["headset_lost"]), ("call", "a phone call is on", [])],
)
def test_what_is_played_unheard_counts_as_not_heard_and_is_said_when_it_is_back(
    driven: Driven, row: str, why: str, said: list[str]
) -> None:
    told = [
        control(120.0, "lost", f"{row}: {why}"),
        control(130.0, "lost", "disk: 300 MB free, 500 MB wanted"),
        control(160.0, "back", row),
    ]
    driven.feed(heapq.merge(split_drive.drive(200.0), told, key=lambda each: each.t))
    assert [key for key, _ in driven.told()] == [*said, "disk_low", "audio_back", "disk_low"]
    outcomes = {line.outcome for line in driven.lines if 120.0 <= line.t < 160.0 and line.lead_s is not None}
    assert outcomes <= {"not heard"}
    first, second = (line for line in driven.lines if line.text == ENGLISH.fixed["disk_low"])
    assert first.outcome == "not heard"
    assert first.reason.endswith(why)
    assert "spoken" in second.outcome


def test_a_loss_that_perhaps_nobody_heard_is_told_well_again_in_any_case() -> None:
    """It was said in the second before a kill; the charger was plugged in before it could be said again."""
    standing = Degradations()
    standing.lost("phone", 1.0, "battery 9 %")
    assert standing.due(2.3, True) == (ROWS["phone"].lost, "phone: battery 9 %")
    standing.unheard(3.4)
    assert standing.due(8.0, True) is None
    standing.back("phone", 8.0)
    told = [standing.due(tenth / 10.0, True) for tenth in range(80, 300)]
    assert [each[0] for each in told if each] == [ROWS["phone"].back]


def test_a_loss_while_standing_is_nobodys_business() -> None:
    standing = Degradations()
    standing.lost("can", 1.0, "the engine is off")
    assert all(standing.due(tenth / 10.0, False) is None for tenth in range(10, 300))


def test_every_row_says_what_is_off_and_how_it_ends_and_speaks_in_known_phrases() -> None:
    for row in TABLE:
        assert row.effect
        assert not row.lost or row.lost in ENGLISH.fixed
        assert not row.back or row.back in ENGLISH.fixed
        assert set(row.covers) <= ROWS.keys()
    named = {
        "can",
        "gps",
        "imu",
        "sources",
        "store",
        "disk",
        "words",
        "audio",
        "headset",
        "volume",
        "call",
        "crew",
        "phone",
        "settings",
    }
    assert ROWS.keys() == named


QUIET_S = 345.0


@pytest.mark.parametrize("until", ["lap ended", "place proved", "session"])
def test_a_driver_who_wants_silence_has_it_and_it_ends_by_itself(until: str, driven: Driven) -> None:
    """Asked for in the out lap: a lap more is silent, and a whole lap proves a place."""
    asked = [control(60.0, "hush", until)]
    driven.feed(heapq.merge(split_drive.drive(QUIET_S), asked, key=lambda each: each.t))
    heard = (line for line in driven.lines if "spoken" in line.outcome)
    said = [line.t for line in heard if line.lead_s is not None or line.phase == "lap_time"]
    assert min(said) < 60.0
    over_t = {
        "lap ended": driven.laps[1].end_t,
        "place proved": 60.0 + driven.laps[1].time_s,
        "session": QUIET_S,
    }
    assert not [t for t in said if 60.0 < t <= over_t[until]]
    assert bool([t for t in said if t > over_t[until]]) == (until != "session")
