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
# Words that the one after them, or the one before, is stuck to; more of them would take honest words apart.
_BEFORE = frozenset(word_list("the my was what is did do and lap turn how where when which i"))
_AFTER = frozenset(word_list("the my was is did do lap laps turn i in on at of for to"))
# Of a word as typed, the fewest letters with which each kind of slip is believed.
_SHORTEST = {"swap": 3, "double": 3, "omit": 3, "next": 4, "extra": 5}
# Common words that no question here needs, one slip away from a word that one does: they mean what they say.
HONEST = frozenset(
    word_list(
        """accelerate achieved ahh akin amen angles answers ant anyways applies arena ass attacks aunt backs
        bake baked baking balanced balances ban bar bare bark basics bass bat bats bean bear bears beast
        beats becomes beds bee beginnings begins begun beings believed believer believes bet beta bets bin
        bingo bite bites blacks blend blocks blu blues boeing boiler bolt boo booth boots bored boring borne
        bossy bot bought bra brings broken broker brother buildings builds burns bus bush bust buy buys cafe
        cake calculated cam camel cameras candid cane canon cap card cared cares carey carrie carrier
        carriers cart cash cast casting cat cats championships chances channel chanting charged charger
        charges chart chat checks cheer chef chick chiefs chooses chosen circuits clan clare click clicking
        closed closer closes closet clouds clues coaster coat coated coating coats cock cod coil col cole
        com combined combines comet compares comparisons compete completed computer cone confident consists
        contacts contract controls cooks cooled cooling costa counts county coupled couples courses cove
        covers creepy crooked cue cunt currents curse dam damaged damages damon dare das dated dates deals
        dealt decides dee delivers delivery descent described describes detail develops dice die dies diet
        differences differs ding directions dirty dis disappears disco displays divers doe doin domain dome
        dong doo dos dose doses dot dove dow downs drawn draws driver drives drone drops drown dual dudes
        due dunn ear eating edit editing efforts engines error estimated estimates exciting exist existing
        exists expects face faced faces facing faction facts falls fare fat feast fee feelings feels fees
        fest figured figures fill fin finale finals finds fined fines finishes finnish firm fist flats fleet
        float flood flooded floors flyers folk follows fond font forced forge fork format forms forum fuels
        fully fund gains gal gallon garbage gavin gettin gin goals god gods goin gold goods grain grave
        greene greens grind grove guests gus guts hal halt handled handy hans hardy hare hat hats haven hear
        heard hears hearts heath helps her herd herein hers hills hints hiring his holdings holds hole
        honesty hood hooks hop hoped hopes horses hose hug hugs hull ideals ideas improvements improves
        included inn inputs int intro island issue issued jerk jumps kat keeps kid kin kinds kings knee
        knows lad lame lamps lan lance lands lanes laptop large lasts latin latter layer leaders leads leaf
        learning learns leaves legs lengthy lent lesson lick lie lies liked likes lime limit limited lin
        lined liner lists lit load locker login lone lookin loose loser losers lotus lunch lust mad majors
        maker makers male males manager manages manly manor march marched margins market markets marking
        mars marsh marvin mat matches mates math matters meal means meant measurements media megan men
        mental meta metals meyer mighty mile mind minds mines minors minute mist mistake mistaken mode moist
        months moore mornings motors mourning moves movie myself nails nearest neat ned nerd nest net news
        nicer niche niece nothin notices noting occurs ooh openings opens opponent orders ounce ours paints
        palace pan par party passed pasta paste pat peace peaks pearl pee peel peer penalty peoples performs
        persona petty photos pic pics pictured pictures pig pigs pill pills pilot pin pint placed plain
        plane plans plant plants pleased plots poet pos posed positions poster posts pots powder powers pre
        precious prints problem produced producer produces proportions puck pulp pushes quiet quit quote
        races rage rails raise raises raising rally rang ranged ranger ranges rankings ranks rare rat rates
        rats reaches reads ready realm rear reasons recorder recordings records reed refs regard relatives
        relay remembers reminds remove removed removes reply reports res respects return revived rey rice
        rid rider rides ridge riding rights risen rises rival roads roar rod rode roses rounds rude ruins
        sack sacred sad safe sage sake samples sand sane satellite saved saves scare scares scent screens
        screws scripts sea seasons seats sections seed seeds seek seeking seeks seen sees sends sensing
        sensory separate separated settings settling sewing shade shame shape shapes shared shares shaved
        sheer sheets shelf shirt shirts shock shoe shoes shorts shot shut sick sided sides simpler sin
        sing singles sink sip skip skipped slave slide slopes slot slots snow socks soft sold sometime son
        soo sore sorts speaks speedy spending spends spike spine spit spoken spoon sport sports spreads
        spring sprint stab staged staging stamps stan standards stands star staring starred starring stars
        starter starts state stated states stating status stays steel steps stiff sting strand stray strings
        struggle stuck stunt styled styles sucks suit sun superb supper sur surfaces surge sweat swings
        tables tablet tail taken tale tales talkin talking talks tall tan tank tanks targets tells tempo ten
        tend tends tent term tests text tha thats thee theirs theme thereof theres thin thinks thirds
        thorough thoughts threat throws thrust thus thy tide tie tied tier ties timer tin toll tone tones
        tool tops tore touches tough tow toward towns traced tracks trade trades trails travels treats
        treaty tree trend tri trial tries trips trusts truths tune tuned tuning turnout turnover tying
        understands updated updates user uses valued values variables variations vehicle videos vital vol
        waist wan war warns wars waste watches waters ways wee weekends weeks wells wheat whereabouts
        whereas whereby wherein whites wider width wife winds wine wins wire wit witch wonders wong words
        wore worker works world worm worries worthy yard years yours zoe snowing cones"""
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
    shorter = {word[:at] + word[at + 1 :] for at in range(len(word))}
    words = {each for short in (word, *shorter) for each in _by_shorter().get(short, ())} | (shorter & known)
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
