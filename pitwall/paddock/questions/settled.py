"""What the words of a question mean together, after each of them was taken by itself.

`settled` goes through RULES from the top; a rule sees what those above it changed.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from pitwall.paddock.question_reading import (
    BOTH_WAYS,
    DRIVE_PARTS,
    LOWEST_PEAK,
    MOST_LEAST,
    PEAKED,
    PEDAL_POINTS,
    SPEED_AT,
    QuestionReading,
    other_end,
)
from pitwall.paddock.questions import vocabulary as say
from pitwall.paddock.questions.change_rules import CHANGE_RULES
from pitwall.paddock.questions.conversation_rules import CONVERSATION
from pitwall.paddock.questions.question_text import HOW_TO, MOST_SCRAP_WORDS, QuestionText
from pitwall.paddock.questions.signs import GAINS, signs_in
from pitwall.paddock.questions.word_rules import (
    ENDS_ER,
    Changes,
    WordRule,
    begins,
    braking,
    but,
    in_text,
    placed,
    whole,
    without_braking,
)


def settled(reading: QuestionReading, asked: QuestionText) -> QuestionReading:
    """The reading with its measures, laps and places as they are meant."""
    for _, when, now, said in RULES:
        if when(reading, asked) and said(asked.begins):
            reading = replace(reading, **(now if isinstance(now, dict) else now(reading, asked)))
    return reading


_OF_BRAKING = {"g_brake", "brake_bar", "brake_time", "brake_far_m", "brake_m", "brake_count"}
_AT_A_PLACE = {"speed", "rpm", "gear", "throttle", "brake_bar", "g_lat", "g_brake", *SPEED_AT.values()}
_AT_AN_INSTANT = {"speed", "rpm", "gear", "throttle"}
_CHANNELS = {"coolant_c", "oil_temp_c", "oil_bar", "temps", "coast", "full_throttle", "steering_deg"}
# What a question of two words is meant of a lap or a place that was named before it.
_FIGURES_THERE = {"brake_m", "lift_m", "throttle_m", "brake_far_m", "brake_time", "brake_bar",
                  "full_throttle", "coast", "steering_deg", "shifts", "overlap", "trail", "time"}  # fmt: skip
_TIMED = {"full_throttle", "brake_time", "coast", "overlap", "trail"}
_ANYWHERE = {"lift", "coast", "trail", "overlap", "full_throttle"}
_DRIVEN_ALONG = {"speed", "rpm", "gear", "throttle", "full_throttle", "coast"}
_SMOOTH = {"throttle": "throttle_turns", "throttle_m": "throttle_turns", "steering_deg": "steering_turns"}
_WELL = ("fast", "quick", "good", "strong", "strongest")
_JUDGED_PLACE = re.compile(
    r"(?:so |and |but )?(?:where(?:abouts)?|(?:which|what|how many) (?:parts?|corners?|turns?|bends?)) "
    r"(?:am|was|were|is|are) (?:i|we) (?:(?!get)\w+ )??"
    rf"({'|'.join(_WELL)}|slow|slower|weak|weakest|bad|worst|off)\b"
)
_PACE = in_text(r"\b(?:(?:fast|slow|quick)(?:er|est))\b")
_STEADY = re.compile(r"\b(least|most|more|less|worst|best) (?:consistent|steady|regular|repeatable)")
_NUMBER_ENDS = in_text(r"\b(?:(?:long|short|high|low)est|max(?:imum)?|min(?:imum)?)\b")
_CHANGES = in_text(rf"\b(?:{ENDS_ER}|still|stable|climb|ris|rose|drop|fell|fall|fad|getting|going|up|down)")
_THAN_MEAN = in_text(r"(?:faster|quicker|better|slower) than (?:my |the )?(?:average|mean|usual)")
_WHERE = begins(
    r"(?:and |so )?(?:(?:by |at )?how (?:far|early|late|soon|many)|where|when|what (?:point|distance)|lift|"
    r"(?:do|did|am|was) i .*\b(?:later|earlier|sooner)\b)"
)
_PEAKS = {"speed": "speed", "revs": "rpm", "rpm": "rpm", "brake pressure": "brake_bar", "lateral g": "g_lat"}
_PEAK = re.compile(
    r"\b(?:at|hit|reach(?:ed)?|when \w+ (?:\w+ )?(?:at|hit|reach\w*|had)) (?:my |the )?"
    r"(top|max|maximum|highest|peak|most|"
    rf"lowest|min|minimum|slowest) ({'|'.join(_PEAKS)})\b"
)
_SIDE = re.compile(rf"\b(before|after|leaving) (?:the )?{say.CORNER}\b")
_SIDE_OF_CORNER = begins(
    r"(?:and |so )?(?:(?:hows|how (?:is|was|does|did)|whats|what (?:is|was)|show|compare) )?(?:me |the |my )*"
    r"(?:turn \w+ )?(?:entry|exit)\b(?! of a)"
)


def _swapped(r: QuestionReading, q: QuestionText) -> Changes:
    """The other end, where one is asked for."""
    return {"which": other_end(r.which)} if len(MOST_LEAST & {*r.which}) == 1 else {}


def _put(measures: tuple[str, ...], old: str, new: str) -> tuple[str, ...]:
    return tuple(new if each == old else each for each in measures)


def _top(laps: tuple[str, ...]) -> int:
    """How many of "top:3", 0 where no such mark is there."""
    return next((int(each.partition(":")[2]) for each in laps if each.startswith("top:")), 0)


def _several(r: QuestionReading) -> bool:
    return not r.measures and r.compares and len(r.corners) > 1 and not r.laps


def _of_part(r: QuestionReading, q: QuestionText) -> Changes:
    parts = [f"sector:{each}" for each in r.sectors if each > 0][:1]
    parts += [f"half:{r.half}"] if r.half else []
    return {"sectors": (), "half": 0, "among": (*r.among, *parts)} if parts else {}


def _steady(r: QuestionReading, q: QuestionText) -> Changes:
    end = _STEADY.search(q.begins)
    most = end is not None and end[1] in ("least", "less", "worst")
    return {"which": (*but(r.which, *MOST_LEAST), "most" if most else "least")}


def _at_peak(r: QuestionReading, q: QuestionText) -> Changes:
    found = _PEAK.search(q.begins)
    peak = _PEAKS[found[2]] if found else ""
    others = but(r.measures, peak, "time", "delta")
    if not (found and others):
        return {}
    low = found[1].startswith(("min", "low", "slow"))
    return {"peak": (peak, "least" if low else "most"), "measures": others, "which": ()}


def _beside(r: QuestionReading, q: QuestionText) -> str:
    """On which straight a figure is meant that is asked for before or after the corner."""
    side = _SIDE.search(q.text) if not r.straight and {*r.measures} & _DRIVEN_ALONG else None
    if side is None or "before and after" in q.text:
        return "both" if side else ""
    return "before" if side[1] == "before" else "after"


def _judged_place(r: QuestionReading, q: QuestionText) -> Changes:
    judged = _JUDGED_PLACE.match(q.begins)
    well = judged is not None and judged[1] in _WELL
    return {"measures": ("loss",), "counts": False, "which": ("least",) if well else (),
            "of": "corner" if well else r.of}  # fmt: skip


def _of_one_kind(r: QuestionReading, q: QuestionText) -> Changes:
    """The measures without those that only were words of another one."""
    found = list(dict.fromkeys(_put(r.measures, "lift", "throttle")))
    if "smooth" in found:
        named = [_SMOOTH[each] for each in found if each in _SMOOTH]
        return {"measures": tuple(dict.fromkeys(named)) or ("smooth",)}
    strong = [each for each in found if each not in ("time", "speed", "delta", "loss")]
    strong = [each for each in strong if (each, "loss" in found) != ("corner_count", True)]
    found = strong or found
    if "speed" in r.measures and re.search(r"\bspeed\b.* and | and .*\bspeed\b", q.begins):
        found = list(dict.fromkeys((*found, "speed")))  # "max revs and top speed"
    if {"oil_temp_c", "coolant_c"} & {*found}:
        found = [each for each in found if each != "temps"]  # "is my oil too hot"
    if "duration" in found and {*found} & _TIMED:
        found.remove("duration")  # "the total time coasting"
    if len(found) > 1 and "driven_km" in found and not re.search(r"\bdr[io]ve", q.begins):
        found.remove("driven_km")  # "how far do I turn the wheel"
    if len(found) > 1 and "time" in found and "speed" in found:
        found.remove("speed")
    if "loss" in found and "speed" in r.measures and re.search(r"\bspeed\b", q.begins):
        # "How much speed do I lose in turn 7": beside the best lap, or from corner to corner.
        return {"measures": ("speed",), "compares": True, "span": False}
    return {"measures": ("loss",) if "loss" in found and "ideal_corners" not in found else tuple(found)}


def _is_scrap(r: QuestionReading, q: QuestionText) -> object:
    """Whether no more than a lap or a place is named: "lap 4?", "turn 7", "the exit", "slowest?"."""
    at_place = bool(re.match(r"(?:in|at|on|for|through) ", q.begins))
    at_place = at_place or bool(r.laps and (r.corners or r.sectors))
    if r.measures or r.of or len(q.begins.split()) > MOST_SCRAP_WORDS + 2 * at_place:
        return False
    return (
        r.per == "lap"
        or (r.which and (not r.laps or _THAN_MEAN(q.begins)))
        or r.corners
        or r.point
        or (at_place and (r.laps or r.sectors))
        or any(r.sectors)
        or (r.laps and r.laps[0].startswith(("best:", "worst:")) and not re.search(r"\blaps?\b", q.begins))
        or ("best" in r.laps and re.fullmatch(r"(?:the )?\w+ one", q.begins))
        or any(lap.isdigit() for lap in r.laps)
    )


RULES: tuple[WordRule, ...] = (
    WordRule("which corner of sector 3",
         lambda r, q: (r.of == "corner" or (r.of == "place" and "loss" in r.measures)) and not r.corners,
         _of_part),
    WordRule("except turn 7", lambda r, q: r.among, {"of": "corner"}),
    WordRule("how far do the revs drop from 3rd to 4th", lambda r, q: {"rpm", "shift_rpm"} & {*r.measures},
         lambda r, q: {"measures": ("rev_drop",), "which": but(r.which, "trend")},
         in_text(r"\b(?:drop|fall|los)\w*\b.*\b(?:gears?|shift\w*|upshift\w*|change up|[2-8](?:nd|rd|th))\b|"
         r"\b(?:gears?|shift\w*|upshift\w*|change up)\b.*\b(?:drop|fall|los)")),
    # Not "where is the scatter".
    WordRule("where am I least consistent", lambda r, q: r.of == "place" and not r.measures, {"of": "corner"},
         begins(r"(?:and |so )?where (?:(?:on|in|around|of) (?:the )?\w+ )?(?:am|was|do|did) i\b.*"
         r"\b(?:(?:in)?consisten\w+|var\w+)")),
    WordRule("did I lift anywhere", lambda r, q: {*r.measures} & _ANYWHERE, {"of": "place"},
         in_text("anywhere")),
    # What is least consistent varies most.
    WordRule("which corner am I least consistent in",
         lambda r, q: "spread" in r.which, _steady, _STEADY.search),
    WordRule("corners where I drop under 80", lambda r, q: r.bound is not None and r.of == "corner",
         lambda r, q: {"which": but(r.which, "trend")}),
    WordRule("compare lap 4 with lap 6 everywhere", lambda r, q: len(r.laps) == 2 and not r.measures,
         {"of": "corner"}, in_text("everywhere")),
    WordRule("rank my corners by time lost",
         lambda r, q: "rank" in r.which and not r.of and re.search(r"\b(?:corner|turn|bend)s\b", q.text),
         lambda r, q: {"of": "corner", "measures": r.measures or ("loss",)}),
    *CHANGE_RULES,
    WordRule("how much faster was lap 6 than lap 3", lambda r, q: len(r.laps) == 2 and not (r.measures or r.of
         or r.places), {"measures": ("delta",)}, begins(r"(?:and |so )?how much (?:faster|slower|quicker)")),
    WordRule("which lap had the lowest top speed", lambda r, q: r.of != "corner",
         {"which": LOWEST_PEAK, "of": "lap"},
         in_text(r"\b(?:lowest|smallest|slowest|worst|least) (?:top|max|maximum|peak|highest)\b"
         r"(?! gears?\b)")),
    # Of what goes both ways, or is nothing for most of a lap, the lowest value is that of the lap's peak.
    WordRule("which lap had the lowest lateral g",
         lambda r, q: "least" in r.which and {*r.measures} & PEAKED and r.of in ("", "lap") and not r.laps,
         {"which": LOWEST_PEAK}),
    # Over a lap it is as much as the acceleration, so there is no average but that of the peaks.
    WordRule("my average braking g", lambda r, q: r.which == ("mean",) and {*r.measures} & BOTH_WAYS,
         {"which": ("mean", "most")}),
    # "At what revs are my upshifts".
    WordRule("rpm of my upshifts", lambda r, q: {*r.measures} == {"rpm", "upshifts"},
         {"measures": ("shift_rpm",)}),
    # Too little is what harms.
    WordRule("did I have enough oil pressure", lambda r, q: r.measures == ("oil_bar",) and not r.which,
         {"which": ("least",)}, in_text(r"\b(?:enough|ok|okay|low)\b")),
    WordRule("how do I get better in slow corners", lambda r, q: "trend" in r.which,
         lambda r, q: {"which": but(r.which, "trend")}, HOW_TO.search),
    WordRule("how do I get faster",
         lambda r, q: not (r.laps or r.measures or r.which or r.corners) and HOW_TO.search(q.begins),
         {"of": "corner"}, _PACE),
    WordRule("where do I lift for turn 7 on lap 6", lambda r, q: "lift" in r.measures and r.corners,
         lambda r, q: {"measures": _put(r.measures, "lift", "lift_m"), "straight": "", "of": ""}, _WHERE),
    WordRule("any lap where I didn't lift in turn 8", lambda r, q: "lift" in r.measures and placed(r),
         {"which": ("least",), "per": "lap", "of": "", "negated": False},
         begins(r"(?:(?:on |in )?(?:which|what) laps?|any laps?|was there a lap)\b")),
    WordRule("do I need to lift in 10", lambda r, q: "lift" in r.measures and not r.which and placed(r),
         {"which": ("least",)}),
    WordRule("where do I lift", lambda r, q: "lift" in r.measures and not placed(r),
         lambda r, q: {"measures": _put(r.measures, "lift", "lift_m"), "of": ""}, begins("(?:where|when) ")),
    WordRule("did I lift", lambda r, q: "lift" in r.measures and not placed(r),
         lambda r, q: {"measures": _put(r.measures, "lift", "coast")}),
    WordRule("the gear at my top speed", lambda r, q: r.measures, _at_peak, _PEAK.search),
    WordRule("sector 2 times", lambda r, q: r.measures == ("time",) and not (r.which or r.laps)
         and len(r.sectors) == 1 and r.sectors != (0,), {"which": ("each",)}, in_text(r"\btimes\b")),
    WordRule("how far apart are my brake points in turn 7", lambda r, q: r.measures and not r.which
         and len(r.laps) < 2 and len(r.corners) < 2, {"which": ("spread",)}, begins("how far apart")),
    WordRule("my pace without the slow laps", lambda r, q: r.laps == ("pace",) and not (r.measures or r.which
         or r.of or r.coaching or r.follows), {"measures": ("time",), "which": ("mean",)}),
    # By that speed, not by the lap time.
    WordRule("top 3 laps by top speed", lambda r, q: {*r.measures} - {"time"},
         lambda r, q: {"laps": (), "which": ("each", "rank"), "ranked": _top(r.laps)},
         in_text(r"\blaps by\b")),
    WordRule("total braking time in lap 6", lambda r, q: "total" in r.which and {*r.measures} & _TIMED
         and len(r.laps) == 1 and (r.laps[0].isdigit() or r.laps[0].startswith(DRIVE_PARTS)),
         lambda r, q: {"which": but(r.which, "total")}),
    WordRule("what's my longest coasting", lambda r, q: "most" in r.which and {*r.measures} & _TIMED,
         {"per": "run"}, in_text(r"\blongest\b")),
    WordRule("lap times over the stint", lambda r, q: r.measures and not r.which, {"which": ("trend",)},
         in_text(r"\bover the (?:whole )?(?:session|run|day|stint)$")),
    WordRule("what made it so quick", lambda r, q: r.measures and {*r.measures} <= {"time", "speed"},
         {"measures": ()}, begins(r"(?:and |so )?(?:why|what ma(?:de|kes))\b")),
    WordRule("was that my best?", lambda r, q: True, {"follows": True, "per": "session"},
         begins(r"(?:and |so )?(?:is|was|were) (?:that|it|this) (?:\w+ )?(?:best|fastest|quickest|highest|"
         r"most|latest|slowest|worst|lowest|earliest|hardest|longest|shortest)\b(?! laps?\b)")),
    WordRule("am I slow on entry or exit of 3",
         lambda r, q: len(q.points) > 1 and r.corners and not r.measures,
         {"measures": ("loss",), "which": ()}, in_text(r"\b(?:slow|slower|weak|weaker|bad|worse|time)\b")),
    WordRule("speed into turn 10 vs speed out",
         lambda r, q: len(q.points) > 1 and ("speed" in r.measures or (not r.measures and _PACE(q.begins))),
         lambda r, q: {"measures": tuple(SPEED_AT[each] for each in q.points)}),
    WordRule("turn 10 entry, exit and min", lambda r, q: len(q.points) > 1 and r.corners and not (r.measures
         or r.coaching or {*r.which} - {"least"}), lambda r, q: {"measures": tuple(SPEED_AT[each] for each
         in (*q.points, *["apex"] * len(r.which))), "which": ()}),
    WordRule("how fast through the apex of turn 10 on average",
         lambda r, q: r.measures == ("speed",) and r.point and r.corners and r.which,
         lambda r, q: {"measures": (SPEED_AT[r.point],)}),
    WordRule("has my exit of turn 7 improved", lambda r, q: (r.point and r.corners)
         or (braking(r) and not r.sessions)
         if not r.measures else not ("improved" in r.measures or r.sessions),
         lambda r, q: {"measures": r.measures or ((SPEED_AT[r.point],) if not braking(r) else ()),
         "which": ("trend",), "coaching": False},
         begins(r"(?:and )?(?:did|has|is|have) (?:my|the) .*\b(?:improv\w+|get(?:ting)? better)\b")),
    # Where the car was is not told.
    WordRule("do I turn in at the same spot",
         lambda r, q: "spread" in r.which and (not r.measures or "turn in" in q.begins),
         lambda r, q: {"which": but(r.which, "spread")}, in_text(r"\bsame (?:spot|point|place|way)\b")),
    # The best exit is the fastest.
    WordRule("the best exit",
         lambda r, q: not r.measures and r.point and ({"most", "least", "trend", "spread"}
         & {*r.which} or (r.corners and _SIDE_OF_CORNER(q.begins))),
         lambda r, q: {"measures": (SPEED_AT[r.point],)}),
    WordRule("where does lap 8 gain on lap 6",
         lambda r, q: r.measures == ("loss",) and len(r.laps) == 2 and "los" not in q.begins,
         {"measures": ()}, GAINS.match),
    *CONVERSATION,
    WordRule("more than in turn 7", lambda r, q: True, lambda r, q: {"left": (*r.left, *signs_in(r, q))}),
    # That of the first or the last flying lap.
    WordRule("water temp at the start",
         lambda r, q: r.measures and not (r.laps or r.places or _CHANGES(q.begins)),
         lambda r, q: {"which": but(r.which, "trend"),
                       "laps": ("last" if "the end" in q.begins else "first",)},
         in_text(r"\bat the (?:very )?(?:start|beginning|end)(?: of (?:the|my) (?:session|run|stint|day|"
             r"outing))?(?: in \w+)?$")),
    WordRule("how much quicker than my average was I",
         lambda r, q: "mean" in r.which and not r.laps and "laps" not in q.begins, {"laps": ("best",)},
         _THAN_MEAN),
    WordRule("exit speed", lambda r, q: q.by_corner and not (r.corners or r.no_corner), {"of": "corner"}),
    WordRule("which gear am I in most", lambda r, q: {*r.measures} <= {"gear", "gear_time"} and r.measures
         and not (r.laps or r.places), lambda r, q: {"measures": ("gear_time",),
         "which": ("least" if "least" in q.begins else "most",)},
         in_text(r"\bgears?\b.* (?:in|us\w+|drive|driven?) (?:\w+ ){0,3}?(?:most|least)\b")),
    WordRule("gap between my best sectors and my best lap",
         lambda r, q: r.sectors == (0,) and "delta" in r.measures and r.which == ("most",),
         {"measures": ("ideal",), "sectors": (), "laps": (), "which": (), "compares": False}),
    WordRule("how far do I drive in a lap", lambda r, q: r.measures == ("driven_km",) and "lap" in r.per,
         {"measures": ("track_km",), "per": ""}),
    WordRule("how many gears do I use", lambda r, q: r.counts and "gear" in r.measures,
         {"measures": ("gear_time",)}),
    WordRule("speed at the brake point on average in turn 7",
         lambda r, q: r.corners and "brake_m" in r.measures and {*r.measures} & _AT_AN_INSTANT,
         lambda r, q: {"measures": but(r.measures, "brake_m"), "point": "brake"},
         begins(r"(?!where|.*\bbrake ?points? (?:and|,)|.*\band (?:my |the )?brake ?point)")),
    WordRule("how fast am I going when I lift for turn 10",
         lambda r, q: r.corners and {"lift", "lift_m", "throttle"} & {*r.measures, *q.taken}
         and {"speed", "rpm", "gear"} & {*q.taken},
         lambda r, q: {"measures": tuple(each for each in q.taken if each in _AT_AN_INSTANT - {"throttle"}),
                       "point": "lift", "which": but(r.which, *MOST_LEAST)},
         in_text(r"\bwhen i (?:\w+ ){0,2}?(?:lift|off the)")),
    WordRule("pit stop time", lambda r, q: r.measures and r.point not in PEDAL_POINTS, _of_one_kind),
    # "How fast does it rev" may not want a speed.
    WordRule("at what speed do I shift", lambda r, q: "speed" not in r.measures, {"named": ("speed",)},
         in_text(r"\b(?<!engine )(?<!up to )(?<!lose )(?<!losing )(?<!most )(?<!order of )"
             r"(?:speed|speeds|kmh|kph|mph)\b")),
    WordRule("in which laps did I brake early for 7", lambda r, q: r.of == "lap" and not r.which
         and {"brake_m", "throttle_m", "shift_rpm"} & {*r.measures},
         {"which": ("least",)}, in_text(r"\b(?:early|earlier|soon|sooner|short)\b")),
    WordRule("any corner where lap 6 was not the best", lambda r, q: r.of == "corner" and r.laps
         and not r.measures, lambda r, q: {"measures": ("loss",), "which": (), "among": ("all",),
         "laps": r.laps[:1], "compares": False},
         in_text(r"\b(?:wasnt|isnt|not|never) (?:the |my )?(?:best|fastest|quickest)")),
    WordRule("did I short shift anywhere", lambda r, q: r.measures == ("shift_rpm",) and not r.places,
         lambda r, q: {"of": "place", "which": ("most",) if "latest" in q.begins else ("least",)},
         in_text(r"anywhere|(?:earli|lat)est")),
    WordRule("throttle on turn 11 earlier in lap 6 or 4",
         lambda r, q: r.measures == ("throttle",) and (r.corners or r.of == "corner"),
         {"measures": ("throttle_m",)}, in_text(r"\b(?:earl(?:y|ier|iest)|soon(?:er|est)?|late(?:r|st)?)\b")),
    # The best one is the earliest.
    WordRule("my best throttle point in turn 7", lambda r, q: "throttle_m" in r.measures, _swapped,
         in_text(r"\b(?:best|worst)\b")),
    # Of a time "most" is the best.
    WordRule("the shortest time in turn 7",
         lambda r, q: r.measures == ("time",) and r.of not in ("corner", "sector", "place"), _swapped,
         _NUMBER_ENDS),
    WordRule("which corner had the slowest time",
         lambda r, q: r.measures == ("time",) and r.of == "corner" and not _NUMBER_ENDS(q.begins), _swapped,
         in_text(r"\b(?:(?:fast|quick|slow)est|worst|best)\b")),
    WordRule("which corner had the second highest brake pressure",
         lambda r, q: r.nth and r.of in ("corner", "sector"),
         lambda r, q: {"nth": (), "ranked": r.nth[0]}),
    # Off the throttle, not on the brakes.
    WordRule("do I lift on the straight", lambda r, q: "lift" in q.taken and placed(r) and not (r.corners
         and _WHERE(q.begins)) and (r.straight or _beside(r, q)), {"measures": ("coast",), "which": ()}),
    WordRule("top speed before turn 7", _beside, lambda r, q: {"straight": _beside(r, q)}),
    WordRule("how much have I improved on the straight before turn 7",
         lambda r, q: r.measures == ("improved",)
         and (r.corners or r.sectors) and not (r.compares or r.step or r.laps),
         {"measures": ("time",), "which": ("trend",)}),
    WordRule("what improved most", lambda r, q: r.measures == ("improved",) and not (r.of or r.laps
         or r.places or {*r.sessions} - {"this"}), {"of": "corner"}, begins(r"(?:and |so )?what\b")),
    WordRule("my 3 most consistent laps in a row", lambda r, q: r.measures == ("steadiest",)
         or ("spread" in r.which and r.measures == ("consecutive",)),
         {"measures": ("steadiest", "consecutive"), "which": ()},
         in_text(r"\bin a row|consecutive|back to back")),
    WordRule("which laps were any good", lambda r, q: r.of == "lap" and not r.measures and not r.laps,
         lambda r, q: {"which": ("rank", "least")[: 1 + bool(re.search("bad|slow|rubbish|poor", q.begins))]},
         whole(r"(?:and )?which (?:of (?:my|the) )?laps (?:were|are|was(?: i)?) (?:\w+ )??(?:good|well|"
                r"decent|ok|okay|fast|quick|bad|slow|rubbish|poor)(?: (?:ones|laps))?")),
    WordRule("set me a target for turn 7", lambda r, q: r.corners and not (r.measures or r.laps),
         lambda r, q: {"coaching": False, "strange": but(r.strange, "aim")}, in_text(r"\b(?:target|goal|"
                     r"aim)\b")),
    WordRule("how long is turn 6 in metres", lambda r, q: r.measures in ((), ("time",))
         and len(r.corners) == 1 and r.unit in say.UNITS and say.UNITS[r.unit][1] == "length",
         {"measures": ("apart_m",)}, in_text("long")),
    # "How do I brake better" is no question about scripts.
    WordRule("a tip for braking", lambda r, q: r.coaching and braking(r)
         and not (r.measures or r.corners or r.laps or r.said),
         lambda r, q: {"measures": ("brake_m",), "strange": without_braking(r, "under")}),
    WordRule("is lap 6 repeatable", lambda r, q: len(r.laps) == 1 and not r.measures,
         lambda r, q: {"measures": ("fluke",), "which": but(r.which, "spread")}, in_text(r"\brepeatab")),
    WordRule("how is my braking into 11",
         lambda r, q: r.corners and {*r.measures} <= {"speed"} and braking(r),
         lambda r, q: {"strange": without_braking(r, "under"), "measures": r.measures or ("brake_m",),
                       "point": "brake" if r.measures else r.point}),
    WordRule("you told me to brake when I was already braking",
         lambda r, q: braking(r) and ({*r.measures} & _OF_BRAKING or r.sprint),
         lambda r, q: {"strange": without_braking(r, "under", "while")}),
    WordRule("what's the most I braked", lambda r, q: not r.measures and r.which == ("most",) and braking(r),
         lambda r, q: {"strange": without_braking(r), "measures": ("g_brake",)}),
    WordRule("how has my braking developed",
         lambda r, q: not r.measures and "trend" in r.which and braking(r),
         lambda r, q: {"strange": without_braking(r), "measures": ("brake_lost",)}),
    # Beside another pedal or a place.
    WordRule("and brake?", lambda r, q: not (r.measures or r.of or r.coaching) and braking(r),
         lambda r, q: {"strange": without_braking(r), "measures": ("brake_bar",)},
         whole(r"and (?:the )?brakes?")),
    WordRule("how is my braking", lambda r, q: not (r.measures or r.of or r.coaching) and braking(r),
         lambda r, q: {"strange": without_braking(r), "measures": ("g_brake", "brake_time")}),
    WordRule("which day had the better sector 3", lambda r, q: "all" in r.sessions and not r.which,
         {"which": ("most",)},
         begins(r"which (?:day|session|outing|run)\b.* (?:better|faster|quicker|higher)\b")),
    WordRule("my best sectors today", lambda r, q: r.sessions and r.sectors and r.which
         and not (r.measures or r.coaching), {"measures": ("time",)}),
    WordRule("how close was I to the cayman", lambda r, q: r.strange and not (r.laps or r.sessions),
         {"compares": True, "which": ()}, begins(r"(?:and )?how (?:close|far)\b.* (?:to|from|off|behind) "
                                                  r"(?:the )?\w+$")),
    # A session may be called by that word.
    WordRule("is the cayman quicker in sector 2", lambda r, q: r.strange and not (r.laps or r.sessions),
         {"compares": True}, begins(r"(?:and |so )?(?:is|was|does|did|has) (?:the )?(?!i\b|my\b|it\b|"
                                     r"that\b)\w+ "
         rf"(?:\w+ )*?(?:{ENDS_ER})\b")),
    WordRule("is turn 10 faster than turn 8", lambda r, q: _several(r), {"measures": ("min_speed",)}, _PACE),
    WordRule("is turn 7 worse than turn 11", lambda r, q: _several(r) and not r.point,
         {"measures": ("lost",), "which": (), "coaching": False},
         in_text(r"\b(?:worse|worst|better|best|weak\w*|strong\w*|good|bad)\b")),
    WordRule("hardest braking corner", lambda r, q: r.measures and not (r.of or placed(r)), {"of": "corner"},
         in_text(r"\b(?:hardest|heaviest|biggest|strongest) (?:braking|brake) (?:corners?|"
             r"zones?)$")),
    WordRule("top speed in miles", lambda r, q: r.unit == "miles" and {*r.measures} & {*_AT_A_PLACE},
         {"unit": "mph"}),
    WordRule("is my oil in Fahrenheit over 240", lambda r, q: r.bound is not None and not r.bound_unit
         and r.unit in say.BOUND_UNITS, lambda r, q: {"bound_unit": r.unit}),
    WordRule("how many bar did I have on the brakes into turn 7",
         lambda r, q: r.unit in ("bar", "psi") and r.measures and {*r.measures} <= _OF_BRAKING,
         {"measures": ("brake_bar",), "counts": False}),
    WordRule("how hard do I brake in g", lambda r, q: {*r.measures} == {"brake_bar", "g_lat"},
         {"measures": ("g_brake",)}, in_text(r"\b(?:in|how many) gs?\b")),
    # Asks for no advice.
    WordRule("is my exit better in 7 or 11", lambda r, q: r.point and _several(r),
         lambda r, q: {"measures": (SPEED_AT[r.point],), "coaching": False}, in_text("better")),
    WordRule("how much time do I leave on the brakes in turn 1",
         lambda r, q: r.corners, {"measures": ("loss",)},
         in_text(r"\b(?:los\w+|leav\w+|giv\w+ (?:away|up)) (?:\w+ ){0,2}?"
         r"(?:on the brakes|under brak|on the (?:entry|exit))|"
         r"\bbrak\w+ or (?:\w+ )?(?:exit|entry)|\b(?:exit|entry) or (?:\w+ )?brak")),
    WordRule("do I lose it under braking or on the exit of 3",
         lambda r, q: r.corners and "loss" in r.measures,
         lambda r, q: {"per": "phase", "strange": without_braking(r, "under", "phase")},
         in_text(r"\bunder brak|\bon the brakes\b|\bentry\b|\bexit\b|\bmid|\bapex\b|\bphase\b|\bpart of\b|"
         r"\bway (?:in|out)\b")),
    WordRule("where exactly do I lose the time in turn 10",
         lambda r, q: r.of == "place" and len(r.corners) == 1 and {*r.measures} == {"loss"}
         and not (r.laps or r.sectors or r.compares or r.which), {"per": "phase", "of": ""}),
    WordRule("when was my best lap",
         lambda r, q: r.laps and not (r.corners or r.gears or {*r.measures} - {"when", "time", "duration"}),
         {"measures": ("lap_when",)},
         begins(r"how (?:many minutes|long) in(?:to)?\b|how long .*\b(?:to get to|to reach|until|till|"
                 r"before) |when |what time |how far into|"
         r"how early")),
    WordRule("my second slowest corner",
         lambda r, q: r.corners and not r.measures and re.search(r"@(?:least|most):", "".join(r.corners)),
         {"measures": ("min_speed",)}),
    WordRule("how many bar in turn 7", lambda r, q: not r.measures and r.unit in say.BOUND_UNITS
         and say.UNITS[r.unit][1] != "length",
         lambda r, q: {"measures": say.BOUND_UNITS[r.unit][1][:1]}),
    # The average of each lap's highest.
    WordRule("how many bar on average into 7", lambda r, q: "mean" in r.which and "brake_bar" in r.measures
         and (r.corners or re.search(r"\bhard", q.begins)), lambda r, q: {"which": (*r.which, "most")}),
    WordRule("where do I brake over 60 bar",
         lambda r, q: r.bound is not None, {"of": "place"}, begins("where")),
    WordRule("where's the time between lap 3 and 4", lambda r, q: r.of == "place" and r.measures == ("time",),
         {"measures": ("loss",)}, in_text(r"\b(?:the|my|more|most|that) (?:\w+ )??time\b")),
    WordRule("fastest pass of turn 7", lambda r, q: r.corners and not r.measures and not (r.laps or r.of)
         and MOST_LEAST & {*r.which}, {"measures": ("time",)}, in_text(r"\bpass(?:es)?\b")),
    WordRule("lowest speed in turn 8 and on what lap",
         lambda r, q: r.measures == ("min_speed",) and not (r.which or r.of == "corner" or r.place_m),
         {"which": ("least",)},
         in_text(r"\b(?:lowest|slowest) speed\b")),
    WordRule("which lap did I carry most speed through turn 8",
         lambda r, q: r.measures == ("speed",) and r.corners and not r.point,
         {"measures": ("min_speed",)}, in_text(r"\bcarr(?:y|ied|ying)\b")),
    WordRule("turn 11 minimum", lambda r, q: r.which == ("least",) and r.corners and not r.measures,
         {"measures": ("min_speed",), "which": ()},
         in_text(r"\b(?:min|minimum|minimums)(?=$| in | at | of | on )")),
    WordRule("where do I win time", lambda r, q: r.measures == ("loss",) and not (r.laps or r.which),
         {"of": "corner", "which": ("least",)}, in_text(r"\b(?:do|am) i (?:win|winning|gain|gaining)\b")),
    WordRule("my smoothest lap", lambda r, q: r.measures == ("smooth",) and not placed(r),
         {"which": ("least",), "of": "lap"}, in_text("smoothest")),
    WordRule("where was it worst", lambda r, q: r.of == "place" and not r.measures,
         {"measures": ("loss",), "which": ()}, in_text(r"\b(?:worst|weakest)\b")),
    WordRule("is turn 10 my weakest", lambda r, q: len(r.corners) == 1 and not r.laps
         and {*r.measures} <= {"loss"},
         {"measures": ("loss",), "of": "corner", "coaching": False, "which": ("most",)},
         in_text(r"^(?:is|was) .*\b(?:my|the) (?:weakest|worst|best|strongest)(?: one)?$")),
    WordRule("which corner is the worst", lambda r, q: r.of == "corner" and not r.measures,
         {"measures": ("loss",), "which": ()},
         in_text(r"\b(?:hardest|toughest|trickiest|most difficult) (?:corner|turn|bend)\b|"
         r"\b(?:is|was|are|were) (?:the |my )?(?:worst|weakest)\b")),
    WordRule("my best in each corner",
         lambda r, q: r.of == "corner" and not r.measures and r.laps in ((), ("best",))
         and "mine" not in r.left,
         {"measures": ("loss",), "which": ("least",), "laps": ()},
         in_text(r"\b(?:best|strongest|good at)\b")),
    # Asks for lost time, not for a low speed.
    WordRule("where am I slow", lambda r, q: {*r.measures} <= {"corner_count"}, _judged_place,
         _JUDGED_PLACE.match),
    WordRule("in mph?", lambda r, q: True, {"measures": (), "follows": True},
         whole(r"(?:and |by )?how (?:slow|fast|quick|high|low|big|long|much|many|far|bad|late|early|hot)"
         r"(?: (?:was|were|is|are) (?:it|that|they|those))?(?: for)?|"
         r"(?:(?:and|whats|what is|how much is|how many|that|it|this|in|as|to) )*"
         rf"(?:{'|'.join(say.UNITS)})|"
         r"(?:and )?(?:how much|what) is (?:that|it|this) in (?:tenths|seconds|s)")),
    WordRule("how many times", lambda r, q: True, {"measures": (), "follows": True, "counted": True},
         whole(r"(?:and )?(?:how many times|how often|(?:for )?how long|how long for)"
         r"(?: (?:was|did|is) (?:that|it|i)(?: do (?:it|that))?)?(?: in total| in all| altogether)?")),
    WordRule("longest lap", lambda r, q: True,
         lambda r, q: {"which": (), "laps": ("worst" if "longest" in q.begins else "best",)},
         whole(r"(?:(?:and|whats|what|which|is|was|my|the) )*(?:longest|shortest) lap(?: time)?")),
    WordRule("when was that?", lambda r, q: True, {"measures": ("lap_when",)},
         whole(r"(?:and )?when(?: (?:was|did) (?:it|that|i do (?:it|that))\b.*)?")),
    WordRule("how many laps until my best lap",
         lambda r, q: {"best", "worst"} & {*r.laps} or re.search(r"(?:is|was) (?:that|it)$", q.begins),
         lambda r, q: {"measures": ("lap_when",), "follows": not r.laps},
         begins(r"how many laps (?:\w+ ){0,4}?(?:before|until|till|to|after|into|in)\b")),
    # A corner that was taken fast was taken with much speed, however long it is.
    WordRule("which corner took the fastest", lambda r, q: r.of == "corner" and r.measures == ("time",),
         {"measures": ("min_speed",)}, in_text(r"^(?!.*\btimes?\b).*\b(?:fastest|slowest|quickest)\b")),
    WordRule("turn 7", _is_scrap, {"follows": True}),
    WordRule("revs?",
         lambda r, q: {*r.measures} & _AT_A_PLACE or (" " not in q.begins and {*r.measures} & _CHANNELS),
         {"follows": True}, whole(r"\S+(?: \S+)?")),
    WordRule("brake point?", lambda r, q: r.measures and {*r.measures} <= _FIGURES_THERE
         and ("time" not in r.measures or q.begins in ("time", "sector time")), {"follows": True},
         whole(r"\w+(?: (?!(?:lap|sector)?times\b)\w+)?")),
    WordRule("and the hardest?", lambda r, q: not r.measures, {"measures": ("brake_bar",), "follows": True},
         whole(r"(?:and )?(?:the )?(?:hardest|heaviest)(?: one)?")),
    WordRule("where?", lambda r, q: True, {"follows": True}, whole(r"(?:the |my )?lap ?time|"
         r"(?:and )?(?:how (?:hard|much|many) )?(?:(?:is|was) (?:that|it) )?(?:in )?gs?"
         r"(?: (?:is|was) (?:that|it))?|"
         r"(?:(?:and|whats|what is) )?(?:the )?(?:difference|diff|gap|delta)|"
         r"(?:but |and |so )?(?:why|how come|how so|why is that|whys that|what happened(?: there)?|"
         r"what(?: is| was|s)? the (?:reason|cause|problem)(?: for (?:that|it))?)|"
         r"(?:and )?(?:which|what) (?:lap|corner|one) (?:was|is) (?:the |my )?(?:latest|earliest|"
         r"highest|lowest|longest|shortest|hardest)|"
         r"(?:in |at |on )?(?:which|what) (?:ones|laps?|corners?|turns?|sectors?)"
         r"(?: was that| mostly| mainly| exactly)?|" r"(?:and |so )?(?:when|who|which|how often)|"
         r"(?:and |so )?(?:mostly |mainly )?where(?:abouts)?"
         r"(?: (?:the )?(?:most|least|exactly|mostly|mainly))?|"
         r"(?:and |so )?(?:where|when|which lap|how (?:long|much|many)) (?:was|is|did) (?:that|it|"
         r"this)\b.*|"
         r"(?:and |so )?(?:is|was) (?:that|it|this) (?:\w+ )?(?:more|less|higher|lower|later|earlier|"
         r"better|worse|faster|slower|quicker)\b.*")),
    # What it was said of is no figure that is asked for.
    WordRule("why did you tell me to brake later", lambda r, q: r.said and (r.measures or r.which),
         {"measures": (), "which": (), "of": ""}),
    WordRule("how long is the straight before turn 7", lambda r, q: r.straight in ("main", "before"),
         {"measures": ("straight_m",)},
         begins(r"(?:and )?how (?:long|many (?:m|metres|meters|feet)(?: long)?) (?:is|are) the "
         r".*straight\b")),
    WordRule("the longest straight and vmax there", lambda r, q: r.straight == "longest" and {*r.measures}
         - {"time"} and "time" not in r.measures and "," not in q.begins,
         lambda r, q: {"measures": ("straight_m", *r.measures)}, in_text(r"longest straight(?:away)? and\b")),
    WordRule("what's the longest straight",
         lambda r, q: r.straight == "longest" and {*r.measures} <= {"time"} and "," not in q.begins,
         {"measures": ("straight_m",)}, in_text(r"^(?!.*\b(?:take|took|spend|spent)\b).*long")),
    WordRule("faster on the main straight on lap 7 than 5", lambda r, q: r.straight and not r.measures,
         lambda r, q: {"measures": ("time", "speed"), "which": but(r.which, *MOST_LEAST)}, _PACE),
)  # fmt: skip
