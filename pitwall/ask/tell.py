"""Word evaluated queries as sentences that name the measure, the laps, the place and the aggregate."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from statistics import fmean, median, stdev
from typing import Any

from msgspec.structs import replace

from pitwall.analysis.compare import SURE_ERRORS, slope_of
from pitwall.analysis.compose import potential_sentences
from pitwall.analysis.tool_kit import ToolRefused
from pitwall.ask.evaluate import Evaluated, PlaceValues, default_end, evaluate, extreme
from pitwall.ask.measures import BEFORE_APEX, MEASURES, OF_MOMENTS, TIMED, Where, time_of
from pitwall.ask.scope import Subject
from pitwall.ask.session_figures import APART_S, MOVING_MPS
from pitwall.contract.questions import ONE_LAP, Query
from pitwall.store.queries import when_driven
from pitwall.track.lap import Lap

# The longest list, and the longest ranking.
MOST_LISTED, MOST_RANKED = 12, 3
# Marks of laps that are not named one by one.
_SEVERAL_LAPS = re.compile(r"(?:span|top|bottom|firsts|lasts|halves):.*")
# Laps that a trend needs.
TREND_LAPS = 4
# How a figure rises and falls over the laps, and how the higher and the lower of two are called.
_WAYS = {"time": ("slower", "quicker")} | dict.fromkeys(BEFORE_APEX, ("earlier", "later"))
_APART = _WAYS | {"time": ("slower", "faster")}


def answer_sentence(subject: Subject, query: Query) -> str:
    """Answer a query about one session. ToolRefused, StoreError."""
    say, measure, laps = subject.words.say, query.measure, query.scope.laps
    if measure in TOPICS:
        return TOPICS[measure](subject, query)
    if measure not in MEASURES:
        raise ToolRefused(f"{measure!r} is no measure", say("ask about another"))
    if not subject.is_recorded(measure):
        return say("asked not recorded", signal=subject.words.term("asked", measure))
    if query.against not in ("", "mean") and not query.group:  # the usual value, or a lap, and that one
        alone, named = replace(query, against=""), (*laps, query.against)
        against = replace(alone, scope=replace(query.scope, laps=named))
        usual = "" if laps else f"{answer_sentence(subject, alone)} "
        return f"{usual}{answer_sentence(subject, against)}"
    one = len(laps) == 1 and ONE_LAP.fullmatch(laps[0])
    if one and query.group == "lap" and query.order:
        return say("asked one lap only")
    if one and query.which == "trend":
        query = replace(query, scope=replace(query.scope, laps=()))
    if MEASURES[measure].parts == ("corner",) and all(":" in each for each in query.scope.places):
        query = replace(query, group="corner")
    whole = ("spread", "trend", "sum", "median") + (() if measure in OF_MOMENTS else ("mean",))
    if query.group == "lap" and not query.order and query.which in whole:
        query = replace(query, group="")
    finding = evaluate(subject, query)
    if not finding.rows:
        return say("asked only at corners", label=subject.words.term("asked", measure))
    said = [_Told(subject, finding, each) for each in finding.rows]
    if not any(each.values for each in said):
        return said[0].unknown()
    if query.group in ("corner", "sector", "straight"):
        return _by_place(subject, finding)
    return " ".join(each.sentence() for each in said)


class _Told:
    """The laps' values at one place in words."""

    def __init__(self, subject: Subject, finding: Evaluated, row: PlaceValues) -> None:
        self.subject, self.finding, self.row = subject, finding, row
        self.query, self.measure, self.where = finding.query, finding.query.measure, row.where
        self.whole_lap = self.measure == "time" and row.where.part == "lap"
        self.values = [value for _, value in row.lap_values]

    def say(self, key: str, **slots: Any) -> str:
        """Return the sentence, with the measure, the place, the laps and their number."""
        subject, laps = self.subject, self.finding.laps
        given = {
            "label": subject.label(self.measure, self.finding.within, self.where),
            "place": subject.place(self.where),
            "in_laps": subject.in_laps(self.query.scope.laps, laps),
            "count": len(self.values),
        }
        return subject.words.say(key, **{**given, **slots})

    def shown(self, value: float) -> str:
        return self.subject.shown(self.measure, value)

    def in_lap(self, lap: Lap, value: float) -> str:
        return self.say("ask in lap", value=self.shown(value), lap=lap.number)

    def with_share(self, lap: Lap, value: float) -> str:
        """Return a value, and of a time which share of the place's it is."""
        whole_s = time_of(self.subject.figures, lap, self.where, "") if self.measure in TIMED else None
        return self.shown(value) + (self.say("asked share", share=value / whole_s) if whole_s else "")

    def sentence(self) -> str:
        query, row = self.query, self.row
        if not row.lap_values:
            return self.unknown()
        if query.against:
            return self.against_mean()
        if query.group == "lap":
            return self.by_lap()
        count = len(row.lap_values)
        one_by_one = 1 < count == len(query.scope.laps)
        several = {"spread": self.spread, "trend": self.trend, "sum": self.sum}
        forms = several | {"mean": self.mean, "median": self.mean}
        if query.which in ("spread", "trend") and count == 1 and not query.scope.laps:
            return self.say("asked one lap only")
        singly = one_by_one and query.which == "mean" and self.measure in OF_MOMENTS
        if query.which in forms and count > 1 and not singly:
            return forms[query.which]()
        if count == 1:
            return self.single()
        singly = one_by_one and self.finding.within in ("most", "least")
        if query.which in ("min", "max") and not singly:
            return self.extreme(query.which == "min")
        if one_by_one and count == 2:
            return self.two()
        in_sets = query.scope.laps and all(map(_SEVERAL_LAPS.fullmatch, query.scope.laps))
        if one_by_one or (in_sets and not query.which and count <= MOST_LISTED):
            return self.by_lap()
        if end := default_end(query):
            return self.extreme(end == "min")
        return self.mean() if MEASURES[self.measure].usual == "mean" else self.usual()

    def unknown(self) -> str:
        laps, figures = self.finding.laps, self.subject.figures
        numbers = [lap.number for lap in laps]
        if self.whole_lap and len(laps) == 1:
            kind = self.subject.words.term("lap kind", laps[0].kind)
            return self.say("lap not timed", lap=numbers[0], kind=kind)
        signal = next(iter(MEASURES[self.measure].signals), "")
        shares = [figures.known_share(figures.whole(lap), signal) for lap in laps] if signal else []
        if shares and 0.0 < max(shares) < 0.5:
            return self.say("asked little known", share=max(shares), laps=numbers)
        return self.say(
            "asked unknown in laps" if self.query.scope.laps and laps else "asked unknown", laps=numbers
        )

    def single(self) -> str:
        [(lap, value)] = self.row.lap_values
        if self.whole_lap:
            return _lap_time(self.subject, lap)
        return self.say("asked one", value=self.with_share(lap, value), lap=lap.number)

    def extreme(self, low: bool) -> str:
        lap, value = extreme(self.row.lap_values, low)
        named, laps = self.query.scope.laps, [each.number for each, _ in self.row.lap_values]
        if self.whole_lap:
            if named:
                key = "asked most of laps" if low else "asked least of laps"
                return self.say(key, laps=laps, lap=lap.number, time=value)
            said = _lap_time(self.subject, lap)
            return said if low else f"{said} {self.say('ask slowest')}"
        if self.where.part == "sector" and self.measure == "time":
            key = "asked best sector" if low else "asked worst sector"
            return self.say(key, sector=self.where.number, time=self.shown(value), lap=lap.number)
        among = self.say("ask among", laps=laps) if named and len(laps) > 1 else ""
        peak = self.finding.within in ("most", "least")
        key = "asked extreme" if peak else "ask lowest" if low else "ask highest"
        return self.say(key, value=self.with_share(lap, value), lap=lap.number, among=among)

    def usual(self) -> str:
        values = self.values
        middle, low, high = map(self.shown, (median(values), min(values), max(values)))
        if self.whole_lap:
            return f"{self.spread()} {self.say('ask median', value=middle)}"
        said = self.say("asked always" if low == high else "asked usual", value=middle, low=low, high=high)
        best = self.subject.figures.best
        own = next((value for lap, value in self.row.lap_values if lap is best), None)
        if own is None or best is None:
            return said
        return f"{said} {self.say('asked in best', value=self.shown(own), lap=best.number)}"

    def mean(self) -> str:
        middle, within = self.query.which == "median", self.finding.within
        label = self.subject.label(self.measure, "" if within == "mean" else within, self.where)
        value = self.shown((median if middle else fmean)(self.values))
        return self.say("asked median" if middle else "asked mean", label=label, value=value)

    def sum(self) -> str:
        return self.say("asked total", value=self.shown(sum(self.values)))

    def spread(self) -> str:
        if len(self.values) < 2:
            return self.say("asked one lap only")
        low, high = extreme(self.row.lap_values, True), extreme(self.row.lap_values, False)
        apart = self.subject.difference
        laps = self.finding.laps
        fewer = self.query.scope.laps or [""] * (len(laps) < len(self.subject.figures.flying))
        ends = {"low": self.in_lap(*low), "high": self.in_lap(*high)}
        by, sd = (apart(self.measure, each) for each in (high[1] - low[1], stdev(self.values)))
        return self.say("asked spread", in_laps=self.subject.in_laps(fewer, laps), by=by, sd=sd, **ends)

    def trend(self) -> str:
        values, laps = self.values, self.row.lap_values
        ends = {
            "first": laps[0],
            "last": laps[-1],
            "most": extreme(laps, False),
            "least": extreme(laps, True),
        }
        said = self.say("asked trend", **{name: self.in_lap(*each) for name, each in ends.items()})
        if len(values) < TREND_LAPS:
            return f"{said} {self.say('asked trend unknown')}"
        by, error = slope_of(values, [float(lap.number) for lap, _ in laps])
        rises, falls = _WAYS.get(self.measure, ("rises", "falls"))
        way = "neither" if abs(by) <= SURE_ERRORS * error else rises if by > 0.0 else falls
        return f"{said} {self.say(f'asked trend {way}', slope=self.subject.signed(self.measure, by))}"

    def two(self) -> str:
        """Compare two laps with each other."""
        (lap, one), (other, another) = self.row.lap_values
        by = self.subject.apart(self.measure, one, another)
        same = by == self.subject.difference(self.measure, 0.0)
        how = "same" if same else _APART.get(self.measure, ("more", "less"))[one < another]
        return self.say(
            f"asked two {how}", value=self.shown(one), lap=lap.number, other_value=self.shown(another),
            other=other.number, by=by,
        )  # fmt: skip

    def against_mean(self) -> str:
        flying, laps = self.subject.figures.flying, self.row.lap_values
        means = [v for _, v in self.subject.lap_values(self.measure, self.where, flying, self.finding.within)]
        lap, value = laps[0] if len(laps) == 1 else extreme(laps, not MEASURES[self.measure].high)
        if not means:
            return self.single()
        mean, count = fmean(means), len(means)
        by = value - mean
        return self.say(
            "asked mean over" if by > 0 else "asked mean under", value=self.shown(value), lap=lap.number,
            by=self.subject.difference(self.measure, by), mean=self.shown(mean), count=count,
        )  # fmt: skip

    def by_lap(self) -> str:
        if self.query.order:
            return self.extreme(self.query.order == "min")
        laps = self.row.lap_values
        if self.whole_lap and not self.query.scope.laps:
            every = self.subject.figures.laps.values()
            laps = [(lap, lap.time_s) for lap in every if lap.time_s is not None and lap.kind != "out"]
        values = [self.say("ask lap value", lap=lap.number, value=self.shown(value)) for lap, value in laps]
        return self.say("asked list", values=values)


