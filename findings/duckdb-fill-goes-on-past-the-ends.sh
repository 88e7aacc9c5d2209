#!/usr/bin/env bash
# Signals of different rates are laid on one time axis, and the holes between their readings are filled. DuckDB has a
# window function for that: fill(x) OVER (ORDER BY t). duckdb 2.0.0 does not stop at the first and the last reading:
# it goes on along the line through the nearest two. A brake sensor that wakes up 10 s into the drive with 0 and 20 bar
# one second apart reads -200 bar at the start, and -125 bar 30 s after its last one. A column of whole numbers runs on
# too, and one reading alone fills the whole drive. pandas' interpolate leaves the start empty and holds the last one.
# Guess before the run: NULL before the first reading and behind the last, since nothing lies between two there.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" duckdb==2.0.0
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
import duckdb

brake = {0: None, 10: 0.0, 11: 20.0, 12: None, 13: 10.0, 14: 5.0, 40: None}


def filled(rows, kind):
    values = ", ".join(f"({t}, {'NULL' if v is None else v}::{kind})" for t, v in rows.items())
    return [v for (v,) in duckdb.sql(f"SELECT fill(v) OVER (ORDER BY t) FROM (VALUES {values}) r(t, v)").fetchall()]


print("brake", filled(brake, "DOUBLE"))
print("gear", filled({0: None, 1: 3, 2: 2, 5: None}, "INTEGER"))
print("one reading", filled({0: None, 5: 7.0, 60: None}, "DOUBLE"))
P
)
echo "$found"
[ "$found" = "brake [-200.0, 0.0, 20.0, 15.0, 10.0, 5.0, -125.0]
gear [4, 3, 2, -1]
one reading [7.0, 7.0, 7.0]" ] || { echo "this has changed" >&2; exit 1; }
