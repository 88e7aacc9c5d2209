#!/usr/bin/env bash
# A session's columns are written by pyarrow and asked by DuckDB; where a sensor gave nothing stands NaN, as numpy has
# it. Parquet wants no NaN in what it says of a column's least and greatest value, and pyarrow 26.0.1 keeps to that.
# DuckDB 2.0.0, to which NaN is the greatest of all, takes the two for all that is there: isnan() finds none, `g <= 9`
# gives the row with NaN too and `g > 9` leaves it out, so that a filter against NaN has a mean of nan. max(g) alone is
# 4.0, and nan where avg(g) is asked beside it. The same values in Parquet that DuckDB wrote are right.
# Guess before the run: one answer for one column, whoever wrote the file.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --no-compile --target "$dir" duckdb==2.0.0 pyarrow==26.0.1
found=$(cd "$dir" && PYTHONPATH=$dir python3 - <<'P'
import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

pq.write_table(pa.table({"g": [1.0, 2.0, float("nan"), 4.0]}), "pyarrow.parquet")
duckdb.sql("COPY (FROM 'pyarrow.parquet') TO 'duckdb.parquet'")
for file in ("duckdb.parquet", "pyarrow.parquet"):
    for where in ("isnan(g)", "NOT isnan(g)", "g <= 9", "g > 9"):
        print(file, where, *duckdb.sql(f"SELECT count(*), avg(g) FROM '{file}' WHERE {where}").fetchall()[0])
    for what in ("max(g)", "max(g), avg(g)"):
        print(file, what, *duckdb.sql(f"SELECT {what} FROM '{file}'").fetchall()[0])
P
)
echo "$found"
[ "$found" = "duckdb.parquet isnan(g) 1 nan
duckdb.parquet NOT isnan(g) 3 2.3333333333333335
duckdb.parquet g <= 9 3 2.3333333333333335
duckdb.parquet g > 9 1 nan
duckdb.parquet max(g) nan
duckdb.parquet max(g), avg(g) nan nan
pyarrow.parquet isnan(g) 0 None
pyarrow.parquet NOT isnan(g) 4 nan
pyarrow.parquet g <= 9 4 nan
pyarrow.parquet g > 9 0 None
pyarrow.parquet max(g) 4.0
pyarrow.parquet max(g), avg(g) nan nan" ] || { echo "this has changed" >&2; exit 1; }
