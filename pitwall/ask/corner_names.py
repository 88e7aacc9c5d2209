"""Corner names in a question, and its words: plain, slips mended."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from pitwall.track.model import Corner, Track

# Only this much of a question is read.
LONGEST_CHARS = 600


def word_list(text: str) -> tuple[str, ...]:
    """The words of a text, so that long lists stay readable."""
    return tuple(text.split())


# Long keywords that are often mistyped; shorter ones have too many honest neighbours ("stunt" and "stint").
OFTEN_MISTYPED = word_list(
    """reference references weather practice practise planning incident incidents moment moments target
    targets consistent consistency consistently inconsistent inconsistency variance variation script
    scripts callout callouts carousel hairpin chicane compare compared comparison versus progress
    faster quicker plateau plateaued understeer understeers understeering oversteer oversteers
    oversteering frustrated frustrating frustration debrief highlight highlights improve improving
    improvement slippery drizzle forecast degradation personal theoretical suspension damper camber
    confidence nervous volume summary"""
)
# Correct words that are one typing mistake away from one of those.
LEFT_ALONE = frozenset(
    word_list(
        """stale feather fatter fasten master comment content compares scripted preference practices
        practical incidence variant variants dampers damped strict campers whether wetter person
        persons rampart"""
    )
)
SHORTEST_MENDED = 5
# The results for so many words are kept in memory. Drivers use fewer.
MOST_SEEN = 5000
NUMBERS = word_list(
    """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty"""
)
NUMBER_OF: Mapping[str, str] = {word: str(value) for value, word in enumerate(NUMBERS)}
TIME = "<time>"

_WORD = re.compile(r"\d+:\d\d(?:[.,]\d+)?|\d+[.,]\d+|[a-z0-9]+(?:'[a-z]+)?")
_TIME = re.compile(r"\d+:\d\d(?:[.,]\d+)?|\d{2,3}[.,]\d{1,3}")
_INITIALS = re.compile(r"\b([a-z])\.\s?([a-z])\b\.?")


def words_of(question: str) -> list[str]:
    """The words in order. A lap time (51.2, 1:52.3) is TIME; other numbers stay as typed."""
    text = question[:LONGEST_CHARS].lower()
    if not text.isascii():
        text = plain(text)
    if "." in text:
        text = _INITIALS.sub(r"\1\2", text)
    words = []
    for word in _WORD.findall(text):
        if word[0].isdigit() and _TIME.fullmatch(word):
            words.append(TIME)
        elif "'" in word:
            words.append(word.removesuffix("'s").replace("'", ""))
        else:
            words.append(word)
    return words


def plain(text: str) -> str:
    """Lower case, accents off, typographic apostrophes made straight."""
    folded = unicodedata.normalize("NFKD", text.lower().replace("’", "'").replace("ß", "ss"))
    return "".join(letter for letter in folded if not unicodedata.combining(letter))


_KEYS = {
    key: (column + row / 2, row)
    for row, keys in enumerate(("qwertyuiop", "asdfghjkl", "zxcvbnm"))
    for column, key in enumerate(keys)
}
# Letters that are written for each other by ear.
_SOUND_ALIKE = [
    {*each} for each in ("ae", "ai", "ei", "eo", "ao", "ou", "iy", "ey", "cs", "ck", "sz", "dt", "gk", "fv")
]


def slip_of(typed: str, meant: str) -> str:
    """By which slip the one word came of the other: "swap" and "double" of letters, "omit", "extra", "next"
    key, "sound" alike or "other" letter; "" where it is none, or where the first letter differs:
    "training" never becomes "raining"."""
    if typed[0] != meant[0]:
        return ""
    if len(typed) == len(meant):
        apart = [at for at in range(len(typed)) if typed[at] != meant[at]]
        first, last = apart[0], apart[-1]
        if last == first + 1 and typed[first] == meant[last] and typed[last] == meant[first]:
            return "swap"
        nowhere = (-9.0, 0)
        (x, y), (other_x, other_y) = _KEYS.get(typed[first], nowhere), _KEYS.get(meant[first], nowhere)
        if first != last:
            return ""
        if {typed[first], meant[first]} in _SOUND_ALIKE:
            return "sound"
        return "next" if abs(x - other_x) <= 1 and abs(y - other_y) <= 1 else "other"
    long, short = sorted((typed, meant), key=len, reverse=True)
    gone = [at for at in range(len(long)) if long[:at] + long[at + 1 :] == short]
    if not gone:
        return ""
    return "omit" if long == meant else "double" if len(gone) > 1 else "extra"


def by_shorter(words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Words by what is left of them without one letter. Thousands: a set for each would take four times the
    memory."""
    found: dict[str, tuple[str, ...]] = {}
    for word in words:
        for short in {word[:at] + word[at + 1 :] for at in range(len(word))}:
            found[short] = (*found.get(short, ()), word)
    return found