def _lap_time(subject: Subject, lap: Lap) -> str:
    say, best, flying = subject.words.say, subject.figures.best, subject.figures.flying
    if lap is best:
        return say("ask lap best", lap=lap.number, time=lap.time_s, count=len(flying))
    kind = subject.words.term("lap kind", lap.kind)
    said = say("lap timed", lap=lap.number, time=lap.time_s, kind=kind)
    return said if best is None else f"{said} {say('your best', time=best.time_s, lap=best.number)}"


def _by_place(subject: Subject, finding: Evaluated) -> str:
    query, say, measure = finding.query, subject.words.say, finding.query.measure
    rows = [row for row in finding.rows if row.value is not None]
    if query.against not in ("", "mean") and subject.laps((query.against,)) == list(finding.laps):
        return say("asked one lap only")
    if query.against:
        rows = _differences(subject, query, rows)
    if not rows:
        return _Told(subject, finding, finding.rows[0]).unknown()
    label = subject.label(measure, finding.within, rows[0].where)
    if measure == "time" and query.group == "sector":
        label = subject.words.term("asked", "sector")
    shown = (
        subject.signed if query.against else subject.difference if query.which == "spread" else subject.shown
    )
    ends, several = query.which in ("min", "max"), len(finding.laps) > 1
    values = []
    for row in rows[: MOST_RANKED if query.order else None]:
        said = say(
            "ask place value", place=subject.place_name(row.where), value=shown(measure, row.value or 0.0)
        )
        if ends and several and row.lap_values:
            said += say("ask of lap", lap=extreme(row.lap_values, query.which == "min")[0].number)
        values.append(said)
    kind = query.which or {"mean": "mean"}.get(MEASURES[measure].usual, "lost" if measure == "lost" else "")
    laps = subject.in_laps(query.scope.laps, finding.laps) or say("ask over flying", count=len(finding.laps))
    return say(
        "ask by place", label=label, how=f", {subject.words.term('ask how', kind)}" if several else "",
        order=subject.words.term("ask order", query.order) if query.order else "",
        laps=laps + (subject.compared_with(query.against) if query.against else ""), values=values,
    )  # fmt: skip


