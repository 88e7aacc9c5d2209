"""The words of one question: what is taken out of them, and what was found."""

from __future__ import annotations

import re
from functools import cache

from pitwall.paddock.questions.corner_names import CornerNames
from pitwall.paddock.questions.prepared import prepared

# Shorter ones may be no more than a lap or a place, which goes on with the question before.
MOST_SCRAP_WORDS = 3
HOW_TO = re.compile(r"\bhow (?:can|could|do|should|would|might|to) (?:i |we )?")


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern between ends of words."""
    return re.compile(rf"\b(?:{pattern})(?!\w)")


class Words:
    """`text` has what nothing was taken for yet, `begins` the question as typed, `found` fields of a reading.

    `steps_from`: a lap after one that is named is meant, not both.
    """

    def __init__(self, question: str, names: CornerNames) -> None:
        self.begins, self.text = prepared(question, names)
        self.found: dict[str, object] = {}
        self.names = names
        self.steps_from = False

    def take(self, pattern: str, put: str = "") -> re.Match[str] | None:
        """The first match, taken out of the text."""
        found = compiled(pattern).search(self.text)
        if found is not None:
            taken = f"{self.text[: found.start()]} {put} {self.text[found.end() :]}"
            self.text = re.sub(" +", " ", taken)
        return found
