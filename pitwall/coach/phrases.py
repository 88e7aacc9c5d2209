"""A small grammar of templates for what a voice script may say: the one gate for every writer.

The templates stand in `pitwall/words/en_phrases.txt`, one a line:

    key guard guard: [optional] (one | other) <macro> {slot}

`<macro>: ...` names a part that templates share. A guard leaves a template out at corners where it
would be wrong: `brakes` (one brakes there), `lifts` (one does not), `light` (little speed comes
off), `long`, `hill`, `crest`. A slot is filled from the track file: `{name}`, `{title}` (no bare
number), `{next}` and `{nick}` are corners, `{inside}`, `{outside}` and `{setup}` (for the next
corner) sides, `{mark}` and `{at}` where one brakes, `{turnmark}` and `{turnat}` where one turns,
`{hillin}` and `{hillout}` climbs or falls. Each concept has the coach's own words next to its
templates. Any phrase may have the corner's title before it. `sense brake: ...` lists words that
mean the same, `sense: ...` fillers: by these a refused phrase finds its near form."""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import NamedTuple

from pitwall.coach.cue import PHASES
from pitwall.track.model import Corner, Landmark, Track
from pitwall.words import en, forms
from pitwall.words.forms import estimate_s
from pitwall.words.language import ENGLISH, sentence

SHORT = "_short"
# Eleven words last 3.3 s, at 50 m/s 165 m on top of the lead. Eight (about 2.5 s) still fit a
# straight.
MAX_WORDS = 8
# Words of usual length; stops "eight words" of 300 letters, which would sound for half a minute.
MAX_CHARS = 60
# The longest clip that may be made of one, whatever its words.
MAX_S = 3.5

TELLS: Mapping[str, str] = dict(
    line.split(": ")
    for line in """\
approach: what comes next
brake: where to brake or lift
turn_in: how to turn in
apex: how to drive the middle
exit: how to drive out
brake_earlier: to brake earlier
brake_later: to brake later
brake_lighter: to brake less hard
brake_harder: to brake harder
brake_once: to brake in one go
release_sooner: to leave the brake sooner
release_smoother: to leave the brake smoothly
trail_longer: to keep some brake for longer
no_coasting: not to coast
turn_in_earlier: to turn in earlier
turn_in_later: to turn in later
wider_entry: to come in wider
later_apex: to meet the apex later
clip_apex: to come to the apex
more_apex_speed: to carry more speed
over_slowed: to take less speed off
understeer: how to calm a front that slides
oversteer: how to calm a rear that slides
fewer_corrections: to steer once
throttle_sooner: to be on the throttle sooner
throttle_fully: to be flat sooner
throttle_smoother: to be smoother on the throttle
throttle_once: to open the throttle once
use_exit: to use the road at the exit
unpinch_exit: to open the wheel
less_lift: to lift less
flat_possible: that it goes without a lift
gear_up: to shift up
gear_down: to shift down""".splitlines()
)
"""Every key that a script may have, but for the short forms, and what its phrase tells the driver."""

# One brakes at a landmark from so far before the brake point of the track file to so far behind it,
# m.
BRAKE_MARKS_M = (80.0, 40.0)
# One turns at a landmark from so far before the turn-in on, m, up to the apex.
TURN_MARKS_M = 20.0
# Landmarks of these kinds stand in a corner: without a known place nobody brakes there.
_INSIDE_KINDS = frozenset(("tyres", "tires", "stack", "cone", "kerb", "apex"))
# Below this share of its speed a car is braked hard, and "a light brake" would be wrong.
LIGHT = 0.75
LONG_M = 120.0
# A hill is felt from three metres on; a crest has two at each side, the fix wanders by less.
HILL_M, CREST_M = 3.0, 2.0
# The land that one sees from a corner ends so far behind it.
SEEN_M = 200.0

_OTHER = {"left": "right", "right": "left"}
_TOKENS = re.compile(r"[\[\]()|]|<\w+>|\{\w+\}|[^\s\[\]()|<>{}]+")
_WORDS = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
# Words, with single blanks or commas between them: nothing that a voice would read otherwise.
FORM = re.compile(r"[^\W_]+(?:'[^\W_]+)*(?:(?:[ -]|[,:] ?|[.!] )[^\W_]+(?:'[^\W_]+)*)*[.!]?")

