"""`killed_merges.py HOME FOLDER SESSION...`: a merge in copies of a home, each killed a step later.

A step is a change of a file in the home, or a commit of the database. The last copy's merge comes to its end.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path

from pitwall.api.changes import apply
from pitwall.config import Home
from pitwall.contract.changes import Merge
from pitwall.store.store import Store

MOST_STEPS = 100
_NAMES = {"os.rename": 1, "os.remove": 0}


class Steps:
    """Counts the steps, and kills this process before the step `last`."""

    def __init__(self, home: Home, last: int) -> None:
        self.counting = False
        self._folders, self._left = (str(home.journals), str(home.trash)), last
        sys.addaudithook(self._hear)

    def step(self) -> None:
        """One step is about to be done."""
        if self.counting:
            if not self._left:
                os.kill(os.getpid(), signal.SIGKILL)
            self._left -= 1

    def _hear(self, event: str, values: tuple[object, ...]) -> None:
        writes = event == "open" and values[1] not in ("r", "rb", None)
        if (writes or event in _NAMES) and str(values[_NAMES.get(event, 0)]).startswith(self._folders):
            self.step()


class SteppedStore(Store):
    """A store that tells of its commits."""

    def __init__(self, home: Home, steps: Steps) -> None:
        super().__init__(home)
        self._steps = steps

    def flush(self) -> bool:
        self._steps.step()
        return super().flush()


def merge(home: Home, sessions: tuple[str, ...], last: int) -> None:
    """Join these sessions until the step `last`."""
    steps = Steps(home, last)
    with SteppedStore(home, steps) as store:
        store.open()
        steps.counting = True
        apply(store, Merge(sessions=sessions))
        steps.counting = False


def main() -> None:
    """Each merge has a process of its own, which knows all modules already."""
    home, folder, sessions = Path(sys.argv[1]), Path(sys.argv[2]), tuple(sys.argv[3:])
    for last in range(MOST_STEPS):
        copy = folder / f"{last:03d}"
        shutil.copytree(home, copy)
        child = os.fork()
        if not child:
            merge(Home(copy), sessions, last)
            os._exit(0)
        if os.waitpid(child, 0)[1] != signal.SIGKILL:
            return


main()
