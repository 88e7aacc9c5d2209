"""Checks what a text claims: each figure with the laps, corner, session and direction that it is said of.

A figure may stand in the data and still be false: the time of another lap, a loss that was a gain. Advice
claims nothing about the past and is left alone.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from pitwall.analysis.compose_words import plain
from pitwall.analysis.figure_check import KnownFigures, backed, kind_of, known_figures
from pitwall.analysis.figures import Figure, Kind, figures
from pitwall.analysis.number_words import Reading, read_number
from pitwall.analysis.report import Report
from pitwall.track.model import Track
from pitwall.words.forms import CODES
from pitwall.words.language import language

_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!^\d\.)\s+(?=[A-Z\"'(])|\n+", re.MULTILINE)
_MEASURED: frozenset[Kind] = frozenset((
    "time", "length", "speed", "rpm", "g", "bar", "percent", "degrees", "car lengths", "mass", "volume",
))  # fmt: skip
_NAMES: frozenset[Kind] = frozenset(("lap", "corner", "sector", "gear"))
# Figures that say more or less than something else, and what their sign tells: +1 is slower, or later.
_SIGNED: tuple[tuple[str, int], ...] = (
    ("delta_s", 1), ("loss_s", 1), ("gain_s", -1), ("gained_s", -1), ("_diff_kmh", -1), ("_shift_m", 1),
    ("_diff_s", 1),
)  # fmt: skip
_SLOWER = re.compile(
    r"\b(?:slower|los[et]|loses|losing|cost|costs|costing|down|behind|off the pace|worse|adrift|longer)\b"
)
_FASTER = re.compile(
    r"\b(?:faster|quicker|gain|gained|gains|won|win|found|saved|better|up on|ahead|improved|under|shorter|"
    r"less)\b"
)
_LATER, _EARLIER = re.compile(r"\blater\b"), re.compile(r"\b(?:earlier|sooner)\b")


def _any_of(words: str) -> str:
    return "|".join(words.split())


# A statement about what was driven.
_STATED = """
    was were had has have did lost lose loses losing gained cost costs slower faster quicker won braked lifted
    reached carried took came went got recorded show shows showed saw measured average averaged fastest
    slowest peaked dropped rose fell spent drove ran said held worth you're
"""
_PAST = re.compile(rf"\b(?:{_any_of(_STATED)}|you (?:are|brake|turn|carry|lose|leave)|laps? \d+)\b")
# What a sentence begins with, or has in it, that tells what to do.
_IMPERATIVES = """
    brake try aim let keep wait squeeze release open use look move hold roll carry ease lift feed trail
    stay go take leave start begin finish work focus build breathe give get put make do don't never
    always be think pick shift drive come hit find set add push bring pull ask check relax settle unwind
    count warm spend plan practise practice treat point place apply delay tighten widen run cool save
    watch see
