"""Calls that a forecast times: what is said when, and that a replay of what was told needs no network."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from taken import Taken, TimedWords
from until import until

from pitwall.coach.cue import LedgerLine, ledger_json
from pitwall.coach.lead import REACTION_S
from pitwall.coach.model.ahead import BEYOND_S, FRESH_S, Ahead, ahead_of
from pitwall.coach.model.forecast import Forecast
from pitwall.coach.model.forecaster import Forecaster
from pitwall.coach.model.network import Network, installed
from pitwall.coach.scripts import load_scripts
from pitwall.config import shipped
from pitwall.daemon.forecasts import Forecasts
from pitwall.drive.journal import place_again, records
from pitwall.drive.listeners import DriveListener
from pitwall.drive.prepare import DriveSettings
from pitwall.drive.recording import Fed, Recorder
from pitwall.drive.session import NO_FORECAST, DriveSession, Supplies, control
from pitwall.telemetry.frame import Frame
from pitwall.telemetry.recordings import open_recording
from pitwall.telemetry.recordings.journal import ControlRecord
from pitwall.track.lap import Position
from pitwall.track.library import load_track

SIMULATED = Path(__file__).resolve().parents[2] / "scripts" / "data" / "sonoma-simulated.vbo"
needs_litert = pytest.mark.skipif(not installed(), reason="the extra litert is not installed")

# 40 m/s, known to half a metre after each second.
SURE = Forecast(
    t=10.0,
    place_m=500.0,
    speed_mps=(40.0,) * 3,
    speed_low_mps=(39.0,) * 3,
    speed_high_mps=(41.0,) * 3,
    way_m=(40.0, 80.0, 120.0, 160.0),
    way_low_m=(39.5, 79.0, 118.5, 158.0),
    way_high_m=(40.5, 81.0, 121.5, 162.0),
    brake=(0.0,) * 3,
    throttle=(1.0,) * 3,
    better=True,
)


def rules(distance_m: float) -> float:
    """The rules count on a car that is a fifth faster."""
    return distance_m / 48.0


def test_a_fresh_and_tight_forecast_counts_from_the_present_fix() -> None:
    seen = ahead_of(SURE, 10.1, 504.0, 0.0, 4000.0)
    left_s, tier, told = seen.judge(81.0 - 4.0, rules, 1.0)
    assert (left_s, tier) == (pytest.approx(1.9), "litert")
    assert told == "timed by the forecast: 1.90 s, by the rules 1.60"
    # The same instant, by a fix that is 0.1 s old and lies where the forecast was made.
    older = ahead_of(SURE, 10.1, 500.0, 0.1, 4000.0)
    assert older.judge(81.0, rules, 1.0)[0] == pytest.approx(2.0)


def test_a_forecast_made_before_the_gate_holds_behind_it() -> None:
    before = msgspec.structs.replace(SURE, place_m=3998.0)
    assert ahead_of(before, 10.1, 2.0, 0.0, 4000.0).judge(77.0, rules, 1.0)[0] == pytest.approx(1.9)


def test_behind_its_last_second_the_way_goes_on_as_the_rules_say() -> None:
    seen = ahead_of(SURE, 10.0, 500.0, 0.0, 4000.0)
    left_s, tier, _ = seen.judge(162.0 + 48.0, rules, 1.0)
    assert (left_s, tier) == (pytest.approx(5.0), "litert")
    assert seen.judge(162.0 + 48.0 * (BEYOND_S + 0.1), rules, 1.0)[1] == "rule"


def test_a_late_wide_missing_or_worse_forecast_leaves_the_rules_to_decide() -> None:
    wide = msgspec.structs.replace(SURE, way_low_m=(30.0, 60.0, 90.0, 120.0))
    worse = msgspec.structs.replace(SURE, better=False)
    late = 10.0 + FRESH_S + 0.15
    for seen, told in (
        (ahead_of(wide, 10.0, 500.0, 0.0, 4000.0), ""),
        (ahead_of(worse, 10.0, 500.0, 0.0, 4000.0), ""),
        (ahead_of(SURE, late, 518.0, 0.0, 4000.0), "no forecast in time: the last is 0.5 s old"),
        (Ahead(None, "the network failed"), "no forecast: the network failed"),
    ):
        assert seen.judge(96.0, rules, 1.0) == (2.0, "rule", told)
    assert Ahead(None).judge(96.0, rules, 1.0) == (2.0, "rule", "no forecast came in time")
    # A call that was offered just now can't have one yet.
    assert Ahead(None).judge(96.0, rules, 0.1) == (2.0, "rule", "")


class Foresees(DriveListener):
    """Asks the network at once, where the daemon asks a thread."""

    def __init__(self, path: DriveSession) -> None:
        self.path, self.network = path, Network()
        self.forecaster: Forecaster | None = None
        self.compared: object = None
        self.told: ControlRecord | None = None

    def frame(self, frame: Frame, position: Position | None) -> None:
        path = self.path
        if path.track is None or path.reference is None:
            return
        if self.forecaster is None:
            self.forecaster = Forecaster(path.track, self.network.card.scales)
        if self.compared != (path.reference, path.last_driven):
            self.compared = (path.reference, path.last_driven)
            self.forecaster.compare_with(path.reference, path.last_driven)
        self.forecaster.feed(frame, position)
        question = self.forecaster.ask(frame.t)
        if question is not None:
            forecast = self.forecaster.take(question, self.network.run(question.features))
            if path.heads_for_a_place:
                self.told = control(frame.t, "forecast", msgspec.json.encode(forecast).decode())


def new_path() -> tuple[DriveSession, list[Fed]]:
    """The path of the simulated drive, and what it takes."""
    track = load_track(shipped("track_data") / "sonoma.json")
    words = TimedWords(load_scripts([shipped("audio_cache")], track), {}, ())
    settings = DriveSettings(audio_delay_s=0.06, software_s=0.02)
    recording = open_recording(SIMULATED)
    place = place_again(recording, {track.id: track})
    fed = list(records(recording, (control(0.0, "words", track.id), *place.controls)))
    return DriveSession(Supplies({track.id: track}, lambda *_: words), settings), fed


def drive(path: DriveSession, fed: list[Fed], *, foresee: bool = False) -> tuple[list[LedgerLine], list[Fed]]:
    """The ledger of these records, and the records with what the network told."""
    taken, all_fed = Taken(), list[Fed]()
    taken.path = path
    network = Foresees(path) if foresee else None
    recorder = Recorder(path, None, (taken,) if network is None else (taken, network))
    for record in fed:
        recorder.take(record)
        all_fed.append(record)
        if network is not None and network.told is not None:
            told, network.told = network.told, None
            recorder.take(told)
            all_fed.append(told)
    path.finish()
    return taken.lines, all_fed


@needs_litert
@pytest.mark.long
def test_a_forecast_times_calls_and_the_journal_alone_gives_the_same_ledger() -> None:
    lines, told = drive(*new_path(), foresee=True)
    timed = [line for line in lines if line.tier == "litert"]
    assert timed
    for line in timed:
        assert "timed by the forecast" in line.reason
        assert line.time_in_hand_s is not None
        assert line.predicted_in_hand_s is not None
        assert line.time_in_hand_s >= REACTION_S
        # The rules err by a tenth of the way; the forecast is nearer than that.
        assert abs(line.time_in_hand_s - line.predicted_in_hand_s) < 0.3
    assert any(line.tier == "rule" and line.action_distance_m is not None for line in lines)
    again, _ = drive(new_path()[0], told)
    assert [ledger_json(line) for line in again] == [ledger_json(line) for line in lines]


@pytest.mark.long
def test_without_the_network_the_rules_time_each_call_alone_and_the_ledger_says_why() -> None:
    path, fed = new_path()
    plain, _ = drive(path, fed)
    path, fed = new_path()
    failed, _ = drive(path, [*fed[:3], control(0.0, "forecast", f"{NO_FORECAST}: it is not there"), *fed[3:]])
    assert [line.tier for line in plain] == [line.tier for line in failed] == ["rule"] * len(plain)
    assert [(line.t, line.text, line.outcome) for line in plain] == [
        (line.t, line.text, line.outcome) for line in failed
    ]
    spoken = [line for line in failed if line.action_distance_m is not None and line.lead_s is not None]
    assert spoken
    assert all("no forecast: it is not there" in line.reason for line in spoken)
    assert not any("forecast" in line.reason for line in plain)


@needs_litert
async def test_the_daemon_asks_on_a_thread_and_tells_the_path_while_a_call_waits() -> None:
    path, fed = new_path()
    told: list[str] = []
    forecasts = Forecasts(lambda: path, told.append, deadline_s=60.0)
    assert forecasts.status().state == "waiting"

    class Heard(DriveListener):
        def frame(self, frame: Frame, position: Position | None) -> None:
            if path.lap_number >= 4:  # in which the first call comes that waits for its place
                forecasts.frame(frame, position)

    recorder = Recorder(path, None, (Heard(),))
    for record in fed:
        recorder.take(record)
        if forecasts.busy:
            await until(lambda: not forecasts.busy)
        if path.lap_number >= 4 and not forecasts.opened:
            await until(lambda: forecasts.opened)
        if len(told) > 2:
            break
    status = forecasts.status()
    assert (status.state, status.late) == ("on", 0)
    assert status.asked > len(told) > 2
    for each in told:
        assert msgspec.json.decode(each, type=Forecast).t <= path.t
    await forecasts.end()
    assert forecasts.status().state == "off"


async def test_a_network_that_is_not_wanted_is_never_opened() -> None:
    path, fed = new_path()
    forecasts = Forecasts(lambda: path, lambda detail: pytest.fail(detail), wanted=False)
    recorder = Recorder(path, None, ())
    for record in fed[:2000]:
        recorder.take(record)
        if path.frame is not None:
            forecasts.frame(path.frame, path.position)
    assert (forecasts.status().state, forecasts.status().why) == ("off", "coach.forecast is off")