def _differences(subject: Subject, query: Query, rows: list[PlaceValues]) -> list[PlaceValues]:
    """Return the places with the differences between the query's values and those compared with."""
    other = replace(query.scope, laps=() if query.against == "mean" else (query.against,))
    found = evaluate(subject, replace(query, scope=other, against="", order=""))
    values = {row.where: row.value for row in found.rows if row.value is not None}
    apart = [
        replace(row, value=(row.value or 0.0) - values[row.where]) for row in rows if row.where in values
    ]
    if not query.order:
        return apart
    return sorted(apart, key=lambda row: row.value or 0.0, reverse=query.order == "max")


# Topics: what is no figure of a lap.
_CLOCKS = ("start_utc_s", "driven_utc_s", "time_of_day_s")


def _lap_count(subject: Subject, query: Query) -> str:
    say, figures = subject.words.say, subject.figures
    if query.scope.laps:
        laps, best = subject.laps(query.scope.laps), figures.best
        timed = [(lap.number, lap.time_s) for lap in laps if lap.time_s is not None]
        times = [say("ask lap value", lap=lap, value=subject.lap_time(time_s)) for lap, time_s in timed]
        if len(timed) > MOST_LISTED:
            times = [subject.words.figures.laps_named([lap for lap, _ in timed])]
        more = say("asked count laps", values=times) if times else "."
        if not laps and best is not None:
            more = f". {say('your best', time=best.time_s, lap=best.number)}"
        return say("asked count of", count=len(laps), of=len(figures.flying), more=more)
    others = [
        say("asked other lap", lap=lap.number, kind=subject.words.term("lap", lap.kind))
        for lap in figures.laps.values()
        if lap not in figures.flying
    ]
    more = say("asked others", others=others) if others else ""
    return say("asked lap count", count=len(figures.flying), others=more)


