"""The laps that a question names."""

from __future__ import annotations

import re

from pitwall.paddock.question_reading import DRIVE_PARTS, LAP_GROUPS, LapMark
from pitwall.paddock.questions import vocabulary as say
from pitwall.paddock.questions.figure_words import CLOSE
from pitwall.paddock.questions.follow_ups import stepped
from pitwall.paddock.questions.prepared import ORDINALS
from pitwall.paddock.questions.question_text import QuestionText
from pitwall.paddock.questions.signs import CLEAR

_JOINS = (
    r"(?:and|or|vs|versus|v|to|with|against|than|then|minus|from|over|compared|the|number|no|my|,|lap|laps)"
)
_RANK = r"2nd|second|3rd|third|4th|fourth|5th|fifth"
_BEST_OR_WORST = "best|fastest|quickest|slowest|worst"
# "Was I more consistent in the second half" is of the drive, not of the lap.
_OF_DRIVE = re.compile(
    r"^(?!.*\b(?:lap|corner|turn|sector|bend)\b).*\b(?:more|less|better|worst|(?:fast|slow|quick|lat|earli|hard|"
    r"steadi)er|consistent|different\w*|improv\w+|"
    r"chang\w+|fi?ou?nd|gain\w*)\b|"
    r"\b(?:was|did|were) (?:i|my|it)\b.*\b(?:more|less|better|worst|\w+er|consistent)\b"
)
# Where a phrase ends that names laps without the word.
_ENDS = r"(?= *$| vs\b| versus\b| against\b| and\b| compared\b)"
_WITH, _TIMES = r"laps (?:with|had|that had)(?: (?:the|my))?", r"(?:lap ?times?|times?(?= *$))"
_NO_LAP = re.compile(
    r"(?:(?:at|in|on) )?(?:(?:which|what) (?:corner|turn|bend|sector|split)(?!.* laps?\b)|"
    r"(?:the )?(?:corner|turn|bend) with)"
)  # "which corner is my best"


