"""The check of a phrase: may this be said to a driver here, under this key? One function for every writer.

A phrase passes by what is known of it, never by what is not: each word stands in the language's lexicon or in
the track file, and what it tells the driver to do is what its key is for.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pitwall.coach.corner_words import LEXICONS
from pitwall.coach.phrase_sense import OPPOSITES, Act, CornerWords, Item, read_acts, read_items
from pitwall.track.model import Corner
from pitwall.words.forms import estimate_s

SHORT = "_short"
# Eleven words last 3.3 s, at 50 m/s 165 m on top of the lead. Eight (about 2.5 s) still fit a straight.
MAX_WORDS = 8
# Words of usual length; stops "eight words" of 300 letters, which would sound for half a minute.
MAX_CHARS = 60
# The longest clip that may be made of one, whatever its words.
MAX_S = 3.5
# What espeak-ng speaks as words. Anything else is markup to some engine ("[[", "<", "&", "\\", "|") or noise.
_PUNCTUATION = frozenset(" ,.!?'’-:;%")


class KeyRule(NamedTuple):
    """What one key of a script is for. `default`: the action that is meant where a phrase names none.
    `needs`: one of these must be told ("a+b": both; none: anything of `also`). `also`: what may be told
    beside."""

    tells: str
    default: str
    needs: frozenset[str]
    also: frozenset[str]


def _acts(text: str) -> frozenset[str]:
    """ "brake:-,hard lift" is {"brake", "brake hard", "lift"}."""
    found: set[str] = set()
    for each in text.split():
        action, _, ways = each.partition(":")
        found |= {action if way == "-" else f"{action} {way}" for way in (ways or "-").split(",")}
    return frozenset(found)


# What no key forbids.
_ALWAYS = _acts("look calm")
_BRAKE = "brake:-,hard,light,short,before,smooth,once lift:-,short,before"
_TURN = "turn:-,smooth,once steer:-,smooth"

# key | what it tells | default action | needs | also
_TABLE = f"""
approach | what comes next | wait | | {_BRAKE} slow trail position:-,wide,tight apex:-,later turn:-,later
    steer:-,smooth gear:-,up,down wait free
brake | where to brake or lift | brake | {_BRAKE} slow | release:-,smooth trail:-,longer position:-,wide
    turn wait gear:-,down free steer:-,smooth unwind
turn_in | how to turn in | turn | | turn:-,later,smooth,once,before,after steer:-,smooth wait slow
    position:-,wide apex:-,later release:-,smooth trail:-,longer free kerb
apex | how to drive the middle | apex
    | apex:-,later kerb:-,off wait position:-,wide,tight throttle:smooth,hold speed:-,hold,more {_TURN} unwind
    release:-,smooth trail free look calm | throttle:-,after
exit | how to drive out | throttle | | throttle:-,sooner,full,smooth,more,hold,before,after,once unwind out
    apex kerb position:-,wide,tight steer:-,smooth wait gear:-,up free speed:-,hold
brake_earlier | to brake earlier | brake | brake:sooner,before lift:sooner,before |
    brake:-,light,smooth,hard lift:-,short slow position release:-,smooth
brake_later | to brake later | brake | brake:later,after lift:later wait throttle:hold+brake |
    brake:-,hard,short throttle:hold lift:-,short position
brake_lighter | to brake less hard | brake | brake:less,light,smooth | brake:-,short release:-,smooth,sooner
    lift:-,short
brake_harder | to brake harder | brake | brake:more,hard | brake:-,short,once,smooth release:-,smooth,sooner
brake_once | to brake in one go | brake | brake:once,longer | brake:-,hard,smooth release:-,smooth trail
release_sooner | to leave the brake sooner | release | release:sooner brake:short trail:less |
    release:-,smooth brake:-,light,less turn apex free
release_smoother | to leave the brake smoothly | release | release:smooth,longer | release
    brake:-,light,smooth turn:-,smooth apex wait trail
trail_longer | to keep some brake for longer | trail | trail:-,longer brake:longer
    release:longer,later,not,smooth | brake:-,light,smooth release turn:-,smooth apex wait
no_coasting | not to coast | throttle | coast:not,less throttle:sooner throttle:hold+brake | throttle:-,hold
    brake:-,later,smooth release lift
turn_in_earlier | to turn in earlier | turn | turn:sooner,before | turn:-,smooth apex position
    steer:-,smooth
turn_in_later | to turn in later | turn | turn:later,after wait | turn:-,smooth apex:-,later position:-,wide
wider_entry | to come in wider | position | position:wide out | position turn:-,later,before,after wait
    apex:later
later_apex | to meet the apex later | apex | apex:later turn:later,after wait position:wide | {_TURN} apex
    kerb position
clip_apex | to come to the apex | apex | apex kerb:-,more position:tight | apex:later {_TURN} position wait
more_apex_speed | to carry more speed | speed | speed:more,hold release:sooner brake:less,light slow:less |
    speed release free trail apex turn
