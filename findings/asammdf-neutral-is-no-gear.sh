#!/usr/bin/env bash
# A gear comes over CAN as a number, and the DBC gives names to two of them: 0 "N" and 15 "R". asammdf 8.8.28 makes
# channels of a bus log by a DBC (extract_bus_logging), and each value that has a name becomes NaN in a channel where
# others have none: first and second gear are there, neutral and reverse are not. So a coasting car has no gear instead
# of 0, and a count of samples or a mean leaves it out. ignore_value2text_conversion changes nothing; raw=True does.
# Guess before the run: 0 and 15 by default, whose documentation says that value to text conversions are left out.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" "asammdf[decode]==8.8.28" python-can==4.6.1 \
  cantools==45.1.0
found=$(cd "$dir" && PYTHONPATH=$dir python3 -W ignore - <<'P'
import asammdf
import can
import cantools

DBC = """VERSION ""
BU_: ECU
BO_ 291 CAR: 2 ECU
 SG_ GEAR : 0|4@1+ (1,0) [0|15] "" ECU
 SG_ SPEED : 8|8@1+ (1,0) [0|255] "km/h" ECU
VAL_ 291 GEAR 0 "N" 15 "R" ;
"""
with open("car.dbc", "w") as file:
    file.write(DBC)
sent = [bytes((gear, 10)) for gear in (0, 1, 2, 0, 15, 2)]
with can.Logger("bus.mf4") as log:
    for second, data in enumerate(sent):
        log.on_message_received(can.Message(1.0e9 + second, 291, is_extended_id=False, channel=0, data=data))
message = cantools.database.load_string(DBC, "dbc").get_message_by_name("CAR")
print("cantools", [message.decode(data, decode_choices=False)["GEAR"] for data in sent])
for ignored in (True, False):
    decoded = asammdf.MDF("bus.mf4").extract_bus_logging(
        {"CAN": [("car.dbc", 0)]}, ignore_value2text_conversion=ignored
    )
    print("ignored" if ignored else "kept", decoded.get("GEAR").samples.tolist())
print("raw", decoded.get("GEAR", raw=True).samples.tolist())
P
)
echo "$found"
[ "$found" = "cantools [0, 1, 2, 0, 15, 2]
ignored [nan, 1.0, 2.0, nan, nan, 2.0]
kept [nan, 1.0, 2.0, nan, nan, 2.0]
raw [0, 1, 2, 0, 15, 2]" ] || { echo "this has changed" >&2; exit 1; }
