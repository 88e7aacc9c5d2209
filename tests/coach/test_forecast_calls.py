"""Calls that the network times: what is said when; a file, a journal and a car at any speed say the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from taken import replay

from pitwall.coach.cue import LedgerLine, ledger_json
from pitwall.coach.lead import REACTION_S
from pitwall.coach.model.forecaster import Run
from pitwall.coach.model.network import Network, installed
from pitwall.config import shipped
from pitwall.drive.controls import NO_FORECAST
from pitwall.track.library import load_track

SIMULATED = Path(__file__).resolve().parents[2] / "scripts" / "data" / "sonoma-simulated.vbo"
needs_litert = pytest.mark.skipif(not installed(), reason="the extra litert is not installed")
# A prime, so that it falls anywhere in a lap.
BROKEN_OFF_EVERY = 997


def drive(run: Run | None, told: str, *, broken_off: bool = False) -> list[LedgerLine]:
    """The ledger of the simulated drive with a network that is run so, and what its path is told of it."""
    track, every = load_track(shipped("track_data") / "sonoma.json"), BROKEN_OFF_EVERY * broken_off
    return replay(SIMULATED, track, ("forecast", told), run=run, broken_off_every=every).lines


def missed_by_s(line: LedgerLine) -> float:
    """Return how far the time in hand is from the predicted one."""
    assert line.time_in_hand_s is not None
    assert line.predicted_in_hand_s is not None
    return abs(line.time_in_hand_s - line.predicted_in_hand_s)


@needs_litert
@pytest.mark.long
def test_the_network_times_calls_and_a_path_that_was_frozen_says_the_same() -> None:
    network = Network()
    lines = drive(network.run, network.card.sha256)
    timed = [line for line in lines if line.tier == "litert"]
    plain = {(line.lap, line.corner, line.concept): line for line in drive(None, f"{NO_FORECAST}: none")}
    assert timed
    for line in timed:
        assert "timed by the forecast" in line.reason
        assert line.time_in_hand_s >= REACTION_S
        # The rules err for the same call, the forecast by half of that at most.
        assert missed_by_s(line) < 0.5 * missed_by_s(plain[line.lap, line.corner, line.concept])
    again = drive(network.run, network.card.sha256, broken_off=True)
    assert [ledger_json(line) for line in again] == [ledger_json(line) for line in lines]


@pytest.mark.long
def test_without_the_network_the_rules_time_each_call_and_one_that_fails_ends_nothing() -> None:
    def fails(features: object) -> list[float]:
        raise RuntimeError("the interpreter failed")

    plain, failed = drive(None, f"{NO_FORECAST}: it is not there"), drive(fails, "a network")
    assert any(line.action_distance_m is not None and line.lead_s is not None for line in plain)
    assert [ledger_json(line) for line in failed] == [ledger_json(line) for line in plain]
    assert {line.tier for line in plain} == {"rule"}
