"""The text files of a language: what is read (`<code>_read.txt`), answers (`_asked`), the words of questions
(`_ask`), and what other rooms store in English (`_stored`).

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

from pitwall.words.forms import Code

Tables = dict[str, dict[str, str]]
_TITLE = re.compile(r"^(Turn|Sector)(?= \d)", re.IGNORECASE)


@cache
def tables(code: Code, kind: str) -> Tables:
    """The tables of a language's file by name. OSError where the file is missing."""
    text = (Path(__file__).parent / f"{code}_{kind}.txt").read_text("utf-8")
    found: Tables = {}
    table: dict[str, str] = {}
    for line in re.sub(r"\n +", " ", text).splitlines():
        if line[:1] == "[":
            table = found.setdefault(line[1:-1], {})
        elif line and line[0] != "#":
            for entry in line.split(" | "):
                key, colon, value = entry.partition(":")
                value = value.strip() if colon else key
                table[key.strip('"')] = value[1:-1] if value[:1] == value[-1:] == '"' else value
    return found


class ReadTexts:
    """Texts of a language that are read: sentences, tables of terms, and the form of its figures."""

    def __init__(self, code: Code) -> None:
        read, answers = tables(code, "read"), tables(code, "asked")
        self.sentences = read["sentences"] | answers["sentences"]
        self.terms = {name: table for name, table in (*read.items(), *answers.items()) if name != "sentences"}
        self.forms = self.terms.pop("forms")

    def corner_title(self, name: str) -> str:
        """A corner's or sector's name as it is read: "Turn 7" is "Kurve 7", other names stay what they
        are."""
        return _TITLE.sub(lambda found: self.forms.get(found[1].title(), found[1]), name)
