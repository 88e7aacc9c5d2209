"""The ledger as JSON lines, one for each cue. The same drive gives the same bytes."""

from __future__ import annotations

import msgspec

from pitwall.coach.cue import LedgerLine

# Milliseconds for times, decimetres for places: finer than any fix, coarse enough to be read.
DECIMALS = {
    "t": 3,
    "action_distance_m": 1,
    "clip_s": 3,
    "time_in_hand_s": 3,
    "predicted_in_hand_s": 3,
    "lead_s": 3,
}
_ENCODER = msgspec.json.Encoder()


def ledger_row(line: LedgerLine) -> dict[str, str | int | float | None]:
    """One line with its numbers rounded, keys in the order of LedgerLine."""
    row: dict[str, str | int | float | None] = {}
    for name in line.__struct_fields__:
        value = getattr(line, name)
        # Adding 0.0 turns -0.0 into 0.0: they print differently and mean the same.
        row[name] = round(value, DECIMALS[name]) + 0.0 if name in DECIMALS and value is not None else value
    return row


def ledger_json(line: LedgerLine) -> bytes:
    """One line of JSON without a newline, the same bytes for the same line."""
    return _ENCODER.encode(ledger_row(line))