over_slowed | to take less speed off | speed | speed:more,hold slow:less brake:less,light release:sooner |
    brake release free turn apex
understeer | how to calm a front that slides | steer | steer:less,smooth turn:less slow speed:less wait
    throttle:less,later trail:-,longer unwind release:smooth | turn:-,smooth,later throttle:-,smooth steer
    free
oversteer | how to calm a rear that slides | throttle | throttle:less,smooth,later steer:smooth,less unwind
    release:smooth | throttle:-,hold steer wait turn:-,smooth
fewer_corrections | to steer once | steer | correct:less,not steer:smooth,less turn:smooth,once | steer turn
    wait
throttle_sooner | to be on the throttle sooner | throttle | throttle:sooner,before |
    throttle:-,smooth,full,hold unwind apex out wait:not
throttle_fully | to be flat sooner | throttle | throttle:sooner,before | throttle:-,full,more,hold unwind
    apex out wait:not
throttle_smoother | to be smoother on the throttle | throttle | throttle:smooth,less | throttle unwind wait
    out steer:-,smooth
throttle_once | to open the throttle once | throttle | throttle:once,hold,later lift:not,once wait |
    throttle:-,smooth,full unwind
use_exit | to use the road at the exit | out | out kerb:-,more position:wide unwind |
    throttle:-,smooth,hold,full steer:-,less,smooth free position
unpinch_exit | to open the wheel | unwind | unwind out steer:less position:wide free apex:later
    | throttle:-,smooth wait steer
less_lift | to lift less | lift | lift:less,short,later throttle:hold,more | lift throttle speed:-,hold,more
flat_possible | that it goes without a lift | throttle | throttle:full,hold lift:not,less | throttle
gear_up | to shift up | gear | gear:up | gear throttle
gear_down | to shift down | gear | gear:down | gear brake
"""


def _rules() -> Iterator[tuple[str, KeyRule]]:
    rows = _TABLE.replace("\n    ", " ").strip().splitlines()
    for key, tells, default, needs, also in ([cell.strip() for cell in row.split("|")] for row in rows):
        yield key, KeyRule(tells, default, _acts(needs), _acts(also) | _acts(needs.replace("+", " ")))


RULES: Mapping[str, KeyRule] = dict(_rules())
"""Every key that a script may have, but for the short forms."""


def check_phrase(
    key: str,
    text: object,
    known: CornerWords,
    *,
    clip_s: float | None = None,
    room_s: float | None = None,
) -> str:
    """Why this phrase may not be said, as one sentence behind its key; "": it may.

    `key` is one of RULES, or one with `_short`; `known` is what may be said at the corner. `clip_s`: how long
    it sounds, s, where that is known; `room_s`: how much time there is for it before the place that it is
    about, where that is known.
    """
    if not isinstance(text, str):
        return f"must be text, not {type(text).__name__}"
    if wrong := _form_problem(text, clip_s, room_s):
        return f"{shown(text)} {wrong}"
    items = read_items(unicodedata.normalize("NFC", text), known)
    wrong = _words_problem(items, known) or _sense_problem(key, items, known.corner)
    if not wrong:
        return ""
    return f'{shown(text)} {wrong}; right would be "{known.lexicon.examples[key.removesuffix(SHORT)]}"'


def _form_problem(text: str, clip_s: float | None, room_s: float | None) -> str:
    """What is wrong with its letters and its length, "" where nothing is."""
    foreign = sorted({char for char in text if not _speakable(char)})
    if foreign:
        told = ", ".join(ascii(char) for char in foreign[:5])
        return f"has what a voice can't speak, {told}: only words and , . ! ? ' - : ; %"
    if not any(char.isalnum() for char in text):
        return "has no word in it"
    disguised = sorted({char for char in text if char.isalpha() and not _latin(char)})
    if disguised:
        told = ", ".join(f"{char!a} ({unicodedata.name(char, 'unnamed').lower()})" for char in disguised[:3])
        return f"has letters that are not Latin, however they look: {told}"
    words = len(text.split())
    if len(text) > MAX_CHARS or words > MAX_WORDS:
        return (
            f"is {words} words, {len(text)} characters: at most {MAX_WORDS} and {MAX_CHARS}, "
            "a longer one can't end before the corner"
        )
    length_s = estimate_s(text) if clip_s is None else clip_s
    most_s = min(MAX_S, room_s if room_s is not None else MAX_S)
    if length_s > most_s:
        about = "about " if clip_s is None else ""
        return f"lasts {about}{length_s:.1f} s, and there are {most_s:.1f} s for it: say it in fewer words"
    return ""


def _speakable(char: str) -> bool:
    return char in _PUNCTUATION or unicodedata.category(char)[0] in "LM" or char in "0123456789"


def _latin(char: str) -> bool:
    """Whether it is a plain Latin letter, with an accent perhaps: full-width and mathematical ones are
    none."""
    return unicodedata.normalize("NFKC", char) == char and unicodedata.name(char, "").startswith("LATIN ")


def shown(text: str) -> str:
    """A phrase in quotes for a message: cut, and escaped where it holds what can't be spoken."""
    cut = text if len(text) <= MAX_CHARS else text[:MAX_CHARS] + "..."
    return f'"{cut}"' if all(map(_speakable, cut)) else ascii(cut)


