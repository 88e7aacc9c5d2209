"""`pitwall sessions merge` killed at any step: nothing is lost, and the drive counts once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from club import club_circuit

from pitwall.analysis.port import Facts
from pitwall.api.changes import apply, import_recording
from pitwall.config import Home
from pitwall.contract.changes import Rename
from pitwall.drive.rebuild import rebuilder
from pitwall.simulator.plan import START_UTC_S, Driver, SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store import queries
from pitwall.store.lessons import Evidence, Lesson, put_lessons
from pitwall.store.queries import SessionRow
from pitwall.store.store import Store, recover

CHILD = Path(__file__).with_name("killed_merges.py")


@pytest.mark.long
def test_a_merge_that_is_killed_loses_nothing_and_counts_once(home: Home, tmp_path: Path) -> None:
    (home.track_data / "club.json").write_bytes(msgspec.json.encode(club_circuit()))
    with Store(home) as store:
        store.open()
        originals = []
        for number in (1, 2):
            plan = SimulationPlan(
                laps=1, seed=number, start_utc_s=START_UTC_S + number * 1_200.0, driver=Driver()
            )
            path = tmp_path / f"{number}.vbo"
            simulate_to_file(club_circuit(), plan, "vbo", path)
            originals.append(import_recording(store, path).session)
        apply(store, Rename(session=originals[1], name="finals"))
        put_lessons(store, [lesson_of(originals)])
    copies = tmp_path / "copies"
    copies.mkdir()
    subprocess.run([sys.executable, str(CHILD), str(home.root), str(copies), *originals], check=True)

    *killed, whole = sorted(copies.iterdir())
    [joined] = after_the_next_start(Home(whole))
    kinds = set()
    for copy in killed:
        rows = after_the_next_start(Home(copy))
        ids, counted = {row.id for row in rows}, [row for row in rows if row.counts]
        assert ids >= set(originals) or joined.id in ids, copy
        assert sum(row.samples for row in counted) == joined.samples, copy
        assert "finals" in {row.name for row in counted}, copy
        kinds.add(frozenset(ids - {joined.id}) if joined.id in ids else None)
    print(len(killed), "kills")
    assert kinds == {None, frozenset(originals), frozenset(originals[1:]), frozenset()}
    with Store(Home(whole)) as store:
        store.open()
        assert not [each for lesson in Facts(store).lessons() for each in lesson.evidence]
        assert store.trash() == sorted(originals)


def lesson_of(sessions: list[str]) -> Lesson:
    evidence = tuple(Evidence(session=each, at_utc_s=START_UTC_S, laps=(1, 2)) for each in sessions)
    return Lesson(
        id="fault-1", kind="fault", driver="", track="club", corner="turn_4", cause="coasts",
        text="", words="", evidence=evidence, active=True,
        created_utc_s=START_UTC_S, updated_utc_s=START_UTC_S,
    )  # fmt: skip


def after_the_next_start(home: Home) -> list[SessionRow]:
    """The sessions there, by their ids."""
    with Store(home) as store:
        store.open()
        recover(store, rebuilder(home, store))
        rows = sorted(queries.sessions(store), key=lambda row: row.id)
        assert sorted(path.name for path in home.journals.iterdir()) == [f"{row.id}.pwj" for row in rows]
        return rows
