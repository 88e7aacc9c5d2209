#!/usr/bin/env bash
# What a watch or head unit has no field for (brake pressure, oil temperature) stands in a FIT file as a developer's
# field, described by the file itself: name, type, unit, scale and offset. Ports of Garmin's SDK for C# apply that
# scale. None of three readers for Python does, Garmin's own among them: with a scale of 10 and the unit bar, 45.5 bar is
# handed out as 455 with "bar" beside it (fitparse 1.2.0, fitdecode 0.11.0), or as a bare 455 (garmin-fit-sdk 21.218.0).
# All scale the same file's speed. Without a value (0xFFFF) garmin-fit-sdk leaves a speed out, but tells 65535 here.
# Guess before the run: 45.5 from all, since each hands out the unit that belongs to the scaled value; None for no value.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" \
  fitparse==1.2.0 fitdecode==0.11.0 garmin-fit-sdk==21.218.0
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
import struct

import fitdecode
import fitparse
import garmin_fit_sdk
from fitparse.records import Crc


def definition(local, number, fields, developer=()):
    flag, count = (0x20, bytes([len(developer)])) if developer else (0, b"")
    head = bytes([0x40 | flag | local, 0, 0]) + struct.pack("<HB", number, len(fields))
    return head + b"".join(map(bytes, fields)) + count + b"".join(map(bytes, developer))


T = 1083319200
body = definition(0, 0, [(0, 1, 0), (1, 2, 0x84), (4, 4, 0x86)]) + struct.pack("<BBHI", 0, 4, 1, T)
# developer_data_id: application, index 0; field_description: uint16 "brake", "bar", scale 10, offset 0.
body += definition(1, 207, [(1, 16, 0x0D), (3, 1, 2)]) + bytes([1]) + bytes(16) + bytes([0])
body += definition(2, 206, [(0, 1, 2), (1, 1, 2), (2, 1, 2), (3, 6, 7), (8, 4, 7), (6, 1, 2), (7, 1, 1)])
body += bytes([2, 0, 0, 0x84]) + b"brake\0bar\0" + struct.pack("<Bb", 10, 0)
body += definition(3, 20, [(253, 4, 0x86), (6, 2, 0x84)], [(0, 2, 0)])
body += struct.pack("<BIHH", 3, T, 40000, 455) + struct.pack("<BIHH", 3, T + 1, 0xFFFF, 0xFFFF)
head = struct.pack("<BBHI4s", 14, 0x20, 2132, len(body), b".FIT")
head += struct.pack("<H", Crc.calculate(head))
with open("drive.fit", "wb") as file:
    file.write(head + body + struct.pack("<H", Crc.calculate(head + body)))

for record in fitparse.FitFile("drive.fit").get_messages("record"):
    print("fitparse", record.get_value("speed"), record.get_value("brake"), record.get("brake").units)
with fitdecode.FitReader("drive.fit") as frames:
    for frame in frames:
        if isinstance(frame, fitdecode.FitDataMessage) and frame.name == "record":
            print("fitdecode", frame.get_value("speed"), frame.get_value("brake"), frame.get_field("brake").units)
messages, errors = garmin_fit_sdk.Decoder(garmin_fit_sdk.Stream.from_file("drive.fit")).read()
described = messages["field_description_mesgs"][0]
print("garmin", errors, described["field_name"], described["scale"], described["units"])
for record in messages["record_mesgs"]:
    print("garmin", record.get("speed"), record["developer_fields"])
P
)
echo "$found"
[ "$found" = "fitparse 40.0 455 bar
fitparse None None bar
fitdecode 40.0 455 bar
fitdecode None None bar
garmin [] brake 10 bar
garmin 40.0 {0: 455}
garmin None {0: 65535}" ] || { echo "this has changed" >&2; exit 1; }
