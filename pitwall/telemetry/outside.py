"""Cleans text from outside: names in recordings and track files, labels of channels.

It later stands in prompts, tables and terminals, where line breaks, colours or direction marks
would do harm.
"""

from __future__ import annotations

import unicodedata

import msgspec

# A circuit's full name with its layout has 60.
MOST_CHARS = 80
# 1970 to 2100: other seconds are no day of a drive.
DAYS_UTC_S = (0.0, 4_102_444_800.0)


def one_line(text: str) -> str:
    """Return the text as a name: one line of at most MOST_CHARS that can be printed."""
    if len(text) <= MOST_CHARS and text.isascii() and text.isprintable():
        return text
    # Unicode categories that begin with C print nothing.
    shown = "".join(" " if each.isspace() else each for each in text if each.isspace() or _prints(each))
    line = " ".join(shown.split())
    return line if len(line) <= MOST_CHARS else line[: MOST_CHARS - 1].rstrip() + "…"


def clean_fields(struct: msgspec.Struct, *names: str) -> None:
    """Clean these fields, texts or tuples of texts, in `__post_init__`."""
    for name in names:
        value = getattr(struct, name)
        clean = one_line(value) if isinstance(value, str) else tuple(map(one_line, value))
        if clean != value:
            msgspec.structs.force_setattr(struct, name, clean)


def day_or_none(utc_s: float | None) -> float | None:
    """Return unix seconds from outside; None if they are of no day."""
    return utc_s if utc_s is not None and DAYS_UTC_S[0] <= utc_s <= DAYS_UTC_S[1] else None


def _prints(letter: str) -> bool:
    return not unicodedata.category(letter).startswith("C")
