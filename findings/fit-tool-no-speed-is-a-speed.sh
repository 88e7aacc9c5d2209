#!/usr/bin/env bash
# FIT writes a field without a value as its type's greatest number: a speed of 0xFFFF mm/s, a position of 0x7FFFFFFF.
# fit-tool 0.9.16 scales these like values: a record from before the first fix is at 65.535 m/s (236 km/h, which a
# car does reach, so no limit of the possible finds it) and at 180 degrees of latitude. The speed stands in
# enhanced_speed too, and such a hole is the top speed of most drives. fitdecode 0.11.0 gives None for all three.
# Guess before the run: None, as the other readers of FIT give it.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" fit-tool==0.9.16 fitdecode==0.11.0
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
import struct

import fitdecode
from fit_tool.fit_file import FitFile
from fit_tool.profile.messages.record_message import RecordMessage

FIELDS = ((253, 4, 0x86), (0, 4, 0x85), (6, 2, 0x84))  # timestamp, position_lat, speed
body = struct.pack("<BBBHB", 0x40, 0, 0, 0, 1) + bytes((0, 1, 0)) + bytes((0, 4))  # file_id: an activity
body += struct.pack("<BBBHB", 0x41, 0, 0, 20, 3) + b"".join(map(bytes, FIELDS))
body += struct.pack("<BIiH", 1, 1_148_934_400, 2**29, 30_000)
body += struct.pack("<BIiH", 1, 1_148_934_401, 2**31 - 1, 0xFFFF)
head = struct.pack("<BBHI4s", 14, 0x20, 2195, len(body), b".FIT")
head += struct.pack("<H", fitdecode.utils.compute_crc(head))
with open("drive.fit", "wb") as file:
    file.write(head + body + struct.pack("<H", fitdecode.utils.compute_crc(head + body)))
for record in FitFile.from_file("drive.fit").records:
    if isinstance(record.message, RecordMessage):
        print("fit-tool", record.message.speed, record.message.enhanced_speed, round(record.message.position_lat, 5))
with fitdecode.FitReader("drive.fit") as frames:
    for frame in frames:
        if isinstance(frame, fitdecode.FitDataMessage) and frame.name == "record":
            print("fitdecode", *(frame.get_value(name) for name in ("speed", "enhanced_speed", "position_lat")))
P
)
echo "$found"
[ "$found" = "fit-tool 30.0 30.0 45.0
fit-tool 65.535 65.535 180.0
fitdecode 30.0 30.0 536870912
fitdecode None None None" ] || { echo "this has changed" >&2; exit 1; }
