"""What a path is told, through its form in a journal, and as older journals have it."""

from __future__ import annotations

import pytest

from pitwall.drive import controls
from pitwall.drive.controls import Control, control_of, record_of
from pitwall.telemetry.recordings.journal import ControlRecord
from pitwall.track.model import Gate

EVERY = [
    controls.WordsReady("sonoma", "expert"), controls.WordsReady(""), controls.NoWords(),
    controls.Unheard(12.3),
    controls.HeardLater(0.2), controls.Behind(0.0), controls.SetMode("quiet"),
    controls.HushUntil("lap ended"), controls.SayAgain(),
    controls.CrewSays("ab", "target", "Anna", 105.2),
    controls.CrewSays("cd", "line", "Anna", None, "Rain", 0.4), controls.OnTrack("a: b"),
    controls.TimeAt(Gate(1.0, 2.0, 3.0, 4.0, 5.0)), controls.TrackUnknown(), controls.LapsEnded([1.5, 90.0]),
    controls.MarkLap("traffic", 3.25), controls.CompareWith("last:3"),
    controls.Remember('{"track":"sonoma"}'),
    controls.ForecastBy("none: no extra"), controls.Lost("can", "a plug: loose"), controls.Back("can"),
    controls.Tick(), controls.SourceClocks('{"t":1.0}'), controls.FixesLate(0.512),
]  # fmt: skip
OLD = [
    ("words", "sonoma", controls.WordsReady("sonoma")),
    ("words", "sonoma: beginner", controls.WordsReady("sonoma", "beginner")),
    ("words", "", controls.WordsReady("")),
    ("lost", "can: a plug: loose", controls.Lost("can", "a plug: loose")),
    ("lost", "disk", controls.Lost("disk")),
    ("mark", "yellow", controls.MarkLap("yellow")),
    ("mark", "traffic: 12.5", controls.MarkLap("traffic", 12.5)),
    ("delay", "0.200", controls.HeardLater(0.2)),
    ("mode", "shouting", None),
    ("mark", "slow", None),
    ("clock", "1767225600.0", None),
    ("of a newer program", "", None),
]


@pytest.mark.parametrize("told", EVERY, ids=lambda told: type(told).__name__)
def test_each_control_comes_back_from_its_record(told: Control) -> None:
    assert control_of(record_of(1.0, told)) == told
    assert {type(each) for each in EVERY} == set(Control.__subclasses__())


@pytest.mark.parametrize(("kind", "detail", "told"), OLD)
def test_older_journals_are_read(kind: str, detail: str, told: Control | None) -> None:
    assert control_of(ControlRecord(1.0, kind, detail)) == told
