#!/usr/bin/env bash
# A head unit counts seconds since it was switched on until a satellite tells it the time, and FIT's profile says which
# is which: a date_time below 0x10000000 is such a count. Garmin's own garmin-fit-sdk 21.218.0 makes a date of it all
# the same, and so does fit-tool 0.9.16: the first seconds of a drive lie in 1989, with a time zone, and the drive is
# 36 years long. fitdecode 0.11.0 and fitparse 1.2.0 hand out the bare count, in the same field as the dates after it.
# Guess before the run: no date from any of them, from Garmin's least of all.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" \
  fitparse==1.2.0 fitdecode==0.11.0 garmin-fit-sdk==21.218.0 fit-tool==0.9.16
found=$(cd "$dir" && PYTHONPATH=$dir python3 -W ignore - <<'P'
import struct
from datetime import datetime, timezone

import fitdecode
import fitparse
from fit_tool.fit_file import FitFile
from fit_tool.profile.messages.record_message import RecordMessage
from fitparse.records import Crc
from garmin_fit_sdk import Decoder, Stream


def definition(local, number, fields):
    head = bytes([0x40 | local, 0, 0]) + struct.pack("<HB", number, len(fields))
    return head + b"".join(map(bytes, fields))


T = 1146564000  # 2026-05-01 10:00 UTC
body = definition(0, 0, [(0, 1, 0), (1, 2, 0x84), (4, 4, 0x86)]) + struct.pack("<BBHI", 0, 4, 1, 41)
body += definition(1, 20, [(253, 4, 0x86), (6, 2, 0x84)])
for at in (41, 42, T, T + 1):
    body += struct.pack("<BIH", 1, at, 30000)
head = struct.pack("<BBHI4s", 14, 0x20, 2132, len(body), b".FIT")
head += struct.pack("<H", Crc.calculate(head))
with open("drive.fit", "wb") as file:
    file.write(head + body + struct.pack("<H", Crc.calculate(head + body)))

messages, errors = Decoder(Stream.from_file("drive.fit")).read()
times = [each["timestamp"] for each in messages["record_mesgs"]]
print("garmin", times[0], times[-1], (times[-1] - times[0]).days // 365, "years", errors)
times = [datetime.fromtimestamp(each.message.timestamp / 1000, timezone.utc)
         for each in FitFile.from_file("drive.fit").records if isinstance(each.message, RecordMessage)]
print("fit-tool", times[0], times[-1])
with fitdecode.FitReader("drive.fit") as frames:
    times = [each.get_value("timestamp") for each in frames
             if isinstance(each, fitdecode.FitDataMessage) and each.name == "record"]
print("fitdecode", times[0], times[-1])
times = [each.get_value("timestamp") for each in fitparse.FitFile("drive.fit").messages if each.name == "record"]
print("fitparse", times[0], times[-1])
P
)
echo "$found"
[ "$found" = "garmin 1989-12-31 00:00:41+00:00 2026-05-01 10:00:01+00:00 36 years []
fit-tool 1989-12-31 00:00:41+00:00 2026-05-01 10:00:01+00:00
fitdecode 41 2026-05-01 10:00:01+00:00
fitparse 41 2026-05-01 10:00:01" ] || { echo "this has changed" >&2; exit 1; }
