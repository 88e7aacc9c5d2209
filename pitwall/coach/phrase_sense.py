"""What a phrase tells the driver to do: its words, looked up in a lexicon, joined to acts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from pitwall.track.model import Corner
from pitwall.words.lexicon import Form, Lexicon

Side = Literal["", "left", "right"]

ACTIONS = frozenset((
    "brake", "release", "trail", "coast", "lift", "throttle", "turn", "apex", "kerb", "out", "unwind",
    "steer", "correct", "speed", "slow", "gear", "position", "look", "wait", "calm", "free",
))  # fmt: skip
# What takes no part in how a thing is done.
_NO_WAY = frozenset(("place", "name", "beside", "until", "from", "into", "beyond"))
_SIDES: Mapping[str, Side] = {"left": "left", "right": "right"}
# What takes a side, or "wide" and "tight"; where none of these stands in the clause, the car's place is
# meant.
_PLACED = frozenset(("turn", "apex", "kerb", "out", "look", "position"))
OPPOSITES = {"full": "less"} | {
    one: other
    for pair in (
        ("sooner", "later"), ("before", "after"), ("more", "less"), ("hard", "light"), ("short", "longer"),
        ("once", "again"), ("up", "down"),
    )
    for one, other in (pair[::-1], pair)
}  # fmt: skip
# What is left of a way that is not to be: who shall not brake hard shall brake less hard.
_NEGATED = OPPOSITES | {"hard": "less", "light": "more"}
# "Harder" and "more hard" are the same.
_GRADED = {"hard": "more", "light": "less"}
_PLACING = ("left", "right", "wide", "tight")
# The ways of doing it that change what an action is; `way=other`: the same as another one,
# `way=-`: as none.
_WAYS_TABLE = """
brake: sooner later before after more less hard light short longer smooth once again hold=longer
    squeeze=smooth full=hard fast=short
release: off=- sooner later longer smooth hard before=sooner after=later hold=longer light=smooth less=smooth
    squeeze=smooth more=sooner fast=sooner short=sooner
trail: off=less longer less hold=longer later=longer more=longer short=less sooner=less before=less
coast: less more longer
lift: sooner later before less more short again once=short fast=short after=later light=short longer=more
    hard=more full=more
throttle: sooner later before after more less full hold smooth once again longer=hold squeeze=smooth
    light=smooth fast=sooner hard=more
turn: sooner later before after hard less smooth once straight light=smooth squeeze=smooth fast=hard
    more=hard
apex: sooner later off
kerb: less more full=more off
out: less full=- more=-
unwind: less later
steer: less more smooth hard off hold=smooth once=smooth again=more light=less short=less squeeze=smooth
    fast=hard