def _stint_count(subject: Subject, query: Query) -> str:
    laps = [subject.words.figures.laps_named(list(range(one, other + 1))) for one, other in subject.stints()]
    if not laps:
        return subject.words.say("no timed lap")
    return subject.words.say("asked stints", count=len(laps), stints=laps)


def _started(subject: Subject, query: Query) -> str:
    say, figures = subject.words.say, subject.figures
    if laps := subject.laps(query.scope.laps):
        clocks = ((lap, _clock(subject, lap.start_t)) for lap in laps)
        return " ".join(
            say(
                "asked lap began",
                lap=lap.number,
                when=when,
                after=f"{lap.start_t // 60:.0f}:{lap.start_t % 60:02.0f}",
            )
            for lap, when in clocks
        )
    end_t = max((lap.end_t for lap in figures.laps.values()), default=0.0)
    return say("asked started", when=_clock(subject, 0.0), minutes=end_t / 60.0, end=_clock(subject, end_t))


def _clock(subject: Subject, t: float) -> str:
    """Return day and time of a moment of the session, with its zone where it is known."""
    row = subject.row
    clocks = {key: None if (value := getattr(row, key)) is None else value + t for key in _CLOCKS}
    when = when_driven(replace(row, **clocks))
    return when if row.driven_utc_s is None or when.endswith("local") else f"{when} UTC"


