"""The lake's schema is what its page says and holds what a phone stores; old files are read as new ones."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

import pitwall
from pitwall.fleet.answers import AdviceRow
from pitwall.fleet.schema import COLUMNS, TABLES, Table
from pitwall.store.rows import CUE_COLUMNS, FRAME_COLUMNS, LAP_COLUMNS, PASS_COLUMNS

PAGE = Path(pitwall.__file__).parent / "fleet" / "SCHEMA.md"


def page_of(table: Table) -> str:
    """A table as SCHEMA.md shows it."""
    lines = [f"## {table}", "", "| column | type | unit | null | what |", "|---|---|---|---|---|"]
    for column in COLUMNS[table]:
        null = "yes" if column.null else ""
        since = f" (since version {column.since})" if column.since > 1 else ""
        lines.append(
            f"| `{column.name}` | {column.type} | {column.unit} | {null} | {column.meaning}{since} |"
        )
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("table", TABLES)
def test_the_page_shows_every_column(table: Table) -> None:
    assert page_of(table) in PAGE.read_text(), f"SCHEMA.md lacks this:\n{page_of(table)}"


def test_the_page_shows_every_field_of_the_advice_that_others_read() -> None:
    section = PAGE.read_text().partition("\n## advice\n")[2].partition("\n## ")[0]
    shown = [line.split("`")[1] for line in section.splitlines() if line.startswith("| `")]
    assert shown == [field.name for field in msgspec.structs.fields(AdviceRow)]


@pytest.mark.parametrize(
    ("table", "stored"),
    [
        ("frames", FRAME_COLUMNS),
        ("laps", [{"lap": "lap", "kind": "lap_kind"}.get(name, name) for name in LAP_COLUMNS]),
        ("corner_passes", PASS_COLUMNS),
        ("cues", CUE_COLUMNS),
    ],
)
def test_whatever_a_phone_stores_of_it_is_in_the_lake(table: Table, stored: list[str]) -> None:
    """A new column of the store is a new version of the lake's schema."""
    assert set(stored) <= {column.name for column in COLUMNS[table]}


def test_a_later_version_only_adds_columns_that_may_be_null() -> None:
    for table, columns in COLUMNS.items():
        for column in columns:
            assert column.since == 1 or column.null, f"{table}.{column.name}: files of version 1 lack it"
