"""Answers about laps and corners as a whole: two laps side by side, one lap, one corner."""

from __future__ import annotations

from statistics import fmean

from msgspec.structs import replace

from pitwall.analysis.opportunities import Cause
from pitwall.ask.measures import MEASURES, Where
from pitwall.paddock.question_reading import MOST_LEAST, QuestionReading
from pitwall.paddock.questions.figure_answers import figure_told, two_told
from pitwall.paddock.questions.figure_values import MOST_RANKED, signed, which_of
from pitwall.paddock.questions.place_answers import by_place, usual_loss
from pitwall.paddock.questions.subject import Subject
from pitwall.paddock.roster import answer_of
from pitwall.track.lap import Lap


def two_laps(asked: Subject, reading: QuestionReading) -> str:
    laps, said = asked.laps(reading), list[str]()
    best = asked.figures.best
    flying = asked.figures.flying
    if (
        len(laps) == 1
        and "mean" in reading.which
        and not reading.places
        and laps[0].time_s is not None
        and flying
    ):
        mean = fmean(lap.time_s or 0.0 for lap in flying)
        return asked.words.say(
            "asked slower than mean" if laps[0].time_s > mean else "asked faster than mean",
            lap=laps[0].number,
            by=abs(laps[0].time_s - mean),
            time=laps[0].time_s,
            mean=mean,
            count=len(flying),
        )
    if len(laps) == 1 and reading.which and reading.places:
        return figure_told(asked, replace(reading, laps=(), which=()), "time")
    if len(laps) == 1 and best is not None and best.time_s is not None:
        if laps[0].number == best.number:
            second = sorted(flying, key=lambda lap: lap.time_s or 0.0)[1:2]
            asks_why = bool(reading.corners or reading.sectors or reading.half or reading.coaching)
            if not second or not asks_why or "loss" in reading.measures:
                return asked.words.say("asked is best", lap=best.number, time=best.time_s)
            best = second[0]
            said = [asked.words.say("asked beside next best", lap=laps[0].number, other=best.number)]
        laps = [*laps, best]
    if len(laps) != 2:
        return ""
    if reading.of == "sector" and not reading.places:
        reading = replace(reading, sectors=(0,))
    if reading.laps == ("best",) and reading.corners and not reading.coaching:
        # "How far off my best in 7".
        return " ".join(usual_loss(asked, Where("corner", each)) for each in reading.corners)
    if reading.corners or reading.sectors:
        for where in asked.wheres(reading):
            found = asked.taken("time", where, laps[:2])
            if len(found) < 2:
                said.append(
                    asked.words.say(
                        "asked unknown in laps",
                        label=asked.words.term("asked", "time"),
                        place=asked.place(where),
                        laps=[lap.number for lap in laps],
                    )
                )
                continue
            said.append(two_told(asked, "time", asked.words.term("asked", "time"), asked.place(where), found))
            if where.part == "corner":
                said += [
                    two_told(asked, m, asked.words.term("asked", m), "", both)
                    for m in ("entry_speed", "min_speed", "exit_speed")
                    if len(both := asked.taken(m, where, laps[:2])) == 2
                ]
        return " ".join(said)
    if any(lap.time_s is None for lap in laps[:2]):
        return " ".join(
            asked.words.say(
                "lap not timed" if lap.time_s is None else "lap timed",
                lap=lap.number,
                time=lap.time_s,
                kind=asked.words.term("lap kind", lap.kind),
            )
            for lap in laps[:2]
        )
    told = asked.tools.table()["lap_delta"](lap=laps[0].number, against=laps[1].number)
    if "error" in told:
        return two_told(
            asked,
            "time",
            asked.words.term("asked", "time"),
            "",
            [(lap, lap.time_s or 0.0) for lap in laps[:2]],
        )
    plain = not (reading.of or reading.coaching or reading.of_two or "most" in reading.which)
    if reading.measures == ("delta",) and plain:
        told = told | {"corners": []}  # "how many seconds": no more than that
    return answer_of("LapComparisonAgent", {"lap_delta": told}, asked.words)


def corners_won(asked: Subject, reading: QuestionReading) -> str:
    """In which corners the named lap has the fastest pass of all flying laps."""
    [lap, *_] = asked.laps(reading)
    won = []
    for corner in asked.figures.corners:
        times = asked.taken("time", Where("corner", corner.id), asked.figures.flying)
        if times and min(times, key=lambda each: each[1])[0].number == lap.number:
            won.append(asked.short_name(corner.id))
    return asked.words.say(
        "asked corners best" if won else "asked corners best none", lap=lap.number, corners=won
    )


