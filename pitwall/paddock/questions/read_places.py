"""Places that a question names: straights, sectors, corners, gears, pieces of laps."""

from __future__ import annotations

import re

from pitwall.ask.corner_names import NOT_AFTER_NUMBER
from pitwall.ask.measures import MINI_SECTORS
from pitwall.paddock.question_reading import TOP_GEAR
from pitwall.paddock.questions import vocabulary as say
from pitwall.paddock.questions.question_text import MOST_SCRAP_WORDS, QuestionText

# What follows a number that is no corner's.
_OF_NUMBERS = "|".join(sorted(NOT_AFTER_NUMBER - {"to", "or", "vs", "go"}))


def read_straight(asked: QuestionText) -> None:
    """The straight, after numbers that can be nothing but corners were told to be some."""
    # "How far is a lap".
    if asked.take(
        r"how (?:far|long) is (?:a|1) lap|(?:distance|length) of (?:a|1|one|the) lap|lap distance|"
        r"how many (?:km|kilomet\w+|miles|met\w+|m|feet) (?:long )?"
        r"(?:per|in a|(?:is|are in) (?:a|one|the)|a) lap"
    ):
        asked.text += " track length "
    # "Entry and exit speed".
    point = r"(?:entry|apex|min|exit)"
    asked.text = re.sub(rf"\b({point}) (?=(?:(?:and|or|vs|to|,) {point} )+speed)", r"\1 speed ", asked.text)
    # "The straight before 7".
    to = r"(straight(?:away)?s? (?:before|to|into|towards|after|out of|following|from)) (?=\d{1,2}[a-d]? )"
    asked.text = re.sub(to, r"\1 turn ", asked.text)
    # "Where is the exit quicker, 7 or 11".
    if not re.search(r"\b(?:laps|sectors?|turns|corners)\b", asked.text):
        named = "lap" if re.search(r"\blap\b", asked.text) else "turn"
        of_two = r" , (?=\d{1,2}[a-d]? (?:or|and|vs) \d{1,2}[a-d]? $)"
        asked.text = re.sub(of_two, f" {named} ", asked.text)
    # "How long from 7 to 10", where both are corners.
    if not re.search(
        r"\b(?:laps|lap(?! \d)|turns?|sectors?|gears?|shift\w*|kmh|kph|mph|rpm)\b", asked.text
    ) and (found := re.search(r" (from|between) (\d{1,2}[a-d]?) (to|and) (\d{1,2}[a-d]?) ", asked.text)):
        corners = [asked.names.mentions(["turn", found[at]]) for at in (2, 4)]
        if all(each and each[0].corners for each in corners):
            asked.text = asked.text.replace(
                found[0], f" {found[1]} turn {found[2]} {found[3]} turn {found[4]} "
            )
    # "Brake for 7 or for 11", "exit of 7 on lap 3".
    before = r"(?:exit|entry|apex)(?: of| from| at)?|gear for"
    before += "|(?:tips?|advice|help|line) (?:for|on)"
    before += "|for|of|before|into" if re.search("brak|lift|turn in|throttle|speed", asked.text) else ""
    if "exit" in asked.text:
        asked.take(r"on ?to (?:the )?(?:main |back |next |long )?straight(?:away)?")
    asked.text = re.sub(rf" ({before}) (?=\d{{1,2}}[a-d]? (?!(?:{_OF_NUMBERS})\b))", r" \1 turn ", asked.text)
    if "lap" not in asked.text and re.search(r"brak|apex|entry|exit|corner", asked.text):
        asked.text = re.sub(r" (?=\d{1,2}[a-d]? (?:vs|versus|or) \d{1,2}[a-d]? $)", " turn ", asked.text)
    elif "lap" not in asked.text and re.search(r"los[et]|slow|quick|fast|speed|better|worse", asked.text):
        # "On 3 or 6" may be laps.
        two = r" (in|through|into|at) (?=\d{1,2}[a-d]? (?:vs|versus|or|than) \d{1,2}[a-d]? $)"
        asked.text = re.sub(two, r" \1 turn ", asked.text)
    if found := asked.take(
        r"(?:(?:on|along|down|at|in) )?(?:(?:the )?end (?:of )?)?(?:the )?(?:\w+ )?straight(?:away)?s? "
        r"(before|to|into|towards|leading \w+|after|out of|following|from)(?= )"
    ):
        asked.found["straight"] = (
            "after" if found[1] in ("after", "out of", "following", "from") else "before"
        )
    elif asked.take(
        r"(?:(?:on|along|down|at|in) )?(?:(?:the )?end (?:of )?)?(?:the )?"
        r"(?:main|front|home|start finish|start and finish|pit|finish) straight(?:away)?"
    ):
        asked.found["straight"] = "main"
    elif asked.take(
        r"(?:(?:on|along|down|at|in) )?(?:(?:the )?end (?:of )?)?(?:the )?"
        r"(?:longest|long) straight(?:away)?|(?:on|along|down|end(?: of)?) (?:the )?straight(?:away)?"
    ):
        asked.found["straight"] = "longest"
    elif asked.take(
        r"(?:(?:on|along|down|at|in|of|for) )?(?:(?:each|every|all|per|by|which|what)(?: of)?(?: the| my)? "
        r"straight(?:away)?s?|(?:the |my )?straight(?:away)?s)"
    ):
        asked.found["straight"] = "each"
    elif asked.take(r"speed ?traps?", "top speed"):
        asked.found["straight"] = "longest"