def one_off(word: str, longer: Mapping[str, tuple[str, ...]], known: Collection[str]) -> set[str]:
    """The known words that one letter makes of this one, more, less or another; `longer` is `by_shorter` of
    them."""
    shorter = {word[:at] + word[at + 1 :] for at in range(len(word))}
    found = {each for short in (word, *shorter) for each in longer.get(short, ())}
    return found | {each for each in shorter if each in known}


CORNER = "<corner>"
# A corner by number, in the languages of the circuits drivers visit.
TURN_WORDS = frozenset(word_list("turn turns corner corners bend kurve curva virage bocht viraje"))
# "into 7", "at seven": a number after one of these is a corner, unless a unit follows it.
PLACE_WORDS = frozenset(word_list("into through thru at exiting entering in approaching from"))
NOT_AFTER_NUMBER = frozenset(
    word_list(
        """laps lap minutes minute mins min seconds second secs sec s ms hours hour hrs days weeks
        months psi bar kph kmh mph km m metres meters rpm percent degrees deg degree c f g gear
        tenths tenth hundredths pm am oclock k hz sessions session races cars tyres tires litres
        heats times more to or vs clicks of wide go goes tank set events sentences words things points
        bits days visits weekends lines line"""
    )
)
# "going out in five" is five minutes.
NOT_BEFORE_PLACE = frozenset(
    word_list(
        """out going off go leave session run start starting race grid green live on starts back be ready
        leaving again open opens"""
    )
)
# "Rate me out of ten" is no corner.
SCORED = frozenset(word_list("mark marks score rate rating times often"))
# "One time in five" is a share.
NOT_BEFORE_IN = frozenset(word_list("one times put top"))
# Names of corners that are meant even where no track is known.
ALWAYS = ("carousel",)
MOST_WITHOUT_TRACK = 20

_SHORT = re.compile(r"(?:t|turn|corner)(\d{1,2}[a-d]?)")
_NUMBERED = re.compile(r"\d{1,2}[a-d]?")
_TURN_PREFIX = re.compile(r"^(?:turns?|corner|t)\s+\w+$")


_SOUNDED = (
    ("ou", "u"), ("ph", "f"), ("ck", "k"), ("qu", "k"), ("c", "k"), ("y", "i"), ("z", "s"),
)  # fmt: skip


def sound(word: str) -> str:
    """A name as it sounds in any of the languages: "Karussell" as "Carousel"."""
    for written, sounded in _SOUNDED:
        word = word.replace(written, sounded)
    return re.sub(r"(.)\1", r"\1", word).rstrip("e")


class Mention(NamedTuple):
    """A corner in a question: the words `first` to before `end`; the ids of the corners that are called so
    (several share a nickname), none where the track has no corner of that number."""

    first: int
    end: int
    corners: tuple[str, ...]


