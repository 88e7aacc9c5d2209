"""NMEA 0183 log: RMC, GGA, VTG and GSA, gathered into one sample for each epoch of the receiver.

What the sentences mean stands in `nmea_sentences.py`. RMC's date turns the time of day into unix
seconds, so midnight is nothing special; without one the day wraps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from pitwall.telemetry.findings import Finding, FindingKind, FindingLog
from pitwall.telemetry.recordings.base import RecordingError, RecordingInfo
from pitwall.telemetry.recordings.nmea_sentences import (
    CHANNELS,
    SENTENCE,
    Epoch,
    Epochs,
    Sentence,
    read_sentence,
)
from pitwall.telemetry.recordings.rows import with_start
from pitwall.telemetry.recordings.text import encoding_of, head_lines, numbered_lines
from pitwall.telemetry.recordings.timeline import Timeline, is_unix
from pitwall.telemetry.sample import Sample, Stream
from pitwall.telemetry.session_clock import DAY_S

# Epochs looked at when opening: a receiver that has not yet a fix says so for minutes.
LOOK_EPOCHS = 20_000

_FAULTS: dict[str, tuple[FindingKind, str]] = {
    "malformed": ("malformed_row", "is no sentence"),
    "bad_checksum": ("bad_checksum", "fails its checksum"),
}


def sniff(head: bytes) -> bool:
    """Two or more sentences that a receiver writes, near the beginning."""
    return sum(SENTENCE.search(line) is not None for line in head_lines(head)[:200]) >= 2


class NmeaRecording:
    """An NMEA log as a `Recording` with one stream."""

    def __init__(self, path: Path, head: bytes) -> None:
        self.path = path
        self._encoding = encoding_of(head)
        lines = head_lines(head)[:200]
        # A log that has checksums has them on every line; one without is read as it is.
        self._checked = any(re.search(r"\*[0-9A-Fa-f]{2}\s*$", line) for line in lines)
        self._log = FindingLog()
        info = RecordingInfo("nmea", str(path), (Stream(0, "gps", CHANNELS),))
        self.info = with_start(info, *self._start())

    def samples(self) -> Iterator[Sample]:
        """Yield one sample an epoch, `t` never running backwards, in constant memory."""
        for _, t, epoch in self._timed():
            yield Sample(0, t, epoch.reading())

    def findings(self) -> list[Finding]:
        """What the last pass met."""
        return self._log.findings()

    def _start(self) -> tuple[float | None, float]:
        """The unix time of t = 0 where a date is known, and the time of day then."""
        raw_s: float | None = None
        for utc_s, t, epoch in islice(self._timed(), LOOK_EPOCHS):
            raw_s = epoch.tod_s - t if raw_s is None else raw_s
            if utc_s is not None and is_unix(utc_s) and epoch.has_position:
                return round(utc_s - t, 3), raw_s
        if raw_s is None:
            raise RecordingError(self.path, "no sentence with a time and a good checksum", line=1,
                                 hint="log RMC or GGA sentences")  # fmt: skip
        return None, raw_s

    def _timed(self) -> Iterator[tuple[float | None, float, Epoch]]:
        """(unix seconds where a date is known, session seconds, epoch)."""
        log = self._log = FindingLog()
        timeline = Timeline(log)
        day, last_tod_s, started = 0.0, 0.0, False
        first_day_s: float | None = None
        for epoch in self._epochs(log, timeline):
            if epoch.day_s is not None:
                # Days before the first date count on from it, so that its coming is no step of the clock.
                first_day_s = epoch.day_s - day * DAY_S if first_day_s is None else first_day_s
                day = (epoch.day_s - first_day_s) / DAY_S
            elif started and abs(epoch.tod_s - last_tod_s) > DAY_S / 2:
                day += 1.0 if epoch.tod_s < last_tod_s else -1.0
            last_tod_s, started = epoch.tod_s, True
            raw_s = day * DAY_S + epoch.tod_s
            t = timeline.advance(raw_s)
            if t is None:
                continue
            if epoch.void:
                log.add("void_fix", "lat_deg", t, "the receiver says it has no fix")
            yield None if first_day_s is None else first_day_s + raw_s, t, epoch

    def _epochs(self, log: FindingLog, timeline: Timeline) -> Iterator[Epoch]:
        epochs = Epochs()
        for sentence in self._sentences(log, timeline):
            try:
                done = epochs.add(sentence)
            except ValueError:
                told = sentence.fields[1][:20]
                log.add("malformed_row", "", timeline.t, f"{sentence.kind} with the time {told!r}")
                continue
            if done is not None:
                yield done
        if epochs.current is not None:
            yield epochs.current

    def _sentences(self, log: FindingLog, timeline: Timeline) -> Iterator[Sentence]:
        for line_number, line in numbered_lines(self.path, self._encoding):
            found = "malformed" if line is None else read_sentence(line, checked=self._checked)
            if isinstance(found, Sentence):
                yield found
            elif found is not None:
                kind, what = _FAULTS[found]
                log.add(kind, "", timeline.t, f"line {line_number} {what}")
