"""The same drive in two files is noticed by where the car was and when, and counts once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import msgspec
import pytest
from club import club_circuit
from driven_home import opened

from pitwall.analysis.port import Facts
from pitwall.analysis.report import progress_on
from pitwall.config import Home
from pitwall.drive.prepare import prepare_words
from pitwall.drive.replay import Replay, ReplayOptions, import_file
from pitwall.simulator.plan import START_UTC_S, Driver, SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store import queries
from pitwall.store.edits import SessionEdit, put_edit
from pitwall.store.queries import SessionRow
from pitwall.store.same_drive import mark_same_drive
from pitwall.store.store import Store

Write = Callable[..., Path]
# No two laps of a person are alike.
DRIVER = Driver(variation=0.03)


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    (home.track_data / "club.json").write_bytes(msgspec.json.encode(club_circuit()))
    with opened(home) as made:
        yield made


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(name: str, format: str = "vbo", **changes: object) -> Path:
        plan = SimulationPlan(**{"laps": 3, "driver": DRIVER, **changes})  # type: ignore[arg-type]
        simulate_to_file(club_circuit(), plan, format, tmp_path / name)
        return tmp_path / name

    return written


def taken(store: Store, path: Path) -> SessionRow:
    session = import_file(path, store.home, store).session
    mark_same_drive(store, session)
    return queries.session(store, session)


@pytest.mark.long
def test_one_day_in_two_formats(store: Store, write: Write) -> None:
    first = taken(store, write("day.vbo"))
    second = taken(store, write("day.csv", "racechrono"))
    assert (first.same_as, second.same_as) == ("", first.id)
    assert len(progress_on(Facts(store), "club").sessions) == 1
    assert queries.resolve_session(store, "last") == first.id


@pytest.mark.long
def test_a_trimmed_file_gives_way_to_the_whole_one(store: Store, write: Write) -> None:
    whole = write("day.vbo")
    lines = whole.read_text().splitlines(keepends=True)
    trimmed = whole.with_name("trimmed.vbo")
    trimmed.write_text("".join(lines[: len(lines) * 2 // 3]))
    part = taken(store, trimmed)
    assert part.same_as == ""
    all_of_it = taken(store, whole)
    assert queries.session(store, part.id).same_as == all_of_it.id
    assert all_of_it.same_as == ""
    assert all_of_it.laps > part.laps > 0


@pytest.mark.long
def test_a_log_without_a_date_is_the_drive_that_it_shows(store: Store, write: Write) -> None:
    dated = taken(store, write("day.vbo"))
    undated = taken(store, write("day.csv", "vbox-csv"))
    assert undated.start_utc_s is None
    assert undated.same_as == dated.id
    assert queries.when_driven(undated).endswith(", day not known")
    another = taken(store, write("other.csv", "vbox-csv", seed=7))
    assert another.same_as == "", "another drive on the same track"


@pytest.mark.long
def test_another_day_and_another_car_are_drives_of_their_own(store: Store, write: Write) -> None:
    first = taken(store, write("day.vbo"))
    later = taken(store, write("later.vbo", start_utc_s=START_UTC_S + 86_400.0))
    behind = taken(store, write("behind.vbo", start_utc_s=START_UTC_S + 1.5, seed=7))
    assert (later.same_as, behind.same_as) == ("", "")
    put_edit(store, SessionEdit(session=later.id, driven_utc_s=first.start_utc_s))
    assert mark_same_drive(store, later.id) == first.id, "a person says that the logger's date was wrong"


@pytest.mark.long
def test_a_replay_is_no_drive(store: Store, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pitwall.drive.replay.prepare_words", partial(prepare_words, render=False))
    path = write("day.vbo")
    Replay(path, store.home, store, ReplayOptions()).run()
    first = taken(store, path)
    assert first.same_as == ""
    assert [row.counts for row in queries.sessions(store)] == [True, False]
    assert queries.resolve_driven(store, "last") == first.id
    assert len(progress_on(Facts(store), "club").sessions) == 1