def read_place(asked: QuestionText) -> None:
    """A distance from the start line, which itself is none."""
    line = r"(?:the )?(?:start finish(?: line)?|start line|finish line|start|line)"
    if (
        found := asked.take(
            rf"(\d+(?:[.,]\d+)?) ?(m|metres?|meters?|ft|feet|km)? ?(?:after|past|from|behind|into|"
            rf"beyond) (?:{line}|the lap)"
        )
    ) or (
        found := asked.take(
            r"at (?:the )?(\d{3,5})(?: ?(m|metres?|meters?))(?! (?:\w+ )?(?:before|for|to) )"
            r"(?: mark| point)?"
        )
        or (found := asked.take(r"at (?:the )?(\d{1,2}(?:[.,]\d+)?) ?(km)(?= *$| on | in )(?: mark| point)?"))
    ):
        asked.found["place_m"] = _metres(found[1], found[2])
    elif asked.take(
        rf"(?:over|at|across|cross|crossed|crossing|past|on) {line.replace('|start|line', '')}|(?:over|"
        rf"across|cross|crossed|crossing) the line"
    ):
        asked.found["place_m"] = 0.0


def read_gears(asked: QuestionText) -> None:
    """ "From third to fourth", "into 4th gear": what is shifted, or a follow-up to that."""
    either = "|".join(say.GEARS)
    timed = re.search(r"\b(?:time|long|seconds|used?|using|usage|spen[dt])\b", asked.begins)
    if not timed and asked.take(r"(?:(?:in|for) )?(?:per|by|each|every) gear(?! (?:change|shift))"):
        asked.found["per"] = "gear"
        return
    asked.take(
        rf"(?:in|use|using|used|take|need) (?:{either}) (?:or|and|vs) (?:{either})(?= )"
        r"(?! (?:lap|sector|corner|turn|best|fast|stint|half|stop|run|session))",
        "gear",
    )
    if asked.take(r"(?<!difference )(?:in|using|with) (?:the |my )?(?:top|highest|last) gear(?! changes)"):
        asked.found["gears"] = (TOP_GEAR,)
        asked.found["counted"] = bool(asked.take(say.COUNTED))
        return
    used = asked.take(
        r"(?:(?:in|using|use|used|with|on) )?(?:the )?(?:nth([1-8]) gear|gear ([1-8])(?= )|first gear)"
    )
    if used is not None:
        asked.found["gears"] = (int(used[1] or used[2] or 1),)
        asked.found["counted"] = bool(asked.take(say.COUNTED))
        return
    gear = rf"({'|'.join(sorted(say.GEARS, key=len, reverse=True))}|[1-8])"
    found = None
    if re.search(
        r"shift|change (?:up|down|gear|to|into|from)|"
        r"\b(?:revs?|rpms?)\b.*\b(?:drop|fall|lose)|\bdrop",
        asked.text,
    ):
        found = asked.take(
            rf"(?:from |out of )?(?:the )?(?<!lap )(?<!laps ){gear} (?:to|into) (?:the )?{gear}"
        ) or asked.take(rf"(?<!\d )(?:to|into) (?:the )?{gear}(?= )(?! (?:lap|turn|corner|sector))")
    of_gear = (
        r"^(?!.*\bhalf\b).*\b(?:revs?|rpms?|speed|throttle|how (?:long|often|many)|time|shift points?)\b"
    )
    if (
        found is None
        and re.search(of_gear, asked.text)
        and (used := asked.take(rf"in (?:the )?({either})(?= *$| (?:on|in) )"))
    ):
        asked.found["gears"] = (say.GEARS[used[1]],)
    elif used := asked.take(
        rf"(?:use|used|using|reach|reached|needed|get to|got to"
        rf"{'|in' if re.search('corner|turn', asked.text) else ''}) {gear}(?= *(?:at all|ever|much)? *$)"
    ):
        asked.found["gears"] = (int(say.GEARS.get(used[1], used[1])),)
    elif len(asked.begins.split()) <= MOST_SCRAP_WORDS + 1 and (
        found := asked.take(rf"(?:from )?({either}) (?:to|into) ({either})(?= *$)")
    ):
        asked.found["follows"] = True  # "what rpm do I shift at? 3rd to 4th?"
    elif len(asked.begins.split()) <= MOST_SCRAP_WORDS + 2 and (
        (asked.found["follows"] and not re.search(r"\blaps?\b", asked.begins))
        or re.fullmatch(rf"(?:to|into) (?:{either})", asked.begins)
    ):
        found = asked.take(rf"(?:to|into|for) (?:the )?{gear}(?= *$)")
        asked.found["follows"] = True
    if found is not None:
        named = tuple(int(say.GEARS.get(each, each)) for each in found.groups())
        asked.found["gears"] = named if len(named) == 2 else (0, *named)


