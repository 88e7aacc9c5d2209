"""`pitwall run` on the demo recording as if it were live: the laps and callouts of its replay."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from copies import link_clips
from heard import replayed
from running_daemon import DEMO, Daemon, write_settings

from pitwall.cli import main
from pitwall.coach.cue import LedgerLine
from pitwall.config import Home
from pitwall.drive.rebuild import rebuilder
from pitwall.store.queries import cues, laps, sessions
from pitwall.store.store import Store, recover
from pitwall.telemetry.recordings.journal import JournalRecording, LedgerRecord
from pitwall.track.lap import Lap

SPEED = 60
# Where the machine hiccups, a callout comes late by SPEED times that, and is not said: it is then driven
# again at a lower speed.
SPEEDS = (SPEED, 20, 6)
# The words are to be there when the car moves off, also on a loaded machine: it stands for 5 real seconds.
STANDS_S = 300


def played(status: Any) -> bool:
    """Whether the recording was played to its end, and all of it was taken."""
    source = status["sources"][0]
    return source["state"] == "stopped" and status["inbox"]["taken"] >= source["readings"] > 0


def said(lines: list[LedgerLine]) -> list[tuple[Any, ...]]:
    ordered = sorted(lines, key=lambda line: line.cue)
    # At SPEED times the speed a hiccup of the machine is as many times as long: the way that is left may then
    # take the short form alone, which ends at the comma.
    return [
        (line.cue, line.lap, line.corner, line.phase, line.text.partition(",")[0], line.outcome)
        for line in ordered
    ]


def journal_lines(path: Path) -> list[LedgerLine]:
    return [
        LedgerLine(**json.loads(record.line))
        for _, record in JournalRecording(path).records()
        if isinstance(record, LedgerRecord)
    ]


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory, sonoma_clips: Path) -> Home:
    made = Home(tmp_path_factory.mktemp("elsewhere"))
    made.prepare()
    link_clips(sonoma_clips, made.clips)
    return made


@pytest.mark.long
def test_driven_live_it_is_the_replay_of_the_recording_and_of_its_own_journal(
    spoken_home: Home, elsewhere: Home, tmp_path: Path
) -> None:
    drive = stands_before(DEMO, tmp_path / "stands.vbo")
    of_file = replayed(drive, elsewhere)
    for speed in SPEEDS:
        journal, live_laps, live_lines = driven_live(spoken_home, drive, speed)
        kinds = [(lap.number, lap.kind) for lap in live_laps]
        assert kinds == [(lap.number, lap.kind) for lap in of_file.laps]
        times = [(a.time_s, b.time_s) for a, b in zip(live_laps, of_file.laps, strict=True) if b.time_s]
        assert all(abs(live_s - file_s) <= 0.03 for live_s, file_s in times)
        of_journal = replayed(journal, elsewhere)
        assert sorted(of_journal.lines, key=lambda line: line.cue) == sorted(
            live_lines, key=lambda line: line.cue
        )
        assert journal_lines(journal) == of_journal.lines
        if said(live_lines) == said(of_file.lines):
            return
        shutil.rmtree(spoken_home.journals)
        spoken_home.database.unlink()
    assert said(live_lines) == said(of_file.lines)


def driven_live(home: Home, drive: Path, speed: int) -> tuple[Path, list[Lap], list[LedgerLine]]:
    """The journal of a whole drive by the daemon, its laps and its ledger."""
    write_settings(home, {"car": f"replay:{drive}?live=true&speed={speed}"})
    with Daemon(home) as daemon:
        status = daemon.wait_until(played)
        assert status["session"]["track"] == "sonoma"
        assert status["degradations"] == []
        assert daemon.end() == 0
    with Store(home) as store:
        assert store.open().lines == []
        [session] = sessions(store)
        assert (session.track, session.kind, session.complete) == ("sonoma", "live", True)
        return home.journals / f"{session.id}.pwj", laps(store, session.id), cues(store, session.id)


@pytest.mark.long
def test_stopped_in_the_middle_and_started_again_it_is_one_session(
    spoken_home: Home, elsewhere: Home, tmp_path: Path
) -> None:
    first, second = cut_in_two(DEMO, tmp_path, 420.0)
    write_settings(spoken_home, {"car": f"replay:{first}?live=true&speed={SPEED}"})
    with Daemon(spoken_home) as daemon:
        before = daemon.wait_until(played)["session"]
        # Said of the running lap, and of one that has ended.
        assert daemon.ask("/mark", {"mark": "yellow"})[1]["lap"] == before["lap"]
        assert main(["--home", str(spoken_home.root), "sessions", "mark", "last", "1", "traffic"]) == 0
        assert daemon.end() == 0
    write_settings(spoken_home, {"car": f"replay:{second}?live=true&speed={SPEED}"})
    with Daemon(spoken_home) as daemon:
        after = daemon.wait_until(played)["session"]
        daemon.kill()
    assert after["id"] == before["id"]
    assert (before["continued"], after["continued"]) == (0, 1)
    assert after["lap"] > before["lap"]
    with Store(spoken_home) as store:
        store.open()
        recover(store, rebuilder(spoken_home, store))
        [session] = sessions(store)
        driven, lines = laps(store, session.id), cues(store, session.id)
    whole = replayed(DEMO, elsewhere)
    assert [lap.number for lap in driven] == [lap.number for lap in whole.laps]
    broken = next(lap.number for lap in whole.laps if lap.start_t < 420.0 < lap.end_t)
    kinds = {lap.number: lap.kind for lap in driven}
    # The second file's stamps begin at nought: the source's clock was set within that lap.
    assert (kinds[1], kinds[broken], before["lap"]) == ("traffic", "broken", broken)
    marks = [(line.text, line.lap) for line in lines if line.phase == "mark"]
    assert marks == [("yellow", before["lap"]), ("traffic", 1)]
    for lap, expected in zip(driven, whole.laps, strict=True):
        if expected.time_s is not None and lap.number != broken:
            assert lap.time_s == pytest.approx(expected.time_s, abs=0.03)
    assert len({line.cue for line in lines}) == len(lines)
    of_journal = replayed(spoken_home.journals / f"{session.id}.pwj", elsewhere)
    assert technique(lines) == technique(of_journal.lines)


def technique(lines: list[LedgerLine]) -> list[tuple[Any, ...]]:
    """What was spoken; of data and sound a loaded machine may tell otherwise than the file."""
    return [each for each in said(lines) if "spoken" in each[-1] and each[3] != "status"]


def stands_before(path: Path, to: Path) -> Path:
    """The recording with its first row for STANDS_S more seconds at its beginning."""
    head, mark, body = path.read_text("latin-1").partition("[data]")
    rows = body.strip().splitlines()
    satellites, time, place = rows[0].split(" ", 2)
    begin_s = int(time[:2]) * 3600 + int(time[2:4]) * 60 + float(time[4:])
    standing = []
    for tenth in range(STANDS_S * 10, 0, -1):
        minutes, at_s = divmod(begin_s - tenth / 10, 60.0)
        standing.append(f"{satellites} {minutes // 60:02.0f}{minutes % 60:02.0f}{at_s:06.3f} {place}")
    to.write_text(f"{head}{mark}\n" + "\n".join([*standing, *rows]) + "\n", "latin-1")
    return to


def cut_in_two(path: Path, folder: Path, at_s: float) -> tuple[Path, Path]:
    """The recording up to a second of it, and from there on."""
    text = path.read_text("latin-1")
    head, mark, body = text.partition("[data]")
    rows = body.strip().splitlines()
    cut = int(at_s * 10)
    parts = folder / "first.vbo", folder / "second.vbo"
    for part, lines in zip(parts, (rows[:cut], rows[cut:]), strict=True):
        part.write_text(f"{head}{mark}\n" + "\n".join(lines) + "\n", "latin-1")
    return parts
