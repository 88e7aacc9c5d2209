#!/usr/bin/env bash
# Wideband controllers and ECUs send lambda, fuel flow or coordinates as IEEE floats: a DBC says so with SIG_VALTYPE_.
# PEAK's SYM (what PCAN-View and PCAN-Explorer read) has the types float and double for it. canmatrix 1.3.3 turns a DBC
# into a SYM and writes such a signal as `signed`: read back with canmatrix itself, the frame of lambda 0.98 is
# 1065017672. It reads `float` in a SYM that another program wrote. KCD and DBF keep the float.
# Guess before the run: 0.98 from each, or an error where a format could not say it.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" canmatrix[kcd]==1.3.3
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
import struct

import canmatrix.convert
from canmatrix import ArbitrationId, formats

with open("car.dbc", "w") as file:
    file.write("""VERSION ""
BU_: ECU
BO_ 293 MIX: 6 ECU
 SG_ LAMBDA : 0|32@1- (1,0) [0|0] "" ECU
 SG_ TRIM : 32|16@1- (0.01,0) [-300|300] "%" ECU
SIG_VALTYPE_ 293 LAMBDA : 1;
""")
frame = struct.pack("<fh", 0.98, -150)
for form in ("dbc", "kcd", "dbf", "sym"):
    if form != "dbc":
        canmatrix.convert.convert("car.dbc", f"car.{form}")
    signals = formats.loadp_flat(f"car.{form}").frame_by_id(ArbitrationId(293)).decode(frame)
    print(form, {name: round(float(value.phys_value), 3) for name, value in signals.items()})
print(*(line.strip() for line in open("car.sym") if "LAMBDA" in line))
with open("car.sym") as file:
    text = file.read().replace("LAMBDA signed", "LAMBDA float")
with open("other.sym", "w") as file:
    file.write(text)
signals = formats.loadp_flat("other.sym").frame_by_id(ArbitrationId(293)).decode(frame)
print("another's sym", round(float(signals["LAMBDA"].phys_value), 3))
P
)
echo "$found"
[ "$found" = "dbc {'LAMBDA': 0.98, 'TRIM': -1.5}
kcd {'LAMBDA': 0.98, 'TRIM': -1.5}
dbf {'LAMBDA': 0.98, 'TRIM': -1.5}
sym {'LAMBDA': 1065017672.0, 'TRIM': -1.5}
Var=LAMBDA signed 0,32 /min:0 /max:0 /d:0
another's sym 0.98" ] || { echo "this has changed" >&2; exit 1; }
