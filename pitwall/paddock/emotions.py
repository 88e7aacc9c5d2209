"""The emotion an answer is spoken with: parsed off the text, one of twelve, never spoken itself."""

from __future__ import annotations

import re

EMOTIONS: tuple[str, ...] = (
    "neutral", "calm", "encouraging", "proud", "excited", "focused",
    "concerned", "serious", "curious", "sympathetic", "amused", "urgent",
)  # fmt: skip
DEFAULT = "neutral"

_TAG = re.compile(r"\[\s*(?:emotion\s*[:=]\s*)?([A-Za-z]{2,20})\s*\]", re.IGNORECASE)
_LINE = re.compile(r"^\s*\**emotion\**\s*[:=]\s*\**\s*([A-Za-z]{2,20})\**\s*$", re.IGNORECASE | re.MULTILINE)
# The longest tag we would wait for at the start of a stream: "[emotion: encouraging]" and some blanks.
_LONGEST_TAG = 32


def split_emotion(text: str) -> tuple[str, str]:
    """(text without its emotion tags, the emotion). None known: `neutral`; the first known one wins."""
    found = [*_TAG.findall(text), *_LINE.findall(text)]
    known = [word.lower() for word in found if word.lower() in EMOTIONS]
    bare = _LINE.sub("", _without_tags(text))
    return re.sub(r"[ \t]{2,}", " ", bare).strip(), known[0] if known else DEFAULT


def _without_tags(text: str) -> str:
    """Tags are dropped where they name an emotion, and at the very start and end whatever they name."""

    def kept(match: re.Match[str]) -> str:
        edge = not text[: match.start()].strip() or not text[match.end() :].strip()
        named = "emotion" in match[0].lower()
        return "" if edge or named or match[1].lower() in EMOTIONS else match[0]

    return _TAG.sub(kept, text)


class TagFilter:
    """Keeps emotion tags out of a stream: pieces go in, pieces without tags come out."""

    def __init__(self) -> None:
        self._held = ""
        self._begun = False

    def feed(self, piece: str) -> str:
        """What may be shown now; an unfinished `[` is held back until it is known to be no tag."""
        self._held += piece
        out = ""
        while self._held:
            at = self._held.find("[")
            if at < 0:
                out, self._held = out + self._held, ""
                break
            out, self._held = out + self._held[:at], self._held[at:]
            end, again = self._held.find("]"), self._held.find("[", 1)
            if again > 0 and (end < 0 or again < end):
                # A bracket within a bracket: the first one opens no tag.
                out, self._held = out + self._held[:again], self._held[again:]
                continue
            if end < 0 and len(self._held) < _LONGEST_TAG:
                break
            cut = end + 1 if end >= 0 else 1
            part, self._held = self._held[:cut], self._held[cut:]
            if not _TAG.fullmatch(part):
                out += part
        if not self._begun:
            out = out.lstrip()
            self._begun = bool(out)
        return out

    def rest(self) -> str:
        """What was held at the end of the stream."""
        held, self._held = self._held, ""
        return "" if _TAG.fullmatch(held) else held