Words = tuple[str, ...]
Slots = Mapping[str, tuple[tuple[Words, str], ...]]


class Word(NamedTuple):
    """A word, and how it is written."""

    word: str
    shown: str


class Slot(NamedTuple):
    name: str


class Each(NamedTuple):
    """Its parts, one after the other."""

    parts: tuple[Node, ...]


class One(NamedTuple):
    """Any of its parts; an empty `Each` among them makes it optional."""

    parts: tuple[Node, ...]


Node = Word | Slot | Each | One


class Template(NamedTuple):
    """Words that may be said where all of its guards hold."""

    guards: frozenset[str]
    node: Node


class Grammar(NamedTuple):
    """What may be said. `templates`: key of a script -> its templates. `forms`: (slot, kind of a
    landmark or "*") and what else is no template -> its forms. `not_named`: words that no name may
    hold."""

    templates: Mapping[str, tuple[Template, ...]]
    forms: Mapping[tuple[str, ...], tuple[str, ...]]
    not_named: frozenset[str]
    articles: frozenset[str]


class PhrasePlace(NamedTuple):
    """Where a phrase is said. `slots`: slot -> what it is filled with, as words and as it is
    written."""

    corner: Corner
    slots: Slots
    guards: frozenset[str]


_FILE = Path(forms.__file__).parent / "en_phrases.txt"


@functools.cache
def grammar() -> Grammar:
    """Return the grammar, with the coach's own words for each concept."""
    macros: dict[str, Node] = {}
    templates: dict[str, list[Template]] = {key: [] for name in TELLS for key in (name, name + SHORT)}
    others: dict[tuple[str, ...], tuple[str, ...]] = {}
    lines = re.sub(r"\n +", " ", _FILE.read_text("utf-8")).strip().splitlines()
    rows = [line.partition(": ")[::2] for line in lines if line]
    # A macro may be used before the line that has it.
    for head, text in sorted(rows, key=lambda row: not row[0].startswith("<")):
        name, *guards = head.split()
        if head.startswith("<"):
            macros[head] = parsed(text, macros)
        elif name in templates:
            templates[name].append(Template(frozenset(guards), parsed(text, macros)))
        else:
            others[name, *guards] = tuple(map(str.strip, text.split("|")))
    for key in TELLS.keys() & en.ADVICE.keys():
        for amount in ENGLISH.amounts(key) or ("",):
            said = ENGLISH.advice(key, amount)
            templates[key] += [Template(frozenset(), _sequence(form)) for form in (said.do, said.short)]
    bare = (
        frozenset(" ".join(others[head]).casefold().split()) for head in (("not", "named"), ("articles",))
    )
    return Grammar({key: tuple(found) for key, found in templates.items()}, others, *bare)


def parsed(text: str, macros: Mapping[str, Node]) -> Node:
    """Return a template's text as a node."""
    node, rest = _alternatives(_TOKENS.findall(text), macros)
    if rest:
        raise ValueError(f"{text!r} closes what it never opened")
    return node


def _alternatives(pieces: list[str], macros: Mapping[str, Node]) -> tuple[Node, list[str]]:
    """The node up to the bracket that closes it, and the pieces from that bracket on."""
    found: list[Node] = []
    parts: list[Node] = []
    while pieces and pieces[0] not in ")]":
        piece, pieces = pieces[0], pieces[1:]
        if piece == "|":
            found.append(Each(tuple(parts)))
            parts = []
        elif piece in "([":
            inner, pieces = _alternatives(pieces, macros)
            if pieces[:1] != [")" if piece == "(" else "]"]:
                raise ValueError(f"{piece} is not closed")
            parts.append(inner if piece == "(" else One((inner, Each(()))))
            pieces = pieces[1:]
        elif piece.startswith("<"):
            parts.append(macros[piece])
        elif piece.startswith("{"):
            parts.append(Slot(piece[1:-1]))
        else:
            parts.append(Word(piece.rstrip(",").casefold(), piece))
    found.append(Each(tuple(parts)))
    return (found[0] if len(found) == 1 else One(tuple(found))), pieces


