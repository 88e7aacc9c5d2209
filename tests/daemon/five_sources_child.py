"""`pitwall run` with a CAN bus inside its process: `child.py SPEED FRAMES`; a line "go" begins the sending.

FRAMES is msgpack, [[t, id, data], ...]. The line on stdin is `go SECOND`: when second 0 of the frames is,
by the real monotonic clock, which all processes share.
"""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

REAL_MONOTONIC, REAL_SLEEP = time.monotonic, time.sleep
# A stamp of 0 means none in python-can.
STAMP_0 = 1000.0


def send(frames_path: Path, speed: float) -> None:
    """Play the frames onto the bus when their time has come, stamped by the sender."""
    import can
    import msgspec

    frames = msgspec.msgpack.decode(frames_path.read_bytes(), type=list[tuple[float, int, bytes]])
    begin_s = float(sys.stdin.readline().split()[1])
    with can.Bus(interface="virtual", channel="race", preserve_timestamps=True) as bus:
        for t, key, data in frames:
            ahead_s = begin_s + t / speed - REAL_MONOTONIC()
            if ahead_s > 0:
                REAL_SLEEP(ahead_s)
            bus.send(can.Message(STAMP_0 + t, key, is_extended_id=False, data=data))


def main() -> int:
    speed = float(sys.argv[1])
    import fast_clock

    fast_clock.install(speed)
    threading.Thread(target=send, args=(Path(sys.argv[2]), speed), name="bus sender", daemon=True).start()
    from pitwall.cli import main as pitwall

    return pitwall(["-v", "run"])


if __name__ == "__main__":
    sys.exit(main())
