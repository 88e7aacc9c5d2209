"""What a driver's word is about, many words to one sense: the classifier knows words it never met.

The words stand in senses.txt beside this file: `[sense]`, then patterns of phrase_match.py, commas between.
A word may have several senses; the classifier weighs them.
"""

from __future__ import annotations

from pathlib import Path

FILE = Path(__file__).with_name("senses.txt")


def _read() -> tuple[tuple[str, str], ...]:
    """(sense, patterns) in the file's order."""
    senses: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in FILE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = senses.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            lines.append(line)
    return tuple((sense, " ".join(lines)) for sense, lines in senses.items())


SENSES = _read()
