"""Corners in a question: "turn 7", "T8a", "into seven", and the names and nicknames of the track."""

from __future__ import annotations

import re

from pitwall.paddock.question_words import KEYWORDS, NUMBER_OF, Speller, word_list, words_of
from pitwall.track.model import Corner, Track

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
        bits days visits weekends"""
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
NOT_BEFORE_IN = frozenset(word_list("one time times put top"))
# Names of corners in the issue's own table: meant even where no track is known.
ALWAYS = ("carousel",)
MOST_WITHOUT_TRACK = 20

_SHORT = re.compile(r"(?:t|turn|corner)(\d{1,2}[a-d]?)")
_NUMBERED = re.compile(r"\d{1,2}[a-d]?")
_TURN_PREFIX = re.compile(r"^(?:turns?|corner|t)\s+\w+$")


class CornerNames:
    """The corners a question may name. `mark` makes each mention the one word CORNER."""

    def __init__(self, track: Track | None) -> None:
        corners = () if track is None else track.corners
        self.numbers = frozenset(corner.number.lower() for corner in corners if corner.number)
        phrases = {tuple(words_of(name)) for name in ALWAYS}
        for corner in corners:
            phrases |= _phrases(corner)
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for phrase in sorted(phrases, key=lambda words: (-len(words), words)):
            self._by_first.setdefault(phrase[0], []).append(phrase)
        self.speller = Speller((word for phrase in phrases for word in phrase), first=KEYWORDS)

    def mark(self, words: list[str]) -> list[str]:
        """The words with every mention of a corner made CORNER; "turn 3 a" is one mention."""
        marked: list[str] = []
        at = 0
        while at < len(words):
            length = self._named(words, at) or self._numbered(words, at)
            if length:
                if len(marked) > 1 and marked[-1] in ("and", "or", "then") and _number(marked[-2]):
                    marked[-2] = CORNER  # "8 and 8a"
                marked.append(CORNER)
                at += length
            elif (words[at] in PLACE_WORDS or _out_of(words, at)) and self._placed(words, at):
                marked += [words[at], CORNER]
                at += 2
            else:
                marked.append(words[at])
                at += 1
        return marked

    def _named(self, words: list[str], at: int) -> int:
        for phrase in self._by_first.get(words[at], ()):
            if tuple(words[at : at + len(phrase)]) == phrase:
                return len(phrase)
        return 0

    def _numbered(self, words: list[str], at: int) -> int:
        word = words[at]
        if word in self.numbers and word[-1].isalpha():  # "8a" is nothing but a corner
            return 1
        if word not in TURN_WORDS:
            short = word[0] in "tc" and _SHORT.fullmatch(word)
            return 1 if short else 0
        following = words[at + 1 : at + 3]
        if following and following[0] in ("number", "no"):
            return 3 if len(following) > 1 and _number(following[1]) else 0
        if not following or not _number(following[0]):
            return 0
        letter = len(following) > 1 and _number(following[0]) + following[1] in self.numbers
        return 3 if letter else 2

    def _placed(self, words: list[str], at: int) -> bool:
        before = words[at - 1] if at else ""
        if words[at + 1 : at + 2] == ["one"] or (words[at] != "of" and before in NOT_BEFORE_PLACE):
            return False
        if words[at] == "in" and before in NOT_BEFORE_IN:
            return False
        number = _number(words[at + 1]) if at + 1 < len(words) else ""
        if not number or (at + 2 < len(words) and words[at + 2] in NOT_AFTER_NUMBER):
            return False
        if self.numbers:
            return number in self.numbers
        return int(re.sub(r"\D", "", number)) <= MOST_WITHOUT_TRACK


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
    """What a corner is called, as words: "Turn 6, the Carousel" gives "carousel" alone."""
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
