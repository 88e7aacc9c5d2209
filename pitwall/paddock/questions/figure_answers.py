"""Answers with a figure of a lap, a sector, a corner or a place: its value, range, trend, or two compared."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, median, stdev

from msgspec.structs import replace

from pitwall.ask.measures import BEFORE_APEX, MEASURES, AskedMeasure, Where
from pitwall.ask.session_figures import SUMMED_SHARE, slope
from pitwall.paddock.question_reading import BY_VALUE, LOWEST_PEAK, PEDAL_POINTS, QuestionReading
from pitwall.paddock.questions.figure_values import (
    SHARED,
    as_shown,
    extreme,
    held_note,
    in_lap,
    is_high,
    missing_note,
    named_measures,
    part_of,
    share_of,
    shown_difference,
    shown_factor,
    signed,
    unbraked_in,
    which_of,
)
from pitwall.paddock.questions.peak_places import (
    PLACED,
    peak_of,
    place_of,
    place_of_longest,
    upshift_place,
)
from pitwall.paddock.questions.place_answers import LEAST_TOLD_S, by_place
from pitwall.paddock.questions.subject import Subject
from pitwall.track.lap import Lap

# A list read aloud is over after so many.
MOST_LISTED = 20
# So many laps tell a trend.
TREND_LAPS = 4


# What tells as much where no sensor gave a figure.
_IN_ITS_PLACE = {"brake_bar": "g_brake"}


def figures_told(asked: Subject, reading: QuestionReading) -> str:
    if reading.per == "gear":
        wholes = [asked.figures.whole(lap) for lap in asked.figures.flying]
        used = sorted({int(gear) for whole in wholes for _, gear in asked.figures.gears(whole)} - {0})
        if {*reading.measures} & {"shift_rpm", "rev_drop", "upshifts"}:
            used = used[:-1]  # there is none above the last
        return " ".join(figures_told(asked, replace(reading, per="", gears=(each,))) for each in used)
    low = replace(reading, which=reading.which or ("least",))
    said = [
        # Of an engine's oil pressure the lowest matters.
        figure_told(
            asked, low if (measure, "engine" in reading.measures) == ("oil_bar", True) else reading, measure
        )
        for measure in dict.fromkeys(named_measures(reading))
    ]
    return " ".join(each for each in said if each)


def figure_told(asked: Subject, reading: QuestionReading, measure: str) -> str:
    row = MEASURES[measure]
    if not asked.is_recorded(measure):
        lacks = asked.words.say("asked not recorded", signal=asked.words.term("asked", measure))
        other = "" if reading.unit else _IN_ITS_PLACE.get(measure, "")
        return f"{lacks} {figure_told(asked, reading, other)}" if other else lacks
    searched = not reading.places and reading.of
    if (
        searched == "place"
        and measure in SHARED
        and (reading.per == "run" or _is_rare(asked, reading, measure))
    ):
        return place_of_longest(asked, reading, measure)
    if searched == "place" and measure == "shift_rpm":
        return upshift_place(asked, reading)
    if searched == "place" and measure in PLACED:
        return place_of(asked, reading, measure)
    if (
        reading.straight == "each"
        or searched in ("corner", "sector")
        or (searched == "place" and measure in SHARED and not _is_rare(asked, reading, measure))
        or (row.parts == ("corner",) and not (reading.corners or reading.no_corner))
    ):
        return by_place(asked, reading, measure)
    wheres = asked.wheres(reading)
    laps = asked.laps(reading)
    if (
        reading.compares
        and len(laps) == len(wheres) == 1
        and not reading.span
        and asked.figures.best is not None
        and not reading.which
    ):
        # "Compared with my best lap": the usual value, which names that of the best beside it.
        if laps[0] is not asked.figures.best:
            laps = [*laps, asked.figures.best]
        elif row.usual == "median":
            laps = []
    said = []
    two = reading.compares and len(wheres) == 2 and "spread" not in reading.which
    if two and (pair := two_corners(asked, measure, wheres, laps, which_of(reading, measure))):
        return pair
    for where in wheres:
        if where.part not in row.parts:
            return asked.words.say("asked only at corners", label=asked.words.term("asked", measure))
        own = measure
        if (
            measure == "speed"
            and where.part == "corner"
            and where.point not in PEDAL_POINTS
            and which_of(reading, measure) in ("", "least", "each", "spread", "trend")
        ):
            # The speed of a corner is that at its slowest point.
            own = {"entry": "entry_speed", "exit": "exit_speed"}.get(where.point, "min_speed")
        said.append(told_at(asked, reading, own, MEASURES[own], where, laps))
        if own == "brake_m" and not laps and (found := asked.taken(own, where, asked.figures.flying)):
            said[-1] += missing_note(asked, own, where, asked.figures.flying, found)
    return " ".join(said)


def _is_rare(asked: Subject, reading: QuestionReading, measure: str) -> bool:
    """Whether a usual lap holds nothing of it that would be told."""
    found = asked.taken(measure, Where(), asked.laps(reading) or asked.figures.flying)
    return bool(found) and median(value for _, value in found) < LEAST_TOLD_S


def two_corners(
    asked: Subject, measure: str, wheres: Sequence[Where], laps: Sequence[Lap], which: str
) -> str:
    """A figure of two corners side by side: in a lap, its median, or its peak; "" where one has none."""
    own = {"climb_m": "altitude_m", "speed": "min_speed"}.get(measure, measure)
    peak, found = which == "most" and own in BY_VALUE, []
    for where in wheres:
        where = replace(where, point="apex") if own == "altitude_m" and not where.point else where
        values = [v for _, v in asked.taken(own, where, laps or asked.figures.flying, "most" if peak else "")]
        if where.part != "corner" or where.part not in MEASURES[own].parts or not values:
            return ""
        found.append((asked.place(where), max(values) if peak else median(values)))
    (place, one), (other_place, other) = found
    diff = abs(round(one, MEASURES[own].digits) - round(other, MEASURES[own].digits))
    if not MEASURES[own].digits:
        diff = abs(as_shown(asked, own, one) - as_shown(asked, own, other))
    many = len(laps or asked.figures.flying) > 1
    return asked.words.say(
        "asked two peaks" if peak and many else "asked two usual" if many else "asked two corners",
        label=asked.label(own, "most" if peak else "", Where("corner")),
        place=place,
        value=asked.shown(own, one),
        other_place=other_place,
        other=asked.shown(own, other),
        by=shown_difference(asked, own, diff / shown_factor(asked, own)),
        lap=(laps or asked.figures.flying)[0].number,
    )


# How the values of several laps are looked at.
_LOOKS = ("spread", "trend", "each")


def told_at(
    asked: Subject, reading: QuestionReading, measure: str, row: AskedMeasure, where: Where, laps: list[Lap]
) -> str:
    say, which = asked.words.say, which_of(reading, measure)
    own = which if which in ("most", "least", "mean") else ""
    if reading.which == LOWEST_PEAK:
        own, which = "most" if measure in BY_VALUE else "", "least"
    if measure in SHARED and reading.of == "lap" and own in ("most", "least"):
        own = ""  # the lap with the most of it, not with the longest piece
    end = next(
        (each for each in ("most", "least") if which in ("mean", "median") and each in reading.which), ""
    )
    if which == "mean" and (look := next((each for each in _LOOKS if each in reading.which), "")):
        which = look  # how the average of each lap varies or develops
    if row.usual == "mean" and where.part == "lap" and which in ("most", "least"):
        own, end = "mean", which  # the lap with the most throttle: it is open and shut in each
    elif end and reading.of == "lap":
        which = end  # the lap with the highest average
    elif end:
        own = end  # the average of each lap's highest
    whole = where.part == "corner" or own == "mean"
    if measure == "time" or where.part == "place" or (measure not in BY_VALUE and whole):
        own = ""
    label = asked.label(
        measure, own or ("mean" if row.usual == "mean" else "most" if row.usual == "most" else ""), where
    )
    if measure == "gear" and which in ("", "mean") and where.part not in ("corner", "place"):
        label = asked.label(measure, "most", where)
    place = asked.place(where)
    if measure == "time" and where.part == "lap" and which in ("mean", "median", "spread", "trend"):
        # A lap through the pits is no part of an average.
        laps = [lap for lap in laps if lap.kind == "flying"] or laps
    chosen, among = laps or asked.figures.flying, ""
    if (
        not laps
        and where.part == "lap"
        and measure in BY_VALUE
        and which in ("", "most")
        and own != "mean"
        and row.usual != "mean"
        and not reading.per
    ):
        # The highest value of a session may stand in any lap.
        chosen = list(asked.figures.laps.values())
    elif not laps and len(asked.figures.flying) < len(asked.figures.laps):
        among = say("asked of flying")
    taken = own or ("mean" if row.usual == "mean" else "")
    found = asked.taken(measure, where, chosen, taken)
    if not found:
        if not chosen:
            return say("no timed lap")
        if len(unbraked := unbraked_in(asked, measure, where, chosen)) == len(chosen):
            return say("asked none of them", label=label, place=place, laps=unbraked)
        stretches = [asked.figures.whole(lap) for lap in chosen]
        shares = [asked.figures.known_share(lap, signal) for lap in stretches for signal in row.signals]
        if 0.0 < (share := max(shares, default=0.0)) < SUMMED_SHARE:
            name, numbers = asked.words.term("asked", measure), [lap.number for lap in chosen]
            return say("asked little known", label=name, share=share, laps=numbers)
        if laps:
            untimed = [lap for lap in laps if lap.time_s is None] if measure == "time" else []
            if untimed and where.part == "lap":
                return " ".join(
                    say("lap not timed", lap=lap.number, kind=asked.words.term("lap kind", lap.kind))
                    for lap in untimed
                )
            return say("asked unknown in laps", label=label, place=place, laps=[lap.number for lap in laps])
        return say("asked unknown", label=label, place=place)
    of_those = reading.follows and which in ("most", "least") and len(found) > 2  # "fastest of those"
    own_mean = which == own == "mean" and len(reading.laps) == len(found) == 2
    if laps and not of_those and (own_mean or which not in ("mean", "median", "spread", "trend")):
        if len(found) == 1:
            said = one_told(asked, measure, label, place, found, where)
            return said + missing_note(asked, measure, where, laps, found)
        if len(found) == 2:
            return two_told(asked, measure, label, place, found)
        return say(
            "asked list",
            label=label,
            place=place,
            values=[in_lap(asked, measure, lap, value) for lap, value in found],
        ) + missing_note(asked, measure, where, laps, found)
    values = [value for _, value in found]
    if len(found) > 1 and laps:
        place += say("asked in laps", laps=[lap.number for lap, _ in found])
    if which == "spread":
        return spread_told(asked, measure, label, place, found)
    if which == "trend":
        return trend_told(asked, measure, label, place, found)
    if which in ("mean", "median") and (measure == "time" or own != "mean"):
        value = fmean(values) if which == "mean" else median(values)
        return say(
            f"asked {which}",
            label=asked.label(measure, own, where),
            place=place,
            value=asked.shown(measure, value),
            count=len(values),
        )
    if "total" in reading.which and (row.unit in ("s", "") or measure == "brake_far_m") and measure != "gear":
        return say(
            "asked total",
            label=label,
            place=place,
            value=asked.shown(measure, sum(values)),
            count=len(values),
        )
    if which == "each" or reading.per == "lap" or "how_many" in reading.which or reading.ranked:
        if "rank" in reading.which or reading.ranked:
            end = "least" if "least" in reading.which else "most"
            found = sorted(found, key=lambda each: each[1], reverse=is_high(measure, row, end))
            found = found[: reading.ranked or len(found)]
        return say(
            "asked list",
            label=label,
            place=place,
            values=[in_lap(asked, measure, lap, value, where) for lap, value in found[:MOST_LISTED]],
        )
    if len(found) == 1 and (own or not which):
        return one_told(asked, measure, label, place, found, where)
    if (own == "mean" and not end) or (row.usual == "mean" and not which and not reading.of):
        weights = [lap.end_t - lap.start_t for lap, _ in found]
        mean = sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights)
        if laps and not any(":" in mark for mark in reading.laps):
            values_told = [in_lap(asked, measure, lap, value) for lap, value in found]
            return say("asked list", label=label, place=asked.place(where), values=values_told)
        if laps:  # an out lap may be among them
            return say("asked list", label=label, place=place, values=[asked.shown(measure, mean)])
        return say(
            "asked session", label=label, place=place, value=asked.shown(measure, mean), count=len(values)
        )
    if (
        which in ("most", "least")
        or reading.of == "lap"
        or (row.usual == "most" and not (where.part == "place" or where.point) and measure in BY_VALUE)
    ):
        lap, value = extreme(measure, row, found, which)
        return say(
            "asked extreme",
            label=label,
            place=place,
            value=asked.shown(measure, value) + part_of(asked, measure, lap, where, value),
            lap=lap.number,
            among=among,
        ) + held_note(asked, measure, where)
    return usual_told(asked, measure, label, place, found, where)


def one_told(
    asked: Subject, measure: str, label: str, place: str, found: list[tuple[Lap, float]], where: Where
) -> str:
    lap, value = found[0]
    shown = asked.shown(measure, value) + part_of(asked, measure, lap, where, value)
    return asked.words.say("asked one", label=label, place=place, value=shown, lap=lap.number)


def two_told(asked: Subject, measure: str, label: str, place: str, found: list[tuple[Lap, float]]) -> str:
    (first, one), (second, other) = found
    diff = round(one, MEASURES[measure].digits) - round(other, MEASURES[measure].digits)
    if MEASURES[measure].digits == 0:
        # What is shown is what is subtracted.
        diff = as_shown(asked, measure, one) - as_shown(asked, measure, other)
    key = (
        "asked two same"
        if abs(diff) < 0.5 * 10.0 ** -MEASURES[measure].digits
        else (
            ("asked two faster" if diff < 0 else "asked two slower")
            if measure == "time"
            else ("asked two earlier" if diff > 0 else "asked two later")
            if measure in BEFORE_APEX
            else "asked two more"
            if diff > 0
            else "asked two less"
        )
    )
    by = shown_difference(asked, measure, abs(diff) / shown_factor(asked, measure))
    return asked.words.say(
        key,
        label=label,
        place=place,
        value=asked.shown(measure, one),
        lap=first.number,
        other_value=asked.shown(measure, other),
        other=second.number,
        by=by,
    )


def spread_told(asked: Subject, measure: str, label: str, place: str, found: list[tuple[Lap, float]]) -> str:
    if len(found) == 1 and len(asked.figures.flying) > 1:
        return one_told(asked, measure, label, place, found, Where())
    if len(found) < 2:
        return asked.words.say("asked one lap only")
    values = [value for _, value in found]
    low, high = min(found, key=lambda each: each[1]), max(found, key=lambda each: each[1])
    return asked.words.say(
        "asked spread",
        label=label,
        place=place,
        by=shown_difference(asked, measure, high[1] - low[1]),
        low=in_lap(asked, measure, *low),
        high=in_lap(asked, measure, *high),
        sd=shown_difference(asked, measure, stdev(values)),
        count=len(found),
    )


def trend_told(asked: Subject, measure: str, label: str, place: str, found: list[tuple[Lap, float]]) -> str:
    if len(found) == 1 and len(asked.figures.flying) > 1:
        one = one_told(asked, measure, label, place, found, Where())
        return f"{one} {asked.words.say('asked trend unknown')}"
    if len(found) < 2:
        return asked.words.say("asked one lap only")
    values = [value for _, value in found]
    said = asked.words.say(
        "asked trend",
        label=label,
        place=place,
        first=in_lap(asked, measure, *found[0]),
        last=in_lap(asked, measure, *found[-1]),
        most=in_lap(asked, measure, *max(found, key=lambda each: each[1])),
        least=in_lap(asked, measure, *min(found, key=lambda each: each[1])),
    )
    if len(values) < TREND_LAPS:
        return f"{said} {asked.words.say('asked trend unknown')}"
    per_lap = slope(values)
    rising = sum(b > a for a, b in pairwise(values))
    steps = len(values) - 1
    way = "rises" if rising >= 0.75 * steps else "falls" if rising <= 0.25 * steps else "neither"
    if measure == "time" and way != "neither":
        way = "slower" if way == "rises" else "quicker"
    elif measure in BEFORE_APEX and way != "neither":
        way = "earlier" if way == "rises" else "later"
    return f"{said} {asked.words.say('asked trend ' + way, slope=signed(asked, measure, per_lap))}"


def usual_told(
    asked: Subject, measure: str, label: str, place: str, found: list[tuple[Lap, float]], where: Where
) -> str:
    """The usual value, its range, and that of the best lap."""
    if len(found) == 1:
        return one_told(asked, measure, label, place, found, where)
    values = [value for _, value in found]
    shown = {asked.shown(measure, value) for value in values}
    if len(shown) == 1:
        return asked.words.say("asked always", label=label, place=place, value=shown.pop(), count=len(found))
    middle = median(values)
    shares = [share_of(asked, measure, lap, where, value) for lap, value in found]
    known = [each for each in shares if each is not None]
    share = asked.words.say("asked share", share=median(known)) if known else ""
    best = asked.figures.best
    own = next((value for lap, value in found if best is not None and lap.number == best.number), None)
    said = asked.words.say(
        "asked usual",
        label=label,
        place=place,
        value=asked.shown(measure, middle) + share,
        low=in_lap(asked, measure, *min(found, key=lambda each: each[1])),
        high=in_lap(asked, measure, *max(found, key=lambda each: each[1])),
    )
    if own is not None and best is not None:
        said += " " + asked.words.say("asked in best", value=asked.shown(measure, own), lap=best.number)
    return said


def corners_in_gear(asked: Subject, reading: QuestionReading) -> str:
    """The corners at whose slowest point a gear is usually engaged."""
    if not asked.figures.recorded("gear"):
        return asked.words.say("asked not recorded", signal=asked.words.term("asked", "gear"))
    laps, found = asked.laps(reading) or asked.figures.flying, []
    for corner in asked.figures.corners:
        where = Where("corner", corner=corner.id)
        gears = [value for _, value in asked.taken("gear", where, laps)]
        if gears and median(gears) == reading.gears[0]:
            found.append(asked.short_name(corner.id))
    key = "asked in that gear" if found else "asked no corner in gear"
    return asked.words.say(key, gear=reading.gears[0], corners=found)


def at_peak(asked: Subject, reading: QuestionReading) -> str:
    """Figures where another one was highest or lowest: the gear at top speed."""
    measure, which = reading.peak
    named = named_measures(reading)
    if missing := [
        each for each in (*named, measure) if not asked.figures.recorded(MEASURES[each].signals[0])
    ]:
        return asked.words.say("asked not recorded", signal=asked.words.term("asked", missing[0]))
    of_peak = replace(reading, which=(which,))
    found = peak_of(asked, of_peak, measure)
    if found is None or found[1] is None:
        return asked.words.say("asked unknown", label=asked.words.term("asked", measure), place="")
    where, lap = Where("place", place_m=found[1]), found[2]
    values = [(each, asked.taken(each, where, [lap])) for each in named]
    said = [place_of(asked, of_peak, measure)] + [
        one_told(asked, each, asked.label(each, "", where), asked.place(where), value, where)
        for each, value in values
        if value
    ]
    return " ".join(said)