def _sequence(text: str) -> Node:
    return Each(tuple(Word(word.rstrip(",").casefold(), word) for word in text.replace("-", " ").split()))


def words_of(text: str) -> Words:
    """The words of a phrase, in lower case, without its punctuation."""
    return tuple(_WORDS.findall(text.casefold()))


def check_phrase(key: str, text: object, place: PhrasePlace, *, own: bool = False) -> str:
    """Why this phrase may not be said, as one sentence behind its key; "": it may.

    `key` is one of TELLS, or one with `_short`. `own`: a driver confirmed it; only its form is
    checked then."""
    if not isinstance(text, str):
        return f"must be text, not {type(text).__name__}"
    if wrong := _form_problem(text):
        return f"{shown(text)} {wrong}"
    if own or derived(key, text, place):
        return ""
    reply = f"is nothing that can be said under {key} at {place.corner.name}, which is to tell"
    near, under = nearest(key, text, place), ""
    if not near:
        under, near = nearest_elsewhere(text, place)
    if under:
        return (
            f'{shown(text)} {reply} {TELLS[key.removesuffix(SHORT)]}; under {under} it can be said: "{near}"'
        )
    others = " or ".join(f'"{each}"' for each in sayable(key, place, 3))
    offer = f'the nearest that can: "{near}"' if near else f"such as {others}"
    return f"{shown(text)} {reply} {TELLS[key.removesuffix(SHORT)]}; {offer}"


def derived(key: str, text: str, place: PhrasePlace) -> bool:
    """Return whether the grammar derives this text under a key at a corner."""
    if not FORM.fullmatch(text.strip()):
        return False
    words = words_of(unicodedata.normalize("NFC", text))
    return any(
        len(words) in ends(each.node, {at}, words, place.slots)
        for at, _ in _leads(words, place)
        for each in _templates(key, place)
    )


def _leads(words: Words, place: PhrasePlace) -> Iterator[tuple[int, Words]]:
    """Where a template may begin, and what stands before it: the corner may be named before any
    phrase."""
    yield 0, ()
    for form, written in place.slots["title"]:
        if words[: len(form)] == form and len(words) > len(form):
            yield len(form), (written, ",")


def nearest(key: str, text: str, place: PhrasePlace) -> str:
    """The phrase of this key and corner that says the same in other words, within the length of a
    phrase; "" where none does. It adds no concept, and what it leaves out changes nothing that the
    driver does."""
    return _nearest(key, text, place)[1]


def nearest_elsewhere(text: str, place: PhrasePlace) -> tuple[str, str]:
    """The key under which the corner has such a phrase, and the phrase; "" and "" where none
    has."""
    # "Ease it in" may be of the brake, the throttle or the wheel.
    if not _NAMED & {*_in_order(words_of(text), {})}:
        return "", ""
    found = [(*_nearest(key, text, place), key) for key in TELLS]
    _, near, key = min((each for each in found if each[1]), default=(0.0, "", ""))
    return key, near


def _nearest(key: str, text: str, place: PhrasePlace) -> tuple[float, str]:
    """What it costs and the phrase."""
    words = words_of(text)[: 2 * MAX_WORDS]
    # At a right-hander the left is the outside.
    sides = {place.slots[side][0][1]: side for side in ("inside", "outside") if place.slots[side]}
    # What a corner has not is no loss: one brakes where one brakes.
    behind = itertools.takewhile(
        lambda word: word == "the" or (word,) not in _senses(),
        words[words.index("at") + 1 :] if "at" in words else (),
    )
    lacking = frozenset(behind)
    asked = _in_order(words, sides)
    may = {*asked}.union(*(_known(word, sides) for word in words))
    offers = [
        offer
        for _, said in _leads(words, place)
        for _, node in _templates(key, place)
        for offer in _said(node, {frozenset(): (0.0, said)}, _Asking(may, words, sides, place.slots)).values()
    ]
    best: list[tuple[float, int, str]] = []
    for more, written in offers:
        near = words_of(_written(written))
        ordered = _in_order(near, sides)
        if 0 < len(near) <= MAX_WORDS and _same_sense(asked, ordered, lacking):
            moved = _OTHER_WORD * (ordered != [each for each in asked if each in ordered])
            cost = more + moved + _weight({*asked} - {*ordered}, lacking)
            best.append((cost, len(near), sentence(_written(written))))
    return min(best, default=(0.0, 0, ""))[::2]


