"""A whole recording at a glance: made-up ones with known truth, and every real one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from driven import GPS, SENSORS, rows, stream
from long_runs import a_few

from pitwall.telemetry.findings import Finding
from pitwall.telemetry.recordings import open_recording
from pitwall.telemetry.recordings.base import RecordingInfo
from pitwall.telemetry.sample import Channel, Sample, Stream
from pitwall.telemetry.survey import Survey, merge, survey


class MadeUp:
    """A recording of `driven.rows`, with what the file's reader would have found."""

    def __init__(self, extra: dict[str, float | None], duration_s: float = 60.0) -> None:
        plain = stream((*GPS, *SENSORS))
        channels = (*plain.channels, *(Channel(name, "", name) for name in extra))
        self.extra, self.duration_s = extra, duration_s
        self.info = RecordingInfo("made up", "nowhere", (Stream(0, "made up", channels),))

    def samples(self) -> Iterator[Sample]:
        for row in rows(self.duration_s, 10.0):
            values = tuple(row[n] for n in (*GPS, *SENSORS))
            yield Sample(0, row["t"] or 0.0, (*values, *self.extra.values()))

    def findings(self) -> list[Finding]:
        return [Finding("duplicate_time", "", 3, 7.0, "two rows at t = 7 s")]


def test_a_made_up_recording_at_a_glance() -> None:
    seen = survey(MadeUp({"egt": -50.0, "lambda": None}))
    assert (seen.rows, seen.frames, seen.fixes) == (600, 600, 600)
    assert seen.span_s == pytest.approx(59.9)
    assert seen.row_rate_hz == pytest.approx(10.0)
    channels = {channel.name: channel for channel in seen.channels}
    assert channels["rpm"].trusted_share == 1.0
    assert channels["rpm"].true_rate_hz == pytest.approx(10.0, rel=0.1)
    assert channels["egt"].trusted_share is None
    assert channels["egt"].true_rate_hz == 0.0
    assert channels["lambda"].low is None
    assert {(f.kind, f.signal, f.count) for f in seen.findings} == {
        ("duplicate_time", "", 3),
        ("stuck", "egt", 600),
        ("blank_channel", "lambda", 0),
    }


def test_only_believed_fixes_count() -> None:
    class Teleport(MadeUp):
        def samples(self) -> Iterator[Sample]:
            for sample in super().samples():
                far = (0.0, 0.0) if sample.t == 30.0 else sample.values[:2]
                yield Sample(0, sample.t, (*far, *sample.values[2:]))

    seen = survey(Teleport({}))
    assert seen.fixes == 599


def test_merging_adds_counts_and_keeps_the_earliest() -> None:
    merged = merge(
        [
            Finding("jump", "rpm", 2, 9.0, "late"),
            Finding("jump", "rpm", 3, 4.0, "early"),
            Finding("stale", "rpm", 1, None, "x"),
        ]
    )
    assert merged == (Finding("jump", "rpm", 5, 4.0, "late"), Finding("stale", "rpm", 1, None, "x"))


def look(folder: Path, name: str) -> tuple[Survey, dict[str, float | None], set[tuple[str, str]]]:
    seen = survey(open_recording(folder / name))
    shares = {channel.name: channel.trusted_share for channel in seen.channels}
    return seen, shares, {(f.kind, f.signal) for f in seen.findings}


def test_lignano_tilted_box_loses_its_accelerometer_not_its_gps(recordings: Path) -> None:
    _, shares, found = look(recordings, "lignano-racebox.vbo")
    assert ("bias", "g_long") in found  # it stands on its edge: 0.9 g of gravity in the x axis
    for name in ("g_long", "yaw_rate_dps"):
        share = shares[name]
        assert share < 0.05
    assert shares["lat_deg"] == pytest.approx(1.0, abs=0.001)
    assert shares["speed_mps"] == 1.0


def test_tianma_obd_hole_is_seen_through(recordings: Path) -> None:
    seen, shares, found = look(recordings, "tianma-racechrono-v3.csv")
    # RaceChrono drew straight lines over the first 71 of 84 seconds.
    assert {("stale", "throttle_pct"), ("stale", "rpm"), ("stale", "wheel_speed_mps")} <= found
    for name in ("throttle_pct", "rpm", "wheel_speed_mps"):
        share = shares[name]
        assert 0.1 < share < 0.35
    assert shares["g_lat"] == shares["g_long"] == shares["speed_mps"] == 1.0
    assert seen.fixes == seen.rows


@pytest.mark.parametrize(
    "name", a_few(["orlando-18hz.nmea", "washington-racecapture.log", "excerpt-racestudio3-aim.csv"], 1)
)
def test_sound_recordings_lose_nothing(drives: Path, name: str) -> None:
    seen, shares, _ = look(drives, name)
    for channel, share in shares.items():
        assert share is None or share > 0.99, (name, channel)
    readings = next(channel.readings for channel in seen.channels if channel.name == "lat_deg")
    assert seen.fixes > 0.99 * readings
