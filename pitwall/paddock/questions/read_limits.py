"""Limits that a question names: lap times, figures, from one speed to another."""

from __future__ import annotations

import re

from pitwall.paddock.questions import vocabulary as say
from pitwall.paddock.questions.question_text import QuestionText

# A lap that is no further from the best is near it.
NEAR_S = 1.0
_CAN_BE = re.compile(
    r"\b(?:would i|would it|can|could|possible|realistic|achievable|doable|reachable|manage|within reach)\b"
)
# "Under 2 minutes".
_MINUTES = re.compile(
    r"(?<= )(?<=under |below |above |.over |.than |.beat )(\d) ?min(?:ute)?s?(?: (?:and )?(\d{1,2})"
    r"(?: ?s(?:ec(?:ond)?s?)?)?)?(?= )"
)
_DRIVEN_TIME = re.compile(
    r"(?:on |in )?(?:which|what(?! (?:do|would|will|should|must|can|could|does) (?:i|it)\b)|how many|list|"
    r"when)\b|"
    r"(?:was|were|are) any\b|any lap|"
    r"(?:(?:show|give|tell) (?:\w+ ){0,2})?laps\b"
)


def read_sprint(asked: QuestionText) -> None:
    """ "0 to 100", "from 80 to 160 kmh", "100 to 0": between two speeds."""
    unit = r"(kmh|kph|mph)?"
    found = re.search(
        rf"\b(?:from |between )?(?<!lap )(?<!laps )(?<!turn )(?<!turns )(\d{{1,3}}) ?{unit} (?:to|and) "
        rf"(\d{{1,3}}) ?{unit}(?= )(?! (?:laps|m|metres|percent|seconds|tenths|degrees|rpm|bar)\b)",
        asked.text,
    )
    if found is None:
        return
    low, high, named = int(found[1]), int(found[3]), found[2] or found[4] or ""
    quick = re.search(r"accelerat|sprint|how (?:quick|long|fast)|\btime|brak", asked.begins)
    if max(low, high) >= 30 and low != high and (0 in (low, high) or named or (quick and low >= 30)):
        asked.found["sprint"], asked.found["bound_unit"] = (low, high), named
        asked.text = f"{asked.text[: found.start()]} {asked.text[found.end() :]}"
        asked.take("stop")  # from a speed to another it is no pit stop


# "The easiest half second", "where can I find three tenths".
_GAIN = (
    r"(?:(?:eas(?:y|iest)|cheap(?:est)?|simplest|quickest)|find|gain|save|pick up|(?:knock|shave) off)"
    r"(?: (?:me|us|the|my|another|first|next|last|only))* "
    r"(?:(half(?: an?)?|quarter of a|an?|\d{1,2}(?:[.,]\d+)?) (second|tenth)s?|tenths|"
    r"(?<=easiest |heapest )(?:tenth|second))"
)
_SHARES = {"half": 0.5, "quarter": 0.25}


def _read_gain(asked: QuestionText) -> bool:
    """How much time is to be found, in no lap and no place that is named."""
    if re.search(
        r"\b(?:laps?|turns?|corners?|sectors?) \d|\b(?:lost|lose|losing|did|found|between)\b|\bwould (?!i\b)",
        asked.begins,
    ):
        return False
    found = asked.take(_GAIN, "one thing")
    if found is None:
        return False
    amount, unit_s = (found[1] or "a").split()[0], 1.0 if found[0].rstrip("s").endswith("second") else 0.1
    number = amount.replace(",", ".") if amount[0].isdigit() else "1"
    asked.found["gain_s"] = round(_SHARES.get(amount, float(number)) * unit_s, 3)
    return True


