#!/usr/bin/env bash
# A heading is brought between 0 and 360 by a modulo, and two of them differ for what is negative: C's fmod keeps the
# sign of the left side, a floored one that of the right. DuckDB has both, under the wrong name: in duckdb 2.0.0
# fmod(-90, 360) is 270, floored, while % and mod of the same doubles give -90, as C's fmod does, Python's math.fmod,
# and fmod of every library that it may have been taken over from. A query that was moved here is off by a full turn.
# Guess before the run: fmod is C's, -90, and all three agree.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" duckdb==2.0.0
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
import math

import duckdb

for left, right in ((-90.0, 360.0), (10.5, -360.0)):
    sql = "SELECT fmod($1::DOUBLE, $2::DOUBLE), $1::DOUBLE % $2::DOUBLE, mod($1::DOUBLE, $2::DOUBLE)"
    print(*duckdb.execute(sql, [left, right]).fetchone(), math.fmod(left, right))
P
)
echo "$found"
[ "$found" = "270.0 -90.0 -90.0 -90.0
-349.5 10.5 10.5 10.5" ] || { echo "this has changed" >&2; exit 1; }
