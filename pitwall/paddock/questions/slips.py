"""Words of a question that are mistyped: which known ones may have been meant."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from pitwall.ask.question_words import by_shorter, one_off, slip_of, word_list
from pitwall.paddock.questions import vocabulary as say
from pitwall.paddock.questions.figure_words import MEASURES
from pitwall.paddock.questions.german import english_words

# A slip in a shorter word may be another word.
MOST_EXACT = 4
_ENDINGS = (("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"), ("s", ""), ("es", ""), ("n", ""))
# Words that no table of the vocabulary has.
_MORE = word_list("half steer vary later three mini listen listened full shift mark")
# Words that the one after them, or the one before, is stuck to; more of them would take honest words apart.
_BEFORE = frozenset(word_list("the my was what is did do and lap turn how where when which i"))
_AFTER = frozenset(word_list("the my was is did do lap laps turn i in on at of for to"))
# Of a word as typed, the fewest letters with which each kind of slip is believed.
_SHORTEST = {"swap": 3, "double": 3, "omit": 3, "next": 4, "extra": 5}
# Common words that no question here needs, one slip away from a word that one does: they mean what they say.
HONEST = frozenset(
    word_list(
        """accelerate angles answers applies arena attacks backs baking balanced balances bar bare bat bear
        bears beats becomes beds bee beginnings begins begun believed believes bet beta bin bite
        bites blend blocks bolt boots bored bossy bot bought brings broken brother builds burns bus
        bush bust buy cafe calculated cameras cap card cash cast cat cats chances channel charged
        charger chart chat checks cheer chef chooses chosen circuits click closed closer closes
        clouds coat col com combined compares comparisons completed computer cone cones confident
        contacts contract controls cooled cooling counts courses covers cue damaged dare das dated
        dates deals decides dee delivers delivery descent described describes detail develops dice
        die dies differences differs directions dirty domain dot dove downs drawn draws driver
        drives drops due ear eating edit efforts engines error estimated estimates exist existing
        exists expects face faces facing facts falls fare fee feelings feels fest figured figures
        fill finals finds fined finishes firm fleet float flood flooded floors flyers follows fond
        font forced fork format forms fully gains garbage goals god gold guts halt handled handy hat
        haven hear heard hears helps her hills hints his holds hole hooks hop horses hug ideas
        improvements improves included inputs int issue jumps keeps kid kin kinds knee knows lad
        lamps lanes laptop large lasts latin latter layer leaders leads learning learns leaves legs
        lesson lie lies liked likes lime limit limited lined lists load locker login lone loose
        loser losers lunch mad maker makers male manager march margins marking matches mates math
        matters means meant measurements media men mental meta mile mind minds minute mist mistake
        mistaken mode moist months mornings motors moves myself nearest neat net news nicer notices
        noting occurs opens orders ours pan par party passed paste pat peace peaks peer penalty
        photos pig pills pilot pin placed plain plane plans plants pleased plots pos positions posts
        pre prints problem producer pushes quiet quit quote races rails raise raises raising rally
        rang ranged ranges ranks rare rat rates reaches reads ready realm rear reasons recorder
        recordings records refs remembers remove removed removes reply reports return rid rider
        rides ridge riding rights risen rises rival roads rode rounds ruins sad safe sage sake
        samples sand sane satellite saved saves scare scares screens scripts sea seasons seats
        sections seed seeds seek seen sees sends separate separated settings shade shape shapes
        shared shares shaved sheets shelf shirt shock shoe shoes shot shut sick sided sides simpler
        sin sing singles sink skip skipped slide slopes slot slots snow snowing soft sold sometime
        son sorts speaks speedy spending spike spit spoken sport sports spreads spring sprint stab
        staged stamps stan standards stands star starter starts state stated states status stays
        steel steps stiff stray strings struggle stuck stunt styles sucks suit sun surfaces surge
        sweat swings tables tail taken talking talks tall tan tank tanks targets tells tempo ten
        tend tent term tests text theirs theme thin thinks thirds thoughts threat throws tie tied
        tier ties timer tone tones tool tops touches tough tow toward towns traced tracks trade
        trails travels tree trend trial tries trips trusts truths tune tuned tuning understands
        updated updates user uses values variables vehicle vital war wars waste watches waters ways
        weekends weeks whereabouts whereas wider width wife wine wins wire witch wonders words
        worker works world worries worthy yard years yours"""
    )
)


def known_for(word: str) -> str:
    """A strange word as known ones: without an ending, or in two ("topspeed")."""
    known = english_words()
    if word in known:
        return word
    if f"{word}s" in known:
        return f"{word}s"
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


def near(word: str) -> list[str]:
    """The words that may have been meant by one that means nothing: letters are swapped, doubled, left out,
    added or of the next key, or a space is missing."""
    known = _vocabulary()
    if not word.isalpha() or len(word) < MOST_EXACT - 1 or word in HONEST | known:
        return []
    words = one_off(word, _by_shorter(), known)
    split = [
        f"{word[:at]} {word[at:]}"
        for at in range(1, len(word))
        if {word[:at], word[at:]} <= known
        and (word[:at] in _BEFORE or word[at:] in _AFTER)
        and len(word) > MOST_EXACT - (word[0] == "i" == word[:at])
    ]
    slips = [each for each in sorted(words) if _SHORTEST.get(slip_of(word, each), len(word) + 1) <= len(word)]
    return [*split, *slips]


@cache
def _vocabulary() -> frozenset[str]:
    """The known words, those too that a pattern has only as a beginning and its endings."""
    patterns = [row.pattern for rows in (MEASURES, say.WHICH, say.LAPS, say.UNTOLD) for row in rows]
    found = {*english_words(), *_MORE}
    for pattern in (*patterns, say.COACHING, say.SAID, say.MARKED):
        for stem, endings, may_lack in re.findall(r"\b([a-z]{2,})\(\?:([a-z|]+)\)(\?)?", pattern):
            found |= {stem + each for each in (*endings.split("|"), *([""] if may_lack else []))}
        for stem, ending in re.findall(r"\b([a-z]{2,})([a-z])\?", pattern):
            found |= {stem, stem + ending}
    return frozenset(found)


@cache
def _by_shorter() -> Mapping[str, frozenset[str]]:
    return by_shorter(_vocabulary(), MOST_EXACT - 1)