def _circuit(subject: Subject, query: Query) -> str:
    track = subject.track
    if track is None:
        return subject.words.say("asked no corners known")
    return subject.words.say("asked circuit", track=track.name, length=track.lap_m, count=len(track.corners))


def _driven(subject: Subject, query: Query) -> str:
    figures, far_m, moved_s = subject.figures, 0.0, 0.0
    for spot, after in pairwise(figures.spots()):
        speed_mps, gone_s = spot.frame.speed_mps or 0.0, after.t - spot.t
        if gone_s <= APART_S and speed_mps >= MOVING_MPS:
            far_m, moved_s = far_m + speed_mps * gone_s, moved_s + gone_s
    return subject.words.say("asked driven", far=far_m / 1000.0, moved=moved_s / 60.0)


def _ideal(subject: Subject, query: Query) -> str:
    """Compare the theoretical best, and the sum of the best sectors, with the best lap."""
    say, flying, best = subject.words.say, subject.figures.flying, subject.figures.best
    if best is None or best.time_s is None:
        return say("no timed lap")
    count = max(len(lap.sectors_s) for lap in flying)
    sectors = [Where("sector", number=number) for number in range(1, count + 1)]
    lap_values = [subject.lap_values("time", each, flying) for each in sectors]
    if not lap_values or not all(lap_values):
        return say("asked no sectors here")
    found = [extreme(each, True) for each in lap_values]
    values = [
        say("asked sector of lap", sector=number, time=subject.lap_time(time_s), lap=lap.number)
        for number, (lap, time_s) in enumerate(found, 1)
    ]
    total_s = sum(time_s for _, time_s in found)
    theory = potential_sentences(subject.tools.report().potential, subject.words)
    if all(lap is best for lap, _ in found):
        said = say("asked ideal driven", lap=best.number, best=best.time_s, values=values)
    else:
        gain_s = best.time_s - total_s
        said = say("asked ideal", time=total_s, gain=gain_s, best=best.time_s, lap=best.number, values=values)
    return " ".join((*theory, said))


def _usual_lap(subject: Subject, query: Query) -> str:
    """Tell the middle of the laps that count, as the debrief does."""
    potential = subject.tools.report().potential
    if potential.usual_s is None:
        return subject.words.say("too few laps")
    return subject.words.say("usual lap", time=potential.usual_s, count=len(potential.laps))


TOPICS: dict[str, Callable[[Subject, Query], str]] = {
    "lap_count": _lap_count,
    "stint_count": _stint_count,
    "started": _started,
    "circuit": _circuit,
    "driven": _driven,
    "usual": _usual_lap,
    "ideal": _ideal,
}