def lap_losses(asked: Subject, reading: QuestionReading) -> str:
    """Where a named lap lost time against the best one, or what it lost at a corner."""
    if reading.compares and reading.laps == ("best",) and reading.corners:
        # "Compared to my best".
        return " ".join(usual_loss(asked, Where("corner", corner)) for corner in reading.corners)
    laps, best = asked.laps(reading), asked.figures.best
    if not laps and len(asked.figures.flying) < 2:
        return asked.words.say("asked one lap only")
    looks = {"least", "trend", "spread"} & {*reading.which}
    if reading.places and not laps and (reading.of == "lap" or looks - {"least"}):
        return figure_told(asked, reading if looks else replace(reading, which=("most",)), "lost")
    ranked = reading.of == "corner" and MOST_LEAST & {*reading.which}
    if len(reading.corners) == 1 and ranked and not (laps or reading.coaching):
        where = Where("corner", reading.corners[0])
        return f"{usual_loss(asked, where)} {loss_rank(asked, where.corner)}".strip()
    if reading.corners:
        if not laps and (
            {"mean", "total"} & set(reading.which) or "this" in reading.sessions or reading.per == "lap"
        ):
            return " ".join(usual_loss(asked, Where("corner", corner)) for corner in reading.corners)
        if not laps and reading.span:
            return figure_told(asked, reading, "time")
        if not laps:
            costs = {each.corner for each in asked.tools.report().opportunities}
            return " ".join(
                corners_told(asked, replace(reading, corners=(each,)))
                if each in costs
                else usual_loss(asked, Where("corner", each))
                for each in reading.corners
            )
        if best is None or laps[0].time_s is None:
            return ""
        other = laps[1] if len(laps) > 1 else best
        if reading.span or other is laps[0]:
            return " ".join(_beside(asked, where, laps[0], other) for where in asked.wheres(reading))
        told = asked.tools.table()["lap_delta"](lap=laps[0].number, against=other.number)
        if "error" in told:
            return ""
        rows = {each["corner"]: each["delta_s"] for each in told["corners"]}
        return " ".join(
            asked.words.say(
                "asked corner lost" if rows[each] >= 0 else "asked corner won",
                corner=asked.corner_name(each),
                by=abs(rows[each]),
                lap=laps[0].number,
                other=other.number,
            )
            for each in reading.corners
            if each in rows
        )
    # "Against my best lap" names the lap to compare with, not the one that is asked about.
    return two_laps(asked, reading) if laps and reading.laps != ("best",) else ""


def _beside(asked: Subject, where: Where, lap: Lap, other: Lap) -> str:
    """The time of a part of two laps; of the best lap beside the fastest other one there."""
    others = [other] if other is not lap else [each for each in asked.figures.flying if each is not lap]
    own, found = asked.taken("time", where, [lap]), asked.taken("time", where, others)
    if not own or not found:
        return ""
    fastest = min(found, key=lambda each: each[1])
    return two_told(asked, "time", asked.words.term("asked", "time"), asked.place(where), [*own, fastest])


def messed_up(asked: Subject, reading: QuestionReading) -> str:
    """Which lap lost most in a corner; "" where there was an incident: that is told by its own agent."""
    if asked.tools.table()["incidents"]()["incidents"]:
        return ""
    return " ".join(
        [
            asked.words.say("no incidents"),
            *(usual_loss(asked, Where("corner", each)) for each in reading.corners),
        ]
    )


def loss_rank(asked: Subject, corner: str) -> str:
    """Which of the corners it is by what is lost there: "is turn 11 my best corner"."""
    lost = {
        each.id: fmean(value for _, value in found)
        for each in asked.figures.corners
        if len(found := asked.taken("lost", Where("corner", each.id), asked.figures.flying)) > 1
    }
    ranked = sorted(lost, key=lambda each: lost[each])
    if corner not in ranked:
        return ""
    return asked.words.say("asked loss rank", rank=ranked.index(corner) + 1, count=len(ranked))


def corners_told(asked: Subject, reading: QuestionReading) -> str:
    """Corners as a whole, each by its own history."""
    asked.wheres(reading)
    laps = asked.laps(reading)
    if laps:
        return " ".join(pass_card(asked, corner, lap) for corner in reading.corners for lap in laps)
    table = asked.tools.table()["corner_history"]
    return " ".join(
        answer_of("CornerCoachAgent", {"corner_history": table(corner=each)}, asked.words)
        for each in reading.corners
    )