def read_limits(asked: QuestionText) -> None:
    """A limit of a figure, else of a lap time: under it, near the best, or to be reached."""
    if _read_gain(asked):
        return
    asked.text = _MINUTES.sub(lambda found: f"{found[1]}:{int(found[2] or 0):02d}", asked.text)
    clock = r"(\d+):(\d\d(?:[.,]\d+)?)"
    if found := asked.take(rf"(?:closest|nearest|next|close|near) to (?:an? |the )?{clock}"):
        asked.found["limit_s"], asked.found["nearest"] = _seconds(found[1], found[2], None), True
        return
    span = r"(?:and |what about |how about )*(?:within )?(half(?: a)?|an?|[\d.]+) (s|sec|seconds?|tenths?)"
    if found := re.fullmatch(span, asked.begins):
        within_s = {"half": 0.5, "a": 1.0, "an": 1.0}.get(found[1].split()[0]) or float(found[1])
        asked.found["within_s"] = within_s * (0.1 if found[2].startswith("tenth") else 1.0)
        asked.found["follows"], asked.text = True, ""
        return
    if found := asked.take(
        rf"(?:in )?(?:the |an? )?{clock} ?s? or (?:quicker|faster|better|less|under|below|lower)"
    ):
        limit_s = _seconds(found[1], found[2], None) or 0.0
        asked.found["limit_s"] = limit_s + (0.9995 if found[2].isdigit() and " s or" in found[0] else 0.0005)
        return
    if re.search(r"\bbest sectors\b", asked.text) and (found := asked.take(rf"(?:under|below|to|a) {clock}")):
        asked.found["target_s"] = _seconds(found[1], found[2], None)
        asked.take(r"(?:(?:with|from|using|in|all|my|the|of) )*best sectors(?: together)?")
        return
    if "sprint" in asked.found or _at_speed(asked) or _bound(asked):
        return
    if found := re.search(r"\blap\b", asked.begins) and asked.take(
        r"(?:at|after) (?:minute (\d{1,3})|(\d{1,3}) ?(?:minutes?|min)|(\d{1,3}):(\d\d))"
        r"(?: (?:in(?:to)?|of)(?: (?:the|my) (?:session|run|recording|drive|stint))?)?(?= )"
    ):
        asked.found["at_s"] = 60.0 * float(found[1] or found[2] or found[3]) + float(found[4] or 0)
        return
    timed = (
        r"\b(?:turn|corner|sector|straight|half|coast\w*|full throttle|flat out|braking|brakes?|overlap)\b"
    )
    if found := re.search(timed, asked.text) and asked.take(
        r"(under|below|less than|faster than|quicker than|over|above|(?:slower|more|longer|higher) than) "
        r"(\d{1,2}(?:[.,]\d+)?) ?(?:s|sec|seconds)(?= )",
        "time",
    ):
        asked.found["limit_s"] = _seconds(None, None, found[2])
        asked.found["over"] = not re.match("under|below|less|faster|quicker", found[1])
        return
    number = rf"(?:{clock}|(\d+(?:[.,]\d+)?))"
    if found := asked.take(
        rf"(?:within|inside) (?:(half)(?: a)?|an?|{number}) ?(s|sec|second|seconds|"
        rf"tenths?)?(?: (?:of|from|off|to))?"
    ):
        within_s = 0.5 if found[1] else _seconds(found[2], found[3], found[4]) or 1.0
        asked.found["within_s"] = within_s * (0.1 if (found[5] or "").startswith("tenth") else 1.0)
    elif asked.take(
        r"(?:close|near) to (?:my |the )?best(?: lap| time)?|near (?:my |the )?best(?: lap| time)?"
    ):
        asked.found["within_s"] = NEAR_S
    elif found := asked.take(rf"(?:between|from) {clock} (?:and|to) {clock}"):
        asked.found["between_s"] = (_seconds(found[1], found[2], None), _seconds(found[3], found[4], None))
    elif found := asked.take(
        rf"(under|below|less than|faster than|quicker than|better than|sub|over|above|slower than|"
        rf"more than) (?:an? )?(?:{clock}|(\d{{2,3}}(?:[.,]\d+)?)(?: ?s| seconds| sec)?(?= ))"
    ):
        value = _seconds(found[2], found[3], found[4])
        if value and value > 20:
            asked.found["limit_s"] = value
            asked.found["over"] = found[1] in ("over", "above", "slower than", "more than")
            if not asked.found["over"] and _CAN_BE.search(asked.begins):
                asked.found["target_s"] = asked.found.pop("limit_s")
    elif found := asked.take(rf"(?:(?:an?|the|in|to|into|of|low|high|mid) )*{clock}s?(?= )"):
        value, whole = _seconds(found[1], found[2], None) or 0.0, found[2].isdigit()
        if _DRIVEN_TIME.match(asked.begins):
            asked.found["between_s"] = (value, value + 0.9995) if whole else (value - 0.0506, value + 0.0506)
        else:
            # Any 1:48 is one, up to 1:48.999.
            asked.found["target_s"] = value + 0.999 if whole else value


def _at_speed(asked: QuestionText) -> bool:
    """ "What gear at 200": a figure at a speed, which no other number beside "at" is."""
    alone = re.fullmatch(r"(?:and |what about |how about |or )*at (\d{2,3}) ?(?:kmh|kph|mph|)", asked.begins)
    if alone:
        asked.found["follows"] = True
    elif not re.search(r"\b(?:gears?|revs?|rpms?|engine speed|throttle)\b(?!.*\bshift)", asked.text):
        return False
    found = asked.take(
        r"(?:(?:at|doing|when|while|i am|im|going|driving) )*(?<=at |ng )(\d{2,3}) ?(kmh|kph|mph|)"
        r"(?= $| in (?:the )?(?:lap|sector)| on )"
    )
    if found is None:
        return False
    asked.found["at_speed"], asked.found["bound_unit"] = float(found[1]), found[2]
    if found[2]:
        asked.found["unit"] = found[2]
    return True