# So much of a phrase may be left out, by the weight of its concepts.
_MOST_LOST = 0.4
# What decides what the driver does is never left out; little changes without the light ones. One of
# the named says what a phrase is about. Of some the order counts: "brake, then throttle" is no
# "throttle, brake".
_DECIDING, _LIGHT, _NAMED, _ORDERED = (
    frozenset(concepts.split())
    for concepts in (
        """not off brake throttle lift turn move wait sooner later more less hard light left right inside
        outside gear full before after until past two three four five ten 2 3 4 5 10""",
        "keep prepare next ahead bit carry look up out",
        "brake trail throttle lift turn gear wheel apex kerb exit road speed",
        "not off brake throttle lift turn gear",
    )
)


def _weight(concepts: Iterable[str], lacking: AbstractSet[str]) -> float:
    return sum(0.2 if each in lacking else 0.4 if each in _LIGHT else 1.0 for each in concepts)


def _same_sense(asked: Sequence[str], said: Sequence[str], lacking: AbstractSet[str]) -> bool:
    """Return whether a near form adds nothing, loses little that decides nothing, and keeps the
    order."""
    lost = {*asked} - {*said}
    decides = _DECIDING | ({"up", "down"} if "gear" in asked else set())
    orders = [[each for each in of if each in _ORDERED and each not in lost] for of in (asked, said)]
    little = _weight(lost, lacking) <= _MOST_LOST * _weight(asked, lacking)
    return {*said} <= {*asked} and not lost & decides and little and orders[0] == orders[1]


@functools.cache
def _senses() -> dict[Words, frozenset[str]]:
    """Return words -> their concepts, the longest first; of filling words none."""
    found: dict[Words, frozenset[str]] = {}
    for (slot, *concept), listed in grammar().forms.items():
        for form in listed if slot == "sense" else ():
            words = words_of(form)
            found[words] = found.get(words, frozenset()) | frozenset(concept)
    return dict(sorted(found.items(), key=lambda each: -len(each[0])))


def _known(word: str, sides: Mapping[str, str]) -> frozenset[str]:
    """A word's concepts; one that stands in no list is its own."""
    return frozenset((sides[word],)) if word in sides else _senses().get((word,), frozenset((word,)))


def _in_order(words: Words, sides: Mapping[str, str]) -> list[str]:
    """The concepts of a phrase, where each first stands."""
    found, at = dict[str, None](), 0
    while at < len(words):
        form = next((each for each in _senses() if words[at : at + len(each)] == each), words[at : at + 1])
        concepts = _senses()[form] if len(form) > 1 else _known(form[0], sides)
        found |= dict.fromkeys(sorted(concepts))
        at += len(form)
    return list(found)


def _written(words: Iterable[str]) -> str:
    return " ".join(words).replace(" ,", ",")


def sayable(key: str, place: PhrasePlace, most: int = 12) -> tuple[str, ...]:
    """Some phrases that may be said under a key, each of another template."""
    found = dict.fromkeys(
        sentence(text)
        for whole in (True, False)
        for _, node in _templates(key, place)
        if "\0" not in (text := _written(_sample(node, place.slots, whole).split()))
        and 0 < len(text.split()) <= MAX_WORDS
    )
    return tuple(found)[:most]


def can_say(track: Track, corner: Corner) -> dict[str, tuple[str, ...]]:
    """Some phrases that may be said at a corner, by phase."""
    return {phase: sayable(phase, place_of(track, corner)) for phase in PHASES}


def _templates(key: str, place: PhrasePlace) -> Iterator[Template]:
    templates = grammar().templates
    for name in dict.fromkeys((key, key.removesuffix(SHORT))):
        yield from (each for each in templates[name] if each.guards <= place.guards)