def explained(asked: Subject, reading: QuestionReading) -> str:
    """Why corners cost what was told of them, and what to do: by their own history; one that costs nothing
    lap after lap by the speeds beside the lap of another session."""
    if len(asked.figures.flying) < 2:
        return asked.words.say("asked one lap only")
    costs = {each.corner for each in asked.tools.report().opportunities}
    beside = asked.tools.table()["reference_lap_comparison"]()
    rows = {each["corner"]: each for each in (beside.get("comparison") or {"corners": ()})["corners"]}
    said = []
    for corner in reading.corners:
        row = rows.get(corner)
        if corner in costs or row is None or row["delta_s"] <= 0.0:
            said.append(corners_told(asked, replace(reading, corners=(corner,))))
            continue
        speeds = {name: row[f"{name}_speed_diff_kmh"] / 3.6 for name in ("entry", "apex", "exit")}
        values = {name: signed(asked, "min_speed", by) for name, by in speeds.items()}
        said.append(
            asked.words.say(
                "asked beside reference", corner=asked.corner_name(corner), by=row["delta_s"], **values
            )
        )
    return " ".join(said)


def pass_card(asked: Subject, corner: str, lap: Lap) -> str:
    say, passed = asked.words.say, asked.figures.passed(corner, lap.number)
    name = asked.corner_name(corner)
    if passed is None:
        return say("not driven in lap", corner=name, lap=lap.number)
    parts = [
        say("seconds", time=passed.time_s),
        say("speed in", speed=passed.entry_speed_mps * 3.6),
        say("speed slowest", speed=passed.min_speed_mps * 3.6),
        say("speed out", speed=passed.exit_speed_mps * 3.6),
    ]
    peak = MEASURES["brake_bar"].take(asked.figures, lap, Where("corner", corner=corner), "")
    if peak is not None and asked.figures.recorded("brake_bar"):
        parts.append(say("hardest brake", pressure=peak))
    best = asked.figures.best
    other = None if best is None or best.number == lap.number else asked.figures.passed(corner, best.number)
    if other is not None and best is not None:
        diff_s = passed.time_s - other.time_s
        parts.append(say("lost against" if diff_s > 0 else "won against", by=abs(diff_s), lap=best.number))
    return say("corner in lap", corner=name, lap=lap.number, parts=parts)


def lap_card(asked: Subject, reading: QuestionReading) -> str:
    """One lap: its time, sectors, top speed, and the best one beside it."""
    say = asked.words.say
    said = []
    for lap in asked.laps(reading)[: MOST_RANKED + 7]:
        if lap.time_s is None:
            said.append(say("lap not timed", lap=lap.number, kind=asked.words.term("lap kind", lap.kind)))
            continue
        said.append(
            say("lap timed", lap=lap.number, time=lap.time_s, kind=asked.words.term("lap kind", lap.kind))
        )
        if (
            len(reading.laps) == 1
            and ":" not in reading.laps[0]
            and lap.sectors_s
            and None not in lap.sectors_s
        ):
            said.append(say("asked its sectors", values=[asked.lap_time(t or 0.0) for t in lap.sectors_s]))
    best, flying = asked.figures.best, sorted(asked.figures.flying, key=lambda lap: lap.time_s or 0.0)
    if len(reading.laps) == 1 and reading.laps[0].isdigit() and (lap := asked.laps(reading)[0]) in flying[1:]:
        key = "asked slowest lap" if lap is flying[-1] else "asked lap rank"
        said.append(say(key, rank=flying.index(lap) + 1, count=len(flying)))
    if (
        best is not None
        and best.time_s is not None
        and all(lap.number != best.number for lap in asked.laps(reading))
    ):
        said.append(say("your best", time=best.time_s, lap=best.number))
    elif len(reading.laps) == 1 and reading.laps[0].isdigit():
        said.append(say("asked best lap"))
    return " ".join(said)


def corner_search(asked: Subject, reading: QuestionReading) -> str:
    """ "Slowest corner?" by its speed; a corner's spread by the map of it."""
    which = which_of(reading, "")
    if which == "spread":
        varies = asked.tools.table()["variance_map"]()
        return answer_of("MentalMapAgent", {"variance_map": varies}, asked.words)
    if which in ("most", "least") and not {"worst", "best"} & set(reading.strange):
        return by_place(asked, reading, "min_speed")
    return ""


# The causes of lost time that a question for such a figure means.
_CAUSES_OF: dict[str, tuple[Cause, ...]] = {
    "brake_m": ("brakes early", "brakes late"),
    "throttle_m": ("late on the throttle",),
}


def weak_corners(asked: Subject, reading: QuestionReading) -> str:
    """ "Which corners do I over-slow": the corners that cost time lap after lap, each with its cause. "Do I
    brake too early anywhere": those with that cause; where there are none, that is said first."""
    report = asked.tools.report()
    worst = report.opportunities
    if report.session != asked.row.id or not worst:
        return ""
    measure = next((each for each in reading.measures if each in _CAUSES_OF), "")
    those = [each for each in worst if each.cause in _CAUSES_OF.get(measure, ())]
    corners = tuple(each.corner for each in (those or worst)[:MOST_RANKED])
    told = corners_told(asked, replace(reading, corners=corners))
    if measure and not those:
        return asked.words.say("asked no cause", label=asked.words.term("asked", measure), rest=told)
    return told
