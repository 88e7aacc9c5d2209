#!/usr/bin/env bash
# A DBC scales each signal. canmatrix 1.2 decodes a frame to physical values, but its encode takes the raw codes and
# lets what does not fit run over: 120 km/h at 0.5 km/h a step is sent as 60, and a steering angle of 200 in eight
# signed bits as -56. It asks no range of the DBC. cantools 45.1.0 encodes physical values, and refuses those out of
# range. A bench that plays a drive to a dashboard sends other frames by the one than by the other, from one DBC and
# the same figures.
# Guess before the run: both give back the frame that they decoded, since both read a DBC to scale by it.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" canmatrix==1.2 cantools==45.1.0
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
import io

import cantools
from canmatrix import formats

DBC = """VERSION ""
BU_: ECU
BO_ 291 CAR: 3 ECU
 SG_ SPEED : 0|8@1+ (0.5,0) [0|127] "km/h" ECU
 SG_ ANGLE : 8|8@1- (1,0) [-100|100] "deg" ECU
 SG_ BRAKE : 16|8@1+ (1,-5) [-5|200] "bar" ECU
"""
frame = bytes((240, 10, 45))
tools = cantools.database.load_string(DBC, "dbc").get_message_by_name("CAR")
matrix = formats.loads_flat(DBC.encode(), "dbc").frame_by_name("CAR")
values = {name: float(signal.phys_value) for name, signal in matrix.decode(frame).items()}
print("decoded alike", tools.decode(frame) == values, values)
print("cantools", list(tools.encode(values)), "canmatrix", list(matrix.encode(values)))
values["ANGLE"] = 200.0
try:
    tools.encode(values)
except cantools.database.EncodeError:
    print("cantools refuses 200 degrees")
print("canmatrix sends", matrix.decode(matrix.encode(values))["ANGLE"].phys_value)
P
)
echo "$found"
[ "$found" = "decoded alike True {'SPEED': 120.0, 'ANGLE': 10.0, 'BRAKE': 40.0}
cantools [240, 10, 45] canmatrix [120, 10, 40]
cantools refuses 200 degrees
canmatrix sends -56" ] || { echo "this has changed" >&2; exit 1; }
