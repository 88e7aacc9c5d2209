"""The laps, places, sessions, limits and comparisons that a question names: one grammar of patterns over its
symbols."""

from __future__ import annotations

import re

from pitwall.ask.corner_names import CornerNames
from pitwall.ask.measures import UNITS
from pitwall.ask.question_words import Text

# A limit in one of these is answered in it.
_TOLD_IN = frozenset(name for name, (of, system, _) in UNITS.items() if system and of not in ("m", "km"))
KINDS = {
    "BEST": "best", "FAST MOST": "best", "WORST": "worst", "SLOW MOST": "worst", "LAST": "last",
    "FIRST": "first",
}  # fmt: skip
MANY = {"best": "top", "worst": "bottom", "last": "lasts", "first": "firsts"}
_KIND = r"(BEST|FAST MOST|WORST|SLOW MOST|LAST|FIRST)"
_GAP = r"(?: (?:I|IN|THE|FLYING|BE|SESSION))*"
_OVER_ALL = "OVER(?=(?: I| IN| EACH| FLYING)* (?:SESSION|LAPS?|TRACKWHOLE|CORNERS?|SECTORS?))"
_PART = r"(FIRST|O\d|LAST|LATE COMP)"
_LINK = r"(?:(?: AND| OR| COMMA| COMPARE| THAN| IN| I| TO)+)"


def _part(kind: str, which: str) -> str:
    """The mark of a half or a stint: "half:1", "stint:last"."""
    last = "2" if kind == "HALF" else "last"
    return f"{kind.lower()}:{1 if which == 'FIRST' else which[1] if which[0] == 'O' else last}"


