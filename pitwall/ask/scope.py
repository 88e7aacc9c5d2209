"""Look up a query's laps and places in a session, and name them in an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pitwall.analysis.compare import outings_of
from pitwall.analysis.places import are_counted
from pitwall.analysis.port import Facts
from pitwall.analysis.tool_kit import ToolRefused
from pitwall.analysis.tools import Tools
from pitwall.ask.corner_names import names_of
from pitwall.ask.measures import MEASURES, SPEEDS, Part, Where
from pitwall.ask.session_figures import SessionFigures
from pitwall.store.queries import SessionRow
from pitwall.track.lap import Lap

# Marks of several laps: of the flying ones, ranked by time or in their order.
_SEVERAL: dict[str, Callable[[list[Lap], int], list[Lap]]] = {
    "top": lambda laps, number: laps[:number],
    "bottom": lambda laps, number: laps[::-1][:number],
    "firsts": lambda laps, number: laps[:number],
    "lasts": lambda laps, number: laps[-number:],
    # The middle one of an odd number is in both.
    "halves": lambda laps, number: laps[len(laps) // 2 :] if number == 2 else laps[: (len(laps) + 1) // 2],
}


class Subject:
    """A session, and the words for its laps, places and values; one a thread."""

    def __init__(self, tools: Tools, facts: Facts, row: SessionRow) -> None:
        self.tools, self.facts, self.row = tools, facts, row
        self.words = facts.words
        self.track = facts.track(row.track) if row.track else None
        self.figures = SessionFigures(facts, row, self.track, self._losses)
        self.names = names_of(self.track)

    def _losses(self) -> dict[tuple[str, int], float]:
        """Return what each pass, by corner and lap, lost to the best one, s."""
        passes = self.tools.report().passes
        return {(each.corner, each.lap): each.loss_s for each in passes if each.loss_s is not None}

    def stints(self) -> list[tuple[int, int]]:
        """Return the first and last lap of each stint."""
        return outings_of([*self.figures.laps.values()])

    def laps(self, marks: Sequence[str]) -> list[Lap]:
        """Return the named laps, in their order. ToolRefused where one is not there."""
        found: list[Lap] = []
        for mark in marks:
            found += [lap for lap in self._marked(mark) if lap not in found]
        return found

    def _marked(self, mark: str) -> list[Lap]:
        flying = self.figures.flying
        name, _, number = mark.partition(":")
        if mark.isdigit():
            if lap := self.figures.laps.get(int(mark)):
                return [lap]
            raise self._no_lap(int(mark))
        if name in ("out", "in"):
            return [lap for lap in self.figures.laps.values() if lap.kind == name]
        if name == "all":
            return list(self.figures.laps.values())
        if not flying:
            raise self._refused("no timed lap")
        ranked = sorted(flying, key=lambda lap: lap.time_s or 0.0)
        if name == "flying":
            return flying
        if name == "times":
            least_s, most_s = map(float, number.split("-"))
            return [lap for lap in flying if least_s <= (lap.time_s or 0.0) < most_s]
        if name == "stint":
            stints, at = self.stints(), int(number) - (int(number) > 0)
            if not -len(stints) <= at < len(stints):
                raise self._refused("asked too few stints", count=len(stints))
            name, number = "span", "{}-{}".format(*stints[at])
        if name == "span":
            first, last = map(int, number.split("-"))
            return [lap for lap in flying if first <= lap.number <= last]
        if name in _SEVERAL and number.isdigit():
            return _SEVERAL[name](ranked if name in ("top", "bottom") else flying, int(number))
        orders = {"best": ranked, "worst": ranked[::-1], "last": flying[::-1], "first": flying}
        at = int(number or "1") - 1 if number.isdigit() or not number else -1
        if name not in orders or at < 0:
            raise ToolRefused(f"{mark!r} names no lap", self.words.say("ask about another"))
        if at >= len(flying):
            raise self._refused("asked too few laps", count=len(flying))
        return [orders[name][at]]

    def _refused(self, key: str, **slots: Any) -> ToolRefused:
        return ToolRefused(self.words.say(key, **slots).rstrip("."), self.words.say("ask about another"))

    def _no_lap(self, number: int) -> ToolRefused:
        have = [str(lap.number) for lap in self.figures.flying] or [str(each) for each in self.figures.laps]
        return ToolRefused(
            self.words.say("unknown lap", laps=[self.words.say("lap", lap=number)]),
            self.words.say("ask about laps", count=len(have), laps=have)
            if have
            else self.words.say("ask about another"),
        )

    def others(self) -> list[SessionRow]:
        """Return the other sessions on this track, in driving order."""
        return [row for row in self.facts.sessions() if row.track == self.row.track and row.id != self.row.id]

    def in_laps(self, marks: Sequence[str], laps: Sequence[Lap]) -> str:
        """Return " in laps 2 to 4", "" where no lap is named."""
        return self.words.say("asked in laps", laps=[lap.number for lap in laps]) if marks and laps else ""

    def wheres(self, marks: Sequence[str]) -> list[Where]:
        """Return the named parts of a lap; the whole lap by default. ToolRefused."""
        return [where for mark in marks for where in self._where(mark)] or [Where()]

    def _where(self, mark: str) -> list[Where]:
        name, _, value = mark.partition(":")
        if name == "sector":
            return [Where("sector", number=each) for each in self.sectors(int(value))]
        if name in ("straight", "after"):
            return [self._straight(value, "after" if name == "after" else "before")]
        corner, _, point = mark.partition("/")
        return [Where("corner", corner=self._known(corner), point=point)]

    def _straight(self, value: str, side: str) -> Where:
        if not self.figures.corners:
            raise self._refused("asked no corners known")
        if value == "main":
            return Where("straight", corner=self.figures.corners[0].id, point="before")
        if value == "back":  # the longest that is not the main one
            others = [each.id for each in self.figures.straight_corners()[1:]]
            value = max(others or [self.figures.corners[0].id], key=self.figures.straight_m)
        if value == "longest":
            value = max((each.id for each in self.figures.corners), key=self.figures.straight_m)
        return Where("straight", corner=self._known(value), point=side)

    def _known(self, corner: str) -> str:
        known = self.figures.corners
        if any(each.id == corner for each in known):
            return corner
        called = corner.replace("_", " ").title()
        name = self.track.name if self.track else self.words.say("this session")
        if are_counted(known) and not corner[-1:].isdigit():
            first, last = (self.short_name(each.id) for each in (known[0], known[-1]))
            raise ToolRefused(
                self.words.say("asked no corner counted", corner=called, track=name, count=len(known)),
                self.words.say("ask by number", first=first, last=last),
            )
        raise ToolRefused(
            self.words.say("asked no corner", corner=called, track=name),
            self.words.say("asked corners", corners=[self.short_name(each.id) for each in known])
            if known
            else self.words.say("ask about another"),
        )

    def sectors(self, number: int) -> list[int]:
        """Return a sector from 1 on; 0 stands for all, -1 for the last. ToolRefused."""
        count = max((len(lap.sectors_s) for lap in self.figures.flying), default=0)
        if not count:
            raise self._refused("asked no sectors")
        if number > count:
            raise self._refused("asked no sector", sector=number, count=count)
        return [*range(1, count + 1)] if number == 0 else [count if number < 0 else number]

    def places(self, kind: Part) -> list[Where]:
        """Return the parts of a lap of one kind."""
        if kind == "sector":
            return [Where(kind, number=each) for each in self.sectors(0)]
        if kind == "straight":
            return [Where(kind, corner=each.id, point="before") for each in self.figures.straight_corners()]
        return [Where(kind, corner=each.id) for each in self.figures.corners]

    def is_recorded(self, measure: str) -> bool:
        """Return whether a figure needs no signal, or the session has one of its signals."""
        signals = MEASURES[measure].signals
        return not signals or any(map(self.figures.recorded, signals))

    def lap_values(
        self, measure: str, where: Where, laps: Iterable[Lap], which: str = ""
    ) -> list[tuple[Lap, float]]:
        """Return each lap in which the figure is known there, with its value."""
        take = MEASURES[measure].take
        return [(lap, v) for lap in laps if (v := take(self.figures, lap, where, which)) is not None]

    def corner_name(self, corner: str) -> str:
        """Return the corner's name, its id if unknown."""
        row = self.figures.corner_row(corner)
        return row.name if row else corner

    def short_name(self, corner: str) -> str:
        """Return the name for lists: "Turn 6" of "Turn 6, the Carousel"."""
        return self.corner_name(corner).partition(",")[0]

    def place_name(self, where: Where) -> str:
        """Return the name for lists: "Turn 7", "sector 2", "before Turn 7"."""
        if where.part == "sector":
            return self.words.say("asked sector name", sector=where.number)
        name = self.short_name(where.corner)
        return self.words.say("asked straight name", corner=name) if where.part == "straight" else name

    def place(self, where: Where) -> str:
        """Return " at Turn 7", "" for the whole lap."""
        say = self.words.say
        if where.part == "corner":
            return say("asked at corner", corner=self.corner_name(where.corner))
        if where.part == "straight":
            return say(f"asked straight {where.point}", corner=self.corner_name(where.corner))
        if where.part == "sector":
            return say("asked in sector", sector=where.number)
        return ""

    def shown(self, measure: str, value: float) -> str:
        """Return a value with its unit."""
        if measure == "time":
            return self.lap_time(value)
        return self._with_unit(measure, self.words.figures.value(value, MEASURES[measure].unit))

    def _with_unit(self, measure: str, value: float) -> str:
        row = MEASURES[measure]
        unit = self.words.figures.unit(row.unit)
        return f"{value:.{row.digits}f}{'' if unit in ('', '%', '°') else ' '}{unit}"

    def lap_time(self, value_s: float) -> str:
        """Return a lap time from a minute on, else seconds."""
        said = self.words.figures.lap_time(value_s)
        return said if value_s >= 60.0 else f"{said} s"

    def difference(self, measure: str, value: float) -> str:
        """Return a difference of two values with its unit: 18 °F lie between 10 °C."""
        figures, unit = self.words.figures, MEASURES[measure].unit
        return self._with_unit(measure, abs(figures.value(value, unit) - figures.value(0.0, unit)))

    def signed(self, measure: str, value: float) -> str:
        """Return a difference with its sign."""
        return ("-" if value < 0 else "+") + self.difference(measure, value)

    def apart(self, measure: str, one: float, other: float) -> str:
        """Return the difference of two values as they are shown, with its unit."""
        row, figures = MEASURES[measure], self.words.figures
        values = (round(figures.value(each, row.unit), row.digits) for each in (one, other))
        return self._with_unit(measure, abs(next(values) - next(values)))

    def compared_with(self, against: str) -> str:
        """Return what values are compared with: " against lap 6"."""
        laps = [] if against == "mean" else [lap.number for lap in self.laps((against,))]
        return self.words.say("ask against", laps=laps) if laps else self.words.say("ask against mean")

    def label(self, measure: str, which: str, where: Where) -> str:
        """Return the head of its sentence: "Top speed"."""
        if measure == "speed" and where.part == "corner":
            if where.point or which in ("", "least"):
                measure = SPEEDS.get(where.point, "min_speed")
                which = ""
        elif where.point and where.part == "corner" and measure != "time":
            named = self.words.term("asked", measure)
            return self.words.say("asked point", label=named, point=self.words.term("point", where.point))
        key = f"{measure} {'lap' if measure == 'time' and where.part == 'lap' else which}".strip()
        if self.words.has_term("asked", key):
            return self.words.term("asked", key)
        how = {"most": "max", "least": "min", "mean": "mean"}.get(which)
        label = self.words.term("asked", measure)
        return f"{label}, {self.words.term('ask how', how)}" if how else label
