"""`pitwall sessions merge` killed at any step: the next start finds the originals, or the joined session."""

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
from pitwall.store.store import Store, recover

CHILD = Path(__file__).with_name("killed_merges.py")


@pytest.mark.long
def test_a_merge_that_is_killed_leaves_the_originals_or_the_joined_session(
    home: Home, tmp_path: Path
) -> None:
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
    found = {copy: after_the_next_start(Home(copy)) for copy in (*killed, whole)}
    joined, _, samples, evidence = found[whole]
    assert (len(joined), evidence) == (1, set()), found[whole]
    for copy in killed:
        if found[copy][0] == tuple(originals):
            assert found[copy] == (tuple(originals), ("", "finals"), samples, set(originals)), copy
        else:
            assert found[copy] == found[whole], copy
    print(len(killed), "kills")
    kinds = [found[copy][0] for copy in killed]
    assert kinds == sorted(kinds, key=lambda each: each == joined), "first the originals, then the joined one"
    assert {tuple(originals), joined} == set(kinds)


def lesson_of(sessions: list[str]) -> Lesson:
    evidence = tuple(Evidence(session=each, at_utc_s=START_UTC_S, laps=(1, 2)) for each in sessions)
    return Lesson(
        id="fault-1", kind="fault", driver="", track="club", corner="turn_4", cause="coasts",
        text="", words="", evidence=evidence, active=True,
        created_utc_s=START_UTC_S, updated_utc_s=START_UTC_S,
    )  # fmt: skip


def after_the_next_start(home: Home) -> tuple[tuple[str, ...], tuple[str, ...], int, set[str]]:
    """The sessions there and their names, how many samples, and of which sessions the lessons tell."""
    with Store(home) as store:
        store.open()
        recover(store, rebuilder(home, store))
        rows = sorted(queries.sessions(store), key=lambda row: row.id)
        names = sorted(path.name for path in home.journals.iterdir())
        assert names == [f"{row.id}.pwj" for row in rows]
        assert store.trash() == [] or len(rows) == 1
        lessons = Facts(store).lessons()
        return (
            tuple(row.id for row in rows),
            tuple(row.name for row in rows),
            sum(row.samples for row in rows),
            {each.session for lesson in lessons for each in lesson.evidence},
        )
