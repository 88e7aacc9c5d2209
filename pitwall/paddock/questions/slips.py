"""Words of a question that are mistyped: which known ones may have been meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from pitwall.paddock.questions import vocabulary as say
from pitwall.paddock.questions.german import english_words
from pitwall.paddock.questions.question_words import slip_of, word_list

# A slip in a shorter word may be another word.
MOST_EXACT = 4
_ENDINGS = (("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"), ("s", ""), ("es", ""), ("n", ""))
# Words that no table of the vocabulary has.
_MORE = word_list("half steer vary later three mini listen listened full shift mark")
# Of a word as typed, the fewest letters with which each kind of slip is believed.
_SHORTEST = {"swap": 3, "double": 3, "omit": 3, "next": 4, "extra": 5}
# Common words that no question here needs, one slip away from a word that one does: they mean what they say.
HONEST = frozenset(
    word_list(
        """achieved answers applies arena attacks aunt backs balanced ban bar bare bass bat bear bears beast
        beats becomes beds bee begins begun beings believed believes bet beta bin bite blacks blocks blues
        booth boots bored boring bought brings broken brother buildings burns bus bush buy cafe cake
        calculated cam cameras cap card cared cares carrier cash cast cat cats chances channel charged
        charges chart checks cheer chef chick chiefs chosen click closed closer closet clouds cock cole com
        combined compete completed computer confident contacts contract controls cooling costa counts county
        couples courses covers curse dam damaged damages dare dated dates deals dealt decides delivery
        described describes detail die dies diet differences directions dirty displays dose dot drawn draws
        driver drops dual due ear eating edit editing efforts engines error estimated estimates exciting
        exist existing exists face facts falls fat fee feels figured figures fill finals finds firm fleet
        flood folk follows forced forms forum fully fund gains garbage goals god gods gold goods grain grave
        guests hat haven hear heard hearts helps her hills hiring his holds hole hood hop hoped hopes horses
        hug hull ideas improvements included issue issued keeps kid kinds kings knee knows lands large
        latter layer leaders leads leaf learning leaves legs lie lies liked likes limit limited lined lists
        lit load loose lunch mad maker makers male males manager march markets mars matches math matters
        meal means meant media men mental mighty mile mind minds mines minute mistake mode months moore
        moves movie nearest nest net news occurs opens opponent orders ours palace pan par party passed pat
        peace pearl peer penalty peoples petty photos pic pics pictures pig pilot pin placed plain plane
        plans plant plants pleased poet positions poster posts powder powers pre precious prints problem
        produced producer produces quiet quit quote races rage raise rally ranks rare rat rates reaches
        reads ready realm rear reasons records reed regard relatives reminds remove reply reports rice rid
        rides ridge rights rises rival roads rounds sacred sad safe sake samples sand satellite saved saves
        scare sea seasons seats sections seed seeds seek seeking seeks seen sees sends separate separated
        settings shade shame shape shared shares sheets shirt shirts shock shoe shoes shorts shot shut sick
        sides sin sing singles skip slave slide slot snow soft sold sometime son sorts speaks spending
        spoken sport sports spring standards stands star staring starring stars starts state stated states
        stating status stays steel steps struggle stuck styles sucks suit sun sweat tables tail taken tale
        tales talking talks tall tank tanks targets tells ten tends term tests text thats theme thin thinks
        thoughts threat throws thus tie tied ties toll tone tool tops tough toward towns tracks trade treats
        treaty tree trend trial tries trips tune understands updated updates user uses valued values vehicle
        videos vital war wars waste watches waters ways weeks wells whereas whites wider wife winds wine
        wins wire witch words wore worker works world worries yard years yours"""
    )
)


def known_for(word: str) -> str:
    """A strange word as known ones: without an ending, or in two ("topspeed")."""
    known = english_words()
    if word in known:
        return word
    for ending, put in _ENDINGS:
        stem = word.removesuffix(ending)
        stem = stem[:-1] if stem[-1:] == stem[-2:-1] else stem
        if stem != word and len(stem) + len(put) >= MOST_EXACT - 1 and f"{stem}{put}" in known:
            return f"{stem}{put}"
    for at in range(MOST_EXACT - 1, len(word) - 2):
        parts = [{part, f"{part}s"} & known for part in (word[:at], word[at:])]
        if all(parts) and not parts[0] | parts[1] <= say.IDLE:
            return f"{word[:at]} {word[at:]}"
    return word


def near(word: str) -> list[list[str]]:
    """The words that may have been meant by one that means nothing, the likeliest first: letters are swapped
    or doubled; left out, added or of the next key, or a space is missing."""
    known = _vocabulary()
    if not word.isalpha() or len(word) < MOST_EXACT - 1 or word in HONEST | known:
        return []
    shorter = {word[:at] + word[at + 1 :] for at in range(len(word))}
    words = {each for short in (word, *shorter) for each in _by_shorter().get(short, ())} | (shorter & known)
    split = [
        f"{word[:at]} {word[at:]}"
        for at in range(1, len(word))
        if {word[:at], word[at:]} <= known
        and (word[:at] == "i" or (1 < at < len(word) - 1 and len(word) > MOST_EXACT))
    ]
    slips = {
        each: slip for each in sorted(words) if _SHORTEST.get(slip := slip_of(word, each), 99) <= len(word)
    }
    likely = [each for each, slip in slips.items() if slip in ("swap", "double")]
    others = [*split, *(each for each in slips if each not in likely)]
    ranks = [likely, others] if len(word) > MOST_EXACT else [[*likely, *others]]
    return [each for each in ranks if each]


@cache
def _vocabulary() -> frozenset[str]:
    """The known words, those too that a pattern has only as a beginning and its endings."""
    patterns = [row.pattern for rows in (say.MEASURES, say.WHICH, say.LAPS, say.UNTOLD) for row in rows]
    found = {*english_words(), *_MORE}
    for pattern in (*patterns, say.COACHING, say.SAID, say.MARKED):
        for stem, endings, may_lack in re.findall(r"\b([a-z]{2,})\(\?:([a-z|]+)\)(\?)?", pattern):
            found |= {stem + each for each in (*endings.split("|"), *([""] if may_lack else []))}
        for stem, ending in re.findall(r"\b([a-z]{2,})([a-z])\?", pattern):
            found |= {stem, stem + ending}
    return frozenset(found)


@cache
def _by_shorter() -> Mapping[str, frozenset[str]]:
    """The known words by what is left of them without one letter."""
    found: dict[str, set[str]] = {}
    for word in _vocabulary():
        for at in range(len(word) if len(word) >= MOST_EXACT - 1 else 0):
            found.setdefault(word[:at] + word[at + 1 :], set()).add(word)
    return {short: frozenset(words) for short, words in found.items()}
