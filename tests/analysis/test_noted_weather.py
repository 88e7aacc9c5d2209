"""What a driver noted of a day explains its lap times: a wet one is no trend, and is named."""

from __future__ import annotations

import msgspec
from test_analysis_incidents import ROW

from pitwall.analysis.progress import find_progress
from pitwall.contract.changes import Conditions
from pitwall.paddock.tellers import _progress
from pitwall.track.lap import Lap
from pitwall.words.language import language


def test_a_wet_day_after_dry_ones_is_no_trend_and_is_named() -> None:
    days = [(96.0, "dry", "RS4"), (95.0, "dry", ""), (94.0, "", ""), (103.0, "wet", "")]
    history = [
        (
            msgspec.structs.replace(
                ROW, id=f"s{n}", track="t", driven_utc_s=86_400.0 * n, kind="import", same_as="",
                conditions=Conditions(weather=weather, tyres=tyres),  # type: ignore[arg-type]
            ),
            [Lap(1, "flying", 0.0, best_s, best_s)],
        )
        for n, (best_s, weather, tyres) in enumerate(days)
    ]  # fmt: skip
    found = find_progress("t", history)
    assert found.trend == "faster"
    told = _progress(msgspec.to_builtins(found) | {"track_name": "T"}, language())
    assert told.endswith(
        "7.00 s slower than the first. Trend: faster. The first was driven dry on RS4; the last wet."
    )
    # A day alone among the last three says nothing without others to judge by.
    assert find_progress("t", history[1:]).trend == "slower"
