"""Cleans text from outside: headers of recordings, names in track files, labels of channels.

It is cleaned once, where it enters: in the structs that it becomes a field of. Later it stands in prompts,
tables and terminals, where a line of its own, a colour or a turn of direction would make it more than a name.
"""

from __future__ import annotations

import unicodedata

import msgspec

# A circuit's full name with its layout has 60; two thousand are no name.
MOST_CHARS = 80
# 1970 to 2100: other seconds are no day of a drive, and no system tells a date by them.
DAYS_UTC_S = (0.0, 4_102_444_800.0)


def one_line(text: str) -> str:
    """The text as a name: one line without control and direction marks, at most so many characters."""
    if len(text) <= MOST_CHARS and text.isascii() and text.isprintable():
        return text
    # The categories of Unicode that begin with C print nothing: controls, formats, private and unused ones.
    shown = "".join(" " if each.isspace() else each for each in text if each.isspace() or _prints(each))
    line = " ".join(shown.split())
    return line if len(line) <= MOST_CHARS else line[: MOST_CHARS - 1].rstrip() + "…"


def clean_fields(struct: msgspec.Struct, *names: str) -> None:
    """For `__post_init__`: these fields, each a text or a tuple of texts, hold names that others wrote."""
    for name in names:
        value = getattr(struct, name)
        clean = one_line(value) if isinstance(value, str) else tuple(map(one_line, value))
        if clean != value:
            msgspec.structs.force_setattr(struct, name, clean)


def day_or_none(utc_s: float | None) -> float | None:
    """Unix seconds that somebody else wrote; None where they are of no day."""
    return utc_s if utc_s is not None and DAYS_UTC_S[0] <= utc_s <= DAYS_UTC_S[1] else None


def _prints(letter: str) -> bool:
    return not unicodedata.category(letter).startswith("C")
