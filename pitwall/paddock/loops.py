"""Detects a model that repeats itself while it streams, so that it can be stopped."""

from __future__ import annotations

from collections.abc import Iterable

# Three repeats of this many characters are a loop. Shorter repeats occur in tables, two in emphasis.
LENGTH = 200
TIMES = 3


class LoopGuard:
    """Counts stretches of LENGTH characters, none overlapping itself, over earlier turns and this reply."""

    def __init__(self, earlier: Iterable[str] = ()) -> None:
        self._text = ""
        self._seen: dict[str, tuple[int, int]] = {}
        for turn in earlier:
            self._take(turn)
            self.part()

    def part(self) -> None:
        """End of a turn: the next text does not continue this one."""
        self._text += "\n" * LENGTH

    def feed(self, piece: str) -> bool:
        """Take the next piece of the reply; True from the third repeat on."""
        return self._take(piece)

    def _take(self, piece: str) -> bool:
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