correct: less more again=more short=less light=less once=less smooth=less
speed: more less hold full=more fast=more up=more down=less longer=hold smooth=hold
slow: less light=less short=less not=less more=- fast=- full=-
gear: up down more=-
position: wide tight
look: down off fast=-
wait: sooner before
"""
_WAYS = {
    action: dict(each.partition("=")[::2] for each in ways.split())
    for action, _, ways in (
        line.partition(": ") for line in _WAYS_TABLE.replace("\n    ", " ").strip().splitlines()
    )
}
# What says nothing where an action does not know it, even where the action itself is not said.
_SOFT = frozenset((
    "hold", "smooth", "light", "straight", "once", "squeeze", "longer", "short", "up", "down", "wide",
    "tight",
))  # fmt: skip
# What leaves no action as it was, whether it knows it or not.
_STRONG = frozenset(("not", "more", "less", "full", "fast", "extreme"))
# What nobody does more or less of: a way beside it is said of another action.
_PLAIN = frozenset(("look", "wait", "calm", "free"))
# What turns the way behind it round, or makes more of it.
_TURNING = ("less", "too", "more")
# What is done at a place, so that the place must be this corner's own.
_AT_A_PLACE = frozenset(("brake", "lift", "turn", "release", "wait"))
# What is over before the middle of a corner, where a phrase may not put it off to; and what may be said of a
# place further on all the same.
_BEFORE_THE_APEX = frozenset(("brake", "lift", "turn", "release"))
_ONLY_SEEN = frozenset(("look", "calm", "free", "position", "gear"))
# What is driven with the throttle, where no pedal is named: "go harder", "go full".
_GONE = frozenset(("more", "hard", "full", "fast"))
# "off" turns an action round, and straight hands are open ones.
_TURNED = {("brake", "off"): "release", ("throttle", "off"): "lift", ("steer", "straight"): "unwind"}

# Senses of words for the land, which may be said only where it lies so.
LAND = ("hill", "crest", "dip")

_CLAUSES = re.compile(r"[,.!?:;]|\s-+\s")
_WORDS = re.compile(r"[^\W_]+(?:'[^\W_]+)*|%")


class CornerWords(NamedTuple):
    """A lexicon, and what may be named at one corner.

    `named`: forms of the track's own with their sense: `name` (this corner), `place` (a figure of its
    landmarks), `beside` (of a corner beside it), `corner` (one further off). `bare`: the names that are a
    number alone. `stems`: words of landmarks, and of the lie of the land (LAND), with `place` or `beside`.
    `landmarks`: their names as the track file has them. `longest`: how many words a form has at most.
    """

    corner: Corner
    lexicon: Lexicon
    named: Mapping[Form, str]
    bare: frozenset[Form]
    stems: Mapping[str, str]
    landmarks: tuple[str, ...]
    longest: int


class Item(NamedTuple):
    """One form of a phrase. `sense` is one of a lexicon, or `place`, `name`, `beside`; or why its words can't
    be said: `landmark` or `figure` that is not here, `corner` that is further off, `word` that no coach
    says."""

    sense: str
    words: str
    clause: int


class Act(NamedTuple):
    """One thing that a phrase tells the driver to do. `way` is "" for just that; `origin`: from that side."""

    action: str
    way: str = ""
    side: Side = ""
    origin: bool = False

    @property
    def name(self) -> str:
        """As the table of keys has it: "brake later"."""
        return f"{self.action} {self.way}".rstrip()


def read_items(text: str, known: CornerWords) -> list[Item]:
    """The forms of a phrase that have a sense, in their order."""
    items: list[Item] = []
    clause = 0
    for part in _CLAUSES.split(text.replace("’", "'")):
        words = [_bare(word, known.lexicon) for word in _WORDS.findall(part.casefold())]
        clause, at = clause + 1, 0
        while at < len(words):
            clause += words[at] in known.lexicon.joints
            end, senses = _form_at(words, at, known)
            items += [Item(sense, " ".join(words[at:end]), clause) for sense in senses]
            at = end
    return items


def _bare(word: str, lexicon: Lexicon) -> str:
    """ "Seven's" is "seven"; "let's" is a word of its own."""
    if not word.endswith("'s") or any(word in form for form in lexicon.senses):
        return word
    return word.removesuffix("'s")


def _form_at(words: Sequence[str], at: int, known: CornerWords) -> tuple[int, tuple[str, ...]]:
    """(end, senses) of the longest form that begins at `words[at]`; articles inside it may be left out."""
    lexicon = known.lexicon
    # Two words more, for articles inside the form.
    for end in range(min(at + known.longest + 2, len(words)), at, -1):
        whole = tuple(words[at:end])
        bare = tuple(word for word in whole if word not in lexicon.articles)
        for form in (whole, bare) if bare and bare[-1] == whole[-1] else (whole,):
            if form in known.named and (form not in known.bare or _names_corner(words, at, end, lexicon)):
                return end, (known.named[form],)
            if form in lexicon.senses:
                return end, tuple(_on_this_track(each, known) for each in lexicon.senses[form])
    word = words[at]
    stem = lexicon.stem(word)
    if word in lexicon.articles or word in lexicon.joints:
        return at + 1, ()
    if found := known.stems.get(word) or known.stems.get(stem):
        return at + 1, (found,)
    if word in lexicon.figures or any(char.isdigit() for char in word) or word == "%":
        return at + 1, ("figure",)
    return at + 1, ("landmark" if word in lexicon.landmarks or stem in lexicon.landmarks else "word",)


def _on_this_track(sense: str, known: CornerWords) -> str:
    return known.stems.get(sense, "landmark") if sense in LAND else sense


def _names_corner(words: Sequence[str], at: int, end: int, lexicon: Lexicon) -> bool:
    """Whether a number stands where a corner's does: "set up three", not "at three" nor "three later"."""
    if at and words[at - 1] not in lexicon.names_after:
        return False
    if not at and tuple(words[at:end]) in lexicon.senses and end < len(words):
        return False  # "one smooth turn of the wheel"
    after = lexicon.senses.get((words[end],), ()) if end < len(words) else ()
    return not any(sense in OPPOSITES for sense in after)


