"""What may be named at one corner: its name and its neighbours, landmarks, their figures, how the land
lies."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from pitwall.coach.phrase_sense import LAND, CornerWords
from pitwall.track.model import Corner, Track
from pitwall.words.de_lexicon import LEXICON as GERMAN
from pitwall.words.en_lexicon import LEXICON as ENGLISH
from pitwall.words.forms import Code
from pitwall.words.lexicon import Form, Lexicon

LEXICONS: Mapping[Code, Lexicon] = {"en": ENGLISH, "de": GERMAN}
# A hill is felt from three metres on; a crest or a dip has two at each side, the fix wanders by less.
HILL_M, CREST_M = 3.0, 2.0
# The land that one sees from a corner ends so far behind it.
SEEN_M = 200.0
_NUMBER = re.compile(r"(\d+) ?([a-z]?)")
_TOKENS = re.compile(r"[^\W_]+")


def corner_words(track: Track, corner: Corner, language: Code = "en") -> CornerWords:
    """What may be said in a phrase for this corner."""
    lexicon = LEXICONS[language]
    near = _neighbours(track, corner)
    named: dict[Form, str] = {}
    bare: set[Form] = set()
    stems: dict[str, str] = {}
    # What is nearest comes last, so that it counts.
    for each in sorted(track.corners, key=lambda each: (each in near) + (each is corner)):
        sense = "name" if each is corner else "beside" if each in near else "corner"
        named |= dict.fromkeys(_names(each, lexicon), sense)
        if each not in near:
            continue
        numbers = tuple(_numbers(each, lexicon))
        named |= dict.fromkeys(numbers, sense)
        bare |= set(numbers)
    for each in sorted(near, key=lambda each: each is corner):
        sense = "place" if each is corner else "beside"
        called = " ".join(f"{mark.name} {lexicon.kinds.get(mark.kind, '')}" for mark in each.landmarks)
        for word in _TOKENS.findall(called.casefold()):
            if word.isdigit():
                named |= (forms := dict.fromkeys(_forms(lexicon, word), sense))
                bare -= set(forms)
                continue
            # A word of the lexicon keeps its sense, whatever a landmark is called.
            known = lexicon.senses.get((word,), (lexicon.stem(word),))
            stems |= dict.fromkeys(
                [each for each in known if each in LAND or (word,) not in lexicon.senses], sense
            )
    stems |= dict.fromkeys(_land(track, corner), "place")
    landmarks = tuple(mark.name for each in near for mark in each.landmarks)
    longest = max(map(len, [*lexicon.senses, *named]))
    return CornerWords(corner, lexicon, named, frozenset(bare), stems, landmarks, longest)


def _neighbours(track: Track, corner: Corner) -> tuple[Corner, ...]:
    """The corner before, this one, and the next, in driving order."""
    order = sorted(track.corners, key=lambda each: each.apex_m)
    at = order.index(corner)
    return (order[at - 1], corner, order[(at + 1) % len(order)])


def _names(corner: Corner, lexicon: Lexicon) -> Iterator[Form]:
    """Every name it goes by, but for a bare number."""
    written = (*corner.name.split(","), *corner.nicknames, lexicon.spoken_name(corner.id))
    for name in written:
        form = tuple(_TOKENS.findall(name.casefold()))
        form = tuple(word for word in form if word not in lexicon.articles) if len(form) > 1 else form
        # A track may call a corner what it likes, but no name is an order.
        if form and (len(form) > 1 or form not in lexicon.senses):
            yield form
    for number in _numbers(corner, lexicon):
        yield from ((word, *number) for word in lexicon.corner_words)


def _numbers(corner: Corner, lexicon: Lexicon) -> Iterator[Form]:
    """Its number, as it is spoken and written: "three A" and "3a"."""
    found = _NUMBER.fullmatch(corner.number.casefold())
    if found is None:
        found = _NUMBER.fullmatch(corner.id.partition("_")[2].replace("_", ""))
    if found is None:
        return
    digits, letter = found.groups()
    for form in _forms(lexicon, digits):
        yield (*form, letter) if letter else form
    if letter:
        yield (digits + letter,)


def _forms(lexicon: Lexicon, digits: str) -> Iterator[Form]:
    return (tuple(form.split()) for form in lexicon.forms(int(digits)))


def _land(track: Track, corner: Corner) -> set[str]:
    """Whether the track climbs or falls around this corner, goes over a crest or through a dip."""
    before, _, _ = _neighbours(track, corner)
    count = len(track.centreline)
    first = int(before.apex_m / track.length_m * count)
    length_m = (corner.exit_m - before.apex_m) % track.length_m + SEEN_M
    heights = [
        track.centreline[at % count][2] for at in range(first, first + int(length_m / track.length_m * count))
    ]
    if not heights:
        return set()
    found = {"hill"} if max(heights) - min(heights) >= HILL_M else set()
    if _prominence(heights) >= CREST_M:
        found.add("crest")
    if _prominence([-height for height in heights]) >= CREST_M:
        found.add("dip")
    return found


def _prominence(heights: list[float]) -> float:
    """How far the land falls at both sides of its highest place."""
    at = heights.index(max(heights))
    return heights[at] - max(min(heights[: at + 1]), min(heights[at:]))
