"""`pitwall config show`: the settings in force, and what is wrong with them."""

from __future__ import annotations

import argparse
import re
from typing import Any

from pitwall.commands.common import add_json, note, print_answer
from pitwall.commands.settings_file import add_config, checked_settings, named_settings
from pitwall.config import Home
from pitwall.settings import Loaded, shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    what = "every setting in force, where it was set, and what is wrong"
    parser.add_argument("action", choices=("show",), help=what)
    add_config(parser)
    add_json(parser)


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Return exit code 0 if the settings are right and no source lacks something, else 2."""
    loaded, path, absent = checked_settings(arguments.config, home)
    table, wrong = shown(loaded), (*loaded.wrong, *absent)
    file = str(path or "the defaults")
    answer = {"file": file, "settings": table, "origins": loaded.origins, "wrong": wrong}
    lines = [f"# {named_settings(path, home)}", *_lines(table, loaded, "")]
    print_answer(answer, lines, as_json=arguments.json)
    for line in wrong:
        note(line)
    return 2 if wrong else 0


def _lines(table: dict[str, Any], loaded: Loaded, above: str) -> list[str]:
    """The settings as TOML, each with the place where it was set."""
    lines, below = [], []
    for name, value in table.items():
        key = f"{above}.{name}" if above else name
        if isinstance(value, dict) and name == "options":
            below += _lines(value, loaded, above)
        elif isinstance(value, dict):
            inner = _lines(value, loaded, key)
            header = [] if key == "sources" else ["", f"[{key}]"]
            below += header + inner
        else:
            setting = f"{name} = {_toml(value)}" if value is not None else f"# {name} is not set"
            # The file's path stands in the first line.
            origin = re.sub(r"^.*:(\d+)$", r"line \1", loaded.origins.get(key, "default"))
            lines.append(f"{setting:<44} # {origin}")
    return lines + below


def _toml(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        case list() | tuple():
            return "[" + ", ".join(_toml(each) for each in value) + "]"
    return str(value)
