"""The text files of `words/`: what is read, answers, the words of questions.

(`en_read.txt`, `en_asked.txt`, `en_ask.txt`.) Another language would be a second set next to
`en.py`.

    # a comment
    [phase]                              begins a table
    exit: on the way out | apex          entries; a key that stands alone is its own text
    ask at: " in {place}"                in quotes where a space begins or ends the text

A line goes on in the lines below it that are indented.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

Tables = dict[str, dict[str, str]]


@cache
def tables(kind: str) -> Tables:
    """Return the tables of one file by name. OSError, ValueError: a key stands twice."""
    text = (Path(__file__).parent / f"en_{kind}.txt").read_text("utf-8")
    found: Tables = {}
    table: dict[str, str] = {}
    for line in re.sub(r"\n +", " ", text).splitlines():
        if line[:1] == "[":
            table = found.setdefault(line[1:-1], {})
        elif line and line[0] != "#":
            for entry in line.split(" | "):
                key, colon, value = entry.partition(":")
                value, key = value.strip() if colon else key, key.strip('"')
                if key in table:
                    raise ValueError(f"en_{kind}.txt: {key!r} stands twice in one table: {entry}")
                table[key] = value[1:-1] if value[:1] == value[-1:] == '"' else value
    return found
