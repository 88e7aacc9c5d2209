"""`killed_import.py HOME FILE`: an import that tells when it is half-way and then waits to be killed."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from pitwall.config import Home
from pitwall.drive.replay import import_file
from pitwall.store.store import Store


def main() -> None:
    home = Home(Path(sys.argv[1]))

    def progress(count: int) -> None:
        # The writers are a tenth of a second behind; what is there at the kill is a part of the file.
        time.sleep(0.3)
        print("half", flush=True)
        time.sleep(60.0)

    with Store(home) as store:
        store.open()
        import_file(Path(sys.argv[2]), home, store, progress=progress)


main()