def read_laps(asked: QuestionText) -> None:
    """The marks of laps, and what one of a group is searched by."""
    marks: list[LapMark] = []
    asked.text = CLEAR.sub("", asked.text)
    # Flying laps are what is told of anyway.
    asked.text = re.sub(
        r"\b(my|the|all|every|each|best|worst|fastest|slowest|quickest) (?:flying|timed|clean|valid) "
        r"(?=laps?\b)",
        r"\1 ",
        asked.text,
    )
    # "Difference between my fastest and slowest time in turn 11".
    end = r"(?:my |the )?(?:fastest|slowest|best|worst|quickest)"
    both = rf"{end} (?:and|to) {end}(?: times?| pass(?:es)?| runs?| goes?| go)?"
    asked.take(
        rf"(?:difference|gap|diff|range|how many seconds|how much time) (?:is |are |lies? )?(?:between|from) "
        rf"{both}(?= (?:in|at|through) )",
        "spread time",
    )
    asked.take(r"(?:from )?(?:fastest|best|quickest) to (?:slowest|worst)(?: laps)?(?= )", "ranked laps")
    # "Best vs worst lap".
    asked.text = re.sub(
        r"\b(best|fastest|first|last)(?= (?:vs|versus|v|and|against|to|or|with) (?:my |the )?"
        r"(?:worst|slowest|last|best|fastest|quickest|second best|average|avg|mean|usual|typical) laps?\b)",
        r"\1 lap",
        asked.text,
    )
    less = (
        r"(?<!\d )(?:without|except(?: for)?|excluding|not counting|ignoring|"
        r"(?:leav|tak)(?:e|ing) out|drop(?:ping)?|remov(?:e|ing)|minus) (?:the |my )?"
    )
    asked.take(rf"{less}(?:(?:out|in)(?: (?:and|or) (?:in|out))?|pit) ?laps?")
    ends = {
        "opening": "first", "final": "last", "fastest": "best", "quickest": "best", "slow": "worst",
        "bad": "worst", "slowest": "worst",
    }  # fmt: skip
    one = (
        r"(?:(?:the|my|laps?) )*(?:(?:\d{1,3}|first|last|opening|final|best|fastest|quickest|worst|slowest)"
        r"(?: (?:laps?|one))?(?! sector| corner| turn)|(?:slow|bad) (?:lap|one)(?= ))"
    )
    if found := asked.take(
        rf"{less}(?:(?:the|my) )*([2-9]) (?:(worst|slowest|slow|bad)|best|fastest|quickest)"
        r"(?: laps| ones)?(?= )",
        say.LAP,
    ):
        marks.append(f"not:{'bottom' if found[2] else 'top'}:{found[1]}")
    elif found := asked.take(rf"{less}({one}(?: (?:and|or|,) {one})*)(?= )", say.LAP):
        left_out = re.findall(rf"\d+|\b(?:{'|'.join(ends)}|first|last|best|worst)\b", found[1])
        marks.append(f"not:{','.join(ends.get(each, each) for each in left_out)}")

    def put(*found: str) -> None:
        marks.extend(each for each in found if each not in marks)

    if re.search(
        r"improv|gain|los[et]|faster|slower|quicker|differ|(?<!gear )change(?!d? gear)|delta|gap|compar|"
        r"pick(?:ed)? up|fi?ou?nd\b",
        asked.text,
    ):
        # "How much did I find from lap 2 to lap 6" compares two.
        asked.text = re.sub(r"\blap (\d{1,3}) to lap (\d{1,3})(?= )", r"lap \1 and lap \2", asked.text)
    span = r"(\d{1,3}) to (\d{1,3})"
    until = r"laps? (\d{1,3}) ?(?:to|through|thru|till|until) ?(?:lap )?(\d{1,3})"
    if found := asked.take(rf"laps? {span} (?:(?!turn|sector)\w+ ){{0,4}}?{span}(?= )", say.LAP):
        put(f"span:{found[1]}-{found[2]}", f"span:{found[3]}-{found[4]}")
        asked.found["compares"] = True
    elif ((found := asked.has(until)) and int(found[2]) > int(found[1]) and asked.take(until, say.LAP)) or (
        # "My average lap time between lap 2 and lap 6", but not the difference of both.
        re.search(
            r"^(?!.*(?:compar|differ|gap|delta|chang|improv|gain|los[et])).*\b(?:average|avg|mean)\b",
            asked.text,
        )
        and (found := asked.take(r"between laps? (\d{1,3}) and (?:lap )?(\d{1,3})", say.LAP))
    ):
        put(*(str(n) for n in range(int(found[1]), min(int(found[2]), int(found[1]) + 60) + 1)))
    if found := asked.take(
        r"(?:since|from) lap (\d{1,3})(?: (?:on|onwards?|up|upwards))|since lap (\d{1,3})|"
        r"laps? (\d{1,3}) (?:on(?! the\b| my\b)|onwards?|up|upwards|(?:to|until) the end)(?= )",
        say.LAP,
    ):
        put(f"from:{found[1] or found[2] or found[3]}")
    elif not asked.found.get("step") and (
        found := asked.take(
            r"(?<!stack )(?<!stacks )(?<!measure )(after|before|until|till|up to) lap (\d{1,3})", say.LAP
        )
    ):
        number = int(found[2])
        put({"after": f"from:{number + 1}", "before": f"to:{number - 1}"}.get(found[1], f"to:{number}"))
    half = r"(?:first|1st|second|2nd|last|later|latter|earlier) half(?! hour)"
    # "The second half of the session compared to the first".
    end = r"(?:compared (?:to|with)|than|vs|versus|against) (?:(?:in|on|the|my) )*(?:first|1st|second|2nd)"
    end += r"(?: half| one)? *$"
    of_drive = rf"{_OF_SESSION}(?! of (?:the |my |a )?(?:lap|xlap))"
    if found := asked.take(rf"(?:in )?(?:the |my )?{half}{of_drive}(?= (?:\w+ ){{0,3}}?{end})"):
        asked.take(end.removesuffix(" *$"), say.LAP)
        put("half:1" if re.search("first|1st|earl", found[0]) else "half:2")
        asked.found["compares"] = True
    if (
        asked.take(
            rf"(?:(?:in|on) )?(?:the |my )?{half.replace(' half', '(?: half)?')}{of_drive} "
            r"(?:and|or|vs|versus|to|with|against|than) "
            rf"(?:(?:in|on|the|my) )*{half}{of_drive}",
            say.LAP,
        )
        or _early_or_late(asked)
        or asked.take(rf"(?:(?:in|for|of) )?(?:each|both|which|what) hal(?:f|ves){of_drive}", say.LAP)
    ):
        put("half:1")
        asked.found["compares"] = True
    if found := asked.take(
        rf"(?:the |my )?{half} of (?:the |my |this )?(?:session|day|run|outing)"
        + rf"|(?<=was )the {half}(?= (?:any )?(?:better|faster|quicker|slower|worst))"
        + (rf"|(?:in )?the {half}(?! of)" if _OF_DRIVE.search(asked.begins) else ""),
        say.LAP,
    ):
        put("half:1" if re.search("first|1st|earl", found[0]) else "half:2")
    if found := asked.take(rf"(early|late)r?(?: on)?{_IN_SESSION}", say.LAP):
        put("half:1" if found[1] == "early" else "half:2")
    if asked.take(r"(?:the |my )?(?:first|early|opening) (?:laps|ones)", say.LAP):
        asked.take(r"(?:the |my )?(?:last|late|later|final) (?:laps|ones)", say.LAP)
        put("half:1")
    elif asked.take(r"(?:the |my )?(?:last|late|later|final) (?:laps|ones)", say.LAP):
        put("half:2")
    asked.text = re.sub(r"\b(first|opening|last|final) couple(?: of)?(?= laps)", r"\1 2", asked.text)
    some = r"(first|opening|last|final) (?:\w+ )??(\d{1,2})"
    while found := asked.take(
        rf"{some} (?:flying |timed )?(?:laps?|ones)"
        + (rf"|{some}(?= *$| average| avg| mean)" if marks or asked.found["follows"] else ""),
        say.LAP,
    ):
        which, number = filter(None, found.groups())
        put(f"{'firsts' if which in ('first', 'opening') else 'lasts'}:{number}")
    join = r"(?:vs|versus|against|than|compared (?:to|with)|with|beside|"
    join += r"or(?= laps)) (?:(?:in|on|my|the) )*(?:laps? )?"
    lists = rf"laps? ({_LIST}) (?:(?!turn|sector|corner)\w+ ){{0,4}}?{join}({_LIST})(?= )"
    lists += r"(?! (?:m|metres|seconds|s|tenths)\b)"
    two = asked.has(lists)
    groups = [_numbers(each) for each in two.groups()] if two else []
    if sum(map(len, groups)) > 2:
        asked.take(lists, say.LAP)
        put(*(f"these:{','.join(each)}" for each in groups))
        asked.found["compares"] = True
    # "Laps 7 8 and 9".
    asked.text = re.sub(
        r"\b(laps(?: \d{1,2} ,)* \d{1,2}) (?=\d{1,2} (?:and|or|,|\d|$))", r"\1 , ", asked.text
    )
    asked.text = re.sub(r"\b(lap \d{1,2}) (?=\d{1,2} (?:and|or) \d)", r"\1 , ", asked.text)
    many = rf"laps?((?: (?:number|no|the|my|,))* \d{{1,3}}(?!\w)(?:(?: {_JOINS})+ \d{{1,3}}(?![\w.:]))*)"
    while found := asked.take(many, say.LAP):
        put(*re.findall(r"\d+", found[1]))
    while found := asked.take(r"(?:in |of |on |during )?(?:the |my )?stint (\d)", say.LAP):
        put(f"stint:{found[1]}")
    while found := asked.take(r"nth(\d+) lap", say.LAP):
        put(found[1])
    if marks and (
        found := asked.take(
            r"(?:than|vs|versus|against|to|with|and|or) (?:my |the )?"
            r"(\d{1,2}(?:st|nd|rd|th)|second|third|fourth|fifth|sixth)(?= )"
        )
    ):
        put(ORDINALS[found[1]])
    if _is_placed(asked):
        # "My best time in turn 5" is no time of the best lap.
        asked.text = re.sub(rf"\b({_BEST_OR_WORST}) (times?)(?= )", r"\1 , \2", asked.text)
        asked.text = re.sub(
            r"^( (?:[io]n )?(?:which|what) lap .*\bthe) (best|worst)(?= *$)", r"\1 , \2", asked.text
        )
    _ranked_pass(asked)
    _ranked_corner(asked)
    _ranked_figure(asked)
    rank = rf"(next|{_RANK})"
    best = r"(?:best|fastest|quickest)"
    asked.text = re.sub(rf"\b{rank} (and|or|vs|to) {rank} {best}\b", r"\1 best \2 \3 best", asked.text)
    while found := asked.take(
        rf"{rank}(?:[ ]?)(?:{best}|(worst|slowest)(?= (?:lap|one)))(?: (?:laps?|one|lap times?|laptimes?))?",
        f"{say.LAP} ",
    ):
        put(f"{'worst' if found[2] else 'best'}:{ORDINALS.get(found[1], 2)}")
    while found := asked.take(
        rf"({_RANK}) (?:worst|slowest)(?: (?:laps?|one|lap times?|laptimes?))?(?! (?:sector|split))(?= )",
        f"{say.LAP} ",
    ):
        put(f"worst:{ORDINALS[found[1]]}")
    if found := asked.has(
        r"(?:run|streak|string) of (\d) laps?|"
        r"(\d) (?:(?:consecutive|successive|back to back)\b|(?:best )?laps in a row)|"
        rf"{CLOSE} (\d)(?= laps?\b| *$)|(\d) (?:{CLOSE} laps?|laps? (?:\w+ ){{0,3}}?{CLOSE})"
    ):
        asked.found["ranked"] = int(next(filter(None, found.groups())))
    elif found := asked.take(
        rf"(?:top|{best}) (\d+)(?! (?:corner|turn|bend|sector|place|speed))"
        rf" ?(?:laps?|times?|lap times?|laptimes?)?|(\d+) {best} (?:laps|times)|"
        rf"(?:my|the) (\d+) {best}{_ENDS}|"
        rf"(?:which|what) (\d+) laps (?:were|are) (?:my |the )?{best}|"
        rf"(?:which |what |the |my )?(\d+) {_WITH} {best} {_TIMES}",
        say.LAP,
    ):
        put(f"top:{found[1] or found[2] or found[3] or found[4] or found[5]}")
    end = r"(?:worst|slowest|bottom)"
    if found := asked.take(
        rf"(\d+) {end} (?:flying )?laps?|(?:my|the) (\d+) {end}{_ENDS}|"
        rf"{end} (\d+)(?: laps)?(?= times| *$| ,)|"
        rf"(\d+) {_WITH} (?:worst|slowest|longest) {_TIMES}",
        say.LAP,
    ):
        put(f"bottom:{found[1] or found[2] or found[3] or found[4]}")
    # "Top 3 corners", "the 5 slowest turns".
    worst = r"(?:slowest|fastest|quickest|worst|best|tightest|hardest|weakest|strongest)"
    if found := asked.take(
        rf"(top|{worst}) (\d+)(?= (?:corner|turn|bend|place|spot))|(\d+) ({worst} (?:corners|turns|bends))",
        "",
    ):
        asked.text = f" {(found[4] or found[1]).replace('top', 'most')}{asked.text}"
        asked.found["of"], asked.found["ranked"] = "corner", int(found[2] or found[3])
    text = asked.text
    for mark, pattern in say.LAPS:
        if mark in ("best", "worst") and _NO_LAP.match(asked.begins):
            named = "best|fastest|quickest" if mark == "best" else "worst|slowest"
            pattern = rf"(?:my |the )?(?:{named}) (?:flying )?lap(?! times?)"
        if mark == "both" and re.search(
            r"\b(?:biggest|largest|greatest|most|alike|similar|row)\b", asked.begins
        ):
            continue
        if found := asked.take(pattern, say.LAP):
            _time_asked(asked, found[0])
            put(mark)
    beside = re.match(r"(?:and |or )?(?:vs|versus|against|than|compared (?:to|with)) ", asked.begins)
    searched = re.match(r"(?:how many|which|what) (?:\w+ ){0,2}?laps? .*\bthan\b", asked.begins)
    if (marks or beside or searched) and (
        found := asked.take(
            r"(?:than|vs|versus|against|to|and|as|or|with) (?:on |in )?(?:my |the )?"
            r"(first|last|best|worst|fastest|quickest|slowest)(?= *$)",
            say.LAP,
        )
    ):
        if not "".join(marks).startswith("half:"):  # "were my first laps slower than my last"
            put({"fastest": "best", "quickest": "best", "slowest": "worst"}.get(found[1], found[1]))
        asked.found["compares"] = not searched
    if marks and not re.search(r"\d", "".join(marks)) and len(marks) > 1:
        marks.sort(key=lambda mark: _first_of(text, mark))
    if marks and (step := asked.found.pop("step", 0)):
        after = stepped(marks[-1], int(str(step)))
        marks[:] = [after] if asked.steps_from else [*marks, after]
    if not marks or marks == ["best"]:
        if found := asked.take(
            r"(?<![\d.:])(?<!turn )(\d{1,3}) (?:vs|versus|v|against) (\d{1,3})(?![\d.:])", say.LAP
        ):
            put(found[1], found[2])
    elif found := asked.take(
        # "Turn 1, 2 and 3 in lap 6" names one lap.
        rf"(?:than|vs|versus|against|(?<={say.LAP}) +(?:to|with|and)) (\d{{1,3}})(?= |$)"
        r"(?! (?:m|metres|seconds|s|percent)\b)",
        say.LAP,
    ):
        put(found[1])
    if asked.take(
        r"(?:each|every|all) (?:of )?(?:the |my )?(?:flying )?laps?|lap by lap|(?:per|by) lap|"
        r"for all laps|on all laps"
    ):
        asked.found["per"] = "lap"
    elif asked.take(
        r"(?:in|on|over|of|during) a (?:flying |whole |single )?lap|a lap(?= )|of the lap|in one lap"
    ):
        asked.found["per"] = "a lap"
    several = len(marks) > 1 or "".join(marks).startswith(("top:", "bottom:", *DRIVE_PARTS))
    if several and asked.take(
        r"(?:against|vs|versus|than|and|with|to|or) (?:all )?the "
        r"(?:rest|others|other (?:laps|ones|\d(?: laps)?))"
    ):
        put(f"not:{','.join(marks)}")
        asked.found["compares"] = True
    group = [each for each in marks if each.startswith(LAP_GROUPS)]
    of_group = len(group) == 1 and len(marks) == 2 and {*marks} & {"best", "worst"}
    if of_group and not re.search(r"compar|\bthan\b|\bvs\b|against|\bgap\b|\bdiff", asked.begins):
        # "My fastest lap after lap 6".
        asked.text += " most " if "best" in marks else " least "
        marks, asked.found["of"] = group, "lap"
    if (found := re.search(r" (?:is|was) (\d{1,3}) (?=better|faster|quicker|slower)", asked.text)) and found[
        1
    ] in marks:
        # "Lap 3 or lap 12, where is 12 better".
        asked.text = asked.text.replace(found[0], " ")
        marks.sort(key=lambda mark: mark != found[1])
    asked.found["laps"] = tuple(marks)


