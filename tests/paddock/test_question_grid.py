"""A grid of questions: figures, parts of the drive, and how they are looked at, each in many wordings.

All wordings of one cell have to be read alike, and as the cell says: its figure, its lap or corner, its look.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle, product
from typing import NamedTuple

import pytest
from labelled_questions import home_track

from pitwall.ask.corner_names import names_of
from pitwall.paddock.question_reading import QuestionReading
from pitwall.paddock.questions.reader import read


class Figure(NamedTuple):
    """A figure by its name in `MEASURES`; how it is asked for as a noun and as a question, and what one wants
    to be told ("how fast I went"); its ends in words, "" where it has none."""

    measure: str
    nouns: str
    asked: str = ""
    told: str = ""
    high: str = "highest"
    low: str = "lowest"


FIGURES = (
    Figure("speed", "top speed, max speed, vmax, maximum speed", "how fast did I go", "how fast I went",
           "", ""),
    Figure("brake_bar", "brake pressure, braking pressure, brake line pressure, pressure on the brakes",
           "how hard did I brake, how hard was I on the brakes, how much brake pressure did I use",
           "how hard I braked, how hard I was on the brakes, how hard I pressed the brake pedal"),
    Figure("brake_time", "braking time, time on the brakes, time spent braking, time under braking",
           "how long did I brake, how long was I on the brakes", "how long I braked", "longest", "shortest"),
    Figure("brake_far_m", "braking distance, brake distance, distance on the brakes",
           high="longest", low="shortest"),
    Figure("full_throttle", "full throttle time, time at full throttle, time flat out",
           "how long was I at full throttle, how long was I flat out", "how long I was flat out",
           "longest", "shortest"),
    Figure("coast", "coasting, coasting time, time off both pedals", "how long did I coast",
           "how long I coasted", "longest", "shortest"),
    Figure("rpm", "engine speed, revs, rpm, engine revs", "how high did I rev, how high did I rev the engine",
           "how high I revved the engine"),
    Figure("g_lat", "lateral g, lateral acceleration, cornering g, lateral g force"),
    Figure("g_brake", "braking g, deceleration, braking deceleration",
           "how much g did I pull on the brakes", "how much g I pulled on the brakes"),
    Figure("oil_temp_c", "oil temperature, oil temp, engine oil temperature", "how hot was the oil",
           "how hot the oil was", "hottest", "coldest"),
    Figure("coolant_c", "water temperature, coolant temp, engine temperature", "how hot was the coolant",
           "how hot the water was", "hottest", "coldest"),
    Figure("oil_bar", "oil pressure, engine oil pressure"),
    Figure("steering_deg", "steering angle, steering wheel angle, steering lock",
           "how much did I steer, how far did I turn the wheel", "how much I steered"),
    Figure("shifts", "gear changes, number of gear changes, shift count",
           "how often did I shift, how many times did I change gear", "how many times I changed gear",
           "most", "fewest"),
    Figure("shift_rpm", "shift point, shift rpm, upshift rpm", "at what revs do I shift up",
           "at what rpm I shift"),
)  # fmt: skip
# Known at a corner only.
AT_CORNERS = (
    Figure("brake_m", "brake point, braking point, brake marker", "where do I brake, when do I brake",
           "where I brake", "latest", "earliest"),
    Figure("lift_m", "lift point, lift off point", "where do I lift, where do I come off the gas",
           "where I come off the gas", "latest", "earliest"),
    Figure("throttle_m", "throttle point, throttle application point",
           "where do I get back on the gas, when am I back on the throttle", "when I get on the power",
           "latest", "earliest"),
    Figure("exit_speed", "exit speed, corner exit speed"),
    Figure("entry_speed", "entry speed, turn in speed"),
)  # fmt: skip
# How a part of the drive is named, and the fields that it fills.
SCOPES: tuple[tuple[str, dict[str, object]], ...] = (
    ("on lap 4, in lap 4, for lap 4, lap 4", {"laps": ("4",)}),
    ("on my best lap, in my fastest lap", {"laps": ("best",)}),
    ("in turn 7, at turn 7, through corner 7", {"corners": ("turn_7",)}),
    ("in turn 7 on lap 4, on lap 4 in turn 7, lap 4 turn 7", {"laps": ("4",), "corners": ("turn_7",)}),
    ("in sector 2, in the second sector", {"sectors": (2,)}),
    ("in sector 2 of lap 4, on lap 4 in sector 2", {"laps": ("4",), "sectors": (2,)}),
    ("in laps 3 to 6, on laps 3-6, over laps 3 to 6", {"laps": ("3", "4", "5", "6")}),
    ("on the main straight, down the main straight", {"straight": "main"}),
    ("", {}),
)
VALUE = (
    "what was my {n} {s}|whats the {n} {s}|tell me my {n} {s}|can you tell me my {n} {s}|"
    "do you know my {n} {s}|i'd like to know my {n} {s}|{n} {s}|{n} {s} please|give me the {n} {s}|"
    "could you tell me what my {n} was {s}|"
    "{s} what was my {n}|{s}, what was the {n}?|{s} {n}"
)
ASKED, TOLD = (
    "{q} {s}|{s} {q}|{s}, {q}?|{q} {s} please",
    "tell me {t} {s}|do you know {t} {s}|i'd like to know {t} {s}",
)
# How a figure is looked at, and what then has to stand in the reading: each of these fields holds all of it.
LOOKS: tuple[tuple[str, dict[str, tuple[str, ...]]], ...] = (
    ("{n} {s} for each lap|{n} {s} per lap|what was my {n} {s} lap by lap|list my {n} {s} for all laps",
     {"per": ("lap",)}),
    ("average {n} {s}|what was my average {n} {s}|what was my {n} on average {s}|mean {n} {s}",
     {"which": ("mean",)}),
    ("which lap had the {h} {n} {s}|in which lap was my {n} {s} the {h}|lap with the {h} {n} {s}",
     {"which": ("most",), "of": ("lap",)}),
    ("which lap had the {l} {n} {s}|on which lap was my {n} {s} the {l}|what lap had the {l} {n} {s}",
     {"which": ("least",), "of": ("lap",)}),
    ("how did my {n} {s} develop|{n} trend {s}|trend of my {n} {s}|"
     "how did my {n} {s} evolve over the session",
     {"which": ("trend",)}),
    ("how much did my {n} {s} vary|spread of my {n} {s}|how consistent was my {n} {s}|"
     "standard deviation of my {n} {s}", {"which": ("spread",)}),
    ("what was my second {h} {n} {s}|second {h} {n} {s}|2nd {h} {n} {s}", {"nth": (2,)}),  # type: ignore[dict-item]
)  # fmt: skip
_OF_PLACE = ("laps", "corners", "sectors", "straight")
NAMES = names_of(home_track())


class Cell(NamedTuple):
    figure: Figure
    place: dict[str, object]
    look: dict[str, tuple[str, ...]]
    questions: list[str]


def _words(text: str) -> list[str]:
    return [each.strip() for each in text.split(",")]


def _put(frames: str, scopes: list[str], **words: list[str]) -> Iterator[str]:
    """Each frame with each of its words at least once."""
    frames_of = cycle(frames.split("|"))
    count = max(len(frames.split("|")), len(scopes), *(len(each) for each in words.values()))
    around = {key: cycle(each) for key, each in {**words, "s": scopes}.items()}
    for _ in range(count):
        put = next(frames_of).format(**{key: next(each) for key, each in around.items()})
        yield " ".join(put.split()).strip(" ,").replace(" ,", ",")


def cells(whole: bool) -> Iterator[Cell]:
    """All cells; without `whole` a part of them in which each figure, place and look stands."""
    places = [scope for scope in SCOPES if "corners" in scope[1]]
    rows = [*product(FIGURES, SCOPES), *product(AT_CORNERS, places)]
    for at, (figure, (scope, place)) in enumerate(rows):
        nouns, scopes = _words(figure.nouns), _words(scope)
        asked = list(_put(VALUE, scopes, n=nouns))
        asked += _put(ASKED, scopes, q=_words(figure.asked)) if figure.asked else []
        asked += _put(TOLD, scopes, t=_words(figure.told)) if figure.told else []
        yield Cell(figure, place, {}, asked)
        for look_at, (frames, look) in enumerate(LOOKS):
            ends = figure.high and not place.get("laps")
            fits = "mean" in look.get("which", ()) or ends
            if fits and (whole or (at + look_at) % 4 == 0):
                put = _put(frames, scopes, n=nouns, h=[figure.high], l=[figure.low])
                yield Cell(figure, place, look, list(put))


def lacking(cell: Cell, reading: QuestionReading) -> str:
    """What the reading of one of its questions has otherwise than the cell; "" where nothing is."""
    if reading.strange or reading.measures != (cell.figure.measure,):
        return f"reads {reading.measures}, strange {reading.strange}"
    empty = QuestionReading()
    for field in _OF_PLACE:
        if (has := getattr(reading, field)) != cell.place.get(field, getattr(empty, field)):
            return f"{field} {has}"
    for field, wanted in cell.look.items():
        has = getattr(reading, field)
        if field == "per":
            has = (has, "lap" if "each" in reading.which else "")
        if not {*wanted} <= ({*has} if isinstance(has, tuple) else {has}):
            return f"{field} {has}"
    others = (
        {*reading.which} - {*cell.look.get("which", ()), "most"} - ({"each"} if "per" in cell.look else set())
    )
    if others and not {"nth", "of"} & {*cell.look}:
        return f"which {reading.which}"
    return f"nth {reading.nth}" if reading.nth and "nth" not in cell.look else ""


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.long)])
def test_every_wording_of_a_cell_is_read_as_the_cell(whole: bool) -> None:
    grid = list(cells(whole))
    wrong = [
        f"{question}: {lack}"
        for cell in grid
        for question in cell.questions
        if (lack := lacking(cell, read(question, NAMES)))
    ]
    asked = sum(len(cell.questions) for cell in grid)
    assert asked > (4500 if whole else 3000)
    assert not wrong, "\n".join([f"{len(wrong)} of {asked}", *wrong])
