"""The session that a question is about: what is named in it, looked up, and how figures are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, median
from typing import Any

from msgspec.structs import replace

from pitwall.analysis.places import are_counted
from pitwall.analysis.port import Facts
from pitwall.analysis.tool_kit import ToolRefused
from pitwall.analysis.tools import Tools
from pitwall.ask.corner_names import names_of
from pitwall.ask.measures import MEASURES, MINI_SECTORS, Part, Where
from pitwall.ask.session_figures import SessionFigures
from pitwall.paddock.question_reading import PEDAL_POINTS, TOP_GEAR, LapMark, QuestionReading
from pitwall.ask.session_figures import stints_of
from pitwall.paddock.questions.vocabulary import UNITS
from pitwall.store.queries import SessionRow
from pitwall.track.lap import Lap
from pitwall.track.model import Corner
from pitwall.words.language import Language
from pitwall.words.units import Filler, Shown

# The lap that was searched, and those beside it.
_FOUND = {"found": 0, "found-1": -1, "found+1": 1}
# Marks of several laps: of the flying ones, in their order.
_SEVERAL: dict[str, Callable[[list[Lap], int], list[Lap]]] = {
    "top": lambda laps, number: laps[:number],
    "bottom": lambda laps, number: laps[::-1][:number],
    "firsts": lambda laps, number: laps[:number],
    "lasts": lambda laps, number: laps[-number:],
    "half": lambda laps, number: laps[: len(laps) // 2] if number == 1 else laps[len(laps) // 2 :],
    "from": lambda laps, number: [lap for lap in laps if lap.number >= number],
    "to": lambda laps, number: [lap for lap in laps if lap.number <= number],
}


def names_in(row: SessionRow) -> frozenset[str]:
    """The words by which a driver may call a session."""
    return parts_of(" ".join((row.name, row.source_name, row.vehicle, row.driver, *row.tags)))


def parts_of(names: str) -> frozenset[str]:
    """The words of names, as "Toms" too; "mx5" beside "mx" and "5" of "MX-5"."""
    found = re.findall(r"[a-z0-9]+", names.lower())
    whole = (re.sub(r"[^a-z0-9]", "", each) for each in names.lower().split())
    return frozenset((*found, *whole, *(f"{each}s" for each in found if each.isalpha())))


class ToldWords(Language):
    """The words of a language, and which of its sentences were said: `told`."""

    def __init__(self, like: Language, units: Shown) -> None:
        super().__init__(like.code, like.units)
        self.figures = Filler(self._read, units)
        self.told: set[str] = set()

    def say(self, key: str, /, **values: Any) -> str:
        self.told.add(key)
        return super().say(key, **values)


class Subject:
    """Answers readings about one session. Any thread may use its own one. StoreError, ToolRefused."""

    def __init__(self, tools: Tools, facts: Facts, row: SessionRow) -> None:
        self.tools, self.facts, self.row = tools, facts, row
        self.words = ToldWords(facts.words, facts.words.units)
        self.track = facts.track(row.track) if row.track else None
        self.figures = SessionFigures(facts, row, self.track)
        self.names = names_of(self.track).calling(self._called)

    def _called(self) -> frozenset[str]:
        """The words by which the sessions on this track are called."""
        here = (each for each in self.facts.sessions() if each.track == self.row.track)
        return frozenset[str]().union(*map(names_in, here))

    def in_units_of(self, reading: QuestionReading) -> None:
        """Speak in the unit that a question names."""
        if reading.unit:
            self.words = ToldWords(self.words, UNITS[reading.unit][0])

    def resolved(self, reading: QuestionReading) -> QuestionReading:
        """The reading with "the slowest corner" by its id, by the usual lowest speed there, and the top gear
        by its number."""
        if reading.before is not None and (
            steps := [_FOUND[each] for each in reading.laps if each in _FOUND]
        ):
            laps = tuple(str(int(lap) + steps[0]) for lap in self._searched(reading.before))
            reading = replace(reading, laps=laps)
        if reading.gears == (TOP_GEAR,):
            used = [
                int(gear)
                for lap in self.figures.laps.values()
                if (gear := MEASURES["gear"].take(self.figures, lap, Where(), "most")) is not None
            ]
            reading = replace(reading, gears=(max(used),) if used else (0,))
        if reading.straight in ("main", "longest") and {*reading.measures} & {"brake_m", "lift_m"}:
            # At the end of it: at the corner after it.
            where = next(iter(self.wheres(reading)), Where())
            reading = replace(reading, corners=(where.corner,), straight="") if where.corner else reading
        if reading.among == ("sector:0",):
            lost = {
                where.sector: fmean(value for _, value in found)
                for where in self.places(reading, "sector")
                if (found := self.taken("lost", where, self.figures.flying))
            }
            most = max(lost, key=lambda each: lost[each], default=1)
            reading = replace(reading, among=(f"sector:{most}",))
        if not any(each.startswith("@") for each in reading.corners):
            return reading
        end, _, rank = reading.corners[0].partition(":")
        if end == "@loss" and reading.follows and reading.of == "corner" and not rank:
            # "Where do I lose most? How much is that": told was the way to a lap of another session.
            beside = self.tools.table()["reference_lap_comparison"]()
            if beside.get("comparison"):
                return replace(reading, corners=())
        at = int(rank or "1")
        if end == "@loss":
            ranked = [each.corner for each in self.tools.report().opportunities]
            if at > len(ranked):  # those that no cause is known of come after the others
                ranked += self._by_loss(ranked)
        else:
            speeds = self.usual_speeds()
            ranked = sorted(speeds, key=lambda each: speeds[each], reverse=end == "@most")
        return replace(reading, corners=tuple(ranked[at - 1 : at]))

    def _by_loss(self, but: Sequence[str]) -> list[str]:
        """The corners but these, by what is lost there on average."""
        lost_s = {
            each.id: fmean(value for _, value in found)
            for each in self.figures.corners
            if each.id not in but
            and (found := self.taken("lost", Where("corner", each.id), self.figures.flying))
        }
        return sorted(lost_s, key=lambda each: lost_s[each], reverse=True)

    def _searched(self, reading: QuestionReading) -> tuple[LapMark, ...]:
        """The lap with the highest or lowest figure of the first place that is named."""
        [measure, *_], [where, *_] = reading.measures or ("time",), self.wheres(reading)
        if measure not in MEASURES or not (found := self.taken(measure, where, self.figures.flying)):
            return ()
        high = MEASURES[measure].high != ("least" in reading.which)
        lap, _ = (max if high else min)(found, key=lambda each: each[1])
        return (str(lap.number),)

    # What the reading names, looked up.

    def laps(self, reading: QuestionReading) -> list[Lap]:
        """The laps that are named, in their order. ToolRefused where one is not there."""
        found: list[Lap] = []
        for mark in reading.laps:
            found += [lap for lap in self._marked(mark) if lap not in found]
        return found

    def _marked(self, mark: LapMark) -> list[Lap]:
        flying = self.figures.flying
        if mark.isdigit():
            lap = self.figures.laps.get(int(mark))
            if lap is None:
                self._refuse_lap([int(mark)])
                return []
            return [lap]
        if mark == "pace":
            from pitwall.analysis.heeded import at_pace

            times = at_pace((lap.number, lap.kind, lap.time_s) for lap in flying)
            return [lap for lap in flying if lap.number in times]
        if mark in ("out", "in"):
            return [lap for lap in self.figures.laps.values() if lap.kind == mark]
        if not flying:
            raise ToolRefused(self.words.say("no timed lap").rstrip("."), self.words.say("ask about another"))
        ranked = sorted(flying, key=lambda lap: lap.time_s or 0.0)
        name, _, number = mark.partition(":")
        if name == "not":
            left_out = {lap.number for each in number.split(",") for lap in self._marked(each)}
            return [lap for lap in flying if lap.number not in left_out]
        if name == "these":
            return [lap for each in number.split(",") for lap in self._marked(each)]
        if name == "stint":
            stints = stints_of(self.figures)
            return stints[int(number) - 1] if len(stints) >= int(number) else []
        if name == "span":
            first, last = map(int, number.split("-"))
            return [lap for lap in flying if first <= lap.number <= last]
        if name in _SEVERAL:
            return _SEVERAL[name](ranked if name in ("top", "bottom") else flying, int(number))
        if "+" in mark or "-" in mark:
            # The lap before or after the best one.
            name, step = (mark[:-2], -1) if "-" in mark else (mark[:-2], 1)
            [base] = self._marked(name)
            return self._marked(str(base.number + step))
        at = int(number or "1") - 1
        order = {
            "best": ranked,
            "worst": ranked[::-1],
            "last": flying[::-1],
            "first": flying,
            "both": flying,
        }[name]
        if name == "both":
            return list(self.timed()[:2])
        if at >= len(order):
            raise ToolRefused(
                self.words.say("asked too few laps", count=len(order)), self.words.say("ask about another")
            )
        return [order[at]]

    def is_recorded(self, measure: str) -> bool:
        """Whether a figure needs no signal, or one of those that it may be made of is in the session."""
        signals = MEASURES[measure].signals
        return not signals or any(map(self.figures.recorded, signals))

    def taken(
        self, measure: str, where: Where, laps: Iterable[Lap], which: str = ""
    ) -> list[tuple[Lap, float]]:
        """The laps in which the figure is known there, each with it."""
        take = MEASURES[measure].take
        return [(lap, v) for lap in laps if (v := take(self.figures, lap, where, which)) is not None]

    def timed(self) -> list[Lap]:
        return [lap for lap in self.figures.laps.values() if lap.time_s is not None and lap.kind != "out"]

    def _refuse_lap(self, strange: Sequence[int]) -> None:
        laps = [lap.number for lap in self.figures.flying] or list(self.figures.laps)
        have = [str(lap) for lap in laps]
        named = [self.words.say("lap", lap=lap) for lap in strange]
        raise ToolRefused(
            self.words.say("unknown lap", laps=named),
            self.words.say("ask about laps", count=len(have), laps=have)
            if have
            else self.words.say("ask about another"),
        )

    def wheres(self, reading: QuestionReading) -> list[Where]:
        """The parts of a lap that are named; the whole lap where none is. ToolRefused."""
        if reading.gears:
            found = self.wheres(replace(reading, gears=()))
            if len(reading.gears) == 1:
                return [replace(each, gear=reading.gears[0]) for each in found]
            return [replace(each, from_gear=reading.gears[0], to_gear=reading.gears[1]) for each in found]
        if reading.no_corner and not reading.corners:
            name = self.track.name if self.track else self.words.say("this session")
            known = self.figures.corners
            if are_counted(known) and not reading.no_corner[-1].isdigit():
                first, last = (self.short_name(each.id) for each in (known[0], known[-1]))
                called = reading.no_corner.title()
                raise ToolRefused(
                    self.words.say("asked no corner counted", corner=called, track=name, count=len(known)),
                    self.words.say("ask by number", first=first, last=last),
                )
            raise ToolRefused(
                self.words.say("asked no corner", corner=reading.no_corner, track=name),
                self.words.say(
                    "asked corners", corners=[self.short_name(each.id) for each in self.figures.corners]
                )
                if self.figures.corners
                else self.words.say("ask about another"),
            )
        if reading.straight == "each":
            return self.places(reading, "straight")
        if reading.straight == "main" and self.figures.corners:
            return [Where("straight", corner=self.figures.corners[0].id, point="before")]
        if reading.straight == "longest" and self.track is not None and self.figures.corners:
            return [Where("straight", corner=self.figures.longest_straight()[1], point="before")]
        if reading.straight and reading.corners:
            sides = ("before", "after") if reading.straight == "both" else (reading.straight,)
            return [Where("straight", corner=each, point=side) for each in reading.corners for side in sides]
        if reading.line and len(reading.corners) == 1:
            [corner] = reading.corners
            ends = (corner, "") if reading.line == "to" else ("", corner)
            return [Where("span", corner=ends[0], to_corner=ends[1])]
        if reading.line == "gap" and len(reading.corners) == 2:
            return [Where("span", reading.corners[0], "gap", to_corner=reading.corners[1])]
        if reading.before_m is not None and self.track is not None:
            rows = [row for each in reading.corners if (row := self.figures.corner_row(each))]
            length_m, before_m = self.track.length_m, reading.before_m
            return [
                Where("place", row.id, place_m=(row.entry_m - before_m) % length_m, before_m=before_m)
                for row in rows
            ]
        if reading.span and len(reading.corners) == 2:
            return [Where("span", corner=reading.corners[0], to_corner=reading.corners[1])]
        if reading.corners:
            return [Where("corner", corner=each, point=reading.point) for each in reading.corners]
        if reading.sectors:
            return [Where("sector", sector=each) for each in self.sectors(reading.sectors)]
        if reading.piece and self.track is not None:
            if reading.piece > MINI_SECTORS:
                raise ToolRefused(
                    self.words.say("asked no piece", count=MINI_SECTORS), self.words.say("ask about another")
                )
            return [Where("piece", sector=reading.piece)]
        if reading.half:
            return [Where("half", sector=reading.half)]
        if reading.place_m is not None:
            return [Where("place", place_m=reading.place_m)]
        return [Where()]

    def sectors(self, named: Sequence[int]) -> list[int]:
        """Sectors from 1 on; 0 stands for all, -1 for the last. ToolRefused."""
        count = max((len(lap.sectors_s) for lap in self.figures.flying), default=0)
        if not count:
            raise ToolRefused(self.words.say("asked no sectors"), self.words.say("ask about another"))
        wanted = [*range(1, count + 1)] if 0 in named else [count if each == -1 else each for each in named]
        if strange := [each for each in wanted if each > count]:
            raise ToolRefused(
                self.words.say("asked no sector", sector=strange[0], count=count),
                self.words.say("ask about another"),
            )
        return wanted

    def places(self, reading: QuestionReading, kind: Part) -> list[Where]:
        """The parts of a lap of one kind, of corners those that are meant."""
        if kind == "sector":
            return [Where(kind, sector=each) for each in self.sectors((0,))]
        if kind == "piece":
            return [Where(kind, sector=number) for number in range(1, MINI_SECTORS + 1)] if self.track else []
        if kind == "straight":
            return [Where(kind, corner=each.id, point="before") for each in self.figures.straight_corners()]
        point = reading.point if kind == "corner" else ""
        return [Where(kind, corner=each.id, point=point) for each in self.corners(reading.among)]

    def corners(self, among: Sequence[str]) -> list[Corner]:
        """Those of the track that all these marks mean: "slow", "fast" (half of them each, by their usual
        lowest speed), "left", "right", "all", "sector:2", "half:1" of the lap, "not:7" by id."""
        found, track = list(self.figures.corners), self.track
        for mark in among if track is not None else ():
            name, _, value = mark.partition(":")
            if name in ("left", "right"):
                found = [each for each in found if each.direction == name]
            elif name in ("slow", "fast"):
                speeds = self.usual_speeds()
                middle = median(speeds.values()) if speeds else 0.0
                found = [each for each in found if (speeds.get(each.id, 0.0) > middle) == (name == "fast")]
            elif name == "not":
                found = [each for each in found if each.id not in value.split(",")]
            elif name != "all" and track is not None:
                ends = track.sectors_m if name == "sector" else (track.length_m / 2.0,)
                found = [each for each in found if sum(each.apex_m >= end for end in ends) + 1 == int(value)]
        return found

    def usual_speeds(self) -> dict[str, float]:
        """The median of the lowest speeds by corner."""
        found = {}
        for corner in self.figures.corners:
            if speeds := self.taken("min_speed", Where("corner", corner.id), self.figures.flying):
                found[corner.id] = median(value for _, value in speeds)
        return found

    def among(self, reading: QuestionReading, kind: str = "corner") -> str:
        """Which corners are meant, " " before it; "" for all of them."""
        said = []
        for mark in reading.among if kind in ("corner", "way") and reading.among != ("all",) else ():
            name, _, value = mark.partition(":")
            names = [self.short_name(each) for each in value.split(",")] if name == "not" else [value]
            if name in ("slow", "fast"):
                speeds = self.usual_speeds().values()
                names = [self.shown("min_speed", median(speeds))] if speeds else names
            said.append(self.words.say(f"asked among {name}", names=names, value=names[0]))
        return "".join(said)

    def place_name(self, where: Where) -> str:
        """For lists: "Turn 7", "sector 2", "before Turn 7", "3 (Turn 4)"."""
        if where.part == "piece" and self.track is not None:
            length_m = self.track.length_m / MINI_SECTORS
            inside = [c for c in self.figures.corners if int(c.apex_m / length_m) + 1 == where.sector]
            key = "asked piece name" if inside else "asked piece straight"
            return self.words.say(key, number=where.sector, corners=[self.short_name(c.id) for c in inside])
        if where.part == "sector":
            return self.words.say("asked sector name", sector=where.sector)
        name = self.short_name(where.corner)
        return self.words.say("asked straight name", corner=name) if where.part == "straight" else name

    def corner_name(self, corner: str) -> str:
        row = self.figures.corner_row(corner)
        return self.words.corner_title(row.name if row else corner)

    def called(self, corner: str) -> set[str]:
        """All names that an answer may have for a corner."""
        by_id = self.words.corner_title(corner.replace("_", " ").capitalize())
        return {self.corner_name(corner), self.short_name(corner), by_id}

    def short_name(self, corner: str) -> str:
        """For lists: "Turn 6" of "Turn 6, the Carousel"."""
        return self.corner_name(corner).partition(",")[0]

    def place(self, where: Where) -> str:
        """ " at Turn 7", "" for the whole lap; before it the gears of a shift."""
        say = self.words.say
        if where.gear:
            return say("asked in gear", gear=where.gear) + self.place(replace(where, gear=0))
        if where.to_gear:
            key = "asked gears" if where.from_gear else "asked to gear"
            gears = say(key, first=where.from_gear, last=where.to_gear)
            return gears + self.place(replace(where, from_gear=0, to_gear=0))
        if where.part == "corner":
            said = say("asked at corner", corner=self.corner_name(where.corner))
            return said
        if where.part == "straight":
            return say(f"asked straight {where.point}", corner=self.corner_name(where.corner))
        if where.part == "piece":
            return say("asked in piece", piece=self.place_name(where), count=MINI_SECTORS)
        if where.part == "half":
            return say(f"asked half {where.sector}")
        if where.part == "sector":
            return say("asked in sector", sector=where.sector)
        if where.part == "span" and not where.to_corner:
            return say("asked span to line", corner=self.corner_name(where.corner))
        if where.part == "span" and not where.corner:
            return say("asked span from line", corner=self.corner_name(where.to_corner))
        if where.part == "span":
            return say(
                "asked span gap" if where.point else "asked span",
                first=self.corner_name(where.corner),
                last=self.corner_name(where.to_corner),
            )
        if where.part == "place" and where.corner:
            return say("asked before", place=where.before_m, corner=self.corner_name(where.corner))
        if where.part == "place":
            return (
                say("asked on line") if where.place_m == 0.0 else say("asked at place", place=where.place_m)
            )
        return ""

    def shown(self, measure: str, value: float) -> str:
        """A value with its unit."""
        row = MEASURES[measure]
        if measure == "time":
            return self.lap_time(value)
        if not row.unit:
            return self.words.figures.number(value, f".{row.digits}f")
        if row.unit in ("s", "%", "°"):
            return self.words.figures.number(value, f".{row.digits}f") + (
                " s" if row.unit == "s" else row.unit
            )
        return self.words.figures.measured(value, row.unit, f".{row.digits}f")

    def lap_time(self, value_s: float) -> str:
        """As a lap time from a minute on, else in seconds."""
        said = self.words.figures.lap_time(value_s)
        return said if value_s >= 60.0 else f"{said} s"

    def label(self, measure: str, which: str, where: Where) -> str:
        """What it is called: "Top speed"."""
        if (
            measure == "speed"
            and where.part == "corner"
            and where.point not in PEDAL_POINTS
            and (where.point or which in ("", "least"))
        ):
            measure = {"entry": "entry_speed", "exit": "exit_speed"}.get(where.point, "min_speed")
            which = ""
        if (
            where.point
            and where.part == "corner"
            and measure
            not in ("time", "entry_speed", "min_speed", "exit_speed", "brake_m", "lift_m", "throttle_m")
        ):
            named = self.words.term("asked", measure)
            return self.words.say("asked point", label=named, point=self.words.term("point", where.point))
        if where.part == "place":
            which = ""
        key = f"{measure} {'lap' if measure == 'time' and where.part == 'lap' else which}".strip()
        terms = self.words.terms("asked")
        return terms.get(key, terms[measure])
