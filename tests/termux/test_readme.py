"""Every command of termux/README.md is one that exists, with options that exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Callable

import pytest
from phone_folder import ROOT

from pitwall.cli import make_parser

README = (ROOT / "termux" / "README.md").read_text()
COMMANDS = [
    line.strip()
    for block in re.findall(r"^```sh\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]
INSTALL = (ROOT / "termux" / "install.sh").read_text()


def script(words: list[str]) -> None:
    """A script of ours: it is there, and knows the options."""
    path = ROOT / words[0]
    assert path.exists(), words
    if path.name == "wheelhouse":
        assert len(words) == 2
        return
    name = path.name.removeprefix("adb-")
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "adb_phone.py"), name, "--help"],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    for word in words[1:]:
        assert not word.startswith("-") or f"{word} " in done.stdout, word


def typed(words: list[str]) -> None:
    """A command of pitwall, as its parser takes it."""
    make_parser(words[1]).parse_args(words[1:])


def installed(words: list[str]) -> None:
    assert words[1] == "termux/install.sh"
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
    "pkg": lambda words: None if words[1:] == ["install", "git"] else pytest.fail(str(words)),
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_readme_exists(command: str) -> None:
    words = shlex.split(command)
    kind = "scripts/" if words[0].startswith("scripts/") else words[0]
    KINDS[kind](words)


def test_what_is_named_in_its_sentences_is_there() -> None:
    assert len(COMMANDS) >= 20
    for name in re.findall(r"`(?:scripts/)?(adb-[a-z]+)", README):
        assert (ROOT / "scripts" / name).exists(), name
    for name in re.findall(r"\*\*(pitwall-[a-z]+)\*\*", README):
        assert (ROOT / "termux" / "widget" / name).exists(), name
    for port in ("8765", "8766", "4713"):
        assert port in (ROOT / "termux" / "phone.py").read_text()