_IN_SESSION = r" (?:of|in) (?:the |my |this )?(?:session|day|run|outing)"
_OF_SESSION = rf"(?:{_IN_SESSION})?"
_BEGUN = r"(?:early(?: on)?|(?:at|in|near) the (?:start|beginning)|in the beginning)"
_ENDED = r"(?:late(?:r)?(?: on)?|(?:at|in|near|by|towards) the end)"


def _early_or_late(asked: QuestionText) -> bool:
    """ "Was I quicker early or late", but not "did I brake early or late"."""
    ends = r"(?:the |my )?(?:start|beginning)", r"(?:the |my )?end"
    for one, other in (ends, ends[::-1]):
        if re.search(r"\b(?:compar|differ|vs)", asked.text) and asked.take(
            rf"{one}{_OF_SESSION} (?:compares? |compared |differs? )?"
            rf"(?:to|with|vs|versus|and|against|from) {other}{_OF_SESSION}",
            say.LAP,
        ):
            return True
    if not re.search(r"\b(?:fast|quick|slow|bett|steadi)er\b|\b(?:worst|pace|consistent)\b", asked.text):
        return False
    found = asked.take(rf"{_BEGUN}{_OF_SESSION} (?:or|vs|versus) {_ENDED}{_OF_SESSION}", say.LAP)
    return bool(
        found or asked.take(rf"{_ENDED}{_OF_SESSION} (?:or|vs|versus) {_BEGUN}{_OF_SESSION}", say.LAP)
    )