def ends(node: Node, starts: set[int], words: Words, slots: Slots) -> set[int]:
    """Return where the node may end, where it may begin at each of `starts`."""
    if not starts:
        return starts
    match node:
        case Word(word, _):
            if not word:
                return starts
            return {at + 1 for at in starts if at < len(words) and words[at] == word}
        case Slot(name):
            forms = slots.get(name, ())
            return {
                at + len(form) for at in starts for form, _ in forms if words[at : at + len(form)] == form
            }
        case Each(parts):
            for part in parts:
                starts = ends(part, starts, words, slots)
            return starts
        case One(parts):
            return set().union(*(ends(part, starts, words, slots) for part in parts))


# Concepts said so far -> how many words are others than those of the text, and the words written.
_Said = dict[frozenset[str], tuple[float, Words]]
# A word that the text has not costs less than a concept that is left out; one that it has is worth
# something.
_OTHER_WORD, _SAME_WORD = 0.1, -0.02


class _Asking(NamedTuple):
    """What may be said: the concepts of a text, its words, and what sides and slots mean here."""

    concepts: AbstractSet[str]
    words: Words
    sides: Mapping[str, str]
    slots: Slots


def _said(node: Node, reached: _Said, asking: _Asking) -> _Said:
    """What may be said through the node after what was said, of each set of concepts what is
    nearest."""
    match node:
        case Word(word, written):
            more = _known(word, asking.sides) if word else frozenset[str]()
            if not more <= asking.concepts:
                return {}
            cost = (_SAME_WORD if more else 0.0) if word in asking.words else _OTHER_WORD * bool(word)
            return _least(
                {concepts | more: (least + (0.0 if written in said else cost), (*said, written))}
                for concepts, (least, said) in reached.items()
                if len(said) < 2 * MAX_WORDS
            )
        case Slot(name):
            return _least(
                _said(_sequence(written), reached, asking) for _, written in asking.slots.get(name, ())
            )
        case Each(parts):
            for part in parts:
                reached = _said(part, reached, asking)
            return reached
        case One(parts):
            return _least(_said(part, reached, asking) for part in parts)


def _least(each: Iterable[_Said]) -> _Said:
    found: _Said = {}
    for said in each:
        for concepts, reached in said.items():
            if concepts not in found or reached[0] < found[concepts][0]:
                found[concepts] = reached
    return found


def _sample(node: Node, slots: Slots, whole: bool) -> str:
    """A text of a node, with or without its optional parts; "" where a slot is empty."""
    match node:
        case Word(_, written):
            return written
        case Slot(name):
            return slots[name][0][1] if slots.get(name) else "\0"
        case Each(parts):
            texts = [_sample(part, slots, whole) for part in parts]
            return "\0" if any("\0" in text for text in texts) else " ".join(filter(None, texts))
        case One(parts):
            optional = Each(()) in parts
            return "" if optional and not whole else _sample(parts[0], slots, whole)


def _form_problem(text: str) -> str:
    """Return what is wrong with its letters and its length, "" where nothing is."""
    foreign = sorted({char for char in text if not _speakable(char)})
    if foreign:
        shown = ", ".join(ascii(char) for char in foreign[:5])
        return f"has what a voice can't speak, {shown}: only words and , . ! ? ' - : ; %"
    if not any(char.isalnum() for char in text):
        return "has no word in it"
    words = len(text.split())
    if len(text) > MAX_CHARS or words > MAX_WORDS:
        return (
            f"is {words} words, {len(text)} characters: at most {MAX_WORDS} and {MAX_CHARS}, "
            "a longer one can't end before the corner"
        )
    if (length_s := estimate_s(text)) > MAX_S:
        return f"lasts about {length_s:.1f} s, and there are {MAX_S:.1f} s for it: say it in fewer words"
    return ""


# What espeak-ng speaks as words. Anything else is markup to some engine ("[[", "<", "&", "\\", "|")
# or noise.
_PUNCTUATION = frozenset(" ,.!?'’-:;%")


def _speakable(char: str) -> bool:
    return char in _PUNCTUATION or unicodedata.category(char)[0] in "LM" or char in "0123456789"


