"""What is asked of the SQL gate: attacks, and honest questions. As a script it runs attacks on a home.

`sql_lists.py HOME` prints a line of JSON for every attack: what came of it, in how many seconds, and by
how many megabytes the process that asks grew meanwhile, in which nothing else grows.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import driven_home as driven

from pitwall.config import Home
from pitwall.store.sqlanswer import SqlAnswer
from pitwall.store.sqlgate import STARTING
from pitwall.store.store import Store

HERE = Path(__file__).parent
_MADE_ATTACKS = (
    "SELECT 1;\u200bDROP TABLE laps",
    "SELECT 1;\u00a0DELETE FROM laps",
    "\uff33\uff25\uff2c\uff25\uff23\uff34 1; DROP TABLE laps",
    "SELECT 1\x00; DROP TABLE laps",
    "SELECT 1 --\u2028; DROP TABLE laps\n; DROP TABLE laps",
    "SELECT " + "(" * 3000 + "1" + ")" * 3000,
    "SELECT 1" + "+1" * 9000,
    "SELECT " + "abs(" * 2000 + "1" + ")" * 2000,
    "SELECT " + "NOT " * 4000 + "true",
    "SELECT * FROM " + "(SELECT * FROM " * 500 + "laps" + ")" * 500,
    "SELECT " + "[" * 3000 + "]" * 3000,
    "WITH c0 AS (FROM laps), "
    + ", ".join(f"c{i} AS (SELECT a.* FROM c{i - 1} a, c{i - 1} b)" for i in range(1, 30))
    + " SELECT count(*) FROM c29",
    "SELECT " + ", ".join(f"{i} AS c{i}" for i in range(1500)),
    "SELECT * FROM " + ", ".join(f"laps l{i}" for i in range(60)),
    "SELECT 1 WHERE " + " OR ".join(["1=1"] * 2000),
    "SELECT count(*) FROM laps WHERE lap IN (" + ",".join(map(str, range(3500))) + ")",
    "SELECT 1 " + "UNION ALL SELECT 1 " * 900,
    "SELECT " + ",".join(["s"] * 3000) + " FROM (SELECT string_agg('xxxxxxxxxx', '') s FROM range(500000))",
    "SELECT " + ",".join(["s"] * 390) + f" FROM (SELECT '{'x' * 3900}' s FROM frames)",
    "SELECT max(length(s" + "||s" * 30 + f")) FROM (SELECT t::VARCHAR || '{'x' * 3900}' s FROM frames)",
    f"SELECT '{'x' * 30_000}'",
    f"SELECT '{'a' * 3900}' LIKE '{'%a_' * 20}%b'",
    f"SELECT '{'a' * 3900}' ILIKE '{'%_a' * 200}%b'",
    f"SELECT '{'a' * 3900}' GLOB '{'*a?' * 20}*b'",
    f"SELECT regexp_matches('{'a' * 3900}', '{'(a?)' * 300}b')",
    "SELECT quantile_cont(t, [" + ",".join(["0.5"] * 3000) + "]) FROM frames",
)
ATTACKS = (*(HERE / "sql_attacks.txt").read_text(encoding="utf-8").splitlines(), *_MADE_ATTACKS)

HONEST = tuple((HERE / "sql_honest.txt").read_text(encoding="utf-8").splitlines())


def attack(home: Path) -> Iterator[dict[str, object]]:
    """Every attack on the store of `home`, one after the other."""
    with Store(Home(home)) as store:
        store.open()
        store.ask("SELECT count(*) FROM laps")
        for number, sql in enumerate(ATTACKS):
            Path("/proc/self/clear_refs").write_text("5")
            before_kb, start_s = _memory_kb("VmRSS"), time.perf_counter()
            # After one that was killed it takes longer to start a process than a question may.
            answer = driven.asked(store, sql, (STARTING,))
            took_s = time.perf_counter() - start_s
            yield {
                "number": number,
                "sql": sql[:100],
                "took_s": round(took_s, 3),
                "grew_mb": round((_memory_kb("VmHWM") - before_kb) / 1024),
                "rows": len(answer.rows) if isinstance(answer, SqlAnswer) else None,
                "chars": len(str(answer.rows)) if isinstance(answer, SqlAnswer) else 0,
                "reason": "" if isinstance(answer, SqlAnswer) else answer.reason,
            }
        laps = driven.asked(store, "SELECT count(*) FROM laps")
        yield {"laps": laps.rows[0][0] if isinstance(laps, SqlAnswer) else laps.reason}


def _memory_kb(which: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(which)).split()[1])


if __name__ == "__main__":
    for line in attack(Path(sys.argv[1])):
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