# "5 and 6", "2, 3 and 5 to 7".
_LIST = r"\d{1,2}(?:(?: ,| and| to| through)* \d{1,2})*"


def _numbers(text: str) -> list[str]:
    """The laps of such a list."""
    found: list[int] = []
    for join, number in re.findall(r"(to |through )?(\d+)", text):
        begin = found[-1] + 1 if join and found else int(number)
        found += range(begin, int(number) + 1)
    return list(map(str, found))


def _is_placed(asked: QuestionText) -> bool:
    """Whether a part of the lap is named, and no lap but one that is searched."""
    if re.search(
        r"(?<!which )(?<!what )\blap", re.sub(r"\blaps? (?:with|(?:that )?had)\b", " ", asked.begins)
    ):
        return False
    named = re.search(r"\bsector \d", asked.text) or asked.names.mentions(asked.text.split())
    return bool(named or asked.found.get("straight"))


def _ranked_pass(asked: QuestionText) -> None:
    """ "My second fastest pass of turn 4", "third best sector 2"."""
    ends = rf"({_BEST_OR_WORST})"
    if _is_placed(asked) and (
        found := asked.take(
            rf"(?:the |my )?({_RANK}) {ends}(?: (?:pass|time|go|run)\b)?(?! corner| turns| lap)"
        )
    ):
        asked.text += "least " if found[2] in ("slowest", "worst") else "most "
        asked.found["nth"] = (int(ORDINALS[found[1]]),)


