"""What a follow-up leaves to the question before it: "and on lap 4?", "what about the exit?"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from msgspec.structs import asdict, replace

from pitwall.ask.measures import MEASURES, SEVERAL
from pitwall.paddock.question_reading import (
    BOTH_WAYS,
    BY_VALUE,
    LAP_GROUPS,
    LOWEST_PEAK,
    MOST_LEAST,
    PEAKED,
    SPEED_AT,
    LapMark,
    QuestionReading,
    other_end,
)

Changes = Callable[[QuestionReading, QuestionReading], Mapping[str, object]]


def _nothing(now: QuestionReading, before: QuestionReading) -> Mapping[str, object]:
    return {}


class Step(NamedTuple):
    """What a follow-up means after another question: `when` it does, what changes in it `now`, and in the one
    `before`, of which is kept at last what the follow-up leaves open. `ends`: nothing is kept."""

    name: str
    when: Callable[[QuestionReading, QuestionReading], object]
    now: Changes = _nothing
    before: Changes = _nothing
    ends: bool = False


def follow(reading: QuestionReading, before: QuestionReading | None) -> QuestionReading:
    """The reading with what it leaves to the question before: "and on lap 4?", "what about the exit?"."""
    return reading if before is None else steps_taken(reading, before)[0]


def steps_taken(reading: QuestionReading, before: QuestionReading) -> tuple[QuestionReading, tuple[str, ...]]:
    """The reading as it is meant after the one before, and the names of the steps that it took."""
    called = (*before.strange, *before.called) if reading.follows else ()
    reading, names = replace(reading, earlier=before.laps, called=called), list[str]()
    for step in STEPS:
        if step.when(reading, before):
            names.append(step.name)
            now, then = step.now(reading, before), step.before(reading, before)
            reading, before = replace(reading, **now), replace(before, **then)
            if step.ends:
                return reading, tuple(names)
    kept = {
        field: getattr(before, field)
        for fields, when in KEPT
        if when(reading, before)
        for field in fields
        if not getattr(reading, field)
    }
    return replace(reading, **kept), tuple(names)


_PARTS = ("corner", "sector", "place")
_SPEEDS = ("speed", "entry_speed", "min_speed", "exit_speed")
# Of a session only: of a lap that is named next something else is asked.
_OF_SESSION = {"lap_count", "duration", "driven_km", "stops", "stints", "when"}
_OF_DRIVE = {"when", "driver", "car", "track", "source", "duration", "driven_km", "lap_count"}
_WARM = {"coolant_c", "oil_temp_c", "temps", "engine"}
# What "how fast" and its like ask for, and the figures after which they ask for these again.
_HOW: dict[str, tuple[str, set[str]]] = {
    "how fast": (
        "speed",
        {"speed", "entry_speed", "min_speed", "exit_speed", "time", "delta", "loss", "ideal"},
    ),
    "how late": ("brake_m", {"brake_m", "lift_m", "throttle_m", "shift_rpm", "time", "lap_when"}),
    "how hard": ("brake_bar", {"brake_bar", "g_brake", "g_lat"}),
}
# What ranks laps, and the mark of one of them.
_RANKED = {"best": "best", "top": "best", "worst": "worst", "bottom": "worst"}
_GROUPS = {*(each[:-1] for each in LAP_GROUPS), "top", "bottom"}
_BRAKING = ("brake_bar", "brake_time")
_WHOLE_LAP = {"corners": (), "sectors": (), "straight": "", "place_m": None, "point": "", "half": 0}
_LOOKS = {"trend", "spread", "mean", "median"}
# Names of figures that say which value is meant: top speed, maximum revs, average speed.
_VALUE_IN_NAME = ({"speed"}, {"rpm"})
_SHAPES = {"trend", "spread"}
_MEANS = {"mean", "median"}
_ENDS: dict[tuple[str, ...], tuple[str, ...]] = {("least",): ("worst",), ("most",): ("best",)}


def _ranked(marks: tuple[str, ...]) -> tuple[str, int]:
    """Of the first mark what it ranks, and which rank that is: "@loss" and 2 of "@loss:2"."""
    name, _, rank = (*marks, "")[0].partition(":")
    return name, int(rank) if rank.isdigit() else 1


def _end_of_corners(r: QuestionReading, b: QuestionReading) -> str:
    """By what corners are ranked where laps are called best or worst."""
    end = {"best": "@most", "worst": "@least"}.get(_ranked(r.laps)[0], "@loss")
    return "@loss" if "loss" in b.measures or _ranked(b.corners)[0] == "@loss" else end


def _of_corners(before: QuestionReading) -> bool:
    ranked = "loss" in before.measures or ":" in "".join(before.corners)
    return before.of in ("corner", "place") or (before.of != "sector" and ranked)


def _two_of(before: QuestionReading) -> tuple[LapMark, ...]:
    """The laps that were named last: two of them, else those of the question before that too."""
    if before.laps and before.laps[0] in ("top:2", "bottom:2"):
        end = _RANKED[_ranked(before.laps)[0]]
        return (f"{end}:1", f"{end}:2")
    return before.laps if len(before.laps) == 2 else (*before.earlier, *before.laps)


def _number(r: QuestionReading, b: QuestionReading) -> Mapping[str, object]:
    """What "and 7?" changes: a corner after a corner, a sector after a sector, a lap after a lap."""
    number, corner = r.bare
    found: dict[str, object] = {}
    if b.corners:
        found = {"corners": (corner,), "gears": ()} if corner else {}
    elif b.sectors:
        found = {"sectors": (int(number),)} if number.isdigit() else {}
    elif b.laps:
        found = {"laps": (number,)}
    others = tuple(each for each in r.strange if each != number)
    return {**found, "strange": others} if number and found and not r.sectors else {}


def _of_one_lap(b: QuestionReading) -> bool:
    """Whether a figure of one lap was asked for, but not its time."""
    one = len(b.laps) == 1 and not b.laps[0].startswith((*LAP_GROUPS, "top", "bottom"))
    return one and not b.of and (b.places or b.measures not in ((), ("time",)))


def _of_figure(b: QuestionReading) -> bool:
    """Whether what was asked of one figure may be asked of another: its highest value, its average."""
    return not b.of and {*b.which} <= MOST_LEAST | _MEANS | {"total"} and {*b.measures} not in _VALUE_IN_NAME


def _another_search(r: QuestionReading) -> object:
    """Whether it is searched again, at the other end or in another lap: "and the lowest?"."""
    return not (r.measures or r.coaching) and (r.laps or r.which in _ENDS)


def _units(r: QuestionReading) -> list[str]:
    """The units of the figures that are asked for."""
    return [MEASURES[each].unit for measure in r.measures for each in SEVERAL.get(measure, (measure,))
            if each in MEASURES]  # fmt: skip


def _is_named(r: QuestionReading) -> bool:
    return bool(r.laps or r.places)


def _no_figure(r: QuestionReading) -> bool:
    return not r.measures and r.sprint is None


def _no_place(r: QuestionReading) -> bool:
    return not (r.corners or r.sectors or r.pieces) and r.place_m is None


# From the top; a step sees what those above it changed.
STEPS: tuple[Step, ...] = (
    # The ideal lap? "How far off am I?", "how much quicker than my best is that?", "which sector is it in?"
    Step("ideal", lambda r, b: "ideal" in b.measures and r.measures in ((), ("delta",)) and not r.places
         and (r.measures or r.compares or (r.follows and r.of)) and r.laps in ((), ("best",)),
         now=lambda r, b: {"measures": b.measures, "laps": (), "of": "", "compares": False}, ends=True),
    # Exit speed each lap? "Which lap was best?"
    Step("best of each", lambda r, b: b.per == r.of == "lap" and not (r.measures or _is_named(r)),
         now=lambda r, b: {"follows": True}),
    # The highest coolant temperature? "And how hot was it?": no weather.
    Step("how hot", lambda r, b: "how hot" in r.left and _WARM & {*b.measures},
         now=lambda r, b: {"untold": "", "measures": b.measures, "follows": True}),
    # How many laps? "And how far is that?", "how long did it take?"
    Step("how far", lambda r, b: {"how far", "how long"} & {*r.left} and b.measures
         and {*b.measures} <= _OF_SESSION | {"track_km"} and not _is_named(r),
         now=lambda r, b: {"measures": ("driven_km" if "how far" in r.left else "duration",)}, ends=True),
    # Which track? "How long is it?"
    Step("how long it is", lambda r, b: "how long" in r.left and b.measures
         and {*b.measures} <= {"track", "corner_count", "sector_count", "way_round"},
         now=lambda r, b: {"measures": ("track_km",), "follows": True}, ends=True),
    # When was this? "And where?"
    Step("where it was", lambda r, b: r.of == "place" and b.measures and {*b.measures} <= _OF_DRIVE
         and not (r.measures or r.which or _is_named(r)),
         now=lambda r, b: {"measures": ("track",), "of": ""}, ends=True),
    # Who drove? "And when?"
    Step("when it was", lambda r, b: r.measures == ("lap_when",) and b.measures
         and {*b.measures} <= _OF_DRIVE - {"lap_count"} and not _is_named(r),
         now=lambda r, b: {"measures": ("when",)}, ends=True),
    # Any answer? "Are you sure?"
    Step("sure", lambda r, b: "sure" in r.left, now=lambda r, b: asdict(b) | {
             "left": (*b.left, "sure", *["told"] * (b.coaching or b.of == "place")),
             "follows": True}, ends=True),
    Step("alone", lambda r, b: not r.follows or r.untold or r.said, ends=True),
    # My best lap? "And how many laps did I do?": of the session.
    Step("all laps", lambda r, b: r.measures == ("lap_count",) and not (r.laps or r.places)
         and b.laps and ":" not in "".join(b.laps), ends=True),
    # Where was lap 6 better than lap 5? "And worse?"
    Step("the other was better", lambda r, b: "gains" in b.left and len(b.laps) == 2 and r.which in _ENDS
         and not (r.measures or _is_named(r)),
         now=lambda r, b: {"laps": b.laps[::-1], "which": (), "left": ("gains",), "compares": True}),
    # What did you tell me? "And did it help?": which of it was heeded is told beside it.
    Step("heeded", lambda r, b: b.said and not r.places and (r.coaching or not (r.measures or r.laps or r.of
         or r.which or r.strange or r.untold)),
         now=lambda r, b: asdict(b) | {"counts": b.counts or r.counted}, ends=True),
    # Did I heed your advice in turn 2? "And in turn 7?"
    Step("said there", lambda r, b: b.said and r.follows and (r.corners or r.laps)
         and not (r.measures or r.which or r.of or r.strange or r.coaching),
         now=lambda r, b: {"said": True, "left": b.left, "counts": b.counts}, ends=True),
    # My three quickest laps? "The gap between them?"
    Step("gap of several", lambda r, b: r.of_two and b.laps and b.laps[0].startswith(("top:", "bottom:"))
         and not b.laps[0].endswith(":2"),
         now=lambda r, b: asdict(b) | {"measures": ("time",), "which": ("spread",), "follows": True},
         ends=True),
    # The sectors of lap 4? "And of 5?"
    Step("sectors of a lap", lambda r, b: b.sectors == (0,) and b.laps and r.bare[0].isdigit(),
         now=lambda r, b: {"laps": r.bare[:1], "bare": ("", ""),
                       "strange": tuple(each for each in r.strange if each != r.bare[0])}),
    # The slowest corner? "And the second slowest?" Where do I lose most? "And the second worst?"
    Step("rank of corner", lambda r, b: "one" in r.left and _ranked(r.laps)[1] > 1 and _of_corners(b)
         and not (r.corners or r.measures), now=lambda r, b: {
             "laps": (), "corners": (f"{_end_of_corners(r, b)}:{_ranked(r.laps)[1]}",)}),
    # "And the best one?": the corner that costs least, the sector that is fastest.
    Step("one", lambda r, b: ("one" in r.left or (r.of_two and b.of in _PARTS)) and not r.corners
         and not "".join(r.laps).startswith("not:") and (b.of in _PARTS or (b.measures and not b.laps)),
         now=lambda r, b: {"laps": (), "of_two": r.of_two and b.of not in _PARTS, "of": b.of,
                       "compares": r.compares and b.of not in _PARTS,
                       "which": ("least",) if ("loss" in b.measures) ==
                       (r.laps == ("best",) or "most" in r.which) else ("most",)}),
    # Where do I vary most? "And least?"
    Step("varied", lambda r, b: "spread" in b.which and b.of and not r.measures and MOST_LEAST & {*r.which},
         now=lambda r, b: {"which": ("spread", *r.which)},
         before=lambda r, b: {"of": "corner" if b.of == "place" else b.of}),
    # What was asked without a name: "how much do the laps vary", "where am I fastest".
    Step("unnamed figure", lambda r, b: b.of in ("", "place") and {*b.which} - {"spread" if b.of else ""}
         and not (b.measures or b.coaching or r.coaching or _is_named(b)),
         before=lambda r, b: {"measures": ("speed",) if b.of and "spread" not in b.which else ("time",)}),
    # The average of my 3 best laps? "And of the rest?"
    Step("the rest", lambda r, b: "rest" in r.left and b.laps and "mean" in b.which,
         now=lambda r, b: {"laps": (f"not:{','.join(b.laps)}",), "per": ""}),
    # The last 3 laps? "And the best of those?"
    Step("best of them", lambda r, b: r.which in _ENDS and not (r.measures or r.of or _is_named(r))
         and not (b.measures or b.places) and (len(b.laps) > 1 or _ranked(b.laps)[0] in _GROUPS),
         now=lambda r, b: {"of": "lap"}),
    # My slowest sector? "How far off the best is it?"
    Step("sector found", lambda r, b: b.of == "sector" and not (b.sectors or r.places or r.of)
         and r.measures in (("delta",), ("loss",)) and r.laps in ((), ("best",)),
         now=lambda r, b: {"measures": ("loss",), "of": "sector", "laps": (), "which": ("most",)}),
    # The longest full throttle? "Where was that?"
    Step("place of the longest", lambda r, b: r.of == "place" and b.per == "run" and not b.of,
         now=lambda r, b: {"per": b.per}),
    # Where do I lose most? "Is that a lot?": beside the other corners.
    Step("much of a loss", lambda r, b: "much" in r.left and ("loss" in b.measures or (
             b.coaching and not (b.laps or b.measures))),
         now=lambda r, b: {"measures": ("loss",), "of": "corner", "which": ("rank",), "left": ()},
         before=lambda r, b: {"corners": (), "coaching": False, "laps": (), "compares": False}),
    # My best lap? "Is that a lot?": beside the others.
    Step("much", lambda r, b: "much" in r.left and (b.measures or b.laps),
         now=lambda r, b: {"which": ("spread",), "measures": b.measures if {*b.measures} - {"delta"} else (
             "time",), "left": ()},
         before=lambda r, b: {"laps": (), "of": "", "compares": False, "per": "", "which": ()}),
    # Where do I lose most? "And the others?"
    Step("other places", lambda r, b: "rest" in r.left and not b.laps
         and (b.of in _PARTS or b.corners or "loss" in b.measures or (b.coaching and not b.measures)),
         now=lambda r, b: {"per": "", "of": "sector" if b.of == "sector" else "corner", "which": ("rank",),
                           "measures": b.measures or ("loss",), "left": ()},
         before=lambda r, b: {"corners": (), "coaching": False, "which": ()}),
    # Which lap was quickest? "And by how much?"
    Step("by how much", lambda r, b: "by" in r.left and (b.laps in _ENDS.values() or (b.of == "lap"
         and {*b.measures} <= {"time"} and b.which in _ENDS)) and not b.places,
         now=lambda r, b: {"laps": ("best", "best:2") if "best" in b.laps or "most" in b.which else (
             "worst", "best"), "measures": ("delta",), "compares": True}, ends=True),
    # Which gear in turn 7? "And how fast?"
    Step("how", lambda r, b: b.measures and any(sign in r.left and not kin & {*b.measures}
         for sign, (_, kin) in _HOW.items()),
         now=lambda r, b: {"measures": next((measure,) for sign, (measure, kin) in _HOW.items()
                           if sign in r.left), "left": (*r.left, "then")}),
    # How many times did I brake? "And how long in total?"
    Step("how long braked", lambda r, b: "how long" in r.left and b.measures and {*b.measures} <= {
             "brake_count", "brake_bar", "g_brake", "brake_m", "brake_far_m"},
         now=lambda r, b: {"measures": ("brake_time",), "counted": False,
                           "which": () if len(b.laps) == 1 else r.which},
         before=lambda r, b: {"per": "", "which": ()}),
    # The highest brake pressure? "And in which corner?": where it was.
    Step("corner of the peak", lambda r, b: r.of == "corner" and not (r.measures or r.which or _is_named(r))
         and len(b.measures) == 1 and {*b.measures} <= BY_VALUE - {"throttle", "coolant_c", "oil_temp_c"}
         and {*b.which} <= {"most"} and b.of in ("", "lap") and not b.places,
         now=lambda r, b: {"of": "place", "which": ("most",)}, before=lambda r, b: {"of": ""}),
    # Which corner? "Where?"
    Step("corner", lambda r, b: r.of == "place" and b.of == "corner", now=lambda r, b: {"of": "corner"}),
    # Brake point in turn 7? "Exit speed?"
    Step("figure there", lambda r, b: r.of == "corner" and {*r.measures} <= {*_SPEEDS, "time"} and r.measures
         and b.corners and not (r.which or b.of), now=lambda r, b: {"of": ""}),
    # Oil temperature trend? "And water?"
    Step("look", lambda r, b: len({*r.measures} - {"loss", "delta"}) == 1 and not (r.which or _is_named(r))
         and {*b.measures} not in _VALUE_IN_NAME,
         now=lambda r, b: {"which": tuple(each for each in b.which if each in _LOOKS)}),
    # Average exit speed? "And the entry speed?" Highest exit speed? "And the lateral g?"
    Step("value of another", lambda r, b: r.measures and not (r.which or r.laps or r.of not in ("", "corner"))
         and b.which and _of_figure(b), now=lambda r, b: {"which": b.which}),
    # Brake pressure in turn 7? "And on average?": each lap has its highest.
    Step("average of peaks", lambda r, b: "mean" in r.which and (r.measures or b.measures) == ("brake_bar",)
         and (r.corners or b.corners), now=lambda r, b: {"which": ("mean", "most")}),
    # Average exit speed? "And the braking g?"
    Step("average of what goes both ways", lambda r, b: r.which == ("mean",)
         and (r.measures or b.measures) and {*(r.measures or b.measures)} <= BOTH_WAYS,
         now=lambda r, b: {"which": ("mean", "most")}),
    # Lateral g? "And the lowest?"
    Step("lowest of peaks", lambda r, b: r.which == ("least",) and (r.measures or b.measures)
         and {*(r.measures or b.measures)} <= PEAKED and {r.of, b.of} <= {"", "lap"}
         and not (r.laps or b.laps), now=lambda r, b: {"which": LOWEST_PEAK}),
    # Average speed? "How did it develop?": not the top speed.
    Step("average speed", lambda r, b: not r.measures and _SHAPES & {*r.which} and "speed" in b.measures
         and "mean" in b.which, now=lambda r, b: {"which": ("mean", *r.which)}),
    # The lowest lap time? "And the highest?": a high time is no good one.
    Step("by value", lambda r, b: "value" in r.left, now=lambda r, b: {
             "left": tuple(each for each in r.left if each != "value"), "which": other_end(r.which)
             if b.measures == ("time",) and b.of not in _PARTS else r.which},
         before=lambda r, b: {"laps": () if _of_one_lap(b) and BY_VALUE.isdisjoint(b.measures) else b.laps}),
    # Where do I brake hardest? "How many g?"
    Step("g of braking", lambda r, b: "g" in r.left and (*b.measures, "")[0] in _BRAKING,
         now=lambda r, b: {"measures": ("g_brake",)}),
    # The worst corner of sector 2? "And of sector 3?"
    Step("part of the lap", lambda r, b: b.among and b.among[0].startswith(("half:", "sector:"))
         and not r.measures and (r.half or r.sectors),
         now=lambda r, b: {"among": (f"half:{r.half}" if r.half else f"sector:{r.sectors[0]}",), "half": 0,
                       "sectors": (), "of": b.of}),
    Step("left out", lambda r, b: [each[:4] for each in (*b.laps, *r.laps)] == ["not:", "not:"],
         now=lambda r, b: {"laps": (f"{b.laps[0]},{r.laps[0][4:]}",)}),
    # The average of laps 3 to 6? "And without lap 5?"
    Step("left out of laps", lambda r, b: "".join(r.laps[:1]).startswith("not:")
         and len(b.laps) > 2 and "".join(b.laps).isdigit(),
         now=lambda r, b: {"laps": tuple(each for each in b.laps if each not in r.laps[0][4:].split(","))}),
    # "And the next worst?"
    Step("next corner", lambda r, b: "next" in r.left and _of_corners(b),
         now=lambda r, b: {"corners": (f"@loss:{_ranked(b.corners)[1] + 1}",), "left": ()}),
    # Where do I lose most? "And what about the next one?"
    Step("next one", lambda r, b: r.step == 1 and not b.laps and (b.of in ("corner", "place") or b.corners)
         and ("loss" in b.measures or b.coaching),
         now=lambda r, b: {"corners": (f"@loss:{_ranked(b.corners)[1] + 1}",), "step": 0},
         before=lambda r, b: {"which": ()}),
    # The 3 worst corners? "Why the first one?"
    Step("first corner", lambda r, b: r.laps == ("first",) and b.of == "corner" and "loss" in b.measures
         and not (r.measures or b.laps), now=lambda r, b: {"laps": (), "corners": ("@loss",)}),
    # The second best lap? "And the third?" The top 5? "The gap between the first and the fifth?"
    Step("rank of laps", lambda r, b: r.nth and _ranked(b.laps)[0] in _RANKED,
         now=lambda r, b: {"laps": tuple(f"{_RANKED[_ranked(b.laps)[0]]}:{each}" for each in r.nth),
                           "strange": ()}),
    Step("rank of corners", lambda r, b: r.nth and not r.laps
         and (_ranked(b.corners)[0].startswith("@") or (b.of == "corner" and "loss" in b.measures)),
         now=lambda r, b: {"corners": (f"{_ranked(b.corners)[0] or '@loss'}:{r.nth[-1]}",), "strange": (),
                           "nth": ()}, before=lambda r, b: {"which": ()}),
    # The latest brake point? "And each lap?": of a signal the highest of each is meant.
    Step("all laps", lambda r, b: r.per == "lap" and not r.which and BY_VALUE.isdisjoint(b.measures),
         before=lambda r, b: {"which": tuple(each for each in b.which if each not in MOST_LEAST | _MEANS)}),
    # Top speed each lap? "Lowest?"
    Step("end of each", lambda r, b: b.per == "lap" and r.which in _ENDS and not (r.of or r.measures),
         now=lambda r, b: {"of": "lap"}),
    Step("phases", lambda r, b: b.per == "phase" and r.corners and not r.measures,
         now=lambda r, b: {"per": b.per}),
    # Which lap had the best exit of turn 7? "Lap time on that lap?"
    Step("lap found", lambda r, b: b.of == "lap" and MOST_LEAST & {*b.which} and r.measures and not r.laps
         and ("then" in r.left or ("laptime" in r.left and not b.places)),
         now=lambda r, b: {"laps": ("found",), "of": "" if b.corners else r.of, "before": b}),
    # Exit speed in turn 7? "And what was the lap time?"
    Step("whole lap", lambda r, b: "laptime" in r.left and not r.places,
         now=lambda r, b: {"measures": r.measures or ("time",)}, before=lambda r, b: _WHOLE_LAP),
    # My top speed? "In which gear?"
    Step("at the peak", lambda r, b: b.which == ("most",) and (b.measures in (("speed",), ("rpm",)) or (
             "then" in r.left and b.measures in (("brake_bar",), ("g_lat",), ("g_brake",))))
         and (r.measures in (("gear",), ("rpm",), ("throttle",)) or ("then" in r.left
         and r.measures == ("speed",))) and r.measures != b.measures
         and not (r.which or r.of or _is_named(r) or b.places or b.of or b.per),
         now=lambda r, b: {"peak": (b.measures[0], "most")}),
    # Top speed on lap 4? "And usually?", "how did it develop?"
    Step("usual", lambda r, b: _LOOKS & {*r.which} and not (r.laps or r.measures) and _of_one_lap(b),
         before=lambda r, b: {"laps": ()}),
    # Average exit speed? "And on lap 4?"
    Step("one lap", lambda r, b: (BY_VALUE.isdisjoint(b.measures) or MOST_LEAST & {*b.which})
         and not (b.laps or r.which or r.laps == ("pace",)) and len(r.laps) == 1 and ":" not in r.laps[0],
         before=lambda r, b: {"which": tuple(each for each in b.which if each not in _MEANS | (
             MOST_LEAST if BY_VALUE.isdisjoint(b.measures) and not b.of else set()))}),
    # Laps over 1:55? "And under?"
    Step("other side", lambda r, b: r.flips and (b.limit_s is not None or b.bound is not None),
         before=lambda r, b: {"over": not b.over}),
    # My minimum speed in turn 7? "Which lap was that?": the one that is nearest to the usual value.
    Step("lap of the usual", lambda r, b: r.of == "lap" and b.corners and b.measures
         and {*b.measures} <= {"brake_m", "throttle_m", *_SPEEDS[1:]} and not (b.which or b.laps or b.of)
         and not (r.which or r.measures or r.coaching or _is_named(r)),
         now=lambda r, b: {"beyond": "median", "nearest": True}),
    # Top speed? "When was that?"
    Step("its lap", lambda r, b: r.measures == ("lap_when",) and ({*b.measures} - {"time"} or not b.laps),
         now=lambda r, b: {"measures": (), "left": (*r.left, "when")}),
    # How many laps? "And which was best?"
    Step("best of all", lambda r, b: r.of_two and len(_two_of(b)) != 2
         and {*b.measures} <= {"lap_count", "time"} and not b.places,
         now=lambda r, b: {"laps": ("worst",) if "least" in r.which else ("best",), "which": (),
                       "compares": False}, ends=True),
    # Top speed on lap 3? And on lap 5? "What is the difference?"
    Step("difference", lambda r, b: r.of_two and {*r.measures} == {"delta"} and b.measures,
         now=lambda r, b: {"measures": ()}),
    Step("two laps", lambda r, b: r.of_two,
         now=lambda r, b: {"laps": _two_of(b), "which": ()} if len(_two_of(b)) == 2 else {"compares": False}),
    # "Is that better than lap 1?"
    Step("beside a lap", lambda r, b: r.compares and len(r.laps) == 1 and len(b.laps) in (1, 2),
         now=lambda r, b: {"laps": (b.laps[0], *r.laps),
                           "which": b.which if "than" in r.left and not r.measures else r.which}),
    # "More than in turn 7?"
    Step("beside a corner", lambda r, b: r.compares and len(r.corners) == len(b.corners) == 1,
         now=lambda r, b: {"corners": (*b.corners, *r.corners),
                       "which": b.which if "than" in r.left and not r.measures else r.which}),
    # "And 7?"
    Step("number", _number, now=_number),
    # The best lap? "And the slowest?"
    Step("other end", lambda r, b: b.laps in _ENDS.values() and not (r.measures or _is_named(r) or b.of)
         and BY_VALUE.isdisjoint(b.measures) and MOST_LEAST & {*r.which}, now=lambda r, b: {
             "laps": next(_ENDS[(each,)] for each in r.which if (each,) in _ENDS), "which": ()}),
    # Which lap was the worst? "Why?" Which lap was I slowest in turn 4? "What happened?"
    Step("lap judged", lambda r, b: (b.of == "lap" or b.of_two or (b.sectors and not b.laps))
         and not b.measures and b.which in _ENDS and r.coaching, now=lambda r, b: {"before": b},
         before=lambda r, b: {"laps": ("found",) if b.places else _ENDS[b.which], "which": ()}),
    # Which lap had the highest top speed? "The lowest?"
    Step("lowest peak", lambda r, b: "lap" in (b.of, b.per) and r.measures in ((), b.measures)
         and "most" in b.which and r.which == ("least",) and b.measures,
         now=lambda r, b: {"which": LOWEST_PEAK}),
    # Why was lap 7 slow? "Where exactly?"
    Step("where in a lap", lambda r, b: r.of in ("place", "corner") and b.laps
         and not (r.which or r.measures or b.measures or (b.sectors and len(b.laps) == 2)),
         before=lambda r, b: {"measures": ("loss",), "which": ()}),
    # What did I lose in sector 2? "Where mostly?"
    Step("where in a sector", lambda r, b: r.of in ("place", "corner") and b.sectors
         and ("loss" in (*b.measures, *r.measures) or len(b.laps) == 2),
         now=lambda r, b: {"among": (f"sector:{b.sectors[0]}",), "of": "corner", "sectors": ()},
         before=lambda r, b: {"sectors": (), "measures": b.measures if "loss" in b.measures else ()}),
    # How many sectors? "And which one is my worst?"
    Step("one of them", lambda r, b: b.measures in (("sector_count",), ("corner_count",))
         and MOST_LEAST & {*r.which} and not (r.measures or _is_named(r)),
         now=lambda r, b: {"measures": ("loss",), "of": b.measures[0].partition("_")[0], "of_two": False,
                           "compares": False, "which": ("most",) if "least" in r.which else ("least",)},
         before=lambda r, b: {"measures": (), "counts": False}),
    # How many laps? "And how consistent were they?"
    Step("laps of the session", lambda r, b: _LOOKS & {*r.which} and not (r.measures or _is_named(r))
         and b.measures and {*b.measures} <= _OF_SESSION, now=lambda r, b: {"measures": ("time",)}),
    # How many laps? "And lap 4?"
    Step("of the session", lambda r, b: r.laps and b.measures and {*b.measures} <= _OF_SESSION,
         before=lambda r, b: {"measures": ()}),
    # Speed in turn 7? "Was that my best?" My slowest in turn 7? "And the fastest?"
    Step("speed of a corner", lambda r, b: b.corners and b.measures == ("speed",)
         and (r.per == "session" or (b.which == ("least",) and r.which == ("most",))
              or (("each" in b.which or b.per == "lap") and {*r.which} & _LOOKS)),
         before=lambda r, b: {"measures": ("min_speed",)}),
    # The lowest speed of the lap? "And the highest?"
    Step("other end of the speed", lambda r, b: b.measures == ("min_speed",) and r.which == ("most",)
         and not (r.measures or b.corners or b.of or _is_named(r)),
         before=lambda r, b: {"measures": ("speed",), "which": ()}),
    # Which sector costs me most? "Which corner in there?"
    Step("corner in there", lambda r, b: b.of == "sector" and "loss" in b.measures and r.of == "corner"
         and not r.places, now=lambda r, b: {"among": ("sector:0",)}),
    # The worst corner? "How much do I lose there?"
    Step("corner found", lambda r, b: "corner" in (b.of, *b.left) and not (b.corners or b.laps or r.of)
         and not _another_search(r)
         and ("loss" in b.measures or ("loss" in r.measures and not b.which)),
         before=lambda r, b: {"corners": ("@loss",)}),
    Step("corner by speed", lambda r, b: "corner" in (b.of, *b.left) and not b.corners and not r.of
         and not _another_search(r)
         and b.which in _ENDS and {*b.measures} <= {"min_speed"},
         before=lambda r, b: {"corners": (f"@{b.which[0]}",), "measures": ("min_speed",), "which": ()}),
    # My best lap? "Compare it with the one before."
    Step("beside its neighbour", lambda r, b: r.step and r.compares and b.laps and not r.laps,
         now=lambda r, b: {"laps": (b.laps[0], stepped(b.laps[0], r.step)), "step": 0,
                           "measures": ("delta",)}, before=lambda r, b: {"left": ()}),
    # Lap 4? "And the one before?"
    Step("neighbour", lambda r, b: r.step and b.laps,
         before=lambda r, b: {"laps": (stepped(b.laps[0 if "by" in b.left else -1], r.step),),
                              "compares": False, "measures": () if b.measures == ("delta",) else b.measures}),
    # Time in turn 7? "And the exit?"
    Step("side of a corner", lambda r, b: r.point in SPEED_AT and _no_figure(r)
         and {*b.measures} <= {"time", "delta", "loss", "brake_m", "brake_far_m", "brake_bar", *_SPEEDS},
         before=lambda r, b: {"measures": (SPEED_AT[r.point],)}),
)  # fmt: skip


# What is kept of the question before where the follow-up has none of its own.
KEPT: tuple[tuple[tuple[str, ...], Callable[[QuestionReading, QuestionReading], object]], ...] = (
    (("at_speed",), lambda r, b: r.bound is None and not _is_named(r) and "time" not in r.measures),
    (("measures", "sprint", "bound", "bound_unit"), lambda r, b: _no_figure(r)),
    (("over",), lambda r, b: _no_figure(r) and r.bound is None and r.limit_s is None),
    (("among",), lambda r, b: _no_figure(r) and not r.places),
    (("limit_s", "within_s", "between_s", "beyond", "nearest", "target_s", "at_s"),
     lambda r, b: _no_figure(r) and not (_is_named(r) or r.which or r.of)),
    (("per",), lambda r, b: not (r.laps or r.of or (r.which and {*r.measures} not in _VALUE_IN_NAME))
     and (b.per == "lap" or (_no_figure(r) and not r.places))),
    (("which",), lambda r, b: _no_figure(r) or r.measures == b.measures),
    (("point",), lambda r, b: _no_figure(r) or _no_place(r)),
    (("straight",), lambda r, b: not r.point and (_no_figure(r) or _no_place(r))),
    (("corners", "no_corner", "sectors", "pieces", "piece", "place_m", "span", "line", "before_m"),
     lambda r, b: _no_place(r)),
    (("laps", "compares", "before"), lambda r, b: not r.laps and (r.step or r.per not in ("lap", "session"))),
    # What was searched, but a lap by no other figure.
    (("of",), lambda r, b: not (b.of == "lap" and r.measures and r.measures != b.measures)
     and (not (r.laps or r.corners or r.sectors) or (b.of in _PARTS and not (r.measures or r.places))
          or (b.of == "lap" and (not (r.laps or r.measures) or "".join(r.laps[:1]).startswith("not:"))))),
    (("sessions", "gears"), lambda r, b: True),
    (("unit",), lambda r, b: _no_figure(r) or {*_units(r)} & {*_units(b)}),
)  # fmt: skip


def stepped(mark: LapMark, step: int) -> LapMark:
    """The lap before or after; of the second best the third."""
    if mark.isdigit():
        return str(int(mark) + step)
    if mark.startswith("last"):
        return f"last:{max(1, _ranked((mark,))[1] - step)}"
    return (
        f"{mark}{'+' if step > 0 else '-'}1" if mark.startswith(("best", "worst", "first", "found")) else mark
    )
