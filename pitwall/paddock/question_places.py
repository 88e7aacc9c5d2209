"""Which laps and which corner a question names."""

from __future__ import annotations

import re

from pitwall.analysis.figures import figures
from pitwall.analysis.places import find_corners
from pitwall.track.model import Track

# "Compare 3 vs 2": two numbers set against each other are laps, even where nothing says so.
_AGAINST = re.compile(r"(?<![\d.:])(\d{1,3})\s+(?:vs\.?|versus|against)\s+(\d{1,3})(?![\d.:])")
# "The last corner before the pits" is the longest that anyone calls a corner.
_MOST_WORDS = 6


def laps_named(question: str) -> list[int]:
    """The numbers of the laps that a question names, each once, in its order."""
    named = [int(each.readings[0][0]) for each in figures(question) if each.kind == "lap"]
    if not named and (against := _AGAINST.search(question.lower())):
        named = [int(against[1]), int(against[2])]
    return list(dict.fromkeys(named))


def corner_named(question: str, track: Track | None) -> str:
    """The id of the one corner that a question names, "" where it names none."""
    words = re.findall(r"[\w']+", question.lower())
    for length in range(min(_MOST_WORDS, len(words)), 0, -1):
        for at in range(len(words) - length + 1):
            found = find_corners(track, " ".join(words[at : at + length])) if track else []
            # A bare number is a lap or a speed as often as a corner.
            if len(found) == 1 and not (length == 1 and words[at].isdigit()):
                return found[0].id
    return ""