"""
_ADVICE = re.compile(
    r"^(?:please |now |then |so |and |first,? |next,? |again,? |only |just |instead,? |there,? )*"
    rf"(?:{_any_of(_IMPERATIVES)}|turn (?:in|later|sooner|earlier|the))\b"
    r"|\b(?:should|could|would|try|aim|want to|need to|needs|next (?:run|time|lap|session)|if you|target|"
    r"goal|ought|can be|may|might|enough|helps?|wants)\b"
)
_MENTION_BREAK = re.compile(r"[,;:()]|\s[-–—]\s|\b(?:and|but|while|whereas|though|then)\b")
_AGAINST = re.compile(
    r"\b(?:than|against|versus|vs\.?|behind|over|ahead of|(?:compared|relative) (?:with|to))\s+"
    r"(?:in |your |the |that of )*$"
)
_LAPS = re.compile(r"\blaps?\s+(?=\w)", re.IGNORECASE)
_LAP_TOKEN = re.compile(
    r"\s*(?:(?P<link>,\s*and\b|,(?!\s*lap)|and\b|or\b|to\b|-|lap\b)|(?P<number>\d+|[a-z]+))", re.IGNORECASE
)
_MEASURE_AFTER = re.compile(
    r"\s*(?:[.,:]\d|(?:s|m|km/h|kmh|km|bar|g|tenths?|hundredths?|seconds?|metres?|meters?|rpm|mph|percent|%|"
    r"point)(?!\w))"
)
_BEST = re.compile(
    r"\b(?P<way>best|fastest|quickest|slowest)\b(?: lap| pass| one| time)?"
    r"(?: in| at| through| of)?(?P<where>[\w ,']{0,30}?)(?: was| is|:|,)*(?: in| on)? $"
)
_IS_BEST = re.compile(r" (?:was|is) (?:your|the) (?P<way>best|fastest|quickest|slowest)(?P<where>[^,.;]*)")
_OF_SOMETHING = re.compile(r"\b(?:sectors?|exit|entry|speed|brak\w+|start|point)\b")
_NOT_BEST = re.compile(
    r"\b(?:second|third|next|old|previous|last) (?:best|fastest|quickest|slowest)\b|\bat (?:its|your) \w+\b"
)
_PLACE = re.compile(r"\b(?:corners?|place|spot|there|pass|turns?|it)\b")
_WITHIN = re.compile(r"\blaps\b[^.]*\bwithin\b")
_DATE = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")


# Keys of `truth_of` that are looked up again.
LAP_TIME, LAP_RANGE = "lap_time_s", "lap_range_s"
_TIMES = (LAP_TIME, "time_s")
# Longer times are those of whole laps or sectors.
_LONG_S = 20.0


class Fact(msgspec.Struct, frozen=True):
    """A figure of the data: `value` in the unit of its kind, what it is said of (empty: of nothing in
    particular), and `sign`: +1 where it means slower or later, -1 for the opposite, 0 where it has none."""

    value: float
    kind: Kind
    key: str
    laps: frozenset[int]
    corner: str
    session: str
    sign: int


class _Mention(msgspec.Struct, frozen=True):
    at: int
    end: int
    laps: frozenset[int] = frozenset()
    corners: frozenset[str] = frozenset()
    against: bool = False


class Judge:
    """Judges sentences by `truth`: plain data, in which keys such as lap, corner and session say what a
    number is of. `track` gives the corners' names; without one they are known by their numbers."""

    def __init__(self, truth: Any, track: Track | None = None) -> None:
        self._facts = list(_facts("", truth, frozenset(), "", ""))
        self._known = known_figures(truth)
        self._corners = [] if track is None else _names(track)

    def false_sentences(self, text: str, evidence: Any, question: str = "") -> list[tuple[str, list[str]]]:
        """The sentences of `text` that do not hold, each with its false figures. `evidence`: what else is
        known, as a prompt's facts and tools' results; names of laps and corners may be the question's."""
        asked = [{each.kind: each.readings[0][0]} for each in figures(question) if each.kind in _NAMES]
        known = (self._known, known_figures([evidence, asked]))
        facts = [*self._facts, *_facts("", evidence, frozenset(), "", "")]
        judged = [(sentence, self._false(sentence, facts, known)) for sentence in sentences(text)]
        return [(sentence, wrong) for sentence, wrong in judged if wrong]

    def without_false(
        self, text: str, evidence: Any, question: str = ""
    ) -> tuple[str, list[tuple[str, list[str]]]]:
        """(the text without its false sentences, those sentences with their figures)."""
        gone = self.false_sentences(text, evidence, question)
        if not gone:
            return text, []
        lost = [sentence for sentence, _figures in gone]
        return " ".join(one for one in sentences(text) if one not in lost), gone

    def _false(self, sentence: str, facts: Sequence[Fact], known: Sequence[KnownFigures]) -> list[str]:
        mentions = [*_lap_mentions(sentence), *self._corner_mentions(sentence)]
        mentions.sort(key=lambda each: each.at)
        cuts = _segments(sentence, mentions)
        advice = any(_ADVICE.search(sentence[low:high].strip().lower()) for low, high in cuts)
        wrong: list[str] = []
        at = 0
        for figure in figures(sentence):
            at = max(sentence.find(figure.shown, at), at)
            place, at = at, at + len(figure.shown)
            part = next(i for i, (low, high) in enumerate(cuts) if low <= place < high)
            (begin, end), after = cuts[part], cuts[min(part + 1, len(cuts) - 1)][1]
            if figure.kind not in _MEASURED:
                # "The second apex" of an advice names no corner of the data.
                if not any(backed(figure, each) for each in known) and not (
                    advice and figure.kind not in ("lap", "corner")
                ):
                    wrong.append(figure.shown)
                continue
            if advice and not _PAST.search(sentence[begin:end].lower()):
                continue
            if not self._holds(figure, sentence, (begin, end), after, mentions, facts, known):
                wrong.append(figure.shown)
        return wrong or self._false_best(sentence, mentions)

    def _holds(
        self,
        figure: Figure,
        sentence: str,
        segment: tuple[int, int],
        following: int,
        mentions: Sequence[_Mention],
        facts: Sequence[Fact],
        known: Sequence[KnownFigures],
    ) -> bool:
        if figure.kind == "time" and _WITHIN.search(sentence[: segment[1]].lower()):
            return any(each.key == LAP_RANGE and _near(each.value, figure.readings) for each in facts)
        same = [
            each for each in facts if each.kind == figure.kind and _near(abs(each.value), figure.readings)
        ]
        laps, corners = _said_of(segment, following, mentions)
        dates = {"".join(found) for found in _DATE.findall(sentence)}
        # A lap's time is not that of one of its corners.
        whole = figure.kind == "time" and bool(laps) and not corners and not _PLACE.search(sentence.lower())
        fitting = [each for each in same if _fits(each, laps, corners, dates) and not (whole and each.corner)]
        way = _direction(figure.kind, sentence[slice(*segment)].lower()) or _direction(
            figure.kind, sentence.lower()
        )
        against = [each for each in mentions if each.against and each.laps]
        if laps and against and (derived := self._derived(figure, laps, corners, against[0].laps, way)):
            return derived > 0
        of_laps = [each for each in same if each.laps]
        if laps and of_laps and figure.kind == "time" and figure.readings[0][0] >= _LONG_S:
            fitting = [each for each in fitting if each.laps]
        if same and not fitting:
            return False
        if fitting:
            signs = {each.sign for each in fitting}
            return not way or 0 in signs or way in signs
        return any(backed(figure, each) for each in known)

    def _derived(
        self,
        figure: Figure,
        laps: frozenset[int],
        corners: frozenset[str],
        against: frozenset[int],
        way: int,
    ) -> int:
        """1 where the figure is how the one lap differs from the other, -1 where its direction is the wrong
        one, 0 where it is no such difference."""
        if len(laps) != 1 or len(against) != 1 or figure.kind not in ("time", "speed", "length", "bar"):
            return 0
        mine, theirs = next(iter(laps)), next(iter(against))
        by_key: dict[tuple[str, str], dict[int, float]] = {}
        for each in self._facts:
            fits = each.corner in corners if corners else not each.corner
            if fits and each.kind == figure.kind and len(each.laps) == 1 and not each.sign:
                by_key.setdefault((each.key, each.corner), {})[next(iter(each.laps))] = each.value
        found: set[int] = set()
        for (key, _corner), values in by_key.items():
            if mine not in values or theirs not in values or (figure.kind == "time" and key not in _TIMES):
                continue
            difference = values[mine] - values[theirs]
            if difference and _near(abs(difference), figure.readings):
                # More time is slower, more speed is faster.
                sign = (1 if difference > 0.0 else -1) * (-1 if figure.kind == "speed" else 1)
                found.add(-1 if way and way != sign else 1)
        return max(found, default=0)

    def _false_best(self, sentence: str, mentions: Sequence[_Mention]) -> list[str]:
        """The lap that is called the best, or the slowest, and is another one."""
        lower = sentence.lower()
        if _NOT_BEST.search(lower):
            return []
        for each in mentions:
            if len(each.laps) != 1 or each.against:
                continue
            found = _BEST.search(lower[: each.at]) or _IS_BEST.match(lower[each.end :])
            if found is None or _OF_SOMETHING.search(found["where"]):
                continue
            corners = frozenset(c for m in mentions for c in m.corners)
            times = {
                next(iter(fact.laps)): fact.value
                for fact in self._facts
                if fact.key == ("time_s" if corners else LAP_TIME)
                and len(fact.laps) == 1
                and fact.corner in (corners or {""})
            }
            if len(corners) < 2 and times and each.laps <= times.keys():
                right = (max if found["way"] == "slowest" else min)(times, key=times.__getitem__)
                if right not in each.laps:
                    return [sentence[each.at : each.end]]
        return []

    def _corner_mentions(self, sentence: str) -> Iterator[_Mention]:
        lower = sentence.lower()
        found: list[_Mention] = []
        for name, ids in self._corners:
            for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", lower):
                if not any(one.at <= match.start() < one.end for one in found):
                    found.append(_Mention(match.start(), match.end(), corners=ids))
        yield from found if self._corners else _numbered(lower)