def _words_problem(items: Sequence[Item], known: CornerWords) -> str:
    """Which words can't be said here and why, "" where all can."""
    told = {_unsaid(item, known): None for item in items if item.sense in _UNSAID}
    return " and ".join(list(told)[:2])


_UNSAID = frozenset(("landmark", "figure", "corner", "word"))


def _unsaid(item: Item, known: CornerWords) -> str:
    here = known.corner.name
    match item.sense:
        case "landmark":
            there = f"only {', '.join(known.landmarks)}" if known.landmarks else "no landmark"
            return f'names "{item.words}", but the track file has {there} around {here}'
        case "figure":
            return f'has the figure "{item.words}", which the track file does not know at {here}'
        case "corner":
            return f'names "{item.words}", which is neither {here} nor a corner beside it'
    for lexicon in LEXICONS.values():
        if lexicon is not known.lexicon and (item.words,) in lexicon.senses:
            return f'has the {lexicon.name} word "{item.words}" in a script that is {known.lexicon.name}'
    return f'has "{item.words}", which is no word of a coach in {known.lexicon.name}'


def _sense_problem(key: str, items: Sequence[Item], corner: Corner) -> str:
    """What is wrong with what the driver is told, "" where nothing is."""
    name = key.removesuffix(SHORT)
    rule = RULES[name]
    acts = [_placed(act, name, corner) for act in read_acts(items, rule.default)]
    if not acts:
        named = name == "approach" and any(item.sense == "name" for item in items)
        return "" if named else f"tells the driver nothing to do, and {name} is to tell {rule.tells}"
    if rule.default == "brake" and _turns_first(acts):
        return "has the driver turn before he brakes"
    told = {act.name for act in acts}
    may = rule.also | _ALWAYS
    if corner.brake_m is None and name in ("approach", "brake"):
        may |= {"brake not"} if name == "brake" else {"brake not", "throttle hold", "speed hold"}
    if (
        name in ("approach", "brake")
        and any(item.sense == "not" for item in items)
        and "brake not" not in may
    ):
        return f"says what not to do, and {name} is to tell {rule.tells}"
    for act in acts:
        if act.action in _NEVER:
            return _NEVER[act.action]
        if act.name not in may:
            return f"says {_told(act)}, and {name} is to tell {rule.tells}"
        if act.way in OPPOSITES and f"{act.action} {OPPOSITES[act.way]}" in told:
            return f"contradicts itself: it says {_told(act)} and the opposite of it"
        if act.side and _wrong_side(act, name, corner):
            return f"says {_told(act)} on the wrong side: {corner.name} goes {corner.direction}"
    if {"left", "right"} <= {act.side for act in acts if act.action == "position"} and len(acts) == 2:
        return "says left and right at once"
    if rule.needs and not any(all(part in told for part in need.split("+")) for need in rule.needs):
        return f"says {' and '.join(_told(act) for act in acts)} only, and {name} is to tell {rule.tells}"
    return ""


def _turns_first(acts: Sequence[Act]) -> bool:
    """Whether the first thing to do is to turn, with the brakes after it."""
    done = [act.action for act in acts if act.action in ("turn", "brake", "lift", "slow")]
    return len(set(done)) > 1 and done[0] == "turn"


_NEVER = {
    "elsewhere": "has the driver do something at a place or a corner that is not this one's",
    "contact": "sends the car into something, or the hands off the wheel",
}


def _outside(corner: Corner) -> str:
    return "left" if corner.direction == "right" else "right"


def _placed(act: Act, name: str, corner: Corner) -> Act:
    """Before a corner, its outside is wide and its inside tight."""
    if act.action != "position" or act.way or not act.side or name != "wider_entry":
        return act
    return act._replace(way="wide" if act.side == _outside(corner) else "tight")


def _wrong_side(act: Act, name: str, corner: Corner) -> bool:
    """A corner is come to and turned into from outside, and left to the outside; its apex is inside."""
    if act.origin or act.action == "out":
        return act.side != _outside(corner)
    if act.action == "position" and name in ("approach", "brake"):
        return act.side != _outside(corner)
    inside = act.action == "turn" or (
        act.action in ("apex", "kerb") and name in ("apex", "clip_apex", "later_apex")
    )
    return inside and act.side == _outside(corner)


def _told(act: Act) -> str:
    return f'"{act.action}: {act.way}"' if act.way else f'"{act.action}"'
