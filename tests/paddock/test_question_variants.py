"""The same question in other forms: as a follow-up, mistyped, in German. Each is read as the plain one is."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest
from labelled_questions import home_track
from msgspec.structs import asdict

from pitwall.ask.corner_names import CornerNames, names_of
from pitwall.paddock.question_reading import QuestionReading
from pitwall.paddock.questions.follow_ups import follow
from pitwall.paddock.questions.german import english_words
from pitwall.paddock.questions.reader import read
from pitwall.paddock.questions.slips import HONEST

# A figure, and of what it is asked for: a corner, a sector, a lap.
FIGURES = {
    "exit speed": "c", "entry speed": "c", "minimum speed": "c", "brake point": "c", "throttle point": "c",
    "lift point": "c", "braking distance": "c", "gear": "c", "throttle": "c", "time": "cs", "time loss": "cs",
    "brake pressure": "cl", "lateral g": "cl", "braking g": "cl", "steering angle": "cl", "max rpm": "csl",
    "brake time": "csl", "coasting": "csl", "top speed": "sl", "full throttle": "sl", "average speed": "sl",
    "gear changes": "sl", "lap time": "l", "oil temperature": "l", "water temperature": "l",
    "oil pressure": "l",
}  # fmt: skip
# Names that say which value is meant, and signals, of which every value is another figure.
NAMED = ("top speed", "max rpm", "average speed", "minimum speed")
SIGNALS = ("throttle", "brake pressure", "lateral g", "braking g", "steering angle", "oil temperature",
           "water temperature", "oil pressure", *NAMED[:3])  # fmt: skip
# What is short is good: its lowest value is no more than a matter of words.
TIMED = ("time", "lap time")
PLACES = {"c": ("in turn 7", "turn 11"), "s": ("in sector 2", "sector 3"), "l": ("", "")}
# What tells a question from the same one as a follow-up, and answers nothing.
BESIDE = {"follows", "earlier", "left", "named", "before", "bare", "compares", "sessions"}


@cache
def names() -> CornerNames:
    return names_of(home_track())


@cache
def read_plain(question: str) -> QuestionReading:
    return read(question, names())


def asked(reading: QuestionReading) -> dict[str, object]:
    """The fields of a reading that an answer is made of."""
    return {field: value for field, value in asdict(reading).items() if field not in BESIDE}


def ways(named: str, *others: str) -> tuple[str, ...]:
    return (f"and {named}?", f"what about {named}?", f"same for {named}", f"how about {named}", *others)


def other_laps(figure: str, place: str) -> Iterator[tuple[str, str, str]]:
    core = f"{figure} {place}".strip()
    firsts = [f"{core} on lap 6", core, f"{core} on my best lap"]
    if figure not in SIGNALS:
        firsts += [f"average {core}", f"highest {core}"] if figure not in NAMED else []
    for first, lap in product(firsts, ("lap 4", "lap 5", "my best lap", "the last lap")):
        for said in ways(lap, f"and on {lap}?", f"on {lap}?"):
            yield first, said, f"{core} on {lap}"


def other_places(figure: str, place: str) -> Iterator[tuple[str, str, str]]:
    if not place:
        return
    other = PLACES["c" if "turn" in place else "s"][1]
    for begin, end in (
        ("", ""),
        ("", " on lap 4"),
        ("average ", ""),
        ("", " each lap"),
        ("which lap had the highest ", ""),
    ):
        if begin and figure in NAMED:
            continue
        for said in ways(other, f"{other}?", f"and in {other}?", f"in {other}?"):
            yield f"{begin}{figure} {place}{end}", said, f"{begin}{figure} in {other}{end}"
    for said in (f"and {other} on lap 5?", f"{other} lap 5?", f"what about {other} on lap 5?"):
        yield f"{figure} {place} on lap 4", said, f"{figure} in {other} on lap 5"


def other_figures(figure: str, place: str, kind: str) -> Iterator[tuple[str, str, str]]:
    for other, kinds in FIGURES.items():
        if other == figure or kind not in kinds:
            continue
        both = not {figure, other} & {*NAMED} and (figure in TIMED) == (other in TIMED)
        peaks = {figure, other} & {"brake pressure"} or figure == "braking g"
        for begin, end in (
            ("", ""),
            ("", " on lap 4"),
            ("", " each lap"),
            ("average ", ""),
            ("highest ", ""),
        ):
            if (begin and not both) or (begin == "average " and peaks):
                continue
            for said in (
                f"and the {other}?",
                f"what about the {other}?",
                f"and {other}?",
                f"how about {other}",
            ):
                yield (
                    f"{begin}{figure} {place}{end}",
                    said,
                    " ".join(f"{begin}{other} {place}{end}".split()),
                )
        yield f"{figure} {place} on lap 4", f"and the {other} on lap 5?", f"{other} {place} on lap 5"


def other_values(figure: str, place: str) -> Iterator[tuple[str, str, str]]:
    core = f"{figure} {place}".strip()
    for said in ("and each lap?", "each lap?", "lap by lap?", "for each lap?"):
        yield core, said, f"{core} each lap"
    if figure in NAMED:
        return
    for end in ("lowest", "highest", *(("average",) if figure != "brake pressure" else ())):
        for said in (f"and the {end}?", f"{end}?", f"what about the {end}?"):
            yield core, said, f"{end} {core}"
    for said in ("how did it develop?", "and the trend?"):
        yield core, said, f"how did the {core} develop"
    for said in ("how much does it vary?", "and how consistent is it?"):
        yield core, said, f"how much does the {core} vary"


@pytest.mark.parametrize("figure", FIGURES)
def test_a_follow_up_asks_for_what_the_whole_question_does(figure: str) -> None:
    wrong = []
    for kind in FIGURES[figure]:
        place = PLACES[kind][0]
        pairs = [*other_laps(figure, place), *other_places(figure, place), *other_values(figure, place)]
        for first, said, whole in (*pairs, *other_figures(figure, place, kind)):
            meant = follow(read_plain(said), read_plain(" ".join(first.split())))
            if asked(meant) != asked(read_plain(" ".join(whole.split()))):
                wrong.append((first, said, whole))
    assert not wrong


PLAIN = """what was my best lap|how many laps did I do|top speed on lap 4|exit speed in turn 7
why was lap 5 slow|how fast was I in turn 7 on lap 4|where do I brake for turn 7
average brake point in turn 7|sector 2 on lap 4|which corner costs me the most|sector times of lap 6
compare lap 4 with lap 6|how hot did the oil get|how long was I on full throttle
water temperature on lap 6|which gear in turn 7|how many gear changes per lap|highest revs
lateral g in turn 6|brake pressure in turn 11 on lap 4|when am I back on the throttle in turn 7
steering angle in turn 11|how far did I drive|laps under 1:54|lap times of laps 3 to 6
am I getting faster|was I faster in the second half|which lap was my worst
how do I get faster in turn 7|turn 7 lap 4|top speed on the main straight
which corner is the slowest|in which corner am I least consistent
did I brake later in turn 7 in lap 6 than in lap 4|did it rain|how much fuel did I use
time from 100 to 150|what's the gap between my best and second best lap|longest full throttle
minimum speed in turn 10 each lap
Bremspunkt in Kurve 7|Topspeed in Runde 4|welche Kurve kostet mich am meisten|Sektorzeiten von Runde 6"""
KEYBOARD = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def mistyped(question: str, count: int) -> Iterator[str]:
    """The question with one slip of the thumb each."""
    chosen = random.Random(question)
    for _ in range(count):
        word = chosen.choice(re.findall(r"[A-Za-z]{3,}", question))
        at = chosen.randrange(1, len(word) - 1)
        row = next(keys for keys in KEYBOARD if word[at].lower() in keys)
        beside = row[max(0, row.index(word[at].lower()) - 1)]
        typed = chosen.choice((
            word[:at] + word[at + 1 :], word[:at] + word[at:at + 1] + word[at:],
            word[:at] + word[at + 1] + word[at] + word[at + 2 :], word[:at] + beside + word[at + 1 :],
        ))  # fmt: skip
        if typed.lower() not in english_words() | HONEST | {
            "coats",
            "miesten",
        }:  # a right word of another meaning
            yield question.replace(word, typed, 1)
    yield from (
        question.upper(),
        question.replace("'", ""),
        re.sub(r"(turn|lap|sector) (\d)", r"\1\2", question),
    )
    spaces = [found.start() for found in re.finditer(" ", question)]
    yield from (question[:at] + question[at + 1 :] for at in chosen.sample(spaces, min(3, len(spaces))))


@pytest.mark.parametrize("count", [12, pytest.param(150, marks=pytest.mark.long)])
def test_a_mistyped_question_is_read_as_meant_or_not_at_all(count: int) -> None:
    """A slip that makes another word is told as strange: no other question is answered in its place."""
    told = alike = 0
    wrong = []
    for plain in re.split(r"[|\n]", PLAIN):
        for typed in dict.fromkeys(mistyped(plain, count)):
            reading = read(typed, names())
            told += 1
            if reading == read_plain(plain):
                alike += 1
            elif not (reading.strange or reading.no_corner or "brak" in typed):  # read by its stem
                wrong.append((plain, typed))
    assert (wrong, alike > 0.9 * told) == ([], True)


# A figure in English, and how it is called and asked for in German; "{}" is where.
GERMAN = """
top speed: Höchstgeschwindigkeit|Topspeed|Vmax|Spitzengeschwindigkeit
exit speed: Ausgangsgeschwindigkeit
entry speed: Eingangsgeschwindigkeit
corner entry speed: Kurveneingangsgeschwindigkeit
minimum speed: Mindestgeschwindigkeit|Minimalgeschwindigkeit|Scheitelgeschwindigkeit
brake point: Bremspunkt|Anbremspunkt
where do I brake: wo bremse ich|wo habe ich {} gebremst|wo hab ich {} angebremst
brake pressure: Bremsdruck
how hard do I brake: wie stark bremse ich|wie hart hab ich {} gebremst|wie fest bremse ich
brake time: Bremszeit|Bremsdauer
braking distance: Bremsweg|Bremsstrecke
throttle point: Gaspunkt
lift point: Liftpunkt
full throttle: Vollgas
coasting: Rollphase|Rollzeit
gear: Gang
max rpm: Maximaldrehzahl|Höchstdrehzahl|höchste Drehzahl
how high did I rev: wie hoch drehe ich|wie hoch habe ich {} gedreht|bis wohin hab ich {} gedreht
lateral g: Querbeschleunigung|Seitenkraft
oil temperature: Öltemperatur
water temperature: Wassertemperatur|Kühlwassertemperatur|Kühlmitteltemperatur
steering angle: Lenkwinkel|Lenkeinschlag
average speed: Durchschnittsgeschwindigkeit|Schnittgeschwindigkeit
"""
WHERE = """
: |in lap 4: in Runde 4,in der vierten Runde,in der 4. Runde|in my best lap: in meiner besten Runde
in turn 7: in Kurve 7,in der 7,in der Sieben|in sector 2: in Sektor 2,im zweiten Sektor,im 2. Sektor
in turn 7 in lap 4: in Kurve 7 in Runde 4,in der 7 in der vierten Runde|in the last lap: in der letzten Runde
in turn 7 in lap 3 against lap 5: in Kurve 7 in Runde 3 gegen Runde 5
in turn 7 per lap: in Kurve 7 pro Runde,in Kurve 7 in jeder Runde,in Kurve 7 Runde für Runde"""


@pytest.mark.parametrize("row", GERMAN.strip().splitlines())
def test_german_is_read_as_english(row: str) -> None:
    english, _, called = row.partition(": ")
    wrong = []
    for where in WHERE.strip().replace("\n", "|").split("|"):
        place, _, places = where.partition(": ")
        for said, there in product(called.split("|"), places.split(",")):
            german = " ".join((said if "{}" in said else f"{said} {{}}").format(there).split())
            if read(german, names()) != read_plain(f"{english} {place}".strip()):
                wrong.append((german, f"{english} {place}"))
    assert not wrong