def read_made_of(asked: QuestionText) -> None:
    """ "Sector 1 of lap 12 with sectors 2 and 3 of lap 3 together": a lap of pieces."""
    piece = (
        r"sectors? ((?:[1-3](?: and| ,)? )+)(?:of|from|in|on) "
        r"(?:my |the )?(?:lap (\d{1,3})|(best|last|first) lap)"
    )
    found = re.findall(piece, asked.text)
    made = tuple((int(n), lap or mark) for ns, lap, mark in found for n in re.findall(r"\d", ns))
    sums = re.search(r"\b(?:add|put|plus|together|combin\w+|what if|would|made|sum)\b", asked.text)
    if sums and len(found) > 1 and len({n for n, _ in made}) == len(made):
        asked.text, asked.found["made_of"] = re.sub(rf"{piece}|\b{sums[0]}\b", "", asked.text), made


def read_sectors(asked: QuestionText) -> None:
    """Sectors, halves of the lap, its smallest pieces."""
    mini = r"(?:mini|micro) ?sectors?"
    if found := asked.take(
        rf"{mini} (?:number )?(\d{{1,2}})(?= )|nth(\d{{1,2}}) {mini}|(first|last|final) {mini}"
    ):
        named = {"first": 1, "last": MINI_SECTORS, "final": MINI_SECTORS}
        asked.found["pieces"], asked.found["piece"] = True, int(found[1] or found[2] or named[found[3]])
    numbers: list[int] = []
    while found := asked.take(
        r"(?:sectors?|splits?)((?:(?: (?:and|to|or|vs|versus|,|number|"
        r"no))* [1-9](?![\w.:]))+)",
        say.SECTOR,
    ):
        numbers += [int(each) for each in re.findall(r"\d", found[1])]
    while found := asked.take(
        r"nth([1-9]) sector|(first|1st|last|final|middle) (?:sector|split)", say.SECTOR
    ):
        named = {"first": 1, "1st": 1, "middle": 2, "last": -1, "final": -1}
        numbers.append(int(found[1]) if found[1] else named[found[2]])
    if found := asked.take(r"(first|1st|second|2nd|last) half(?! hour)(?: of (?:the |a |my )?(?:lap|xlap))?"):
        asked.found["half"] = 1 if found[1] in ("first", "1st") else 2
    if asked.take(r"mini ?sectors?(?: times?)?|micro ?sectors?(?: times?)?|segments?"):
        asked.found["pieces"] = True
    if not numbers and asked.take(
        r"(?:all )?(?:sectors|splits|sector times?|split times?|sector(?= (?:averages?|means?|medians?|"
        r"spreads?)\b))"
        r"(?: times?)?",
        f"{say.SECTOR} ",
    ):
        numbers = [0]
    asked.found["sectors"] = tuple(dict.fromkeys(numbers))


