#!/usr/bin/env bash
# FIT lets a device write a record's time as five bits in the record's header (compressed timestamp): a valid part of the
# protocol since its first version. fitparse 1.2.0, fitdecode 0.11.0 and fit-tool 0.9.16 read it. Garmin's own
# garmin-fit-sdk 21.218.0 does not: read() gives what came before the first such record and raises nothing; that there
# is more stands in the second thing that it returns. Its is_fit() and check_integrity() say that the file is right.
# Guess before the run: read, by the SDK of who made the format.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" \
  fitparse==1.2.0 fitdecode==0.11.0 garmin-fit-sdk==21.218.0 fit-tool==0.9.16
found=$(cd "$dir" && PYTHONPATH=$dir python3 -W ignore - <<'P'
import struct

import fitdecode
import fitparse
from fit_tool.fit_file import FitFile
from fit_tool.profile.messages.record_message import RecordMessage
from fitparse.records import Crc
from garmin_fit_sdk import Decoder, Stream


def definition(local, number, fields):
    head = bytes([0x40 | local, 0, 0]) + struct.pack("<HB", number, len(fields))
    return head + b"".join(map(bytes, fields))


T = 1083319200  # its last five bits are 0
body = definition(0, 0, [(0, 1, 0), (1, 2, 0x84), (4, 4, 0x86)]) + struct.pack("<BBHI", 0, 4, 1, T)
body += definition(1, 20, [(253, 4, 0x86), (6, 2, 0x84)]) + struct.pack("<BIH", 1, T, 40000)
body += definition(2, 20, [(6, 2, 0x84)])
for second in range(1, 60):
    body += struct.pack("<BH", 0x80 | 2 << 5 | second % 32, 40000 + second)
head = struct.pack("<BBHI4s", 14, 0x20, 2132, len(body), b".FIT")
head += struct.pack("<H", Crc.calculate(head))
with open("drive.fit", "wb") as file:
    file.write(head + body + struct.pack("<H", Crc.calculate(head + body)))

records = [(each.get_value("timestamp"), each.get_value("speed")) for each in fitparse.FitFile("drive.fit").messages
           if each.name == "record"]
print("fitparse", len(records), (records[-1][0] - records[0][0]).total_seconds(), records[-1][1])
with fitdecode.FitReader("drive.fit") as frames:
    records = [(each.get_value("timestamp"), each.get_value("speed")) for each in frames
               if isinstance(each, fitdecode.FitDataMessage) and each.name == "record"]
print("fitdecode", len(records), (records[-1][0] - records[0][0]).total_seconds(), records[-1][1])
records = [each.message for each in FitFile.from_file("drive.fit").records if isinstance(each.message, RecordMessage)]
print("fit-tool", len(records), (records[-1].timestamp - records[0].timestamp) / 1000, records[-1].speed)
print("garmin", Decoder(Stream.from_file("drive.fit")).is_fit(), Decoder(Stream.from_file("drive.fit")).check_integrity())
messages, errors = Decoder(Stream.from_file("drive.fit")).read()
print("garmin", len(messages["record_mesgs"]), messages["record_mesgs"][-1]["speed"], errors)
P
)
echo "$found"
[ "$found" = "fitparse 60 59.0 40.059
fitdecode 60 59.0 40.059
fit-tool 60 59.0 40.059
garmin True True
garmin 1 40.0 [RuntimeError('FIT Runtime Error at byte: 65 Compressed timestamp messages are not currently supported')]" ] ||
  { echo "this has changed" >&2; exit 1; }