def _numbered(lower: str) -> Iterator[_Mention]:
    """Corners by their numbers alone, where no track is known."""
    for match in re.finditer(r"\b(?:turn|t|corner|kurve)[ _]?(\d+[a-z]?)\b", lower):
        yield _Mention(match.start(), match.end(), corners=frozenset((f"turn_{match[1]}",)))


def truth_of(report: Report) -> dict[str, Any]:
    """What a report holds that answers are made of, as plain data. The laps that count, and every pass."""
    timed = [lap for lap in report.laps if lap.time_s is not None and lap.kind == "flying"]
    sectors = [
        {"lap": lap.number, "sector": at, "sector_time_s": time_s}
        for lap in timed
        for at, time_s in enumerate(lap.sectors_s, 1)
    ]
    passes: list[dict[str, Any]] = [plain(each) for each in report.passes]
    times = [lap.time_s for lap in timed if lap.time_s is not None]
    held: dict[str, Any] = plain({
        "lap_times": [{"lap": lap.number, LAP_TIME: lap.time_s} for lap in timed],
        LAP_RANGE: max(times) - min(times) if times else None,
        "sectors": sectors,
        "opportunities": report.opportunities,
        "highlights": report.highlights,
        "best_lap": report.potential.best_lap,
        "best_lap_s": report.potential.best_lap_s,
        "theory_s": report.potential.theory_s,
        "theory_gain_s": report.potential.gain_s,
        "largest_loss": report.largest_loss,
    })  # fmt: skip
    return {**held, "session": report.session, "passes": passes}


