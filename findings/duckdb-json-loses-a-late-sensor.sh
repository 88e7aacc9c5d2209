#!/usr/bin/env bash
# A logger that writes a line of JSON for each row has null where a sensor gives nothing. DuckDB tells the type of each
# key by the first 20,480 lines; where all of them are null, duckdb 2.0.0 gives the column the type "NULL", and each
# value that comes later is read as NULL: a brake sensor that wakes up after 42 minutes at 10 Hz is lost in full, with
# no error and no warning, and count() of it is 0. With sample_size = -1 all 5,000 readings are there.
# Guess before the run: the type JSON, DuckDB's own for a key of which nothing is known, with the values in it.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" duckdb==2.0.0
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
import duckdb

with open("drive.jsonl", "w") as file:
    for i in range(30_000):
        brake = "null" if i < 25_000 else i % 120 + 0.5
        file.write(f'{{"t":{i / 10},"brake_bar":{brake}}}\n')
for source in ("'drive.jsonl'", "read_json('drive.jsonl', sample_size = -1)"):
    [told] = [row[1] for row in duckdb.sql(f"DESCRIBE SELECT * FROM {source}").fetchall() if row[0] == "brake_bar"]
    print(told, *duckdb.sql(f"SELECT count(*), count(brake_bar), max(brake_bar) FROM {source}").fetchall()[0])
P
)
echo "$found"
[ "$found" = '"NULL" 30000 0 None
DOUBLE 30000 5000 119.5' ] || { echo "this has changed" >&2; exit 1; }