def _ranked_corner(asked: QuestionText) -> None:
    """ "The second worst corner", "which corner am I third slowest in"."""
    if asked.found.get("nth"):
        return
    if not re.search(r"\b(?:corner|turn|bend|place|where)s?\b", asked.begins):
        return
    ends = {"worst": "loss", "weakest": "loss", "most": "loss", "biggest": "loss"}
    ends |= {"slowest": "least", "tightest": "least", "fastest": "most", "quickest": "most"}
    which = r"(?:(?:which|what) (?:corner|turn|bend) (?:\w+ ){0,3}?)?"
    found = asked.take(
        rf"{which}(?:the |my )?({_RANK}) ({'|'.join(ends)})"
        r"(?:(?<!most)(?<!biggest)|(?= (?:corner|turn|bend|place|problem)| *$))"
        r"(?: (?:corner|turn|bend|place|problem))?(?= )",
        say.CORNER,
    )
    if found is not None:
        asked.found["nth_corner"] = f"@{ends[found[2]]}:{ORDINALS[found[1]]}"


def _ranked_figure(asked: QuestionText) -> None:
    """ "My second highest oil temperature", "the 3 laps with the longest coasting"."""
    ends = (
        r"(?:(?:high|low|bigg|small|larg|long|short|lat|earli|hard|hott|cold|deep|strong|weak|great)est|"
        r"max(?:imum)?|min(?:imum)?|peak|top|most|least|fewest)"
    )
    with_figure = (
        r"(?:(?:which|what|the|my|were|are) )*(\d) (lap|corner|turn)s (?:with|had|have|where|that had)"
    )
    if not asked.found.get("nth") and (
        found := asked.take(rf"(?:the |my )?({_RANK})(?= {ends} (?!stint|stop|straight|run))")
    ):
        asked.found["nth"] = (int(ORDINALS[found[1]]),)
    elif found := asked.take(
        rf"{with_figure}(?= (?:the |my )?(?:{ends}|{_BEST_OR_WORST}) (?!lap ?time|times? *$))"
    ):
        asked.found["of"], asked.found["ranked"] = "lap" if found[2] == "lap" else "corner", int(found[1])


def _time_asked(asked: QuestionText, words: str) -> None:
    """ "Best lap time" names a lap and a figure."""
    if re.search(r"time", words):
        asked.text += " laptime "


def _first_of(text: str, mark: str) -> int:
    words = {
        "best": "best|fastest|quickest|flyer|pb",
        "worst": "worst|slowest",
        "last": "last|final|latest",
        "first": "first|opening",
    }
    found = re.search(words.get(mark, mark), text)
    return found.start() if found else len(text)