def sentences(text: str) -> list[str]:
    """The text's sentences in order; lines count as ends."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part.strip()]


def _facts(key: str, held: Any, laps: frozenset[int], corner: str, session: str) -> Iterator[Fact]:
    """The numbers of plain data with what they are of. Texts are evidence of no particular thing."""
    if isinstance(held, bool) or held is None or isinstance(held, str):
        return
    if isinstance(held, (int, float)):
        kind, scale = kind_of(key)
        if kind in _MEASURED:
            sign = next((sign for ending, sign in _SIGNED if key.endswith(ending)), 0)
            sign = sign if held > 0 else -sign
            yield Fact(float(held) * scale, kind, key, laps, corner, session, sign)
    elif isinstance(held, Mapping):
        laps, corner = _laps_of(held, laps), _corner_of(held, corner)
        session = str(held.get("session") or session)
        if isinstance(columns := held.get("columns"), (list, tuple)):
            rows = [row for row in held.get("rows") or () if isinstance(row, (list, tuple))]
            held = {"rows": [dict(zip(columns, row, strict=False)) for row in rows]}
        for name, each in held.items():
            own = held.get(str(name).removesuffix("_s"))
            # {"best_lap": 6, "best_lap_s": 109.098}: the time is that lap's.
            of = frozenset((own,)) if str(name).endswith("_lap_s") and isinstance(own, int) else laps
            yield from _facts(str(name), each, of, corner, session)
    elif isinstance(held, (list, tuple)):
        for each in held:
            yield from _facts(key, each, laps, corner, session)


def _laps_of(held: Mapping[str, Any], outer: frozenset[int]) -> frozenset[int]:
    if isinstance(held.get("lap"), int):
        return frozenset((held["lap"],))
    listed = held.get("laps")
    if isinstance(listed, (list, tuple)) and listed and all(isinstance(each, int) for each in listed):
        # What `lap_delta` gives is of its first lap, against the second.
        return frozenset(listed[:1] if "delta_s" in held else listed)
    return outer


def _corner_of(held: Mapping[str, Any], outer: str) -> str:
    corner = held.get("corner")
    corner = corner.get("corner") if isinstance(corner, Mapping) else corner
    return corner if isinstance(corner, str) and corner else outer


def _fits(fact: Fact, laps: frozenset[int], corners: frozenset[str], dates: set[str]) -> bool:
    if corners and fact.corner and fact.corner not in corners:
        return False
    if dates and fact.session and not any(fact.session.startswith(date) for date in dates):
        return False
    if not laps or not fact.laps:
        return True
    return fact.laps <= laps or (len(laps) > 1 and laps <= fact.laps)


def _said_of(
    segment: tuple[int, int], following: int, mentions: Sequence[_Mention]
) -> tuple[frozenset[int], frozenset[str]]:
    """The laps and the corners nearest to a part of a sentence: in it, else before it, else in the part after
    it, which ends at `following`."""

    def nearest(kept: Sequence[_Mention]) -> list[_Mention]:
        within = [each for each in kept if segment[0] <= each.at < segment[1]]
        before = [each for each in kept if each.at < segment[0]]
        after = [each for each in kept if segment[1] <= each.at < following]
        return within or before[-1:] or after[:1]

    laps = nearest([each for each in mentions if each.laps and not each.against])
    corners = nearest([each for each in mentions if each.corners])
    return (
        frozenset(lap for each in laps for lap in each.laps),
        frozenset(corner for each in corners for corner in each.corners),
    )


def _segments(sentence: str, mentions: Sequence[_Mention]) -> list[tuple[int, int]]:
    breaks = [
        match.end()
        for match in _MENTION_BREAK.finditer(sentence)
        if not any(each.at < match.end() < each.end for each in mentions)
        and not (match[0] in ",:" and sentence[match.end() : match.end() + 1].isdigit())
    ]
    edges = [0, *breaks, len(sentence) + 1]
    return [(low, high) for low, high in itertools.pairwise(edges) if low < high]


def _lap_mentions(sentence: str) -> Iterator[_Mention]:
    for match in _LAPS.finditer(sentence):
        laps, end = _lap_numbers(sentence, match.end())
        if laps:
            begin = match.start()
            yield _Mention(begin, end, laps=laps, against=bool(_AGAINST.search(sentence[:begin].lower())))


def _lap_numbers(text: str, at: int) -> tuple[frozenset[int], int]:
    """The laps that are listed from here on ("5, 7 and 8", "2 to 6"), and where their list ends."""
    laps: list[int] = []
    end, through, linked = at, False, True
    while (token := _LAP_TOKEN.match(text, at)) is not None:
        at = token.end()
        if token["link"]:
            linked, through = True, through or token["link"].lower() in ("to", "-")
            continue
        number = read_number((token["number"].lower(),), 0, plain=True)
        if number is None or not linked or _MEASURE_AFTER.match(text, at):
            break
        lap = int(number.readings[0][0])
        laps += range(laps[-1] + 1, lap + 1) if through and laps else [lap]
        end, through, linked = at, False, False
    return frozenset(laps), end


def _names(track: Track) -> list[tuple[str, frozenset[str]]]:
    """Each name of a corner in lower case with the corners that have it, the longest first."""
    named: dict[str, set[str]] = {}
    for corner in track.corners:
        number = corner.number.lower()
        own = [corner.name, *corner.name.split(","), *corner.nicknames, corner.id]
        own += [f"{word}{number}" for word in ("turn ", "turn_", "t", "corner ", "kurve ")]
        if number.isdecimal():
            spoken = [language(code).number_words(int(number)) for code in CODES]
            own += [f"{word} {each}" for word in ("turn", "corner", "kurve") for each in spoken]
        for name in own:
            named.setdefault(name.strip().lower().removeprefix("the "), set()).add(corner.id)
    ranked = sorted(named.items(), key=lambda each: -len(each[0]))
    return [(name, frozenset(ids)) for name, ids in ranked if len(name) > 1]


def _direction(kind: Kind, text: str) -> int:
    """+1: slower or later, -1: faster or earlier, 0: neither is said, or both are."""
    one, other = (_LATER, _EARLIER) if kind == "length" else (_SLOWER, _FASTER)
    later, earlier = bool(one.search(text)), bool(other.search(text))
    return later - earlier


def _near(value: float, readings: Sequence[Reading]) -> bool:
    return any(abs(value - said) <= how_far + 1e-9 for said, how_far in readings)
