"""What was read in a question, and what a follow-up leaves to the question before it."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

# How a lap is meant: its number, or "best", "worst", "last", "first", "in", "out"; "best:2" is the second
# best, "top:3" the three best, "from:5" all from lap 5 on, "to:5" those until it, "firsts:3", "lasts:3",
# "span:2-4"; "found" the lap that the question before searched.
LapMark = str
# How the marks begin that mean several laps: parts of the drive, and other groups.
DRIVE_PARTS = ("from:", "to:", "half:", "firsts:", "lasts:", "span:")
LAP_GROUPS = (*DRIVE_PARTS, "not:", "stint:")
# The lap whose highest value is the lowest one.
LOWEST_PEAK = ("least", "most")
# As a gear: the highest that was engaged.
TOP_GEAR = 99


class QuestionReading(msgspec.Struct, frozen=True, kw_only=True):
    """What was read. `measures` and `which` are meanings of `vocabulary`; `laps` are marks; `corners` ids of
    the track (`no_corner`: one that the track does not have); `point` of a corner: entry, apex, exit;
    `sectors` from 1 on, (0,) for all of them; `place_m` from the start line; `of` says what is to be found:
    lap, corner, sector, place; `per` what it is to be told for; `limit_s`: laps under this time, `within_s`
    of the best; `bare` a number alone, and the corner of that number; `bound` a limit of another figure, in
    `bound_unit` ("": not said); `over` one of both is asked from above; `counted`: how often or how long it
    was passed. `target_s`: whether that lap time can be reached; `sprint` from which speed to which, in
    `bound_unit`; `half` of the lap, 1 or 2; `line` "to", "from": between the corner and the start line,
    "gap" between two corners; `peak`: told where this measure had this value; `made_of`: a lap of these
    sectors of these laps; `before_m` before the corner's entry. `of_two`: which of two that were named;
    `earlier` the laps of the question before. `gears`: from which to which one is shifted, 0 for any; the one
    that is engaged. `straight`: that before or after the corner, the main or the longest one, each of them.
    `ranked`: how many of a rank are told; `among`: which corners are meant, marks of `Subject.corners`;
    `beyond`: the lap, or "mean", that the laps are asked for beside, or with `nearest` the one that comes
    nearest to it or to `limit_s`.
    `flips`: the other side of the limit before; `before`: the question before, whose lap is "found".
    `negated`: what was not so is asked for; `counts`: how many; `named`: figures that were named beside the
    one that is asked for; `left`: known words that stand for no field. `strange`: words that mean nothing
    here."""

    measures: tuple[str, ...] = ()
    which: tuple[str, ...] = ()
    laps: tuple[LapMark, ...] = ()
    corners: tuple[str, ...] = ()
    no_corner: str = ""
    span: bool = False
    point: str = ""
    sectors: tuple[int, ...] = ()
    pieces: bool = False
    place_m: float | None = None
    of: str = ""
    per: str = ""
    compares: bool = False
    sessions: tuple[str, ...] = ()
    driver: str = ""
    limit_s: float | None = None
    over: bool = False
    within_s: float | None = None
    target_s: float | None = None
    sprint: tuple[int, int] | None = None
    half: int = 0
    line: str = ""
    before_m: float | None = None
    peak: tuple[str, str] = ("", "")
    made_of: tuple[tuple[int, LapMark], ...] = ()
    between_s: tuple[float, float] | None = None
    bound: float | None = None
    bound_unit: str = ""
    counted: bool = False
    gears: tuple[int, ...] = ()
    straight: str = ""
    unit: str = ""
    untold: str = ""
    coaching: bool = False
    said: bool = False
    marked: bool = False
    follows: bool = False
    bare: tuple[str, str] = ("", "")
    step: int = 0
    of_two: bool = False
    earlier: tuple[LapMark, ...] = ()
    among: tuple[str, ...] = ()
    ranked: int = 0
    beyond: LapMark = ""
    nearest: bool = False
    negated: bool = False
    counts: bool = False
    named: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    strange: tuple[str, ...] = ()
    flips: bool = False
    before: QuestionReading | None = None

    @property
    def places(self) -> bool:
        """Whether a part of the lap is named."""
        return bool(
            self.corners
            or self.sectors
            or self.half
            or self.straight
            or self.no_corner
            or self.place_m is not None
            or self.pieces
        )


def follow(reading: QuestionReading, before: QuestionReading | None) -> QuestionReading:
    """The reading with what it leaves to the question before: "and on lap 4?", "what about the exit?"."""
    if before is None:
        return reading
    searching = before
    reading = replace(reading, earlier=before.laps)
    if "ideal" in before.measures and reading.measures == ("delta",) and not (reading.laps or reading.places):
        return replace(reading, measures=before.measures)  # "how far off am I"
    if before.per == reading.of == "lap" and not (reading.measures or reading.laps or reading.places):
        reading = replace(reading, follows=True)  # "exit speed each lap. Which lap was best?"
    if not reading.follows or reading.untold or reading.said:
        return reading
    of_parts = before.of in ("corner", "sector", "place") or (before.measures and not before.laps)
    if "one" in reading.left and of_parts:
        # "And the best one?": the corner that costs least, the sector that is fastest.
        best = reading.laps == ("best",) or "most" in reading.which
        least = best if "loss" in before.measures else not best
        reading = replace(reading, laps=(), of=before.of, which=("least",) if least else ("most",))
    changes: dict[str, object] = {}
    named = before.coaching or before.places or before.laps or reading.coaching
    if (
        "spread" in before.which
        and before.of
        and not reading.measures
        and {*reading.which} & {"most", "least"}
    ):
        of = "corner" if before.of == "place" else before.of  # "where do I vary most? And least?"
        before, reading = replace(before, of=of), replace(reading, which=("spread", *reading.which))
    if not (before.measures or named) and {*before.which} - {"spread" if before.of else ""}:
        # What was asked without a name: "how much do the laps vary", "where am I fastest".
        default = {"place": ("speed",), "": ("time",)}.get(before.of, ())
        before = replace(before, measures=default)
    if reading.of == "place" and before.of == "corner":
        reading = replace(reading, of="corner")
    if len({*reading.measures} - {"loss", "delta"}) == 1 and not (
        reading.which or reading.laps or reading.places
    ):
        which = tuple(each for each in before.which if each in ("trend", "spread", "mean", "median"))
        reading = replace(reading, which=which)  # "oil temperature trend? And water?"
    if reading.measures == ("g_lat",) and before.measures[:1] in (("brake_bar",), ("brake_time",)):
        reading = replace(reading, measures=("g_brake",))  # "where do I brake hardest? How many g?"
    of_part = before.among[:1] and before.among[0].startswith(("half:", "sector:")) and not reading.measures
    if of_part and (reading.half or reading.sectors):
        part = f"half:{reading.half}" if reading.half else f"sector:{reading.sectors[0]}"
        reading = replace(reading, among=(part,), half=0, sectors=(), of=before.of)
    if [each[:4] for each in (*before.laps, *reading.laps)] == ["not:", "not:"]:
        reading = replace(reading, laps=(f"{before.laps[0]},{reading.laps[0][4:]}",))
    at = (before.corners[0] if before.corners else "").partition(":")[2]
    of_corners = before.of in ("corner", "place") or "loss" in before.measures or bool(at)
    if "next" in reading.left and of_corners:
        reading = replace(reading, corners=(f"@loss:{int(at or 1) + 1}",), left=())  # "and the next worst"
    elif reading.corners and reading.corners[0].startswith("@loss:") and not of_corners and reading.follows:
        reading = replace(reading, corners=(), laps=(reading.corners[0].replace("@loss", "worst"),))
    rank, end = _RANKS.get(" ".join(reading.strange)), before.laps[0].partition(":")[0] if before.laps else ""
    if rank and end in ("best", "worst"):
        reading = replace(reading, laps=(f"{end}:{rank}",), strange=())  # "second best lap? And the third?"
    elif rank and before.corners and before.corners[0].startswith("@"):
        ranked = f"{before.corners[0].partition(':')[0]}:{rank}"
        reading = replace(reading, corners=(ranked,), strange=())
    if before.per == "lap" and reading.which in (("most",), ("least",)) and not reading.of:
        reading = replace(reading, of="lap")  # "top speed each lap? Lowest?"
    if before.per == "phase" and reading.corners and not reading.measures:
        reading = replace(reading, per=before.per)
    if "laptime" in reading.left and not reading.places:
        # "Exit speed in turn 7? And what was the lap time?"
        before = replace(before, corners=(), sectors=(), straight="", place_m=None, point="", half=0)
    of_one = {*before.measures} <= {"time", "brake_m", "throttle_m", *_SPEEDS[1:]}
    if {"mean", "median"} & {*reading.which} and not reading.laps and len(before.laps) == 1:
        group = before.laps[0].startswith((*LAP_GROUPS, "top", "bottom"))
        before = (
            before if group or before.measures in ((), ("time",)) else replace(before, laps=())
        )  # "and usually"
    if (
        of_one
        and not before.laps
        and len(reading.laps) == 1
        and ":" not in reading.laps[0]
        and not reading.which
    ):
        which = tuple(each for each in before.which if each not in ("mean", "median"))
        before = replace(before, which=which)  # "average exit speed? And on lap 4?"
    if reading.flips and (before.limit_s is not None or before.bound is not None):
        before = replace(before, over=not before.over)
    if reading.measures == ("lap_when",) and ({*before.measures} - {"time"} or not before.laps):
        reading = replace(reading, measures=())  # "when was that" of a figure: its lap
    if (
        before.of == "lap"
        and {"most", "least"} & {*before.which}
        and "then" in reading.left
        and reading.measures
        and not reading.laps
    ):
        of = "" if before.corners else reading.of
        reading = replace(reading, laps=("found",), of=of, before=searching)
    if reading.of_two:
        pair = before.laps if len(before.laps) == 2 else (*before.earlier, *before.laps)
        if len(pair) != 2 and set(before.measures) <= {"lap_count", "time"} and not before.places:
            # "How many laps, and which was best?"
            named = ("worst",) if "least" in reading.which else ("best",)
            return replace(reading, laps=named, which=(), compares=False)
        if set(reading.measures) == {"delta"} and before.measures:
            reading = replace(reading, measures=())  # the difference in what was asked before
        reading = (
            replace(reading, laps=pair, which=()) if len(pair) == 2 else replace(reading, compares=False)
        )
    if reading.compares and len(reading.laps) == len(before.laps) == 1:
        # "Is that better than lap 1?"
        reading = replace(reading, laps=(*before.laps, *reading.laps))
    elif reading.compares and len(reading.laps) == 1 and len(before.laps) == 2:
        reading = replace(reading, laps=(before.laps[0], *reading.laps))  # "and than lap 4?"
    if reading.compares and len(reading.corners) == len(before.corners) == 1:
        # "More than in turn 7?"
        which = before.which if "than" in reading.left and not reading.measures else reading.which
        reading = replace(reading, corners=(*before.corners, *reading.corners), which=which)
    number, corner = reading.bare
    if number and not reading.sectors and (corner if before.corners else before.laps and not before.sectors):
        # "And 7?" is a corner after a corner, a lap after a lap.
        meant = {"corners": (corner,), "gears": ()} if before.corners else {"laps": (number,)}
        left = tuple(each for each in reading.strange if each != number)
        reading = replace(reading, strange=left, **meant)
    ends = {("least",): ("worst",), ("most",): ("best",)}
    if before.laps in ends.values() and not (reading.measures or reading.laps or reading.places):
        # "And the slowest?" after the best lap.
        other = next((ends[(each,)] for each in reading.which if (each,) in ends), ())
        if other:
            reading = replace(reading, laps=other, which=())
    one_lap = (before.of == "lap" or before.of_two) and not before.measures
    if one_lap and before.which in ends and reading.coaching:
        before = replace(before, laps=ends[before.which], which=())  # "which lap was the worst, and why?"
    of_laps = "lap" in (before.of, before.per) and reading.measures in ((), before.measures)
    if of_laps and "most" in before.which and reading.which == ("least",) and before.measures:
        reading = replace(reading, which=LOWEST_PEAK)  # "which lap had the highest top speed | the lowest?"
    if (
        reading.of in ("place", "corner")
        and before.laps
        and not reading.which
        and not (reading.measures or before.measures)
    ):
        before = replace(before, measures=("loss",), which=())  # "why was lap 7 slow? Where exactly?"
    if reading.laps and set(before.measures) <= _OF_SESSION:
        before = replace(before, measures=())
    if reading.measures == before.measures and not reading.which:
        changes["which"] = before.which  # "how many bar?" of the hardest braking
    if not reading.measures and reading.sprint is None:
        of_corner = reading.per == "session" and before.corners and before.measures == ("speed",)
        before = replace(before, measures=("min_speed",)) if of_corner else before
        alike = not (reading.laps or reading.places or reading.which or reading.of)
        kept = (*_WITH_MEASURE, *_OF_ALL_LAPS) if alike else _WITH_MEASURE
        own = reading.bound is not None or reading.limit_s is not None
        changes |= {
            each: getattr(before, each)
            for each in kept
            if not (getattr(reading, each) or (own and each == "over"))
            and not (each == "among" and reading.places)
        }
        if not reading.which:
            changes["which"] = before.which
        if not (reading.straight or reading.point):
            changes["straight"] = before.straight
        if not reading.point:
            changes["point"] = before.point
        elif reading.point in ("entry", "exit", "apex") and set(before.measures) <= {
            "time",
            "delta",
            "loss",
            *_SPEEDS,
        }:
            changes["measures"] = (SPEED_AT[reading.point],)
    if before.of == "sector" and "loss" in before.measures and reading.of == "corner" and not reading.places:
        changes["among"] = ("sector:0",)  # "which sector costs me most? Which corner in there?"
    if "corner" in (before.of, *before.left) and not before.corners and not reading.of:
        # "Worst corner? How much do I lose there?"
        if "loss" in before.measures or ("loss" in reading.measures and not before.which):
            before = replace(before, corners=("@loss",))
        elif before.which in (("most",), ("least",)) and set(before.measures) <= {"min_speed"}:
            before = replace(before, corners=(f"@{before.which[0]}",))
    if not reading.corners and not reading.sectors and reading.place_m is None and not reading.pieces:
        changes |= {
            "corners": before.corners,
            "sectors": before.sectors,
            "place_m": before.place_m,
            "straight": reading.straight or ("" if reading.point else before.straight),
            "span": before.span,
            "line": before.line,
            "before_m": before.before_m,
        }
        if not reading.point:
            changes["point"] = before.point
    if (
        reading.of in ("place", "corner")
        and before.sectors
        and ("loss" in before.measures or len(before.laps) == 2)
    ):
        # "What did I lose in sector 2? Where mostly?"
        changes |= {"among": (f"sector:{before.sectors[0]}",), "sectors": (), "of": "corner"}
        if "loss" not in searching.measures:
            changes["measures"] = ()  # of two laps: which of them was faster where
        reading = replace(reading, of="corner")
    if reading.step and before.laps:
        changes["laps"] = tuple(stepped(mark, reading.step) for mark in before.laps[-1:])
    elif not reading.laps and reading.per not in ("lap", "session"):
        changes["laps"] = before.laps
        changes["compares"] = reading.compares or before.compares
    if not reading.sessions:
        changes["sessions"] = before.sessions
    number_of = reading.bare[0]
    if before.sectors and number_of.isdigit() and not (reading.sectors or before.corners):
        # "And 2?" after a sector.
        left = tuple(each for each in reading.strange if each != number_of)
        reading = replace(reading, sectors=(int(number_of),), laps=(), strange=left)
        changes |= {"sectors": reading.sectors, "laps": before.laps}
    is_placed = before.of == "place" and not (reading.measures or reading.places)
    # A lap that was searched by another figure is not searched by this one.
    searched = before.of == "lap" and reading.measures and reading.measures != before.measures
    if not (reading.of or searched) and (
        is_placed
        or not (reading.laps or reading.corners or reading.sectors)
        or (before.of in ("corner", "sector") and not (reading.measures or reading.places))
        or (before.of == "lap" and reading.laps[:1] and reading.laps[0].startswith("not:"))
    ):
        changes["of"] = before.of
    if not reading.gears:
        changes["gears"] = before.gears
    if not reading.unit:
        changes["unit"] = before.unit
    return replace(reading, **changes)


# What a follow-up keeps beside the figure, and what it keeps where it names no lap and no place.
_WITH_MEASURE = ("measures", "sprint", "bound", "bound_unit", "over", "among")
_OF_ALL_LAPS = ("limit_s", "within_s", "between_s", "beyond", "nearest", "target_s", "per")
# Of a session only: of a lap that is named next something else is asked.
_OF_SESSION = {"lap_count", "duration", "driven_km", "stops", "stints", "when"}
_RANKS = {"second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4, "fifth": 5, "5th": 5}
_SPEEDS = ("speed", "entry_speed", "min_speed", "exit_speed")
SPEED_AT = {"entry": "entry_speed", "apex": "min_speed", "exit": "exit_speed"}


def stepped(mark: LapMark, step: int) -> LapMark:
    """The lap before or after; of the second best the third."""
    if mark.isdigit():
        return str(int(mark) + step)
    if mark == "last" and step < 0:
        return "last:2"
    if mark.startswith(("best", "last")):
        rank = int(mark.partition(":")[2] or "1")
        return (
            f"{mark.partition(':')[0]}:{max(1, rank - step)}"
            if mark.startswith("last")
            else f"{mark}{'+' if step > 0 else '-'}1"
        )
    return mark
