"""A pass over a whole recording: what is in it, and what is wrong with it. Constant memory."""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

from pitwall.telemetry.findings import Finding, FindingKind
from pitwall.telemetry.fusion import Fusion
from pitwall.telemetry.quality import SLOW_RUN_MAX_ROWS
from pitwall.telemetry.recordings.base import Recording
from pitwall.telemetry.sample import Channel

# A channel constant for less may just not have happened.
CONSTANT_S = 10.0


class ChannelSurvey(msgspec.Struct, frozen=True):
    """A channel; `true_rate_hz`: new values a second; `trusted_share`: believed, None: not ours."""

    stream: int
    name: str
    label: str
    unit: str
    canonical: bool
    readings: int
    low: float | None
    high: float | None
    rate_hz: float
    true_rate_hz: float
    trusted_share: float | None


class Survey(msgspec.Struct, frozen=True):
    """A recording at a glance. `fixes`: the believed ones."""

    format: str
    path: str
    rows: int
    span_s: float
    row_rate_hz: float
    frames: int
    fixes: int
    channels: tuple[ChannelSurvey, ...]
    findings: tuple[Finding, ...]


class _Column:
    def __init__(self, stream: int, channel: Channel) -> None:
        self.stream, self.channel = stream, channel
        self.readings = self.changes = self.distrusted = self.run = self.runs = self.run_rows = 0
        self.last, self.low, self.high = math.nan, math.inf, -math.inf

    def read(self, v: float) -> None:
        self.readings += 1
        self.run += 1
        if v == self.last:
            return
        if self.changes and self.run <= SLOW_RUN_MAX_ROWS:
            self.runs += 1
            self.run_rows += self.run
        if self.readings > 1:
            self.changes += 1
        self.run, self.last = 0, v
        if v < self.low:
            self.low = v
        if v > self.high:
            self.high = v

    def survey(self, span_s: float) -> ChannelSurvey:
        channel, readings = self.channel, self.readings
        rate_hz = (readings - 1) / span_s if span_s > 0.0 and readings > 1 else 0.0
        if self.runs:
            true_hz = rate_hz * self.runs / self.run_rows
        else:
            true_hz = self.changes / span_s if span_s > 0.0 else 0.0
        return ChannelSurvey(
            stream=self.stream,
            name=channel.name,
            label=channel.label,
            unit=channel.unit,
            canonical=channel.canonical,
            readings=readings,
            low=self.low if readings else None,
            high=self.high if readings else None,
            rate_hz=rate_hz,
            true_rate_hz=true_hz,
            trusted_share=1.0 - self.distrusted / readings if channel.canonical and readings else None,
        )

    def finding(self, span_s: float) -> Finding | None:
        """Return what the channel lacks."""
        name, unit = self.channel.name, self.channel.unit
        if not self.readings:
            return Finding("blank_channel", name, 0, None, "has no reading at all")
        if self.changes or self.channel.canonical or span_s < CONSTANT_S or self.readings < 3:
            return None
        # Only canonical channels are known to change.
        return Finding("stuck", name, self.readings, None, f"always {self.last:g} {unit}".rstrip())


def survey(recording: Recording) -> Survey:
    """Read a whole recording once. RecordingError."""
    streams = recording.info.streams
    fusion = Fusion(streams)
    columns = {s.id: [_Column(s.id, channel) for channel in s.channels] for s in streams}
    rows = frames = fixes = 0
    first_t = last_t = 0.0
    for sample in recording.samples():
        if not rows:
            first_t = sample.t
        rows, last_t = rows + 1, sample.t
        own, values = columns[sample.stream], sample.values
        for column, v in zip(own, values, strict=True):
            if v is not None:
                column.read(v)
        frame = fusion.feed(sample)
        for index in fusion.distrusted:
            if values[index] is not None:
                own[index].distrusted += 1
        if frame is not None:
            frames += 1
            fixes += frame.lat_deg is not None and frame.lon_deg is not None and not frame.reckoned
    span_s = last_t - first_t
    every = [column for own in columns.values() for column in own]
    silent = [finding for column in every if (finding := column.finding(span_s)) is not None]
    return Survey(
        format=recording.info.format,
        path=recording.info.path,
        rows=rows,
        span_s=span_s,
        row_rate_hz=(rows - 1) / span_s if span_s > 0.0 else 0.0,
        frames=frames,
        fixes=fixes,
        channels=tuple(column.survey(span_s) for column in every),
        findings=merge([*recording.findings(), *fusion.findings(), *silent]),
    )


def merge(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Merge findings of one signal and kind."""
    merged: dict[tuple[str, FindingKind], Finding] = {}
    for new in findings:
        known = merged.get((new.signal, new.kind))
        if known is not None:
            times = [t for t in (known.first_t, new.first_t) if t is not None]
            first_t = min(times) if times else None
            new = Finding(known.kind, known.signal, known.count + new.count, first_t, known.detail)
        merged[(new.signal, new.kind)] = new
    return tuple(merged.values())
