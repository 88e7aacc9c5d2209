"""A coach that fails costs no recording."""

from __future__ import annotations

from pathlib import Path

import pytest

from pitwall.coach.coach import Coach
from pitwall.config import Home, shipped
from pitwall.drive.replay import import_file
from pitwall.simulator.plan import SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store import queries
from pitwall.store.store import Store
from pitwall.track.library import load_track


def test_a_recording_is_stored_whole_where_the_coach_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "day.vbo"
    track = load_track(shipped("track_data") / "sonoma.json")
    simulate_to_file(track, SimulationPlan(laps=1), "vbo", file)
    frames = 0

    def failing(*_: object) -> None:
        nonlocal frames
        frames += 1
        if frames == 1_000:
            raise ZeroDivisionError("a fault of the coach")

    monkeypatch.setattr(Coach, "frame", failing)
    store = Store(Home(tmp_path / "home"))
    store.open()
    try:
        imported = import_file(file, store.home, store)
        [session] = queries.sessions(store)
        assert (session.id, session.complete) == (imported.session, True)
        assert [lap.kind for lap in queries.laps(store, session.id)] == ["out", "flying", "in"]
    finally:
        store.close()
    assert frames == 1_000
    assert "the coach failed" in caplog.text
