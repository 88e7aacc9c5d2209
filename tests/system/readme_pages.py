"""The commands of the README and of the pages for drivers, run in their order as a person would type them.

`scripts/readme` says what does not hold; with `--renew` it writes the outputs that the pages show anew.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pitwall.config import Home

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "scripts" / "data" / "sonoma-simulated.vbo"
USER_PAGES = ("commands", "coach", "api", "paddock", "fleet")
PAGES = ("README.md", *(f"pitwall/{room}/README.md" for room in USER_PAGES), "termux/README.md")
WIDTH = 118
# What is not run here, by the first words of its line, and why.
NOT_RUN = {
    "git clone": "a network",
    "scripts/demo": "runs at real speed; --fast is run in its place",
    "scripts/test": "it is what runs this",
    "scripts/wheelhouse": "a network",
    "scripts/adb-": "a phone; tests/termux has a stand-in",
    "termux-setup-storage": "a phone",
    "sh ": "a phone; tests/termux installs it",
    "sv ": "a phone's services",
    "tail ": "a phone's log",
    "pitwall doctor --phone": "a phone",
    "pitwall overlay": "a film of that very drive; tests/api has one",
    "pitwall audio calibrate": "a sound device; tests/voice has one",
    "pitwall audio test": "a sound device; tests/voice has one",
    "pitwall coach --mode": "a running daemon; tests/service has one",
    "pitwall run --reference": "a lake of several drivers; tests/fleet has one, and what follows too",
    "pitwall fleet leaderboard": "several drivers",
    "pitwall fleet corner": "several drivers",
    "pitwall fleet driver ": "several drivers",
    "pitwall fleet advice": "several drivers",
    "pitwall fleet reference": "several drivers",
    "pitwall fleet forget": "several drivers",
}
# A phone or a sound device lacks here: the doctor says so, and ends with 1.
MAY_END_WITH = {"pitwall doctor": (0, 1)}
FIGURE = re.compile(r"-?\d+(\.\d+)?")


class Block(NamedTuple):
    """A block of code of a page: its kind, and its text between the fences, which begins at `start`."""

    kind: str
    text: str
    start: int


class Shell:
    """Runs lines in a folder with recordings, on a home of its own."""

    def __init__(self, folder: Path, clips: Path | None) -> None:
        self.folder, self.home = folder, folder / "home"
        (folder / "stick").mkdir(parents=True)
        (folder / "backup").mkdir()
        (folder / ".venv").symlink_to(Path(sys.prefix))
        shutil.copy(DEMO, folder / "my-day.vbo")
        (folder / "demo.toml").write_text("[coach]\nforecast = false\n")
        self._on_day(folder / "my-day.vbo", folder / "stick" / "earlier.vbo", b"12/04/2025")
        if clips is not None:
            shutil.copytree(clips, Home(self.home).clips)
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PITWALL_")},
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "PITWALL_HOME": str(self.home),
            "PITWALL_API_PORT": "0",  # other tests run daemons beside it
            "XDG_CONFIG_HOME": str(folder / "config"),
            "COLUMNS": str(WIDTH),
        }

    def begin(self, page: str) -> None:
        """Make what a page other than the README takes for granted: that the README was followed."""
        self.line("pitwall import my-day.vbo stick/")
        if page == "pitwall/commands/README.md":
            self.line("pitwall share last --lap 5 --out friend.pitlap")
            self.line("pitwall simulate sonoma --laps 1 --out morning.vbo")
            for part in (1, 2):
                drive, day = self.folder / f"morning-{part}.vbo", f"2025040{part}"
                self._on_day(self.folder / "morning.vbo", drive, f"0{part}/04/2025".encode())
                self.line(f"pitwall import {drive.name} && pitwall sessions rename {day} {drive.stem}")
                self.line(f"pitwall sessions date {drive.stem} 2025-04-01 0{part}:00")
        if page == "pitwall/fleet/README.md":
            (self.home / "pitwall.toml").write_text(f'[fleet]\nlake = "{self.folder / "lake"}"\n')

    def _on_day(self, recording: Path, copy: Path, day: bytes) -> None:
        """The same drive on another day."""
        copy.write_bytes(recording.read_bytes().replace(b"17/05/2025", day))

    def line(self, line: str) -> str:
        """Run a line; returns what it printed, the notes of the answer too. AssertionError where it fails."""
        if line.startswith(("pitwall run", "pitwall show")) and "show last" not in line:
            return self._until_ready(line)
        # The demo installs no extra: no network times its calls, as one does where the tests run.
        line = line.replace("scripts/demo --fast", f"pitwall replay {DEMO} --speed max --config demo.toml")
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", line],
            cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        codes = next((each for words, each in MAY_END_WITH.items() if line.startswith(words)), (0, 141))
        assert done.returncode in codes, f"{line}: exit {done.returncode}\n{done.stderr}"
        assert "Traceback" not in done.stderr, f"{line}\n{done.stderr}"
        notes = [each.removeprefix("pitwall: ") for each in done.stderr.splitlines() if "pitwall: (" in each]
        return "\n".join([done.stdout.rstrip("\n"), *notes]) + "\n"

    def _until_ready(self, line: str) -> str:
        """Run the daemon until it is ready, then end it as Ctrl-C does."""
        words = shlex.split(line)
        with subprocess.Popen(
            words,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            ready = process.stdout.readline()
            process.send_signal(signal.SIGINT)
            rest, told = process.communicate()
        assert "ready" in ready, told
        assert process.returncode == 0, told
        return ready + rest


def blocks(text: str) -> list[Block]:
    """The blocks of code of a page, in order."""
    return [
        Block(found[1], found[2], found.start(2))
        for found in re.finditer(r"^```(\w*)\n(.*?)^```", text, re.M | re.S)
    ]


def is_run(line: str) -> bool:
    return not line.startswith(tuple(NOT_RUN)) or line.startswith("scripts/demo --fast")


def commands(block: Block) -> list[str]:
    """The lines of a block that are typed, without what is said of them; the servers that one sets up."""
    if block.kind == "json":
        servers = json.loads(block.text).get("mcpServers", {}).values()
        return [shlex.join([each["command"], *each["args"]]) for each in servers]
    lines = [
        line.removeprefix("$ ")
        for line in block.text.splitlines()
        if block.kind == "sh" or line.startswith("$ ")
    ]
    return [bare for line in lines if (bare := re.sub(r"\s+#.*$", "", line).strip())]


def shown(line: str, output: str) -> str:
    """A command with its output as a page shows them: no line is too wide."""
    wrapped = [
        textwrap.fill(each, WIDTH, break_on_hyphens=False) if len(each) > WIDTH else each
        for each in output.splitlines()
    ]
    return "\n".join([f"$ {line}", *(each.rstrip() for each in wrapped)]) + "\n"


def alike(page: str, real: str) -> bool:
    """Whether a page shows what came. Figures may differ by a tenth: a voice of another version speaks a
    little longer or shorter."""
    one, other = page.split(), real.split()
    return len(one) == len(other) and all(
        a == b
        or (
            FIGURE.fullmatch(a)
            and FIGURE.fullmatch(b)
            and abs(float(a) - float(b)) <= max(0.5, 0.1 * abs(float(a)))
        )
        for a, b in zip(one, other, strict=True)
    )


def followed(page: str, folder: Path, clips: Path | None) -> Iterator[tuple[Block, str]]:
    """Run all of a page. Yields each block with an output, and what should stand there. AssertionError for a
    command that fails."""
    shell = Shell(folder, clips)
    if page != "README.md":
        shell.begin(page)
    for block in blocks((ROOT / page).read_text(encoding="utf-8")):
        if block.kind not in ("sh", "json", "") or (block.kind == "" and not block.text.startswith("$ ")):
            continue
        outputs = [shown(line, shell.line(line)) for line in commands(block) if is_run(line)]
        if block.kind == "":
            yield block, "\n".join(outputs)


def main() -> int:
    renew, wrong = "--renew" in sys.argv, 0
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = list(followed(page, Path(folder) / "work", None))
            except AssertionError as error:
                print(f"{page}: {error}")
                wrong += 1
                continue
        for block, real in reversed(found):
            if not alike(block.text, real):
                wrong += not renew
                print(f"{page}: {'renewed' if renew else 'now this comes'}:\n{real}")
                text = text[: block.start] + real + text[block.start + len(block.text) :]
        if renew:
            (ROOT / page).write_text(text, encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