class ScopeReader:
    """Takes the scope out of a question's text, each step what it understands."""

    def __init__(
        self, text: Text, corners: list[tuple[str, ...]], names: CornerNames, strange: tuple[str, ...]
    ) -> None:
        self.text, self.corners, self.names, self.strange = text, corners, names, strange
        self.fields: dict[str, object] = {}
        self.laps: list[str] = []
        self.stretches: list[tuple[str, ...]] = []  # corners that share a name
        self.places: list[str] = []
        self.group = self.against = self.session = ""
        self.limit: tuple[str, float, str] | None = None
        self.own_lap = self.of_limit = False
        self.of_fast = ""

    def _limits(self) -> None:
        text = self.text
        number, unit = r"N([\d.]+)(?: U(\S+))?", ""
        if found := text.take(
            "places",
            r"(?:IN )?N([\d.]+) U(metres|km) AFTER(?: THE)? LINE|IN N([\d.]+) Ukm|IN N(\d{3,4}) Umetres",
        ):
            value = float(found[1] or found[3] or found[4])
            self.places.append(f"at:{value * (1000.0 if found[2] == 'km' or found[3] else 1.0):g}")
        elif text.take("places", r"(?:OVER|IN) LINE"):
            self.places.append("at:0")
        beside = rf"(?<=COMP )THAN{_GAP} (?:LAP )?N(\d\d?)(?! [UN])"
        side = "(?:MORE|LESS|FAST|SLOW|LATE|EARLY|BETTER|HARD)(?: COMP)?"
        text.take("against", f"{side} OR (?:{side} THAN|UNDER|OVER)", "THAN")
        if text.has(r"LAP N\d+|(?:FAST|SLOW) COMP THAN") and (found := text.take("against", beside, "LAPS")):
            self.against = found[1]  # "lap 3 later than 12", "where was I faster than 3"
        if found := text.take("limit", rf"(OVER|UNDER|BEAT|EVER|IN|WITHIN){_GAP} T([\d.]+)"):
            op = "over" if found[1] == "OVER" else "under"
            self.limit = (op, float(found[2]), "T")
        elif found := text.take("limit", rf"(OVER|UNDER|BEAT|WITHIN){_GAP} N(\d+) Uminutes"):
            self.limit = ("over" if found[1] == "OVER" else "under", float(found[2]) * 60.0, "T")
        elif found := text.take("limit", rf"(FAST|SLOW) COMP THAN{_GAP} T([\d.]+)"):
            self.limit = ("under" if found[1] == "FAST" else "over", float(found[2]), "T")
        elif found := text.take("limit", rf"T([\d.]+){_GAP} BEAT"):
            self.limit = ("under", float(found[1]), "T")
        elif found := text.take("limit", r"T([\d.]+)"):
            self.limit = ("reach", float(found[1]), "T")
        elif found := text.take(
            "limit", rf"WITHIN{_GAP} N([\d.]+) U(s|tenths)(?: (?:IN|I|BEST|FAST MOST|LAP))*"
        ):
            self.limit = ("within", float(found[1]) * (0.1 if found[2] == "tenths" else 1.0), "T")
        elif found := text.take(
            "limit", rf"(OVER|UNDER|EVER|MORE COMP THAN|LESS COMP THAN|BEAT){_GAP} {number}(?! LAP)"
        ):
            unit = found[3] or ""
            under = found[1] in ("UNDER", "LESS COMP THAN") or (found[1] == "BEAT" and unit in ("", "s"))
            self.limit = ("under" if under else "over", float(found[2]), unit)
        elif found := text.take(
            "limit", rf"(LATE|EARLY|HARD|HOT|LONG|FAST|SLOW) COMP THAN{_GAP} {number}(?! LAP)", keep=1
        ):
            self.limit = (found[1], float(found[2]), found[3] or "")
        elif not text.has("LOSE|GAIN") and (
            found := text.take(
                "limit", r"(?<!LAP )(?<!SECTOR )N([\d.]+) U(\S+)(?: (OVER|UNDER|MORE COMP|LESS COMP))?"
            )
        ):
            op = "under" if found[3] in ("UNDER", "LESS COMP") else "over"
            self.limit = (op, float(found[1]), found[2])
        if found := text.take("unit", r"(?:IN )?U([a-z]+)"):
            self.fields["unit"] = found[1]
        elif self.limit is not None and self.limit[2] in _TOLD_IN:
            self.fields["unit"] = self.limit[2]

    def _session(self) -> None:
        text = self.text
        if text.take("session", r"EACH SESSION") or (
            (text.has("MOST|LEAST|BEST|WORST") and text.take("session", r"EVER(?=(?: \|)* $)"))
            or text.take("session", r"COMPARE(?: I| EACH)* SESSION(?=(?: \|)* $)")
        ):
            self.session = "all"
        elif text.take("session", r"PREV(?: SESSION)?|LAST SESSION|OTHERS SESSION"):
            self.session = "previous"
        elif (
            text.has("FAST|SLOW|BEST|WORST|MOST|LEAST|BETTER|MORE|SPREAD")
            and text.take("session", r"WHICH(?: BE)? (?:SESSION|CAR|DRIVER)|WHO(?! LAP)(?!.* LAP N\d)")
        ) or (
            text.has("SESSION")
            and text.has("COMPARE")
            and not text.has("LAP")
            and text.take("session", "(?:EACH )?OTHERS")
        ):
            self.session = "all"

    def _against(self) -> None:
        text = self.text
        if found := text.take(
            "against",
            rf"{_PART} (HALF|STINT)((?: \w+)*?) (?:THAN|COMPARE|TO|OR|AND){_GAP} {_PART}(?: \2)?",
            keep=3,
        ):
            self.laps.append(_part(found[2], found[1]))
            self.against = _part(found[2], found[4])
        elif found := text.take("against", rf"{_PART} (?:THAN|COMPARE|TO|OR|AND){_GAP} {_PART} (HALF|STINT)"):
            self.laps.append(_part(found[3], found[1]))
            self.against = _part(found[3], found[2])
        elif found := text.take(
            "against",
            rf"{_KIND} N(\d+)(?: LAP)?(.*?) (?:THAN|COMPARE|OR|AND){_GAP} {_KIND} N(\d+)(?: LAP)?",
            keep=3,
        ):
            self.laps.append(f"{MANY[KINDS[found[1]]]}:{found[2]}")
            self.against = f"{MANY[KINDS[found[4]]]}:{found[5]}"
        elif found := text.take(
            "against",
            r"LAP N(\d+) TO N(\d+)(.*?) (?:THAN|COMPARE|OR|AND)(?: LAP| IN)* N(\d+) TO N(\d+)",
            "LAPS",
            keep=3,
        ):
            self.laps.append(f"span:{found[1]}-{found[2]}")
            self.against = f"span:{found[4]}-{found[5]}"
        elif text.has("COMP|BETTER|IMPROVED") and (
            found := text.take("against", rf"(FIRST|O2|LAST) HALF(?!{_GAP} LAP)")
        ):
            self.laps, self.against = (
                (["half:1"], "half:2") if found[1] == "FIRST" else (["half:2"], "half:1")
            )
        elif text.has("COMP|IMPROVED|BETTER") and (found := text.take("against", r"AFTER LAP N(\d+)")):
            self.laps.append(f"from:{int(found[1]) + 1}")
            self.against = f"to:{found[1]}"
        elif found := text.take("against", rf"{_KIND}{_GAP} (?:AND|COMPARE|THAN|TO|OR){_GAP} MEAN(?: LAP)?"):
            self.laps.append(KINDS[found[1]])
            self.against = "mean"
        elif text.has("LOSE|GAIN") and (
            found := text.take("against", rf"TO{_GAP} (?:{_KIND}(?: LAP)?|LAP N(\d+))")
        ):
            self.against = KINDS[found[1]] if found[1] else found[2]
        elif found := text.take(
            "against", rf"(?:THAN|OVER|UNDER){_GAP} LAP N(\d+)|OFF(?: I| IN| FLYING)* LAP N(\d+)", "LAPS"
        ):
            self.against = found[1] or found[2]
        elif text.has("COMPARE") and (
            found := text.take("against", rf"FROM LAP N(\d+) TO{_GAP} {_KIND}(?: LAP| I)*(?= |$)", "LAPS")
        ):
            self.laps.append(found[1])
            self.against = KINDS[found[2]]
        elif found := text.take("against", rf"(?:THAN|OFF|COMPARE TO){_GAP} {_KIND}(?: LAP| I)*(?= |$)"):
            self.against = KINDS[found[1]]
        elif text.take("against", rf"(?:THAN|OFF|COMPARE|TO|FROM){_GAP} (?:MEAN|USUAL)(?: LAP)?") or (
            text.has("LAPS?") and text.take("against", rf"(?:THAN|OFF|COMPARE|TO|FROM){_GAP} OTHERS(?: LAP)?")
        ):
            self.against = "mean"
        elif text.has("OFF") and not text.has("THROTTLE|BRAKE"):
            text.take("against", "OFF")
            self.against = "best"

    def _laps(self) -> None:
        text, laps = self.text, self.laps
        text.take("laps", _OVER_ALL)
        while found := text.take("laps", rf"NOT{_GAP} {_KIND} N(\d\d?)(?: LAP)?", "LAPS"):
            laps.append(f"not:{MANY[KINDS[found[1]]]}:{found[2]}")
        while found := text.take(
            "laps", rf"NOT{_GAP} (?:{_KIND}|LAP N(\d+))(?: LAP)?((?:{_LINK} (?:LAP )?N\d+)*)", "LAPS"
        ):
            first = KINDS[found[1]] if found[1] else found[2]
            laps.append("not:" + ",".join((first, *re.findall(r"N(\d+)", found[3] or ""))))
        # None of these flies.
        text.take("laps", rf"NOT{_GAP} (?:OUTLAP|INLAP)(?: AND{_GAP} (?:OUTLAP|INLAP))*")
        while found := text.take("laps", rf"NOT{_GAP} N(\d+) {_KIND} LAP", "LAPS"):
            laps.append(f"not:{MANY[KINDS[found[2]]]}:{found[1]}")
        if found := text.has(r"SESSION(END|START)"):
            self.fields["edge"] = found[1].lower()
            text.put("LAPS")
        if found := text.take(
            "laps", rf"(?:FROM )?{_GAP}(FAST|SLOW) MOST(?: LAP)? TO{_GAP} (?:FAST|SLOW) MOST(?: LAP)?", "RANK"
        ):
            self.fields["sorted"] = f"{found[1]} MOST"
        if found := text.take("rank", r"MOST N(\d\d?)(?! LAP| SECTOR| CORNER| U)", "BEST"):
            self.fields["most"] = int(found[1])
        if found := text.take("laps", rf"(AFTER|BEFORE){_GAP} (?:(O2|FIRST|(?<!BEFORE )LAST) )?STOP", "LAPS"):
            number = {"O2": 2, "LAST": 0}.get(found[2], 1)
            laps.append(f"stint:{number + (found[1] == 'AFTER')}" if number else "stint:last")
        while found := text.take("laps", r"(?:STINT N(\d+)|O(\d+) STINT|(FIRST|LAST) STINT)", "LAPS"):
            laps.append(f"stint:{found[1] or found[2] or ('last' if found[3] == 'LAST' else 1)}")
        while found := text.take("laps", rf"(FIRST|O2|LAST) HALF(?!{_GAP} LAP)", "LAPS"):
            laps.append("half:1" if found[1] == "FIRST" else "half:2")
        two = text.has("LOSE|GAIN|COMPARE|FAST COMP|SLOW COMP|IMPROVED")
        if {"times", "zeiten"} & {*text.typed("TIME")}:  # corners have one time each
            text.take("laps", r"(?:FROM|IN)(?= N\d+ TO N\d+)", "LAP")
        while not two and (found := text.take("laps", r"(?:FROM )?LAP N(\d+) TO (?:LAP )?N(\d+)", "LAPS")):
            laps.append(f"span:{found[1]}-{found[2]}")
        while found := text.take(
            "laps",
            rf"{_KIND} N(\d\d?)(?: FLYING)?(?: LAP)?(?! SECTOR| CORNER| STINT| SESSION)|"
            rf"N(\d+) {_KIND}(?: FLYING)? LAP|(MOST) N(\d+) LAP",
            "LAPS",
        ):
            kind = KINDS[found[1] or found[4]] if not found[5] else "best"
            laps.append(f"{MANY[kind]}:{found[2] or found[3] or found[6]}")
        while found := text.take("laps", rf"(?:{_KIND}|O1){_LINK}{_GAP} ?O(\d+) {_KIND}(?: LAP)?", "LAPS"):
            laps.extend((KINDS[found[3]], f"{KINDS[found[3]]}:{found[2]}"))  # "the best and the second best"
        if found := text.take(
            "laps", r"O(\d+)(?= (?:\w+ )?(?:MOST|LEAST|BEST|WORST) (?!LAP|CORNER|SECTOR|SESSION)[A-Z])"
        ):
            self.fields["rank"], self.group = int(found[1]), "lap"
        while found := text.take("laps", rf"O(\d+) {_KIND}(?: LAP)?(?! CORNER| SECTOR)", "LAPS"):
            laps.append(f"{KINDS[found[2]]}:{found[1]}")
        while found := text.take("laps", rf"LAP (BEFORE|AFTER){_GAP} {_KIND}(?: LAP)?", "LAPS"):
            laps.append(f"{KINDS[found[2]]}{'-' if found[1] == 'BEFORE' else '+'}1")
        while (
            # "Of lap 3" and "from lap 3" are that lap, "from lap 3 on" those after it too.
            found := text.take("laps", r"(AFTER|BEFORE|TO) LAP N(\d+)(?: IN)?(?! TO)", "LAPS")
            or text.take("laps", r"(FROM) LAP N(\d+) IN(?= \||$| $)", "LAPS")
            if not two
            else None
        ):
            number = int(found[2])
            laps.append(
                {"AFTER": f"from:{number + 1}", "FROM": f"from:{number}"}.get(found[1], f"to:{number}")
            )
        while found := text.take("laps", rf"{_KIND}{_LINK}{_GAP} ?{_KIND}(?: FLYING)? LAP", "LAPS"):
            laps.extend((KINDS[found[1]], KINDS[found[2]]))
        while found := text.take(
            "laps", rf"LAP N(\d+)(?! U)((?:(?:{_LINK})? (?:LAP )?N\d+(?! U| LAP))*)", "LAPS"
        ):
            laps.extend((found[1], *re.findall(r"N(\d+)", found[2])))
        which = text.has("WHICH(?: N\\d+)? LAP|WHICH(?: BE)? LAP")
        while not which and (
            found := text.take("laps", rf"(?<!THAN ){_KIND}(?: FLYING| I| TIME)? LAP( TIME)?", "LAPS", keep=2)
        ):
            laps.append(KINDS[found[1]])
        looks = text.has("WHICH|WHERE|WHO|COMP|THAN|COMPARE")
        if not (looks or laps) and (
            found := text.take(
                "laps", r"(?:IN|COMMA)(?: I)* (BEST|WORST|FAST|SLOW)(?: MOST)?(?= \||$| $| COMMA)", "LAPS"
            )
        ):
            # "Full throttle on the best one".
            laps.append("worst" if found[1] in ("WORST", "SLOW") else "best")
        for symbol, mark in (("OUTLAP", "out"), (r"INLAP|(?:I|BE) IN LAP(?! N)", "in")):
            if text.take("laps", symbol):
                laps.append(mark)
        while found := text.take("laps", r"O(\d+) LAP", "LAPS"):
            laps.append(found[1])
        if found := text.take("laps", r"(?:WHICH(?: IN| I)*|WHAT) (?:N(\d+) )?(?:FLYING )?LAP|WHO LAP"):
            self.group = "lap"
            if found[1]:
                self.fields["most"] = int(found[1])
        elif text.take("laps", r"EACH(?: (?:IN|I|FLYING|COMMA))* LAP|LAP EACH") or (
            text.has("EACH") and text.has("LAP") and not self.places
        ):
            self.group, self.fields["every"] = "lap", True

    def _places(self) -> None:
        text, places = self.text, self.places
        if text.has("STRAIGHT"):
            text.put("STRAIGHTS")
        if text.has("MOST SPEED|SPEED MOST") and not text.has("CARRY"):  # on the way there
            while found := text.take("places", r"(?:TO|BEFORE|ENTRY)(?: IN)* C(\d+)L?"):
                places.extend(f"straight:{each}" for each in self._ids(found[1]))
        while found := text.take("places", r"STRAIGHT (BEFORE|AFTER|TO|IN|FROM)(?: IN)? C(\d+)L?"):
            name = "after" if found[1] in ("AFTER", "FROM") else "straight"
            places.extend(f"{name}:{each}" for each in self._ids(found[2]))
        if text.take("places", r"(?:WHICH|EACH) STRAIGHT"):
            self.group = "straight"
        elif text.take("places", r"LONG(?: MOST)? STRAIGHT"):
            places.append("straight:longest")
        elif text.take("places", r"BACK STRAIGHT"):
            places.append("straight:back")
        elif text.take("places", r"(?:MAIN )*STRAIGHT"):
            places.append("straight:main")
        if found := text.take(
            "places",
            rf"(?:FROM{'' if text.has('COMPARE') else '|BETWEEN'})(?: IN)? C(\d+)L? (?:TO|AND)(?: IN)? "
            r"C(\d+)L?|"
            r"C(\d+)L? TO C(\d+)L?",
        ):
            first, last = self._ids(found[1] or found[3])[0], self._ids(found[2] or found[4])[0]
            places.append(f"{first}>{last}")
        found = text.has(r"FROM(?: IN)? N(\d+) TO N(\d+)")
        if found and {found[1], found[2]} <= self.names.numbers:
            text.take("places", r"FROM(?: IN)? N(\d+) TO N(\d+)", "PLACE")
            places.append(f"{self.names.of_number(found[1])}>{self.names.of_number(found[2])}")
        while found := text.take("places", r"(?:FROM )?LINE TO C(\d+)L?"):
            places.append(f">{self._ids(found[1])[0]}")
        while found := text.take("places", r"C(\d+)L? TO LINE"):
            places.append(f"{self._ids(found[1])[0]}>")
        while found := text.take("places", r"PIECE N(\d+)"):
            places.append(f"piece:{found[1]}")
        while found := text.take("places", rf"(FIRST|O2|LAST) HALF{_GAP} LAP"):
            places.append("half:1" if found[1] == "FIRST" else "half:2")
        if text.take("places", r"(?:WHICH|EACH)(?: IN| I)* SECTOR|SECTOR EACH"):
            self.group = "sector"
        while found := text.take("places", rf"SECTOR N(\d+)((?:{_LINK} (?:SECTOR )?N\d+)*)", "SECTORS"):
            places.extend(f"sector:{each}" for each in (found[1], *re.findall(r"N(\d+)", found[2])))
        while found := text.take("places", r"(FIRST|LAST|O(\d+)) SECTOR", "SECTORS"):
            places.append(f"sector:{found[2] or (1 if found[1] == 'FIRST' else -1)}")
        if (found := text.has(r"SECTOR(?!S)")) and text.has("TOGETHER|IDEAL|HOWMANY") is None:
            text.take("places", "SECTOR", "SECTORS")
            self.group = self.group if self.group == "sector" else "sector"
        timed = self.limit is not None and self.limit[2] == "T" and self.limit[1] > 60.0
        if self.limit is not None and timed and self.group == "sector":
            self.group, self.limit = "", ("reach", self.limit[1], "T")  # by the best sectors together
        if found := text.take(
            "places",
            r"(?:WHICH|EACH|WHAT)(?: N(\d+))?(?: IN)* CORNER|CORNER EACH|WHICH N(\d+) CORNER",
            "CORNERS",
        ):
            self.group = "corner"
            if found[1]:
                self.fields["most"] = int(found[1])
        elif found := text.take("places", r"(?:O(\d+) )?(SLOW MOST|FAST MOST|WORST|LOSE MOST) CORNER"):
            self.fields["end"] = found[2]
            self.fields["rank"] = int(found[1] or 0)
        elif found := text.take("places", r"N(\d+) (?:(SLOW MOST|FAST MOST|WORST) )?CORNER", keep=2):
            self.group, self.fields["most"] = "corner", int(found[1])
        elif found := text.take("places", r"(SLOW MOST|FAST MOST|WORST) N(\d+) CORNER", keep=1):
            self.group, self.fields["most"] = "corner", int(found[2])
        elif found := text.take("places", r"(FIRST|LAST) CORNER"):
            if self.names.order:
                places.append(self.names.order[0 if found[1] == "FIRST" else -1])
        elif text.has("CORNER") and (self.limit or not text.has("HOWMANY|G")) and not self.corners:
            text.take("places", "CORNER", "CORNERS")
            self.group = self.group or "corner"
        if found := text.take(
            "places", r"(?:IN )?(?:O(\d+) GEAR|GEAR N(\d+)|IN O(\d)(?= EVER| \|| IN|$))", "INGEAR"
        ):
            self.fields["gear"] = found[1] or found[2] or found[3]
        if text.take("places", r"(?:EACH|WHICH) PIECE|PIECE EACH|PIECE", "PIECES"):
            self.group = "piece"
        if text.take("places", r"EACH GEAR|WHICH GEAR EACH|GEAR EACH", "INGEAR"):
            self.group = "gear"
        text.take("laps", _OVER_ALL)
        points = {"ENTRY": "entry", "APEX": "apex", "EXIT": "exit"}
        pedal = None
        if self.corners and text.has("(?:HOW )?FAST|SPEED|GEAR|RPM"):
            pedal = text.take("places", r"(?:WHEN|WHERE)(?: I| BE)* (BRAKE|LIFT)")
        while found := text.take("places", r"C(\d+)L?", "PLACE"):
            places.extend(ids := self._ids(found[1]))
            self.stretches += [ids] if len(ids) > 1 else []
        near = r"(?:IN|ENTRY|EXIT|FROM|TO|BEFORE \||BEFORE|AFTER|THAN|OR|AND|COMPARE|COMMA|PLACE)"
        for number in re.findall(
            rf"(?<= ){near}(?: COMMA| IN| OR)* N(\d+)(?! U| LAP| GEAR| CORNER|\d|\.)", text.left
        ):
            if number in self.names.numbers and not text.has(rf"HOWMANY(?: \w+)* N{number}"):
                text.take("places", rf"N{number}", "PLACE")
                places.append(self.names.of_number(number))
        if places and {"break", "broke"} & {*text.typed("BEAT")} and text.take("measure", "BEAT"):
            text.put("BRAKE")
        self.point = next((points[each] for each in points if text.has(each)), "")
        self.point = pedal[1].lower() if pedal else self.point

    def _ids(self, at: str) -> tuple[str, ...]:
        ids = self.corners[int(at)]
        if ids and ids[0].startswith("?"):
            number = re.sub(r"\D*(\d+\w?).*", r"\1", ids[0])
            return (f"turn_{number}" if number != ids[0] else ids[0][1:].replace(" ", "_"),)
        return ids


def is_corner(place: str) -> bool:
    return ":" not in place and ">" not in place and "/" not in place
