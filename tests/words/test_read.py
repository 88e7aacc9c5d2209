"""What is read: every sentence in `words/`, figures in the driver's units."""

from __future__ import annotations

import ast
import functools
import json
import re
from pathlib import Path

import pytest
from plain_strings import keys_said, plain_strings

import pitwall
from pitwall.track.timing import LapNotes, lap_kind
from pitwall.words.language import ENGLISH, language
from pitwall.words.texts import tables

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


def test_every_sentence_is_said_somewhere_and_no_other_is() -> None:
    said, sentences = set[str](), {*tables("read")["sentences"], *tables("asked")["sentences"]}
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
    assert language().figures.format(template, v=value) == metric
    assert language("imperial").figures.format(template, v=value) == imperial


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
def test_a_lap_that_does_not_count_says_why(notes: LapNotes) -> None:
    kind, reason = lap_kind(notes, 4000.0)
    assert kind != "flying"
    assert reason
    assert ENGLISH.in_units(reason) == reason
    assert (language("imperial").in_units(reason) == reason) == (re.search(r"\d m\b", reason) is None)


def test_what_was_stored_is_shown_in_the_drivers_units() -> None:
    imperial = language("imperial")
    assert imperial.in_units("drove 120 m backwards") == "drove 394 ft backwards"
    assert imperial.in_units("no fix for 3.5 s at its end") == "no fix for 3.5 s at its end"
    arrived = "arrived at 42 m/s where 45 m/s are usual: the corner before"
    assert imperial.reason(arrived) == "arrived at 94 mph where 101 mph are usual: the corner before"
    assert ENGLISH.reason(arrived) == "arrived at 151 km/h where 162 km/h are usual: the corner before"


def test_a_reason_of_the_ledger_names_advice_in_its_words() -> None:
    lost = "loses 0.45 s in laps 2, 3 against lap 1 and better passes: "
    parts = "+0.21 s before it, +0.16 to the apex, +0.09 after, "
    assert ENGLISH.reason(f"{lost}{parts}brake_later, 32 m") == f"{lost}{parts}brake later, 32 m"
    ledger = Path(__file__).resolve().parents[1] / "golden" / "sonoma-simulated.jsonl"
    lines = [json.loads(line) for line in ledger.read_text().splitlines()]
    reasons = {ENGLISH.reason(line.get("reason", "")) for line in lines}
    assert len(reasons) > 8
    assert [reason for reason in reasons if re.search(r"[a-z]_[a-z]", reason)] == []
