"""`pitwall run` with a CAN bus inside its process: `child.py CLOCK FRAMES`; a line "go" begins the sending.

CLOCK is the file of a shared clock. FRAMES is msgpack, [[t, id, data], ...]. The line on stdin is
`go SECOND`, which is when second 0 of the frames is, by that clock.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from pathlib import Path

import fast_clock

REAL_SLEEP = time.sleep
# A stamp of 0 means none in python-can.
STAMP_0 = 1000.0
# Real seconds.
ENDS_WITHIN_S = 50.0


def send(frames_path: Path, clock: fast_clock.SharedClock) -> None:
    """Play the frames onto the bus when their time has come, stamped by the sender."""
    import can
    import msgspec

    frames = msgspec.msgpack.decode(frames_path.read_bytes(), type=list[tuple[float, int, bytes]])
    begin = float(sys.stdin.readline().split()[1])
    with can.Bus(interface="virtual", channel="race", preserve_timestamps=True) as bus:
        for t, key, data in frames:
            clock.wait("bus", begin + t)
            bus.send(can.Message(STAMP_0 + t, key, is_extended_id=False, data=data))
            while any(queue.qsize() for queue in bus.channel if queue is not bus.queue):
                REAL_SLEEP(0)
        clock.hold("bus", math.inf)


def main() -> int:
    clock = fast_clock.SharedClock(Path(sys.argv[1]))
    fast_clock.install(clock)
    threading.Thread(target=send, args=(Path(sys.argv[2]), clock), name="bus sender", daemon=True).start()
    import pitwall.commands.run as run
    from pitwall.cli import main as pitwall
    from pitwall.daemon.sessions import life

    # By this clock a hiccup of the machine is FASTEST times as long: no data are late for it.
    life.BEHIND_S = math.inf

    # Sleeps are short here, so this is FASTEST times as long as a loaded machine may take to end in order.
    run.EXIT_WITHIN_S = ENDS_WITHIN_S * fast_clock.FASTEST
    try:
        return pitwall(["-v", "run"])
    finally:
        clock.hold("loop", math.inf)


if __name__ == "__main__":
    sys.exit(main())
