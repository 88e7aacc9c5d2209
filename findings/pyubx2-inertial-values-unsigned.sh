#!/usr/bin/env bash
# Receivers of u-blox with dead reckoning give their gyros and accelerometers as ESF-MEAS: 24 bits a value, in two's
# complement for those kinds, scaled by 2^-12 deg/s and 2^-10 m/s2. pyubx2 1.4.0 hands out the 24 bits as they are,
# without sign or scale, so a car that turns at -10 deg/s reads 16736256, and the smallest step to one side of zero is
# the largest value there is. The same sensors in ESF-INS, after the receiver's own filter, come signed and in deg/s.
# Guess before the run: signed, as the values of ESF-INS and all its other fields of two's complement are.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" pyubx2==1.4.0
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
import struct

from pyubx2 import GET, UBXMessage, UBXReader

GYRO_Z, ACCELEROMETER_X = 5, 16


def read(number, payload):
    return UBXReader.parse(UBXMessage(b"\x10", number, GET, payload=payload).serialize())


values = ((GYRO_Z, -10 << 12), (GYRO_Z, -1), (ACCELEROMETER_X, 5 << 10))
words = [kind << 24 | value & 0xFFFFFF for kind, value in values]
message = read(b"\x02", struct.pack("<IHHIII", 1000, 3 << 11, 0, *words))
print(message.identity, message.dataField_01, message.dataField_02, message.dataField_03)
message = read(b"\x15", struct.pack("<IIIiiiiii", 0x3F01, 0, 1000, 0, 0, -10_000, 500, 0, 0))
print(message.identity, message.zAngRate, message.xAccel)
P
)
echo "$found"
[ "$found" = "ESF-MEAS 16736256 16777215 5120
ESF-INS -10.0 5.0" ] || { echo "this has changed" >&2; exit 1; }
