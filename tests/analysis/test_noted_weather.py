"""What a driver noted of a day explains its lap times: a wet one is no trend, and is named."""

from __future__ import annotations

from pathlib import Path

import msgspec
from stored_facts import opened
from test_analysis_incidents import ROW

from pitwall.analysis.port import Facts
from pitwall.analysis.progress import find_progress
from pitwall.analysis.tools import Tools
from pitwall.config import Home
from pitwall.contract.changes import Conditions
from pitwall.drive.replay import import_file
from pitwall.paddock.composed import Composed
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


def test_fuel_that_a_logger_recorded_is_told_and_what_was_not_can_be_noted(tmp_path: Path) -> None:
    """A channel of no measure is told by its own name; one that stands still shows nothing."""
    file = tmp_path / "day.csv"
    rows = (
        f"{0.1 * n:.1f},{51.0 + 2e-5 * n:.6f},4.0,80.0,{40.0 - 0.05 * n:.2f},0,{44.0 - n}" for n in range(92)
    )
    heads = "Time (s),Latitude,Longitude,Speed (km/h),Fuel tank (l),Fuel probe,Lean angle"
    file.write_text("\n".join((heads, *rows)) + "\n")
    home = Home(tmp_path / "home")
    with opened(home) as store:
        import_file(file, home, store)
        facts = Facts(store)
        composed = Composed(Tools(facts), facts)
        told = composed("TelemetryAgent", "how much fuel was left at the end")
        assert told == (
            "[neutral] The channel fuel_tank began at 40.0 l and ended at 35.5 l (lowest 35.5, highest 40.0)."
        )
        assert composed("TelemetryAgent", "fuel tank level please") == told
        # A lean to the left is as large as one to the right.
        leant = composed("TelemetryAgent", "biggest lean angle")
        assert leant == "[neutral] The largest value of the channel lean_angle: 47.0."
        assert composed("TelemetryAgent", "which tyres did I use").startswith("[neutral] No signal tells")