def read_acts(items: Sequence[Item], default: str) -> list[Act]:
    """What the driver is told. `default` is meant where only a way or a place is said: "later", "at the
    bump"."""
    acts: list[Act] = []
    before = ""
    clauses: dict[int, list[str]] = {}
    for item in items:
        clauses.setdefault(item.clause, []).append(item.sense)
    for senses in clauses.values():
        if default in ("brake", "release", "trail"):
            senses = ["release" if sense == "free" else sense for sense in senses]
        found = _acts_of(_folded(senses), before, default)
        acts += found
        before = found[-1].action if found else before
    if not acts and any(item.sense == "place" for item in items):
        return [Act(default)]
    return acts


def _folded(senses: Sequence[str]) -> list[str]:
    """ "less" and "too" turn the way that follows round, unless a "not" does; "more" adds nothing to it."""
    left: list[str] = []
    for sense in senses:
        last = left[-1] if left else ""
        if last == "wait" and sense in ("longer", "later"):
            continue
        if last == "more" and (sense in OPPOSITES or sense == "smooth") and sense not in _TURNING:
            left[-1] = _GRADED.get(sense, sense)
        elif sense in OPPOSITES and (last == "too" or (last == "less" and sense not in _TURNING)):
            left[-1] = sense if "not" in left else _NEGATED[sense]
        else:
            left.append(sense)
    return [sense for sense in left if sense != "too"]


def _acts_of(senses: list[str], before: str, default: str) -> list[Act]:
    """The acts of one clause. `before` is the last action of the clause before it."""
    if _hits_something(senses):
        return [Act("contact")]
    told = set(senses)
    if "beside" in told and _AT_A_PLACE & (told if told & ACTIONS else {default}):
        return [Act("elsewhere")] if told - _NO_WAY else []
    if "beyond" in told and _put_off(told & ACTIONS, default):
        return [Act("elsewhere")]
    senses = _completed(senses, default)
    actions = [at for at, sense in enumerate(senses) if sense in ACTIONS]
    if not actions:
        ways = [sense for sense in senses if _is_way(sense)]
        if not ways:
            return []
        if not before and default != "turn" and set(ways) <= {"hold", "straight"}:
            return [Act("wait")]
        if len(set(ways)) > 1 and not set(ways) & {"longer", *_STRONG}:
            ways = [way for way in ways if way != "hold"]  # "keep it straight"
        meant = _meant(before, default, ways)
        lost = [way for way in ways if way not in _SOFT and not _knows(meant, way)]
        if lost:
            return [] if "place" in senses and lost == ["off"] else [Act(meant, lost[0])]
        senses, actions = [*ways, meant], [len(ways)]
    bound: dict[int, list[str]] = {at: [] for at in actions}
    sides: dict[int, list[tuple[Side, bool]]] = {}
    for at, sense in enumerate(senses):
        if sense == "not":
            bound[next((action for action in actions if action > at), actions[-1])].append(sense)
        elif sense in _SIDES:
            placed = [action for action in actions if senses[action] in _PLACED]
            target = min(placed, key=lambda action: abs(action - at))
            sides.setdefault(target, []).append((_SIDES[sense], "from" in senses[max(at - 2, 0) : at]))
        elif _is_way(sense):
            for action in _done_so(sense, at, actions, senses):
                bound[action].append(sense)
    return [
        act._replace(side=side, origin=origin)
        for at in actions
        for act in _done(senses[at], bound[at])
        for side, origin in sides.get(at, [("", False)])
    ]