def shown(text: str) -> str:
    """A phrase in quotes for a message: cut, and escaped where it holds what can't be spoken."""
    cut = text if len(text) <= MAX_CHARS else text[:MAX_CHARS] + "..."
    return f'"{cut}"' if all(map(_speakable, cut)) else ascii(cut)


def place_of(track: Track, corner: Corner) -> PhrasePlace:
    """Return what may be named at a corner, and which guards hold there."""
    rules = grammar()
    order = sorted(track.corners, key=lambda each: each.apex_m)
    before, following = (order[(order.index(corner) + step) % len(order)] for step in (-1, 1))
    inside, outside = corner.direction, _OTHER[corner.direction]
    brake_marks = [mark for mark in corner.landmarks if _is_brake_mark(mark, corner, track)]
    turn_marks = [mark for mark in corner.landmarks if _is_turn_mark(mark, corner, track)]
    names = tuple(_names(corner, rules))
    slots = {
        "name": names,
        # A bare number behind "later" or "at" would be an amount or a board.
        "title": tuple(name for name in names if " " in name or name in corner.nicknames),
        "next": tuple(_names(following, rules)) if following is not corner else (),
        "nick": tuple(name for name in corner.nicknames if _nameable(name, rules)),
        "inside": rules.forms["side", inside],
        "outside": rules.forms["side", outside],
        "setup": rules.forms["side", _OTHER[following.direction]],
        "insided": rules.forms["sided", inside],
        "outsided": rules.forms["sided", outside],
        "insidecurve": rules.forms.get(("curve", inside), ()),
        "mark": _forms("it", brake_marks, rules),
        "at": _forms("at", brake_marks, rules),
        "markdat": _forms("markdat", brake_marks, rules),
        "turnmark": _forms("it", turn_marks, rules),
        "turnat": _forms("turnat", turn_marks, rules),
        "hillin": rules.forms.get(("hillin", _slope(track, before.apex_m, corner.apex_m)), ()),
        "hillout": rules.forms.get(("hillout", _slope(track, corner.apex_m, corner.exit_m + SEEN_M)), ()),
    }
    filled = {name: tuple((words_of(form), form) for form in forms) for name, forms in slots.items()}
    return PhrasePlace(corner, filled, frozenset(_guards(track, corner, order)))


def _is_brake_mark(mark: Landmark, corner: Corner, track: Track) -> bool:
    if mark.distance_m is None:
        return mark.kind not in _INSIDE_KINDS
    at_m = corner.brake_m if corner.brake_m is not None else corner.entry_m
    before_m, behind_m = BRAKE_MARKS_M
    return (mark.distance_m - at_m + before_m) % track.length_m <= before_m + behind_m


def _is_turn_mark(mark: Landmark, corner: Corner, track: Track) -> bool:
    if mark.distance_m is None:
        return corner.brake_m is None or mark.kind in _INSIDE_KINDS
    from_m = corner.entry_m - TURN_MARKS_M
    return (mark.distance_m - from_m) % track.length_m <= (corner.apex_m - from_m) % track.length_m


def _nameable(name: str, rules: Grammar) -> bool:
    """A track may call a thing what it likes, but no name is an order."""
    words = words_of(name)
    return bool(words) and not (rules.not_named & set(words)).difference(rules.articles)


def _names(corner: Corner, rules: Grammar) -> Iterator[str]:
    """Every name a corner goes by: "turn three A", "three A", "3a", "turn 3a", "the Carousel"."""
    spoken = ENGLISH.name(corner.id)
    first, _, rest = spoken.partition(" ")
    names = [spoken]
    if re.fullmatch(r"turn_\d+_?[a-z]*", corner.id) or first in rules.articles:
        names.append(rest)
    number = corner.number or corner.id.partition("turn_")[2]
    if re.fullmatch(r"\d+[a-z]?", number):
        names += [number, f"{ENGLISH.name('turn_1').split()[0]} {number}"]
    names += [*corner.name.split(", "), *corner.nicknames]
    # A bare number after "brake at" would be a board's: names stand in slots of their own.
    yield from dict.fromkeys(name for name in names if _nameable(name, rules))


