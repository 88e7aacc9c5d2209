#!/usr/bin/env bash
# PEAK's trace format (.trc) has the time of its beginning in the head, and each frame's milliseconds since then.
# python-can 4.6.1's TRCWriter takes the first frame that comes for the beginning of the offsets, but the first one that
# it can write for the head. It writes no error frames, no remote frames and no CAN FD; where one of these came first,
# every frame is read back later than it was by what lay between the two: an error while the bus wakes up a minute
# before the drive puts all of the drive a minute late. Without that frame the same drive comes back right.
# Guess before the run: a frame that is not written changes nothing of those that are.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" python-can==4.6.1
found=$(cd "$dir" && PYTHONPATH=$dir python3 - 2>/dev/null <<'P'
import can

BEGUN_S = 1_747_501_200.0
drive = [can.Message(timestamp=BEGUN_S + 60.0 + i, arbitration_id=0x100, data=b"\1") for i in range(3)]
for first in ([], [can.Message(timestamp=BEGUN_S, is_error_frame=True)]):
    with can.Logger("drive.trc") as log:
        for message in (*first, *drive):
            log.on_message_received(message)
    print(len(first), *(round(message.timestamp - BEGUN_S, 3) for message in can.LogReader("drive.trc")))
P
)
echo "$found"
[ "$found" = "0 60.0 61.0 62.0
1 120.0 121.0 122.0" ] || { echo "this has changed" >&2; exit 1; }
