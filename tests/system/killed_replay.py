"""A real-time replay that tells through standard output how far it has driven, until somebody kills it."""

from __future__ import annotations

import os
import struct
import sys
import threading
import time
from pathlib import Path

from pitwall.config import Home
from pitwall.drive.rebuild import rebuilder
from pitwall.drive.replay import Replay, ReplayOptions
from pitwall.store.store import Store, recover

TELL_EVERY_S = 0.002


def main() -> None:
    """FILE HOME: drive FILE at its own speed."""
    home = Home(Path(sys.argv[2]))
    with Store(home) as store:
        store.open()
        recover(store, rebuilder(home, store))
        replay = Replay(Path(sys.argv[1]), home, store, ReplayOptions(speed=1.0))
        ended = threading.Event()

        def tell() -> None:
            while not ended.wait(TELL_EVERY_S):
                os.write(1, struct.pack("<dd", time.monotonic(), replay.drive.state.t))

        teller = threading.Thread(target=tell)
        teller.start()
        try:
            replay.run()
        finally:
            ended.set()
            teller.join()


main()
