#!/usr/bin/env bash
# Vector's ASC has a header line `base hex timestamps absolute` or `... relative`; in the second form each event
# states the time since the event before it. python-can 4.6.1's ASCReader reads the word and keeps it
# (`timestamps_format`), but hands out the stated numbers all the same: four frames 0.5 s apart all lie at 0.5 s,
# so a drive of an hour has the length of its longest pause. The absolute form of the same log is right.
# Guess before the run: the reader sums the times up, since it asks for the word and refuses any third one.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" python-can==4.6.1
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
import can

HEAD = "date Sat Jun 6 10:00:00.000 2026\nbase hex  timestamps {}\ninternal events logged\n"
for form, times in (("absolute", (0.5, 1.0, 1.5, 2.0)), ("relative", (0.5, 0.5, 0.5, 0.5))):
    with open(f"{form}.asc", "w") as log:
        log.write(HEAD.format(form))
        log.writelines(f"   {at:.6f} 1  123             Rx   d 2 01 0{n}\n" for n, at in enumerate(times))
    with can.ASCReader(f"{form}.asc", relative_timestamp=True) as reader:
        print(form, [round(message.timestamp, 3) for message in reader], reader.timestamps_format)
P
)
echo "$found"
[ "$found" = "absolute [0.5, 1.0, 1.5, 2.0] absolute
relative [0.5, 0.5, 0.5, 0.5] relative" ] || { echo "this has changed" >&2; exit 1; }
