"""A benchmark of this tree beside that of an older commit, in turn on one machine, as one JSON.

bench_beside.py COMMIT RUNS SCRIPT [ARGUMENT...]: each tree runs its own SCRIPT. Of each figure stand the best
of this tree's runs, of the other's, and the one by the other: the least, of a rate the greatest.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RATES = ("_per_s", "to_decode", "to_append")


@contextmanager
def both_trees(commit: str) -> Iterator[dict[str, Path]]:
    """This tree, and a copy of that commit's."""
    with TemporaryDirectory(prefix="pitwall-bench-") as folder:
        trees = {"now": ROOT, "before": Path(folder) / "tree"}
        trees["before"].mkdir()
        packed = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", str(trees["before"])], input=packed.stdout, check=True)
        yield trees


def figures(told: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """Each number of a JSON by its way there."""
    if isinstance(told, dict):
        for key, each in told.items():
            yield from figures(each, f"{name}.{key}" if name else key)
    elif isinstance(told, int | float):
        yield name, float(told)


def print_measured(told: Any, *needed: str) -> None:
    """Print a JSON. Exit code 1 where one of these figures, or any that is no number, measured nothing."""
    print(json.dumps(told, indent=1))
    known = dict(figures(told))
    empty = [name for name in needed if not known.get(name)]
    empty += [name for name, value in known.items() if value != value]
    if empty:
        sys.exit(f"nothing was measured: {', '.join(empty)}")


def main() -> None:
    """Print one JSON."""
    if len(sys.argv) < 4 or "--help" in sys.argv[:2]:
        sys.exit(__doc__)
    commit, runs, script, *arguments = sys.argv[1:]
    best: dict[str, dict[str, float]] = {}
    with both_trees(commit) as trees:
        for _ in range(int(runs)):
            for name, tree in trees.items():
                told = subprocess.run(
                    [sys.executable, f"scripts/{script}", *arguments],
                    cwd=tree, env={**os.environ, "PYTHONPATH": str(tree)}, check=True, stdout=subprocess.PIPE,
                ).stdout  # fmt: skip
                print(f"{name}: {told.decode()}", file=sys.stderr, flush=True)
                for figure, value in figures(json.loads(told)):
                    found = best.setdefault(figure, {})
                    better = max if figure.endswith(RATES) else min
                    found[name] = better(found.get(name, value), value)
    for found in best.values():
        if found.get("before"):
            found["ratio"] = round(found.get("now", 0.0) / found["before"], 3)
    print(json.dumps(best, indent=1))


if __name__ == "__main__":
    main()
