"""What imports and the commands that read cost in processor seconds, beside an older commit, as one JSON.

Each step is run with this tree and with the other one in turn, on homes of their own; the least of the runs
counts, and `ratio` is this tree's by the other's. `starts` of a command that reads: this tree's, by what
`python -c pass` takes in the same minute, which says the same on any machine.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench_beside import ROOT, both_trees, print_measured

RECORDINGS = Path(os.environ.get("PITWALL_RECORDINGS", ROOT.parent / "shared" / "recordings"))
LONG = ("sonoma-m3-vbox.csv", "washington-racecapture.log", "lignano-racebox.vbo")
MULTI_RATE = ("redbullring-aim.xrz",)
AROUND = ("orlando-18hz.nmea", "tianma-racechrono-v3.csv")
READING = (
    ("sessions",), ("laps", "last"), ("coach", "last"),
    ("track", "list"), ("debrief", "last"), ("debrief", "--all-days"), ("ask", "my best lap"),
    ("ask", "where do I lose time"), ("jobs",), ("doctor",),
)  # fmt: skip
TRACKS = (
    ("track", "edit", "sonoma_raceway_sonoma_cup", "--name", "Sonoma Cup"),
    ("track", "build", str(RECORDINGS / "orlando-18hz.nmea"), "--id", "kart"),
)


COMMAND = "import sys; from pitwall.cli import main; sys.exit(main())"


def spent_s(tree: Path, home: Path, words: Sequence[str]) -> float:
    """Processor seconds of one command of this tree with its children; without words, of Python's start."""
    environment = {**os.environ, "PYTHONPATH": str(tree), "PITWALL_HOME": str(home)}
    # Compiled once, as where Pitwall is installed: else most of a short command is the compiler's time.
    environment |= {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(home.parent / "compiled")}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", COMMAND if words else "pass", *words]
    done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        print(f"{' '.join(words)} of {tree}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return float("nan")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compile_all(tree: Path, home: Path) -> None:
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(home.parent / "compiled")}
    words = [sys.executable, "-m", "compileall", "-q", str(tree / "pitwall")]
    subprocess.run(words, env=environment, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--beside", default="ddc89df6", metavar="COMMIT", help="the older commit")
    parser.add_argument("--runs", type=int, default=3, help="how often each command that reads is run")
    parser.add_argument("--quick", action="store_true", help="import one short recording only")
    arguments = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="pitwall-bench-") as folder,
        both_trees(arguments.beside) as trees,
    ):
        homes = {name: Path(folder) / f"home-{name}" for name in trees}
        for home in homes.values():
            home.mkdir()

        def beside(words: Sequence[str], runs: int) -> dict[str, float]:
            least = {name: float("inf") for name in trees}
            for _ in range(runs):
                for name, tree in trees.items():
                    least[name] = min(least[name], spent_s(tree, homes[name], words))
            if float("inf") in least.values():
                return {}  # told on standard error
            told = {f"{name}_cpu_s": round(each, 3) for name, each in least.items()}
            return {**told, "ratio": round(least["now"] / least["before"], 3)}

        for name, tree in trees.items():
            compile_all(tree, homes[name])
        beside(("doctor",), 1)  # compiles what is installed beside us
        steps = [
            ("import", str(RECORDINGS / name))
            for name in (AROUND[:1] if arguments.quick else (*MULTI_RATE, *AROUND, *LONG))
        ]
        found = {}
        for words in (*steps, *READING, *TRACKS):
            named = " ".join(Path(each).name for each in words[:3])
            found[named] = beside(words, arguments.runs if words in READING else 1)
            if words in READING and found[named]:
                start_s = min(spent_s(trees["now"], homes["now"], ()) for _ in range(arguments.runs))
                found[named]["starts"] = round(found[named]["now_cpu_s"] / start_s, 1)
            print(f"{named}: {found[named]}", file=sys.stderr, flush=True)
    print_measured(found, *(f"{named}.now_cpu_s" for named in found))


if __name__ == "__main__":
    main()