def read_beyond(asked: QuestionText) -> None:
    """Which laps were beyond the average or another lap, or which came nearest to it."""
    laps: tuple[str, ...] = asked.found["laps"]  # type: ignore[assignment]
    mean = rf"(?:my |the )?(average|avg|mean|median|usual|{say.LAP})(?: (?:lap time|laps?|time|pace)\b)*"
    over = "slower|higher|more|longer|later|hotter|harder|worse|above|over"
    under = "faster|quicker|better|lower|less|shorter|earlier|cooler|below|under"
    pattern = rf"(closest|nearest|most)(?: to)? {mean}|({over}|{under}) (?:than )?{mean}"
    many = r"\b(?:which|what|how many|list|show|any|all|were) (?:\w+ ){0,3}?laps?\b|^laps? (?:with|where)\b"
    found = asked.has(pattern) if re.search(many, asked.begins) else None
    if found is None or ":" in "".join(laps) or len(laps) != ((found[2] or found[4]) == say.LAP):
        return
    asked.take(pattern)
    means = {"median": "median", "usual": "median"}.get(found[2] or found[4], "mean")
    asked.found["beyond"], asked.found["laps"], asked.found["of"] = laps[0] if laps else means, (), "lap"
    asked.found["nearest"], asked.found["over"] = bool(found[1]), found[3] in over.split("|")


def _bound(asked: QuestionText) -> bool:
    """ "Over 190 km/h", "hotter than 110": a limit of a figure that is no lap time."""
    over = r"over|above|past|beyond|exceed(?:ed|s)?|reach(?:ed)?|hit|touch(?:ed)?|at least|up to"
    under = r"under|below|less than|at most"
    than = r"(?:more|faster|higher|hotter|warmer|harder|quicker|greater) than"
    units = "|".join(sorted({*say.BOUND_UNITS} - {"m"}, key=len, reverse=True))
    place = r"(later|earlier|sooner) than (?:the )?(\d{2,3}) ?(?:m|metres|meters)(?: board| mark)?(?= )"
    if found := asked.take(place, "braking point"):
        asked.found["bound"], asked.found["bound_unit"] = float(found[2]), "m"
        asked.found["over"] = found[1] != "later"  # from the apex
        return True
    found = asked.take(
        rf"({over}|{than}|{under}|(?:slower|lower|colder|cooler) than) (?:the )?(\d{{1,5}}(?:[.,]\d+)?) "
        rf"?(?:degrees )?({units})(?= )"
    )
    figure = re.search(r"\b(?:speed|vmax|revs|rpm|temp\w*|pressure|g|throttle)\b", asked.text)
    if found is None and (figure or not re.search(r"\blaps?\b|\d:\d|\bsector", asked.text)):
        beyond = f"{over}|{than}|{under}|(?:slower|lower) than"
        found = asked.take(rf"({beyond}) (?:the )?(\d{{2,5}}(?:[.,]\d+)?)()(?= $| in | at | on )")
    if found is None:
        found = asked.take(
            rf"()(?:the )?(\d{{2,5}}(?:[.,]\d+)?) ?(?:degrees )?({units}|)(?: \w+)?? "
            r"(?:reach(?:ed)?|exceed\w*|broken)"
        )
    if found is None:
        return False
    asked.found["bound"] = float(found[2].replace(",", "."))
    asked.found["bound_unit"] = found[3]
    if found[3] in say.UNITS:
        asked.found["unit"] = found[3]
    asked.found["over"] = not found[1] or bool(re.match(rf"{over}|{than}", found[1]))
    asked.found["counted"] = bool(asked.take(say.COUNTED))
    if asked.take(
        r"(?:the )?longest (?:continuous )?(?:time|stretch|run|spell|period|burst|bit|go)|"
        r"(?:(?:in|at|for) )?(?:one|a|a single) (?:go|stretch|piece)|non ?stop|continuously|without a break"
    ):
        asked.found["per"], asked.found["counted"] = "run", True  # the longest time in one go
    return True


def _seconds(minutes: str | None, rest: str | None, plain_s: str | None) -> float | None:
    if minutes and rest:
        return int(minutes) * 60.0 + float(rest.replace(",", "."))
    return float(plain_s.replace(",", ".")) if plain_s else None
