#!/usr/bin/env bash
# Loggers and lap timers write the day with two digits for the year: 17/05/25, 05/17/25. DuckDB's reader of CSV takes
# the first of its formats that fits a column, and one of them begins with the year: duckdb 2.0.0 reads 17/05/25 as
# 25 May 2017, 03/04/25 as 25 April 2003, and 05/17/25 (which can't be one) as 17 May 2025. A leading zero decides
# too: 3/4/25 is 3 April 2025. So the days of one season, each in a file of its own and all written in one way, lie
# over twenty years. With a year of four digits the same reader takes the day first, and is right.
# Guess before the run: day or month first, the same for each of these, as it reads 03/04/2025.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" duckdb==2.0.0
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
import duckdb

for day in ("17/05/25", "03/04/25", "3/4/25", "05/17/25", "03/04/2025"):
    with open("laps.csv", "w") as file:
        file.write(f"day,lap\n{day},1\n{day},2\n")
    print(day, duckdb.sql("SELECT max(day) FROM 'laps.csv'").fetchall()[0][0])
P
)
echo "$found"
[ "$found" = "17/05/25 2017-05-25
03/04/25 2003-04-25
3/4/25 2025-04-03
05/17/25 2025-05-17
03/04/2025 2025-04-03" ] || { echo "this has changed" >&2; exit 1; }