def _put_off(actions: set[str], default: str) -> bool:
    """Whether something that belongs before the apex is to be done at the exit, or in another lap."""
    if actions & _BEFORE_THE_APEX:
        return True
    return default in _BEFORE_THE_APEX - {"lift"} and not actions & _ONLY_SEEN


def _completed(senses: list[str], default: str) -> list[str]:
    """The senses with the action that a place or a side is meant with, and without what only leads to one."""
    said = set(senses)
    placing = next((at for at, sense in enumerate(senses) if sense in _PLACING), None)
    if "clip" in said and not _PLACED & said:
        senses = [*senses, "apex"]
    elif placing is not None and not _PLACED & said:
        # "Left" alone, where one turns, is heard as the way to turn.
        meant = "turn" if default == "turn" and said <= set(_SIDES) else "position"
        if default == "wait" and said & set(_SIDES) and "hold" not in said:
            meant = "look"  # "uphill left" tells how the road goes
        senses = [*senses[:placing], meant, *senses[placing:]]
    if "release" in said or "trail" in said:
        senses = [sense for sense in senses if sense != "brake"]  # it is the brake that is released
    if "go" in said:
        senses = [sense for sense in senses if sense != "go"]
        if not any(sense in ACTIONS or (_is_way(sense) and sense not in _GONE) for sense in senses):
            senses = ["throttle", *senses]
    return senses


def _done_so(way: str, at: int, actions: Sequence[int], senses: Sequence[str]) -> list[int]:
    """Where the actions stand that this way is said of: the nearest that can be done so; both, where two
    are."""
    able = [action for action in actions if _knows(senses[action], way)]
    able = able or [action for action in actions if senses[action] not in _PLAIN] or list(actions)
    nearest = min(abs(action - at) for action in able)
    return [action for action in able if abs(action - at) == nearest]


def _hits_something(senses: Sequence[str]) -> bool:
    """ "Touch the wall", "turn into the wall", "run out to the wall"; "let go of the wheel" is no better."""
    said, places = set(senses), ("place", "beside")
    into = any(one == "into" and other in places for one, other in pairwise(senses))
    return bool(into or (said & {"clip", "out"} and said & set(places)) or {"free", "steer"} <= said)


def _is_way(sense: str) -> bool:
    return sense not in ACTIONS and sense not in _SIDES and sense not in _NO_WAY


def _meant(before: str, default: str, ways: Sequence[str]) -> str:
    """The action that these ways are said of: that of the clause before, where it can be done so."""
    if "full" in ways and not before:
        return "throttle"
    if "fast" in ways and default not in ("throttle", "release"):
        return "speed"
    return before if before and any(_knows(before, way) for way in ways) else default


def _knows(action: str, way: str) -> bool:
    return way == "not" or way in _WAYS.get(action, {}) or (action, way) in _TURNED


def _done(action: str, ways: Sequence[str]) -> list[Act]:
    """One action, done in these ways."""
    for way in ways:
        action = _TURNED.get((action, way), action)
    known = _WAYS.get(action, {})
    meant = [known.get(way) or way for way in ways if way != "not" and (way in known or way in _STRONG)]
    if "not" in ways:
        turned = [_NEGATED[way] for way in meant if way in _NEGATED]
        meant = turned if turned and ways.count("not") == 1 else [known.get("not") or "not"]
    meant = [way for way in meant if way != "-"]
    return [Act(action, way) for way in dict.fromkeys(meant)] or [Act(action)]
