"""`pitwall config show|check`: the settings in force, and whether they are right."""

from __future__ import annotations

import argparse
import re
from typing import Any

from pitwall.commands.common import add_json, note, print_answer
from pitwall.commands.settings_file import add_config, checked_settings, named_settings
from pitwall.config import Home
from pitwall.contract.problems import UserError
from pitwall.settings import Loaded, shown


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    parser.add_argument(
        "action",
        choices=("show", "check"),
        help="show: every setting in force and where it was set; check: only say whether they are right",
    )
    add_config(parser)
    add_json(parser)


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Return exit code 0 if the settings are right, else 2; with `check` also where a source
    lacks something."""
    loaded, path, absent = checked_settings(arguments.config, home)
    file = str(path or "the defaults")
    if arguments.action == "check":
        if loaded.wrong or absent:
            raise UserError("\n".join([*loaded.wrong, *absent]))
        count = len(loaded.settings.sources)
        sources = f"{count} source{'' if count == 1 else 's'}"
        right = f"the settings are right, {sources}: {named_settings(path, home)}"
        print_answer({"ok": True, "file": file, "sources": count}, [right], as_json=arguments.json)
    else:
        table = shown(loaded)
        answer = {"file": file, "settings": table, "origins": loaded.origins, "wrong": loaded.wrong}
        lines = [f"# {named_settings(path, home)}", *_lines(table, loaded, "")]
        print_answer(answer, lines, as_json=arguments.json)
        for line in loaded.wrong:
            note(line)
    return 2 if loaded.wrong else 0


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
