#!/usr/bin/env bash
# DuckDB tells a CSV column's type by the first 20,480 rows. A pressure that stands at whole bars while the car waits in
# the paddock, for 34 minutes at 10 Hz, makes it BIGINT; the decimals of the drive after that are neither refused nor
# widened to: duckdb 2.0.0 rounds them without a word, 0.5 bar to 1 and 4.5 to 5. A column that is blank for as long
# becomes text, and its max is that of text: '99.5', where 119.5 was read. sample_size = -1 gives both right.
# Guess before the run: an error that names the line and says so, as for any other cell that does not fit its column.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" duckdb==2.0.0
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
import duckdb

with open("drive.csv", "w") as file:
    file.write("t,oil_bar,brake_bar\n")
    for i in range(25_000):
        file.write(f"{i / 10},{i % 5},\n")
    for i in range(25_000, 30_000):
        file.write(f"{i / 10},{i % 5 + 0.5},{i % 120 + 0.5}\n")
for source in ("'drive.csv'", "read_csv('drive.csv', sample_size = -1)"):
    oil = duckdb.sql(f"SELECT list(DISTINCT oil_bar ORDER BY oil_bar) FROM {source} WHERE t >= 2500").fetchall()[0][0]
    brake = duckdb.sql(f"SELECT typeof(any_value(brake_bar)), max(brake_bar) FROM {source}").fetchall()[0]
    print(oil, *brake)
P
)
echo "$found"
[ "$found" = "[1, 2, 3, 4, 5] VARCHAR 99.5
[0.5, 1.5, 2.5, 3.5, 4.5] DOUBLE 119.5" ] || { echo "this has changed" >&2; exit 1; }
