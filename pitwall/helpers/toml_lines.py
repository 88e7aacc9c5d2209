"""The line of a key in a TOML file, for error messages."""

from __future__ import annotations

import re


def key_lines(text: str) -> dict[str, int]:
    """Return the line (from 1) of every table and key of a TOML text, by dotted name."""
    lines: dict[str, int] = {}
    table = ""
    inside = ""
    for number, line in enumerate(text.splitlines(), 1):
        if inside:
            inside = "" if inside in line else inside
            continue
        bare = line.strip()
        if header := re.match(r"\[\[?\s*([^\]]+?)\s*\]\]?\s*(#.*)?$", bare):
            table = _dotted(header[1])
            lines.setdefault(table, number)
        elif found := re.match(r"""((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'|\s*\.\s*)+?)\s*=(.*)""", bare):
            lines.setdefault(".".join(part for part in (table, _dotted(found[1])) if part), number)
            inside = next((mark for mark in ('"""', "'''") if found[2].count(mark) == 1), "")
    return lines


def _dotted(name: str) -> str:
    return ".".join(part.strip().strip("\"'") for part in name.split("."))
