"""Whether an answer tells what was asked: what was read in the question has to stand in its sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

from pitwall.paddock.question_reading import LAP_GROUPS, QuestionReading
from pitwall.paddock.questions.figure_values import named_measures
from pitwall.paddock.questions.subject import Subject
from pitwall.paddock.questions.vocabulary import UNITS

# Sentences that say that something can't be told: nothing has to stand beside them.
_CANT = frozenset((
    "asked little known",
    "asked not recorded", "asked unknown", "asked unknown in laps", "asked only at corners", "no timed lap",
    "asked one lap only", "asked no corners known", "asked untold", "asked channel", "lap not timed",
    "asked no sprint", "asked day unknown", "asked only session", "asked no such session", "asked is best",
    "asked none named", "asked no driver", "asked driver unnamed", "asked nothing said", "asked no mark",
    "asked nothing said there", "asked none ignored",
    "asked none followed", "asked followed", "asked latest", "asked foremost", "asked ignored",
    "asked is recorded", "not driven in lap", "no pieces",
    "asked at speed never", "asked no lap at", "asked car unnamed",
    "asked trend unknown", "asked no straight", "asked drawing", "asked part none",
))  # fmt: skip
# Which sentences tell a relation between values, by how they begin.
_RELATIONS = {
    "spread": (
        "asked spread", "asked part spread", "asked ranked spread", "asked laps", "differ", "asked alone",
        "asked step apart",
        "asked not alone", "asked target",
    ),
    "trend": (
        "asked trend", "asked part", "asked step", "asked sessions",
        "asked figure pair", "asked pair", "asked stint",
        "compared", "lap slower", "lap faster",
    ),
    "mean": (
        "asked mean", "asked group", "asked slower", "asked faster", "asked usual loss", "asked stint",
        "asked part", "asked the others", "asked phases", "asked ranked lost", "asked ranked near",
        "asked corners list", "asked sectors list", "asked straights list",
    ),
    "median": ("asked median", "asked usual", "asked always", "asked sector"),
    "total": (
        "asked total", "asked usual loss", "asked lap count", "asked counted", "asked driven", "asked gear",
        "asked duration", "asked laps", "asked stop", "asked made",
    ),
    "count": (
        "asked lap count", "asked laps", "asked counted", "asked corner", "asked no corner", "asked stop",
        "asked no stop", "asked stint", "asked gear", "asked mark", "asked callout", "asked satellites",
        "asked heeded", "asked advice",
        "asked session", "asked unbraked", "asked braked", "asked all", "asked track",
        "asked duration", "asked driven", "asked sprint", "asked yes", "asked no limit",
        "asked in that gear", "asked target", "asked sector", "asked gain",
        "asked up to speed", "asked lap when", "asked limiter", "asked held times",
    ),
    "two": (
        "asked clean", "asked two", "asked corners more",
        "asked corners later", "asked corners none", "asked corners lap",
        "asked corners faster", "asked corner", "asked sector", "asked list", "asked straights lap",
        "lap timed", "lap not timed", "compared", "asked slower", "asked faster", "asked made", "asked part",
    ),
    "not": ("asked unbraked", "asked all braked", "asked gear unused", "asked laps", "asked counted",
            "asked lap count"),
}  # fmt: skip
_COMPARED = (
    *_RELATIONS["two"], *_RELATIONS["trend"], "asked usual loss", "asked laps", "asked yes", "asked no limit",
    "asked target", "asked counted", "asked ranked", "time goes", "asked in best", "asked phases",
    "asked ranked near", "lap slower", "lap faster", "asked spread pair", "asked mean pair",
    "asked mean over", "asked mean under", "asked alike", "asked best corners",
)  # fmt: skip
# Sentences that tell of other sessions, or that there are none.
_OF_SESSIONS = (
    "asked pair",
    "asked figure pair",
    "asked mean pair",
    "asked spread pair",
    "asked session",
    "asked named",
    "asked best of",
    "asked laps of all",
    "asked of session",
    "progress",
    "one session",
    "time goes",
    "own is fastest",
    "no other reference",
)
_OURS = {"this", "today"}
# So many sectors a lap may have.
MOST_SECTORS = 9
_COUNTS = frozenset(
    (
        "shifts",
        "upshifts",
        "downshifts",
        "brake_count",
        "lifts",
        "throttle_turns",
        "steering_turns",
        "smooth",
        "loss",
    )
)
# Figures that others tell too, or that are told with their unit alone.
_TOLD_BY_UNIT = {"speed": "m/s", "min_speed": "m/s", "entry_speed": "m/s", "exit_speed": "m/s"}
_UNIT_OF = {"speed": "m/s", "temp": "°C", "pressure": "bar", "length": "m", "far": "km"}
# Marks of laps that an answer need not count up.
_GROUPS = (*LAP_GROUPS, "pace")


# What is read into a field of its own, and the sentences that tell it.
_FIELDS: dict[str, str | tuple[str, ...]] = {
    "target_s": "asked target", "limit_s": ("asked laps", "asked mean"),
    "within_s": ("asked laps", "asked corners within", "asked corners not within"), "between_s": "asked laps",
    "at_speed": "asked at speed", "at_s": ("asked lap at", "asked no lap at"),
    "sprint": ("asked sprint", "asked no sprint"), "made_of": ("asked made", "asked not told"),
    "bound": ("asked yes", "asked no limit", "asked counted", "asked corners", "asked places"),
}  # fmt: skip
# Words that relate one thing to others, and the sentences that do so.
_WORDS = {
    "when": ("asked lap when", "asked lap began", "asked moment", "asked yes", "asked counted", "asked laps"),
    "again": ("asked alone", "asked not alone", "asked counted"),
    "before": ("asked trend", "asked part", "asked pair", "asked figure pair", "compared", "lap slower"),
    "next": ("asked ranked", "asked lap rank", "time goes", "corner passes"),
    "ends": ("asked one", "asked trend", "asked part", "asked pair", "asked figure pair", "asked stint"),
    "clear": ("asked clear",),
    "only": ("asked among",),
    "except": ("asked among not", "asked in laps"),
    "closest": ("asked laps nearest", "asked ranked near", "asked two"),
    "nearest": ("asked laps nearest", "asked ranked near", "asked two"),
}
_OF_SPANS = ("asked two", "asked apart", "asked corners", "asked not told", "asked unbraked", "asked braked")
# What is earlier, and the figures that tell it.
_SOON, _PLACED = {"earlier", "sooner"}, {"brake_m", "lift_m", "throttle_m", "shift_rpm", "lap_when", "trend"}
_CORNER_WORDS = frozenset(("corner", "corners", "turn", "turns", "bend", "bends"))


def unserved(asked: Subject, reading: QuestionReading, said: str) -> list[str]:
    """What was read and is not told, in the driver's words; [] where the answer serves the question. Which
    sentences the answer is made of is known of those in `asked.words`."""
    keys = frozenset(asked.words.told)  # what is said from here on is no part of the answer
    if _CANT.intersection(keys):
        return []
    return list(dict.fromkeys((*_places(asked, reading, said, keys), *_values(asked, reading, said, keys))))


def _places(asked: Subject, reading: QuestionReading, said: str, keys: Set[str]) -> Iterator[str]:
    """Laps and parts of them."""
    numbers = _numbers_in(said)
    # The best lap of every session is that of this one for none of them.
    told_best = {"asked sessions", "asked named", "asked best of sessions", "asked best of day"}
    of_all = reading.laps == ("best",) and told_best & keys
    if not of_all and not any(mark.startswith(_GROUPS) for mark in reading.laps):
        for lap in asked.laps(reading):
            if lap.number not in numbers:
                yield asked.words.say("lap", lap=lap.number)
    for corner in reading.corners:
        if not any(part in said for part in asked.corner_name(corner).replace(" the ", " ").split(", ")):
            yield asked.corner_name(corner)
    if reading.span and len(reading.corners) == 2 and not any(key.startswith(_OF_SPANS) for key in keys):
        yield from (
            place for each in asked.wheres(reading) if (place := asked.place(each).strip()) not in said
        )
    if reading.sectors:
        for sector in asked.sectors(reading.sectors):
            if sector not in numbers:
                yield asked.words.say("asked in sector", sector=sector).strip()
    if reading.straight == "each":
        if not any(key.startswith(("asked straights", "asked ranked", "asked one lap")) for key in keys):
            yield asked.words.term("sought", "straights")
    elif (
        reading.straight
        or reading.half
        or reading.piece
        or reading.place_m is not None
        or reading.before_m is not None
    ):
        for where in asked.wheres(reading):
            place = asked.place(where).strip()
            if place not in said and not {"asked longest straight", "asked straight length"} & keys:
                yield place
    if {"straight", "straights"} & {*reading.left} and not any(
        key.startswith("asked straight") for key in keys
    ):
        yield asked.words.term("sought", "straight")
    for gear in reading.gears:
        if gear and gear not in numbers:
            yield asked.words.say("asked in gear", gear=gear).strip()
    if {*reading.sessions} - _OURS and not any(key.startswith(_OF_SESSIONS) for key in keys):
        yield asked.words.term("sought", "session")
    names = [asked.corner_name(each.id).split("the ")[-1] for each in asked.figures.corners]
    names += [asked.short_name(each.id) for each in asked.figures.corners]
    told = any(name in said for name in names) or any(
        key.startswith(("asked group", "asked corners best")) for key in keys
    )
    if (reading.of == "corner" or _CORNER_WORDS & {*reading.left}) and not told:
        yield asked.words.term("sought", "corner")
    sectors = [asked.words.say("asked sector name", sector=each) for each in range(1, MOST_SECTORS + 1)]
    told = told or any(name.lower() in said.lower() for name in sectors)
    if reading.of == "place" and not (
        reading.places or told or {"spread", "loss"} & {*reading.which, *reading.measures}
    ):
        yield asked.words.term("sought", "place")


def _values(asked: Subject, reading: QuestionReading, said: str, keys: Set[str]) -> Iterator[str]:
    """Figures, their units, and how they are looked at."""
    figures, terms = asked.words.figures, asked.words.terms("asked")
    for field, told in _FIELDS.items():
        if getattr(reading, field) not in (None, ()) and not any(key.startswith(told) for key in keys):
            yield asked.words.term("sought", field)
    for word, told in _WORDS.items():
        if word in reading.left and not any(key.startswith(told) for key in keys):
            yield asked.words.term("sought", word)
    beside = (*_COMPARED, "asked spread") if len(reading.corners) > 1 else _COMPARED
    if "than" in reading.left and not any(key.startswith(beside) for key in keys):
        yield asked.words.term("sought", "two")
    for sign in ("share", "moment"):
        if sign in reading.left and not (sign == "share" and "%" in said):
            yield asked.words.term("sought", sign)
    if _SOON & {*reading.left} and not (_PLACED & {*reading.measures, *reading.which} or reading.sessions):
        yield asked.words.term("sought", "earlier")
    if reading.point in ("entry", "exit"):
        speed, at = terms[f"{reading.point}_speed"], asked.words.term("point", reading.point)
        own = {"brake_m", "lift_m", "throttle_m"} & {*reading.measures} or {
            "corner in lap",
            "asked phases",
        } & keys
        if not (own or reading.line or reading.span or speed in said or at in said):
            yield at
    if reading.unit:
        shown = figures.unit(_UNIT_OF[UNITS[reading.unit][1]])
        if not re.search(rf"{re.escape(shown)}(?!\w)", said):
            yield shown
    # A limit, a sprint and the causes of what is lost are told in words of their own.
    plain = reading.bound is None and reading.sprint is None
    plain = plain and not (reading.coaching and "corner loss" in keys and not reading.corners)
    for measure in named_measures(reading) if plain else ():
        if unit := _TOLD_BY_UNIT.get(measure):
            if figures.unit(unit) not in said:
                yield terms[measure]
        elif measure != "time" and not any(
            term.lower() in said.lower()
            for key, term in terms.items()
            if key == measure or key.startswith(f"{measure} ")
        ):
            yield terms[measure]
    for measure in reading.named:
        if figures.unit(_TOLD_BY_UNIT[measure]) not in said:
            yield terms[measure]
    wanted = [each for each in reading.which if each in _RELATIONS]
    wanted += ["not"] * reading.negated
    if reading.counts and not _COUNTS.intersection(reading.measures):
        wanted.append("count")
    if reading.compares and len(reading.laps) == 2 and "asked in laps" in keys:
        wanted.append("two")  # a figure over both laps together compares nothing
    if any(term in said for key, term in terms.items() if key.endswith(" mean")):
        wanted = [each for each in wanted if each != "mean"]
    for relation in wanted:
        if not any(key.startswith(_RELATIONS[relation]) for key in keys):
            yield asked.words.term("sought", relation)


def _numbers_in(said: str) -> set[int]:
    """Every whole number of a text, and those between "2 to 8"."""
    found = {int(each) for each in re.findall(r"(?<![\d.,:])\d{1,3}(?!\d|[.,:]\d)", said)}
    for first, last in re.findall(r"\b(\d{1,3}) (?:to|bis) (\d{1,3})\b", said):
        found.update(range(int(first), int(last) + 1))
    return found
