"""What the car calls and what the debrief names: the same, or the debrief says why it differs."""

from __future__ import annotations

import os
import zlib
from pathlib import Path

import msgspec
import pytest
from stored_facts import opened, report_on

from pitwall.analysis.compose import MOST_THINGS, compose_debrief
from pitwall.analysis.compose_words import corner_name
from pitwall.analysis.port import Facts
from pitwall.analysis.report import calls_of
from pitwall.api.changes import import_recording
from pitwall.config import Home
from pitwall.diagnosis.advice import PHASE_OF
from pitwall.drive.replay import import_file, would_say
from pitwall.words.language import ENGLISH

# All with a flying lap; in those of SPEAKS the car speaks of a corner.
SPEAKS = (
    "bike-alcarras.vbo", "bike-anneau-du-rhin.vbo", "bike-carole.vbo", "bike-jerez.vbo", "bike-ledenon.vbo",
    "lignano-racebox.vbo", "okc-dovex.dovex", "sonoma-m3-vbox.csv",
)  # fmt: skip
RECORDINGS = (
    *SPEAKS, "bike-portimao.vbo", "orlando-18hz.nmea", "redbullring-aim.xrz", "roadamerica-racelogic.vbo",
    "roadamerica-stale-gate.vbo", "spreewald-trackaddict.csv", "taupo-racechrono-1hz.csv",
    "tianma-racechrono-v3.csv", "washington-racecapture.log",
)  # fmt: skip


@pytest.mark.long
@pytest.mark.recordings
@pytest.mark.parametrize("name", RECORDINGS)
def test_car_and_debrief_name_the_same_or_the_debrief_says_why(
    recordings: Path, home: Home, name: str
) -> None:
    with opened(home) as store:
        session = import_file(recordings / name, home, store).session
        facts = Facts(store)
        [row] = [each for each in facts.sessions() if each.id == session]
        calls = calls_of(would_say(store, session, lambda: True))
        report = msgspec.structs.replace(report_on(facts, row), calls=calls)
    assert bool(calls) >= (name in SPEAKS)
    text = compose_debrief(report)
    things = {each.corner: each for each in report.opportunities[:MOST_THINGS]}
    assert bool(things) >= (name in SPEAKS)
    for corner in {call.corner for call in calls}:
        thing, own = things.get(corner), {call.action for call in calls if call.corner == corner}
        explained = f"In {corner_name(corner, report.places)} the car said" in text
        assert explained == (thing is not None and own != {thing.action}), corner
    if calls:
        assert (calls[0].corner in things) == ("The car called" not in text)
    # A call of one action is a call of its phase, and so is what the debrief says of it.
    for corner, thing in things.items():
        if any((call.corner, call.action) == (corner, thing.action) for call in calls):
            assert ENGLISH.term("phase", PHASE_OF[thing.action]) in text


@pytest.mark.recordings
def test_what_the_coach_would_say_is_kept_by_the_import_and_worked_out_when_the_journal_changed(
    recordings: Path, home: Home
) -> None:
    with opened(home) as store:
        session = import_recording(store, recordings / "bike-carole.vbo").session
        kept = home.would / f"{session}.would"
        held = kept.read_bytes()
        said = would_say(store, session, lambda: True)
        assert kept.read_bytes() == held
        less = msgspec.json.encode(msgspec.json.decode(held[16:])[:1])
        kept.write_bytes(held[:8] + f"{zlib.crc32(less):08x}".encode() + less)
        assert would_say(store, session, lambda: True) == said[:1]
        os.utime(home.journals / f"{session}.pwj", (1.0, 1.0))
        assert would_say(store, session, lambda: True) == said


@pytest.mark.recordings
def test_of_one_fix_a_second_times_are_kept_and_no_advice_and_both_say_so(
    recordings: Path, home: Home, tmp_path: Path
) -> None:
    head, data = (recordings / "bike-jerez.vbo").read_text(encoding="latin-1").split("[data]\n")
    thin = tmp_path / "thin.vbo"
    thin.write_text(f"{head}[data]\n" + "\n".join(data.splitlines()[::10]) + "\n", encoding="latin-1")
    with opened(home) as store:
        session = import_file(thin, home, store).session
        facts = Facts(store)
        [row] = [each for each in facts.sessions() if each.id == session]
        lines = would_say(store, session, lambda: True)
        text = compose_debrief(report_on(facts, row))
    assert [line.phase for line in lines if line.text.startswith("GPS too slow")] == ["status"]
    assert not calls_of(lines)
    assert "No pass of a corner was recorded closely enough" in text
    assert "consistent" not in text
    assert "joined" not in text
