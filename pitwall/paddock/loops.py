"""Detects a model that repeats itself while it streams, so that it can be stopped."""

from __future__ import annotations

# Three repeats of this many characters are a loop. Shorter repeats occur in tables, two in emphasis.
LENGTH = 200
TIMES = 3


class LoopGuard:
    """Counts stretches of LENGTH characters, none overlapping itself, in one reply. (An honest answer to a
    question that is asked again is the same answer.)"""

    def __init__(self) -> None:
        self._text = ""
        self._seen: dict[str, tuple[int, int]] = {}

    def feed(self, piece: str) -> bool:
        """Take the next piece of the reply; True from the third repeat on."""
        # Case and blanks are folded: a loop that changes its line breaks is the same loop.
        folded = " ".join(piece.lower().split())
        if piece[:1].isspace() or not piece.strip():
            folded = (" " if not self._text.endswith((" ", "\n")) else "") + folded
        if piece[-1:].isspace() and folded and not folded.endswith(" "):
            folded += " "
        start = max(0, len(self._text) - LENGTH + 1)
        self._text += folded
        looping = False
        for at in range(start, len(self._text) - LENGTH + 1):
            stretch = self._text[at : at + LENGTH]
            if "\n" in stretch:
                continue
            count, last = self._seen.get(stretch, (0, -LENGTH))
            if at - last >= LENGTH:
                self._seen[stretch] = (count + 1, at)
                looping = looping or count + 1 >= TIMES
        return looping
