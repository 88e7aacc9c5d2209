"""A signal is one row of one table: whatever else knows the signals is checked against it."""

from __future__ import annotations

import duckdb
import msgspec

from pitwall.store.schema import create
from pitwall.telemetry.frame import Frame, Jumped, Reckoned, frame_of
from pitwall.telemetry.recordings.columns import to_canonical
from pitwall.telemetry.signals import CANONICAL

NAMES = tuple(signal.name for signal in CANONICAL)


def test_a_frame_has_a_field_for_every_signal_in_the_order_of_the_table() -> None:
    fields = tuple(field.name for field in msgspec.structs.fields(Frame))
    expected = ("t", *NAMES, "fix_age_s", "g_from_gps")
    missing = [name for name in expected if name not in fields]
    assert not missing, f"add to Frame (telemetry/frame.py): {missing}"
    assert fields == expected, "the fields of Frame must stand in the order of telemetry/signals.py"


def test_a_frame_is_filled_by_name() -> None:
    values = [float(number) for number in range(len(NAMES))]
    for kind in (Frame, Jumped, Reckoned):
        frame = frame_of(kind, 7.5, values, 0.25, True)
        assert type(frame) is kind
        assert [getattr(frame, name) for name in NAMES] == values
        assert (frame.t, frame.fix_age_s, frame.g_from_gps) == (7.5, 0.25, True)


def test_the_store_has_a_column_for_every_signal() -> None:
    with duckdb.connect() as con:
        create(con)
        described = con.execute("DESCRIBE frames").fetchall()
    types = {row[0]: row[1] for row in described}
    missing = [name for name in NAMES if name not in types]
    assert not missing, "add the columns to frames, and raise VERSION (store/schema.py)"
    assert {types[name] for name in NAMES} == {"DOUBLE"}
    known = {
        *NAMES,
        "session",
        "seq",
        "lap",
        "t",
        "fix_age_s",
        "g_from_gps",
        "distance_m",
        "offset_m",
        "status",
    }
    assert types.keys() == known, "frames has columns of signals that telemetry/signals.py does not know"


def test_every_row_holds_together() -> None:
    assert len(set(NAMES)) == len(NAMES)
    for signal in CANONICAL:
        assert signal.low < signal.high
        assert signal.meaning
        assert to_canonical(signal.name, signal.unit) is not None, (
            f"{signal.name}: {signal.unit!r} is no unit"
        )
        assert (signal.stuck_after_s is None) == (signal.stuck_work is None), signal.name
        assert not any(signal.low <= value <= signal.high for value in signal.sentinels)
        assert signal.of_fix or not signal.needs_fix