def _forms(slot: str, marks: list[Landmark], rules: Grammar) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for mark in marks:
        kind = mark.kind.casefold()
        patterns = rules.forms.get((slot, kind)) or rules.forms.get((slot, "*"), ())
        its = [it for it in _called(mark, kind, rules) if _nameable(it, rules)]
        numbers = _numbers(mark)
        for pattern in patterns if slot != "it" else ("{it}",):
            found |= dict.fromkeys(pattern.format(n=n) for n in numbers if "{n}" in pattern)
            if "{n}" in pattern:
                continue
            found |= (
                dict.fromkeys(pattern.format(it=it) for it in its) if "{it}" in pattern else {pattern: None}
            )
    if slot == "it":
        bare = (form.partition(" ")[2] for form in found if form.split()[0] in rules.articles)
        found |= dict.fromkeys([form for form in bare if form])
    return tuple(found)


def _called(mark: Landmark, kind: str, rules: Grammar) -> Iterator[str]:
    """Return what a landmark is called: its kind, its name and the name's parts, its number in
    words."""
    number = _numbers(mark)
    yield from (form.format(n=n) for n in number for form in rules.forms["number",])
    yield mark.name
    plain = [word for word in mark.name.replace("-", " ").split() if word not in rules.articles]
    if not number and "in" in plain[1:-1]:
        at = plain.index("in")
        thing, inside = plain[0], plain[at + 1 :]
        yield f"the {inside[-1]} {thing}"
        yield f"the {' '.join(inside)} {thing}"
        yield f"the {thing} in the {inside[-1]}"
    elif not number:
        yield from (f"the {' '.join(plain[at:])}" for at in range(len(plain)))
        if len(plain) > 1:
            yield f"the {plain[0]} {plain[-1]}"
    for pattern in rules.forms.get(("it", kind)) or rules.forms.get(("it", "*"), ()):
        yield pattern.format(kind=kind)


def _numbers(mark: Landmark) -> tuple[str, ...]:
    """The number of a board, in words and in digits."""
    found = re.search(r"\d+", mark.name)
    return (ENGLISH.number_words(int(found[0])), found[0]) if found else ()


def _guards(track: Track, corner: Corner, order: list[Corner]) -> Iterator[str]:
    yield "brakes" if corner.brake_m is not None else "lifts"
    if corner.brake_m is not None and track.speed_mps:
        speeds = [track.speed_mps[_at(track, each_m)] for each_m in (corner.brake_m, corner.apex_m)]
        if speeds[1] >= LIGHT * speeds[0]:
            yield "light"
    if (corner.exit_m - corner.entry_m) % track.length_m >= LONG_M:
        yield "long"
    before = order[order.index(corner) - 1]
    following = order[(order.index(corner) + 1) % len(order)]
    heights = _heights(track, before.apex_m, corner.exit_m + SEEN_M)
    if heights and max(heights) - min(heights) >= HILL_M:
        yield "hill"
    # Where one brakes, a crest counts that the track file names; what only the land shows may lie
    # behind it.
    named = any(mark.kind == "crest" for each in (corner, following) for mark in each.landmarks)
    if named or (corner.brake_m is None and heights and _prominence(heights) >= CREST_M):
        yield "crest"


def _heights(track: Track, from_m: float, to_m: float) -> list[float]:
    """The height of the centreline, m, point by point from one distance to another."""
    count = len(track.centreline)
    first, points = _at(track, from_m), int((to_m - from_m) % track.length_m / track.lap_m * count)
    return [track.centreline[at % count][2] for at in range(first, first + points)]


def _slope(track: Track, from_m: float, to_m: float) -> str:
    heights = _heights(track, from_m, to_m)
    climb_m = heights[-1] - heights[0] if heights else 0.0
    return "" if abs(climb_m) < HILL_M else "up" if climb_m > 0.0 else "down"


def _at(track: Track, along_m: float) -> int:
    """The point of the centreline at a distance."""
    count = len(track.centreline)
    return int(along_m % track.length_m / track.lap_m * count) % count


def _prominence(heights: list[float]) -> float:
    """How far the land falls at both sides of its highest place."""
    at = heights.index(max(heights))
    return heights[at] - max(min(heights[: at + 1]), min(heights[at:]))
