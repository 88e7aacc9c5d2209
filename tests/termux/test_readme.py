"""Every command of termux/README.md is one that exists, with options that exist."""

from __future__ import annotations

import os
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from phone_folder import ROOT

from pitwall.cli import make_parser

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
from adb_phone import COMMANDS as ADB_COMMANDS
from adb_phone import make_parser as make_adb_parser

README = (ROOT / "termux" / "README.md").read_text()
BLOCKS = re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
# Those that stand in a sentence begin as those of the blocks do.
INLINE = re.findall(r"`((?:scripts/|pitwall |sv |sh )[^`]+)`", README)
COMMANDS = sorted({line.strip() for block in BLOCKS for line in block.splitlines()} | set(INLINE))
INSTALL = (ROOT / "termux" / "install.sh").read_text()


def script(words: list[str]) -> None:
    """A script of ours: it is there, and takes the options."""
    path = ROOT / words[0]
    assert os.access(path, os.X_OK), words
    if path.name.startswith("adb-"):
        assert os.readlink(path) == "adb-tool"
        make_adb_parser().parse_args([path.name.removeprefix("adb-"), *words[1:]])
    else:
        assert words[1:] in (["wheels"], ["live"]), words


def typed(words: list[str]) -> None:
    """A command of pitwall, as its parser takes it."""
    make_parser(words[1]).parse_args(words[1:])


def installed(words: list[str]) -> None:
    """install.sh: from the copy on the phone, or from the version that is installed."""
    assert words[1] in (
        "storage/downloads/pitwall/termux/install.sh",
        "$PREFIX/opt/pitwall/current/termux/install.sh",
    )
    assert all(re.search(rf"^    {word}\) ", INSTALL, re.MULTILINE) for word in words[2:]), words


def service(words: list[str]) -> None:
    assert words[1] in ("status", "up", "down", "restart")
    assert (ROOT / "termux" / "service" / words[2] / "run").exists()


def log(words: list[str]) -> None:
    assert words[-1] == "$PREFIX/var/log/sv/pitwall/current"
    assert (
        'folder=$PREFIX/var/log/sv/$(basename "$PWD")'
        in (ROOT / "termux/service/pitwall/log/run").read_text()
    )


KINDS: dict[str, Callable[[list[str]], None]] = {
    "scripts/": script, "pitwall": typed, "sh": installed, "sv": service, "tail": log,
    "termux-setup-storage": lambda words: None if len(words) == 1 else pytest.fail(str(words)),
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme_exists(command: str) -> None:
    words = shlex.split(command)
    kind = "scripts/" if words[0].startswith("scripts/") else words[0]
    KINDS[kind](words)


def test_what_is_named_in_its_sentences_is_there() -> None:
    assert len(COMMANDS) >= 20
    assert {f"scripts/adb-{name}" for name in ADB_COMMANDS} <= {command.split()[0] for command in COMMANDS}
    for name in re.findall(r"`(?:scripts/)?(adb-[a-z]+)", README):
        assert (ROOT / "scripts" / name).exists(), name
    for name in re.findall(r"\*\*(pitwall-[a-z]+)\*\*", README):
        assert (ROOT / "termux" / "widget" / name).exists(), name
    for port in ("8765", "8766", "4713"):
        assert port in (ROOT / "termux" / "phone.py").read_text()
