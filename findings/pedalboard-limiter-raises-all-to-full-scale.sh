#!/usr/bin/env bash
# Spoken calls are brought to one loudness before the drive, and a limiter at -10 dB is to keep what is above that down.
# pedalboard 0.9.26's Limiter(threshold_db=-10), its default, lets nothing stay below: it raises all by 13.75 dB, so a
# soft tone of -40 dB comes out at -26, one of -12 at full scale, and whatever was louder is there too. A lower
# threshold makes it louder still. At a threshold of 0 dB it is not idle: soft tones gain 3.75 dB, a full one loses 3.56.
# Guess before the run: what lies below the threshold stays as it is, and nothing comes out above the threshold.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" pedalboard==0.9.26
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
import numpy as np
from pedalboard import Limiter

RATE = 22050
tone = np.sin(2 * np.pi * 220 * np.arange(2 * RATE) / RATE).astype(np.float32)
for threshold_db in (-20, -10, 0):
    for level_db in (-40, -12, 0):
        out = Limiter(threshold_db=threshold_db)(tone * 10 ** (level_db / 20), RATE)
        peak_db = 20 * np.log10(np.abs(out[RATE:]).max())  # the second second: settled
        print("threshold", threshold_db, "in", level_db, "out", round(float(peak_db), 1) + 0.0)
P
)
echo "$found"
[ "$found" = "threshold -20 in -40 out -16.3
threshold -20 in -12 out 0.0
threshold -20 in 0 out 0.0
threshold -10 in -40 out -26.3
threshold -10 in -12 out 0.0
threshold -10 in 0 out 0.0
threshold 0 in -40 out -36.3
threshold 0 in -12 out -8.3
threshold 0 in 0 out -3.6" ] || { echo "this has changed" >&2; exit 1; }
