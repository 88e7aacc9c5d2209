"""What is read: the same sentences in every language, figures in the driver's units, none elsewhere."""

from __future__ import annotations

import ast
import functools
import json
import string
from pathlib import Path

import pytest
from plain_strings import keys_said, plain_strings

import pitwall
from pitwall.doctor import table as doctor_table
from pitwall.drive.degradation import TABLE, DegradationRow, Degradations
from pitwall.settings import Settings
from pitwall.track.timing import LapNotes, lap_kind
from pitwall.words.forms import CODES, Code
from pitwall.words.language import ENGLISH, language
from pitwall.words.texts import ReadTexts, tables

PACKAGE = Path(pitwall.__file__).parent
# Rooms whose every sentence comes out of words/. The list only grows.
CONVERTED = (
    "analysis/compose.py",
    "analysis/compose_words.py",
    "analysis/setup.py",
    "coach/wording.py",
    "commands/laps.py",
    "commands/all_days.py",
    "commands/run_console.py",
    "paddock/composed.py",
    "paddock/question_kind.py",
    "paddock/tellers.py",
)


# What stands in these for a model to read: how a tool is called.
MODELS = {"_DESCRIPTION", "figure_tool", "script_tool"}


def names_of(node: ast.stmt) -> list[str]:
    """What a statement of a module defines."""
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [node.name] if isinstance(node, ast.FunctionDef) else []


@functools.cache
def modules_outside() -> tuple[ast.Module, ...]:
    """Each module of the package but those of words/."""
    paths = sorted(path for path in PACKAGE.rglob("*.py") if path.parent.name != "words")
    return tuple(ast.parse(path.read_text()) for path in paths)


def fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("code", CODES)
def test_every_language_says_the_same_of_the_same_values(code: Code) -> None:
    read, in_english = ReadTexts(code), ReadTexts("en")
    assert {table: set(terms) for table, terms in read.terms.items()} == {
        table: set(terms) for table, terms in in_english.terms.items()
    }
    stored = (tables(code, "stored")["stored"], tables("en", "stored")["stored"])
    for own, english in ((read.sentences, in_english.sentences), stored):
        assert set(own) == set(english)
        for key, template in own.items():
            assert fields(template) <= fields(english[key]), key
    assert set(read.forms) >= set(in_english.forms)


def test_every_sentence_is_said_somewhere_and_no_other_is() -> None:
    said, sentences = set[str](), set(ReadTexts("en").sentences)
    for module in modules_outside():
        said |= keys_said(module, sentences)
    assert said >= sentences, "these are said nowhere: take them out"


@pytest.mark.parametrize("name", CONVERTED)
def test_a_converted_room_holds_no_sentence_of_its_own(name: str) -> None:
    module = ast.parse((PACKAGE / name).read_text())
    # A model is spoken to in English.
    module.body = [each for each in module.body if not MODELS & {*names_of(each)}]
    found = plain_strings(module)
    assert not found, f"{name}: these belong into pitwall/words: {found}"


PLANTED = [
    'def said(loss):\n    return f"You lost {loss:.1f} s there."\n',
    'HEAD = "Three things for you"\n',
    'def said(words):\n    return words.say("best lap") + " and that is it"\n',
    'def said(each):\n    return f"{each.speed:.0f} km/h"\n',
    'def said(each):\n    raise Refused("there is no such lap")\n',
]


@pytest.mark.parametrize("source", PLANTED)
def test_a_planted_sentence_is_found(source: str) -> None:
    assert plain_strings(ast.parse(source))


@pytest.mark.parametrize(
    ("template", "value", "metric", "imperial"),
    [
        ("{v:m/s.0f}", 50.0, "180 km/h", "112 mph"),
        ("{v:km/h.0f}", 100.0, "100 km/h", "62 mph"),
        ("{v:m.0f}", 12.0, "12 m", "39 ft"),
        ("{v:bar.1f}", 4.93, "4.9 bar", "71.5 psi"),
        ("{v:°C.0f}", 120.0, "120 °C", "248 °F"),
        ("{v:degC.1f}", 78.9, "78.9 °C", "174.0 °F"),
        ("{v:rpm.0f}", 8410.0, "8410 rpm", "8410 rpm"),
    ],
)
def test_a_figure_has_the_drivers_units(template: str, value: float, metric: str, imperial: str) -> None:
    assert language("en").figures.format(template, v=value) == metric
    assert language("en", "imperial").figures.format(template, v=value) == imperial
    assert language("de").figures.format(template, v=value) == metric.replace(".", ",")