def read_corners(asked: QuestionText) -> None:
    """Corners by number and name, a stretch between two, a distance before one."""
    words = asked.text.split()
    ids: list[str] = []
    out: list[str] = []
    at, last = 0, ""
    for mention in asked.names.mentions(words):
        spoken = words[mention.first : mention.end]
        out += [*words[at : mention.first], say.CORNER]
        at = mention.end
        ids += [each for each in mention.corners if each not in ids]
        if not mention.corners:
            asked.found["no_corner"] = " ".join(spoken)
        last = spoken[-1]
        # "Turns 3, 4 and 5" and "turn 7 to 11".
        while (
            last.rstrip("abcd").isdigit()
            and at + 1 < len(words)
            and words[at] in ("and", "to", "or", "vs", "versus", ",", "through", "than", "compared")
        ):
            if words[at] == "compared":
                words[at : at + 2] = ["than"]
            more = asked.names.mentions(["turn", words[at + 1]])
            if (
                not more
                or not more[0].corners
                or (at + 2 < len(words) and words[at + 2] in ("laps", "seconds", "m", "tenths"))
            ):
                break
            asked.found["span"] = asked.found.get("span", False) or words[at] in ("to", "through")
            # "Am I slower through 10 than 9" compares two.
            asked.found["compares"] = asked.found.get("compares") or words[at] in (
                "or",
                "vs",
                "versus",
                "than",
            )
            ids += [each for each in more[0].corners if each not in ids]
            at += 2
    asked.text = f" {' '.join([*out, *words[at:]])} "
    if named := asked.found.pop("nth_corner", ""):
        ids.append(str(named))
    order = asked.names.order
    while order and (
        found := asked.take(r"(?:the |my )?(first|last|final) (?:corner|turn|bend)(?! speed)", say.CORNER)
    ):
        ids.append(order[0] if found[1] == "first" else order[-1])
    if not ids and (found := asked.take(say.UNNAMED, say.CORNER)):
        asked.found["no_corner"] = str(found[1] or found[2])
    if len(ids) == 2 and asked.take(
        rf"exit (?:of |from )?(?:the )?{say.CORNER} (?:to|until|and) (?:the |turn ?in |entry |entrance |"
        rf"start |of |for |into )*{say.CORNER}",
        f"{say.CORNER} {say.CORNER}",
    ):
        asked.found["line"] = "gap"
    elif re.search(
        rf"{say.CORNER} (?:to|until|through) (?:\w+ ){{0,3}}?{say.CORNER}|"
        rf"between (?:\w+ ){{0,3}}?{say.CORNER}",
        asked.text,
    ) and not re.search(r"\b(?:differ|diff|gap|compar)", asked.begins):
        asked.found["span"] = True
    line = r"(?:the )?(?:(?:start|finish)[ -]?){0,2}(?:line|finish|start|flag|end of the lap)"
    if len(ids) == 1 and asked.take(rf"(?:to|until|up to|and) {line}(?= )"):
        asked.found["line"] = "to"
    elif len(ids) == 1 and asked.take(rf"(?:from|between) {line}(?= (?:\w+ ){{0,3}}?{say.CORNER})"):
        asked.found["line"] = "from"
    if ids and (
        found := asked.take(
            rf"(\d{{2,3}}) ?(m|metres?|meters?|ft|feet)? ?(?:boards?|marks?|markers?|signs?)? "
            rf"?(?:before|from|to|for|of|ahead of)(?= (?:the )?{say.CORNER})"
        )
    ):
        asked.found["before_m"] = _metres(found[1], found[2])
    if ids or asked.found["laps"]:
        asked.found.pop("bare", None)
    asked.found["corners"] = tuple(ids)


