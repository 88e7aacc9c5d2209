"""The emotion of an answer, one of twelve, which is parsed from a tag in the text and not spoken."""

from __future__ import annotations

import re

EMOTIONS: tuple[str, ...] = (
    "neutral", "calm", "encouraging", "proud", "excited", "focused",
    "concerned", "serious", "curious", "sympathetic", "amused", "urgent",
)  # fmt: skip
DEFAULT = "neutral"

# Other words that models write in tags: they are removed too, and count as neutral.
_OTHERS = """
    angry annoyed anxious cheerful confident content curt determined disappointed enthusiastic firm friendly
    frustrated furious gentle happy hopeful impressed joyful motivated motivating nervous optimistic patient
    playful pleased positive reassuring relaxed relieved sad satisfied stern supportive surprised thoughtful
    thrilled upbeat warm worried
"""
_FEELINGS = frozenset((*EMOTIONS, *_OTHERS.split()))
_TAG = re.compile(r"([*_]*)\[\s*(emotion\s*[:=]\s*)?([A-Za-z]{2,20})\s*\]([*_]*)", re.IGNORECASE)
_LINE = re.compile(
    r"^\s*[*_]*emotion[*_]*\s*[:=]\s*[*_]*\s*([A-Za-z]{2,20})[*_]*\s*$", re.IGNORECASE | re.MULTILINE
)
_OPENS = re.compile(r"[*_]*\[|[*_]+$")
# The longest tag that a stream waits for: "[emotion: encouraging]" and some blanks.
_LONGEST_TAG = 32


def split_emotion(text: str) -> tuple[str, str]:
    """(text without its emotion tags, the emotion). None known: `neutral`; the first known one wins."""
    found = [*(match[3] for match in _TAG.finditer(text)), *_LINE.findall(text)]
    known = [word.lower() for word in found if word.lower() in EMOTIONS]
    bare = _LINE.sub("", _TAG.sub(_without, text))
    return re.sub(r"[ \t]{2,}", " ", bare).strip(), known[0] if known else DEFAULT


def _without(tag: re.Match[str]) -> str:
    """What is left of a tag: the marks around it go with it where they are only its own."""
    if not _is_emotion(tag):
        return tag[0]
    return "" if tag[1] == tag[4][::-1] else tag[1] + tag[4]


def _is_emotion(tag: re.Match[str]) -> bool:
    """A tag that says `emotion`, or a feeling: "[Turn] in early" keeps its first word."""
    return bool(tag[2]) or tag[3].lower() in _FEELINGS


class TagFilter:
    """Keeps emotion tags out of a stream: pieces go in, pieces without tags come out."""

    def __init__(self) -> None:
        self._held = ""
        self._begun = False

    def feed(self, piece: str) -> str:
        """What may be shown now; an unfinished `[` is held back until it is known to be no tag, and so are
        marks such as `**` that may belong to one."""
        self._held += piece
        out = ""
        while (opens := _OPENS.search(self._held)) is not None:
            out, self._held = out + self._held[: opens.start()], self._held[opens.start() :]
            part = self._ready(len(opens[0]))
            if part is None:
                break
            out += part
        else:
            out, self._held = out + self._held, ""
        if not self._begun:
            out = out.lstrip()
            self._begun = bool(out)
        return out

    def _ready(self, opened: int) -> str | None:
        """Take what is decided off the beginning of what is held, which opens with `opened` characters; None
        where more must be known."""
        held = self._held
        if held[opened - 1] != "[":
            return None
        end, again = held.find("]", opened), held.find("[", opened)
        if again > 0 and (end < 0 or again < end):
            # A bracket within a bracket: the first one opens no tag.
            return self._take(opened)
        if end < 0:
            return None if len(held) < opened + _LONGEST_TAG else self._take(opened)
        tag = _TAG.match(held)
        if tag is None or not _is_emotion(tag):
            return self._take(end + 1)
        marks = opened - 1
        if marks and tag.end() == len(held) and len(tag[4]) < marks:
            return None
        self._held = held[end + 1 + marks :] if tag[4][:marks] == tag[1][::-1] else held[end + 1 :]
        return "" if tag[4][:marks] == tag[1][::-1] else tag[1]

    def _take(self, count: int) -> str:
        taken, self._held = self._held[:count], self._held[count:]
        return taken

    def rest(self) -> str:
        """What was held at the end of the stream."""
        held, self._held = self._held, ""
        return _TAG.sub(_without, held) if _TAG.fullmatch(held) else held