SPOILT = [
    LapNotes(start_hole_s=9.0),
    LapNotes(end_hole_s=9.0),
    LapNotes(longest_hole_s=999.0),
    LapNotes(jumps=1),
    LapNotes(reversed_m=99.0),
    LapNotes(stood_s=12.0),
    LapNotes(pit=True),
    LapNotes(slow_end=True),
    LapNotes(pit_start=True),
    LapNotes(slow_start=True),
    LapNotes(driven_m=2000.0),
    LapNotes(driven_m=9000.0),
]


@pytest.mark.parametrize("notes", SPOILT)
def test_why_a_lap_does_not_count_is_told_in_german(notes: LapNotes) -> None:
    kind, reason = lap_kind(notes, 4000.0)
    assert kind != "flying"
    assert language("en").retold(reason) == reason
    assert language("de").retold(reason) not in ("", reason), reason
    assert language("de").term("lap", kind) != kind


def test_what_is_told_anew_is_still_told_somewhere() -> None:
    """Else the English text was changed where it is made, and is no longer known by its form."""
    told = "\n".join(
        str(node.value)
        for module in modules_outside()
        for node in ast.walk(module)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    parts = {
        template: max((text for text, *_ in string.Formatter().parse(template)), key=len)
        for template in tables("en", "stored")["stored"].values()
    }
    assert [template for template, part in parts.items() if part.strip(" ,;:") not in told] == []


@pytest.mark.parametrize("row", TABLE, ids=[row.name for row in TABLE])
def test_what_is_lost_and_what_to_do_is_told_in_german(row: DegradationRow) -> None:
    lost = Degradations()
    lost.lost(row.name, 3.0, "silent for 0.44 s")
    [standing] = lost.status(kept=True, words=language("de"))
    assert standing.effect != row.effect
    assert standing.mend != row.mend
    assert standing.reason == "seit 0,44 s still"
    assert lost.status(kept=True)[0].effect == row.effect


def test_every_check_of_the_doctor_is_read_in_german() -> None:
    german = language("de")
    for row in doctor_table(Settings()):
        assert german.retold(row.name) != row.name
        pip = row.mend.startswith("pip ")  # what is typed stays
        assert not row.mend or pip or german.retold(row.mend) != row.mend, row.mend
    assert german.retold("1234 MB, 500 MB wanted") == "1234 MB, 500 MB gewünscht"


def test_what_was_stored_is_told_with_the_drivers_units() -> None:
    assert language("en", "imperial").retold("drove 120 m backwards") == "drove 394 ft backwards"
    assert language("de").retold("no fix for 3.5 s at its end") == "3,5 s ohne Position am Ende"
    assert language("de").retold("14:03, day not known") == "14:03, Tag unbekannt"
    assert language("de").retold("a text that nobody knows") == "a text that nobody knows"


def test_every_reason_of_the_ledger_is_read_in_german_and_in_the_drivers_units() -> None:
    ledger = Path(__file__).resolve().parents[1] / "golden" / "sonoma-simulated.jsonl"
    lines = [json.loads(line) for line in ledger.read_text().splitlines()]
    reasons = {part for line in lines for part in line.get("reason", "").split("; ") if part}
    assert len(reasons) > 15
    assert [part for part in sorted(reasons) if language("de").reason(part) == part] == []
    assert language("de").reason("held: free for 0.5 s only; not in this pass") == (
        "gewartet: nur 0,5 s frei; in dieser Durchfahrt nicht"
    )
    lost = "loses 0.45 s in laps 2, 3 against lap 1 and better passes: "
    parts = "+0.21 s before it, +0.16 to the apex, +0.09 after, "
    assert ENGLISH.reason(f"{lost}{parts}brake_later, 32 m") == f"{lost}{parts}brake later, 32 m"
    arrived = "arrived at 42 m/s where 45 m/s are usual: the corner before"
    assert language("en", "imperial").reason(arrived) == (
        "arrived at 94 mph where 101 mph are usual: the corner before"
    )


def test_german_writes_lap_times_lists_and_corners_as_germans_do() -> None:
    words = language("de")
    assert (
        words.say("best lap", where="", time=109.098, lap=6)
        == "deine beste Runde war eine 1:49,098, Runde 6."
    )
    assert words.figures.laps_named([4, 5, 6]) == "Runde 4 bis 6"
    assert words.figures.joined(["a", "b", "c"]) == "a, b und c"
    assert words.corner_title("Turn 3a") == "Kurve 3a"
    assert words.corner_title("The Carousel") == "The Carousel"
    assert ENGLISH.corner_title("Turn 3a") == "Turn 3a"
    assert words.say("seen", laps=3, sessions=1, day="2026-05-02").startswith("3 Runden in einer Session,")