_KINDS = {
    **dict.fromkeys(("slow", "slower", "low speed", "tight", "tighter"), "slow"),
    **dict.fromkeys(("fast", "faster", "quick", "quicker", "high speed"), "fast"),
    **{"left": "left", "right": "right"},
}


def read_among(asked: QuestionText) -> None:
    """The corners of a kind, of a sector or but for some: "only the slow corners", "except turn 7"."""
    kind = f"({'|'.join(sorted(_KINDS, key=len, reverse=True))})"
    noun = r"(?:(?: ?hand)?(?:er)?s|(?: ?hand(?:er)?)? (?:corners|turns|bends|ones|stuff|sections))"
    pair = rf"{kind}{noun}? (?:or|and|vs|versus|v|than|to|compared (?:to|with)) (?:(?:in|on|at|the|my) )*"
    if found := asked.take(rf"(?:only |just )?{pair}{kind}{noun}|{kind}{noun} (?:\w+ ){{0,5}}?{kind}{noun}?"):
        one, other = (_KINDS[each] for each in found.groups() if each)
        asked.found["among"] = (one, other) if one != other else (one,)
    elif asked.take(
        r"(?:over|across|of|for|through|in)? ?all (?:of )?(?:the |my )?(?:corners|turns|bends)|"
        r"(?:over|across) (?:the |my )?(?:corners|turns|bends)(?= )",
        "average" if re.search(r"\b(?:average|mean)\b", asked.text) else "each corner",
    ):
        if "average" in asked.text or "mean" in asked.text:
            asked.found["among"] = ("all",)
    elif found := asked.take(rf"(?:(?:only|just|in|on|at|through|the|my|of) )*{kind}{noun}(?= )"):
        asked.found["among"] = (_KINDS[found[1]],)
    elif found := asked.take(r"(?<=which )(left|right)(?: ?hand(?:er)?)?(?: corner| turn)?(?= )"):
        asked.found["among"] = (found[1],)
    corners = asked.found["corners"]
    less = r"(?:except|without|excluding|besides|apart from|other than|not counting|ignoring|but)(?: for)?"
    if corners and asked.take(rf"{less} (?:the )?{say.CORNER}(?: (?:and|or) {say.CORNER})*"):
        asked.found["among"] = (f"not:{','.join(corners)}",)  # type: ignore[arg-type]
        asked.found["corners"] = ()


def _metres(number: str, unit: str | None) -> float:
    value = float(number.replace(",", "."))
    return value * {"ft": 0.3048, "feet": 0.3048, "km": 1000.0}.get(unit or "m", 1.0)