class CornerNames:
    """The corners a question may name: `mentions` finds them, `mark` makes each the one word CORNER."""

    def __init__(self, track: Track | None) -> None:
        corners = () if track is None else track.corners
        self._by_number = {corner.number.lower(): corner.id for corner in corners if corner.number}
        self.numbers = frozenset(self._by_number)
        # In driving order.
        self.order = tuple(corner.id for corner in sorted(corners, key=lambda each: each.apex_m))
        self.track_words = frozenset(words_of(f"{track.name} {track.id.replace('_', ' ')}") if track else ())
        phrases: dict[tuple[str, ...], list[str]] = {tuple(words_of(name)): [] for name in ALWAYS}
        for corner in corners:
            for phrase in sorted(_phrases(corner)):
                phrases.setdefault(phrase, []).append(corner.id)
        self._by_first: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
        for phrase, ids in sorted(phrases.items(), key=lambda each: (-len(each[0]), each[0])):
            self._by_first.setdefault(phrase[0], []).append((phrase, tuple(ids)))
        # Words that are part of a name here, in whatever language the rest of a question is.
        self.words = self.track_words | {
            word for corner in corners for each in _phrases(corner) for word in each
        }
        self._sounds = {sound(word): word for phrase in phrases for word in phrase if len(word) > 4}
        long = {*OFTEN_MISTYPED, *(word for phrase in phrases for word in phrase)}
        self._long = {word for word in long if len(word) > SHORTEST_MENDED and word.isalpha()}
        self._shorter = by_shorter(self._long)
        self._meant = lru_cache(MOST_SEEN)(self._mended)

    def mend(self, words: Iterable[str]) -> list[str]:
        """The words, each that is one slip away from a long keyword or a name of here as that one."""
        return [self._meant(word) for word in words]

    def _mended(self, word: str) -> str:
        if len(word) < SHORTEST_MENDED or word in self._long or word in LEFT_ALONE or not word.isalpha():
            return word
        near = one_off(word, self._shorter, self._long)
        return min((each for each in near if slip_of(word, each)), default=word)

    def spelled(self, words: Sequence[str], means: Callable[[str], bool]) -> list[str]:
        """The words with slips mended, and names that sound like one of here as that one: "Karussell"."""
        return [
            self._sounds.get(sound(each), each) if each == was and not means(each) else each
            for each, was in zip(self.mend(words), words, strict=True)
        ]

    def mark(self, words: list[str]) -> list[str]:
        """The words with every mention of a corner made CORNER; "turn 3 a" is one mention."""
        marked: list[str] = []
        at = 0
        for mention in self.mentions(words):
            marked += [*words[at : mention.first], CORNER]
            at = mention.end
        return marked + words[at:]

    def mentions(self, words: list[str]) -> list[Mention]:
        """Every mention of a corner, in order."""
        found: list[Mention] = []
        at = 0
        while at < len(words):
            mention = self._named(words, at) or self._numbered(words, at)
            if mention is None and (words[at] in PLACE_WORDS or _out_of(words, at)):
                mention = self._placed(words, at)
            if mention is None:
                at += 1
                continue
            first = mention.first - (words[mention.first - 1] in PLACE_WORDS)
            if (
                first > 1
                and words[first - 1] in ("and", "or", "then", "vs", "versus")
                and _number(words[first - 2])
            ):
                before = _number(words[first - 2])  # "8 and 8a"
                if not found or found[-1].end <= first - 2:
                    found.append(Mention(first - 2, first - 1, self._of_number(before)))
            found.append(mention)
            at = mention.end
        return found

    def of_number(self, number: str) -> str:
        """The id of the corner of this number, which is known."""
        return self._by_number[number]

    def _of_number(self, number: str) -> tuple[str, ...]:
        corner = self._by_number.get(number)
        return () if corner is None else (corner,)

    def _named(self, words: list[str], at: int) -> Mention | None:
        for phrase, ids in self._by_first.get(words[at], ()):
            if tuple(words[at : at + len(phrase)]) == phrase:
                return Mention(at, at + len(phrase), ids)
        return None

    def _numbered(self, words: list[str], at: int) -> Mention | None:
        word = words[at]
        if word in self.numbers and word[-1].isalpha():  # "8a" is nothing but a corner
            return Mention(at, at + 1, self._of_number(word))
        if word not in TURN_WORDS:
            short = _SHORT.fullmatch(word) if word[0] in "tc" else None
            return Mention(at, at + 1, self._of_number(short[1])) if short else None
        following = words[at + 1 : at + 3]
        if following and following[0] in ("number", "no"):
            number = _number(following[1]) if len(following) > 1 else ""
            return Mention(at, at + 3, self._of_number(number)) if number else None
        number = _number(following[0]) if following else ""
        if not number:
            return None
        if len(following) > 1 and number + following[1] in self.numbers:
            return Mention(at, at + 3, self._of_number(number + following[1]))
        return Mention(at, at + 2, self._of_number(number))

    def _placed(self, words: list[str], at: int) -> Mention | None:
        before = words[at - 1] if at else ""
        if words[at + 1 : at + 2] == ["one"] or (words[at] != "of" and before in NOT_BEFORE_PLACE):
            return None
        if words[at] == "in" and (before in NOT_BEFORE_IN or words[max(0, at - 2) : at] == ["one", "time"]):
            return None
        number = _number(words[at + 1]) if at + 1 < len(words) else ""
        if not number or (at + 2 < len(words) and words[at + 2] in NOT_AFTER_NUMBER):
            return None
        if number in self.numbers if self.numbers else int(re.sub(r"\D", "", number)) <= MOST_WITHOUT_TRACK:
            return Mention(at + 1, at + 2, self._of_number(number))
        return None


def _out_of(words: list[str], at: int) -> bool:
    """True at the "of" of "out of four", but not of "marks out of ten" or "7 out of 10"."""
    if words[at] != "of" or at == 0 or words[at - 1] != "out":
        return False
    return not (SCORED.intersection(words[:at]) or (at >= 2 and _number(words[at - 2])))


def _number(word: str) -> str:
    """ "7" of "7" or "seven", "8a" of "8a"; "" where it is no corner's number."""
    number = NUMBER_OF.get(word, word)
    return number if number != "0" and _NUMBERED.fullmatch(number) else ""


def _phrases(corner: Corner) -> set[tuple[str, ...]]:
    """Return what a corner is called, as words: "Turn 6, the Carousel" gives "carousel" alone."""
    called = [*corner.name.split(","), *corner.nicknames, corner.id.replace("_", " ")]
    phrases = set()
    for name in called:
        words = words_of(name)
        if words[:1] in (["the"], ["la"], ["le"], ["il"]) and len(words) > 1:
            words = words[1:]
        if words and not _TURN_PREFIX.match(" ".join(words)) and not _NUMBERED.fullmatch(words[0]):
            phrases.add(tuple(words))
    return phrases


_last: tuple[Track | None, CornerNames] = (None, CornerNames(None))


def names_of(track: Track | None) -> CornerNames:
    """The names of a track, kept for the last track asked for (by identity: a track is large to hash)."""
    global _last
    if _last[0] is not track:
        _last = (track, CornerNames(track))
    return _last[1]
