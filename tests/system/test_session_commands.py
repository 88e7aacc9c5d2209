"""`pitwall sessions ACTION`: what a person says of a session holds, and nothing is lost by it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from club import club_circuit
from stored_facts import report_on

from pitwall.analysis.compose import compose_debrief
from pitwall.analysis.lessons import date_of
from pitwall.analysis.port import Facts
from pitwall.analysis.report import progress_on
from pitwall.analysis.tools import Tools
from pitwall.api.changes import apply, import_recording, judge_all
from pitwall.cli import main
from pitwall.config import Home
from pitwall.contract.changes import Delete, EmptyTrash, MarkLaps, Match, Redate, Rename, Restore, Tag
from pitwall.drive.rebuild import rebuilder
from pitwall.paddock.context import sections
from pitwall.simulator.plan import START_UTC_S, Driver, Mistake, SimulationPlan
from pitwall.simulator.simulate import simulate_to_file
from pitwall.store import queries
from pitwall.store.errors import StoreError, UnknownSessionError
from pitwall.store.queries import SessionRow, when_driven
from pitwall.store.store import Store, recover

Drive = Callable[..., SessionRow]
Make = Callable[..., Path]
DAY_S = 86_400.0


@pytest.fixture
def store(home: Home) -> Iterator[Store]:
    (home.track_data / "club.json").write_bytes(msgspec.json.encode(club_circuit()))
    with Store(home) as opened:
        opened.open()
        yield opened


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def made(name: str = "day.vbo", format: str = "vbo", **changes: object) -> Path:
        plan = SimulationPlan(**{"laps": 2, "rate_hz": 5.0, "driver": Driver(variation=0.03), **changes})  # type: ignore[arg-type]
        simulate_to_file(club_circuit(), plan, format, tmp_path / name)
        return tmp_path / name

    return made


@pytest.fixture
def drive(store: Store, make: Make) -> Drive:
    def driven(name: str = "day.vbo", format: str = "vbo", **changes: object) -> SessionRow:
        return queries.session(store, import_recording(store, make(name, format, **changes)).session)

    return driven


@pytest.mark.long
def test_a_name_is_accepted_wherever_a_session_is_named(store: Store, drive: Drive) -> None:
    row = drive()
    other = drive("next.vbo", start_utc_s=START_UTC_S + DAY_S, seed=2)
    apply(store, Rename(session=row.id, name="Früh, nass"))
    assert queries.session(store, "früh, NASS").id == row.id
    assert Facts(store).sessions()[0].name == "Früh, nass"
    for name in ("FRÜH, nass", "last", "2025"):
        with pytest.raises(StoreError):
            apply(store, Rename(session=other.id, name=name))
    apply(store, Tag(session=row.id, add=("rain", "new tyres")))
    apply(store, Tag(session=row.id, add=("rain",), remove=("new tyres",)))
    assert queries.session(store, row.id).tags == ("rain",)
    apply(store, Rename(session="Früh, nass", name=None))
    with pytest.raises(UnknownSessionError):
        queries.session(store, "Früh, nass")


@pytest.mark.long
def test_sessions_go_by_the_date_that_a_person_gives(store: Store, drive: Drive) -> None:
    first, second = drive(), drive("next.vbo", start_utc_s=START_UTC_S + DAY_S, seed=2)
    assert queries.resolve_session(store, "last") == second.id
    apply(store, Redate(session=first.id, driven="2026-05-02"))
    assert queries.resolve_session(store, "last") == first.id
    assert when_driven(queries.session(store, first.id)) == "2026-05-02 17:00", "the time of day stays"
    apply(store, Redate(session=first.id, driven=""))
    assert queries.resolve_session(store, "last") == second.id


@pytest.mark.long
def test_a_log_without_a_date_gets_one(store: Store, drive: Drive) -> None:
    row = drive("day.csv", "vbox-csv")
    assert (row.driven_utc_s, row.id[:8]) == (None, "undated-")
    assert when_driven(row) == "17:00, day not known"
    judge_all(store)
    facts = Facts(store)
    told = "".join(each.text for each in sections(Tools(facts), facts, "how was it?"))
    assert ", 17:00, day not known" in told
    assert date_of(row.created_utc_s, dated=True) not in told, "the day of the import"
    assert [each.at_utc_s for each in progress_on(facts, "club").sessions] == [None]
    apply(store, Redate(session=row.id, driven="2024-06-01"))
    assert when_driven(queries.session(store, row.id)) == "2024-06-01 17:00"
    [driven] = [each for each in Facts(store).events(row.id) if each.kind == "profile.driven"]
    assert '"dated":true' in driven.detail
    with pytest.raises(StoreError, match="is no date"):
        apply(store, Redate(session=row.id, driven="2024-13-01"))


@pytest.mark.long
def test_what_was_deleted_comes_back_whole_until_the_trash_is_emptied(store: Store, drive: Drive) -> None:
    mistake = Mistake("turn_4", "overslow", 3.0, 3, 5)
    days = [
        drive(
            f"{n}.vbo",
            start_utc_s=START_UTC_S + n * DAY_S,
            seed=n + 1,
            laps=5,
            driver=Driver(),
            mistakes=(mistake,),
        )
        for n in range(2)
    ]
    judge_all(store)
    before = Facts(store).lessons()
    assert [lesson for lesson in before if lesson.active and lesson.corner == "turn_4"]
    apply(store, Tag(session=days[1].id, add=("wet",)))
    apply(store, Delete(sessions=(days[1].id,)))
    assert [row.id for row in queries.sessions(store)] == [days[0].id]
    assert not any(
        each.session == days[1].id for lesson in Facts(store).lessons() for each in lesson.evidence
    )
    assert store.trash() == [days[1].id]
    apply(store, Restore(sessions=(days[1].id[:-2],)))
    back = queries.session(store, days[1].id)
    assert (back.laps, back.best_lap_s, back.tags) == (days[1].laps, days[1].best_lap_s, ("wet",))
    assert [lesson.evidence for lesson in Facts(store).lessons() if lesson.active] == [
        lesson.evidence for lesson in before if lesson.active
    ]
    apply(store, Delete(sessions=(days[1].id,)))
    apply(store, EmptyTrash())
    assert store.trash() == []
    with pytest.raises(StoreError, match="is not in the trash"):
        apply(store, Restore(sessions=(days[1].id,)))


@pytest.mark.long
def test_a_track_that_a_person_chose_holds_over_a_rebuild(store: Store, drive: Drive) -> None:
    row = drive()
    assert row.track == "club"
    apply(store, Match(sessions=(row.id,), track=""))
    assert queries.session(store, row.id).track == ""
    assert apply(store, Match()).sessions == (), "a chosen track is not out of date"
    store.pend(store.home.journals / f"{row.id}.pwj", "for this test")
    recover(store, rebuilder(store.home, store))
    assert queries.session(store, row.id).track == ""
    apply(store, Match(sessions=(row.id,), track="auto"))
    again = queries.session(store, row.id)
    assert (again.track, again.best_lap_s) == ("club", row.best_lap_s)
    with pytest.raises(StoreError, match="there is no track nowhere"):
        apply(store, Match(sessions=(row.id,), track="nowhere"))


@pytest.mark.long
def test_a_marked_lap_counts_nowhere_and_stays_marked_over_a_rebuild(store: Store, drive: Drive) -> None:
    row = drive(laps=3)
    facts, laps = Facts(store), queries.laps(store, row.id)
    best = min((lap for lap in laps if lap.kind == "flying"), key=lambda lap: lap.time_s or 0.0)
    [line] = apply(store, MarkLaps(session=row.id, laps=(best.number,), mark="traffic")).lines
    assert line == f"lap {best.number}: traffic"

    def others() -> None:
        marked = next(lap for lap in queries.laps(store, row.id) if lap.number == best.number)
        assert (marked.kind, marked.time_s) == ("traffic", best.time_s)
        assert queries.session(store, row.id).best_lap_s > best.time_s  # type: ignore[operator]
        report = report_on(facts, row)
        assert best.number not in report.potential.laps
        assert report.reference_lap != best.number
        assert f"You marked lap {best.number} as traffic: it does not count." in compose_debrief(report)

    others()
    [driven] = [each for each in facts.events(row.id) if each.kind == "profile.driven"]
    assert best.number not in msgspec.json.decode(driven.detail)["laps"]
    apply(store, Match(sessions=(row.id,)))
    others()
    store.pend(store.home.journals / f"{row.id}.pwj", "for this test")
    recover(store, rebuilder(store.home, store))
    others()
    apply(store, MarkLaps(session=row.id, laps=(best.number,), mark="clear"))
    assert queries.laps(store, row.id) == laps
    with pytest.raises(StoreError, match="there is no lap 9"):
        apply(store, MarkLaps(session=row.id, laps=(9,), mark="yellow"))


def test_the_commands(home: Home, make: Make, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: str) -> str:
        assert main(["--home", str(home.root), *words]) == 0, capsys.readouterr().err
        return capsys.readouterr().out

    (home.track_data / "club.json").write_bytes(msgspec.json.encode(club_circuit()))
    session = run("import", str(make())).split("session ")[1].split(",")[0]
    assert "is 'wet race' now" in run("sessions", "rename", "last", "wet race")
    run("sessions", "tag", "wet race", "rain")
    run("sessions", "date", "wet race", "2026-05-02", "14:03")
    assert "lap 2: yellow" in run("sessions", "mark", "wet race", "1", "2", "yellow")
    assert run("laps", "wet race").count("yellow") == 2
    listed = run("sessions")
    assert all(each in listed for each in ("wet race", "2026-05-02 14:03", club_circuit().name, "rain"))
    assert session in run("laps", "wet race")
    assert main(["--home", str(home.root), "sessions", "delete", "wet race"]) == 2, "nobody can be asked"
    assert "--yes" in capsys.readouterr().err
    run("sessions", "delete", "wet race", "--yes")
    assert session in run("sessions", "trash")
    assert "is back" in run("sessions", "restore", session)
    assert "wet race" in run("sessions")
    assert main(["--home", str(home.root), "sessions", "rename", "last", "a/b"]) == 2
    assert "a name has 1 to 60 characters" in capsys.readouterr().err


@pytest.mark.long
def test_a_second_file_counts_where_the_first_was_measured_without_the_track(
    store: Store, drive: Drive
) -> None:
    first = drive()
    second = drive("day.csv", "racechrono")
    assert second.same_as == first.id
    apply(store, Match(sessions=(first.id,), track=""))
    assert [row.id for row in queries.sessions(store) if row.counts and row.track] == [second.id]
    apply(store, Match(sessions=(first.id,), track="auto"))
    assert [row.id for row in queries.sessions(store) if row.counts] == [first.id]


def test_tyres_of_a_session_and_of_a_stint_and_a_goal_are_noted_from_the_command_line(
    store: Store,
    drive: Drive,
    home: Home,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    session = drive("day.vbo", laps=4).id
    store.close()
    monkeypatch.setenv("PITWALL_HOME", str(home.root))
    assert main(["sessions", "note", session, "--tyres", "A052", "--pressures", "1.8,1.8,1.7,1.7"]) == 0
    assert main(["sessions", "note", session, "--from-lap", "3", "--tyres", "AR1"]) == 0
    assert main(["sessions", "note", session, "--air", "31"]) == 0
    assert main(["sessions", "note", session, "--pressures", "1.8"]) == 2
    assert main(["sessions", "note", session, "--fuel", "much"]) == 2
    assert main(["sessions", "note", session]) == 2
    assert main(["sessions", "goal", "club", "0:20.5", "--by", "2027-05"]) == 0
    capsys.readouterr()
    assert main(["ask", "make a plan for the next session"]) == 0
    assert "Your goal here, 20.500, is" in capsys.readouterr().out
    store.open()
    noted = queries.session(store, session).conditions
    assert (noted.tyres, noted.pressures_bar, noted.air_c) == ("A052", (1.8, 1.8, 1.7, 1.7), 31.0)
    assert [(each.from_lap, each.conditions.tyres) for each in noted.stints] == [(3, "AR1")]
