"""`pitwall inspect FILE...`: what a recording holds, and how good its signals are."""

from __future__ import annotations

import argparse
import re
from datetime import UTC, datetime

import msgspec

from pitwall.api.answers import inspection
from pitwall.commands.common import (
    Column,
    add_json,
    add_recordings,
    add_runs,
    given_gate,
    note,
    print_json,
    print_table,
    recordings_in,
    say,
)
from pitwall.config import Home
from pitwall.drive.learning import at_own_start, layout_of, start_doubt
from pitwall.drive.prepare import Located, OpenedOnce, known_tracks, locate
from pitwall.telemetry.recordings.base import RecordingError
from pitwall.telemetry.survey import ChannelSurvey, Survey, survey
from pitwall.track.circuits import CircuitError
from pitwall.track.venue import Venue, places_of

# "true Hz" counts only changed readings; "trusted" is the share that the coach uses.
COLUMNS = (
    Column("signal", wrap=True),
    Column("unit"),
    Column("least", right=True),
    Column("most", right=True),
    Column("trusted", right=True),
    Column("true Hz", right=True, spare=True),
    Column("rows Hz", right=True, spare=True),
    Column("readings", right=True, spare=True),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's options."""
    add_recordings(parser)
    add_runs(parser)
    add_json(parser, "one JSON object per file")


def run(arguments: argparse.Namespace, home: Home) -> int:
    """Read each file once and report. One bad file does not stop the others; exit code 2 if any."""
    failed, once = 0, OpenedOnce()
    for number, path in enumerate(recordings_in(arguments.files, home, once)):
        try:
            located = locate(path, home, gate=given_gate(arguments), open_=once)
            prepared = _by_start(_by_layout(located, home))
            found = survey(prepared.recording)
        except RecordingError as error:
            note(str(error))
            failed += 1
            continue
        if arguments.json:
            print_json(inspection(prepared, found))
        else:
            if number:
                say()
            _report(prepared, found)
    return 2 if failed else 0


def _by_layout(prepared: Located, home: Home) -> Located:
    """Return the same with the layout that was driven: layouts may part late in a lap."""
    known, _ = known_tracks(home)
    track = prepared.venue.track
    if track is None or track.id not in known or prepared.venue.gate_source != "track":
        return prepared
    try:
        other = layout_of(list(places_of(prepared.recording)), known)
    except CircuitError as error:
        return msgspec.structs.replace(prepared, notes=(*prepared.notes, str(error)))
    if other is None:
        return prepared
    note = f"this is another layout than {track.id}, which is known; an import finds it too"
    return Located(prepared.recording, Venue(other, other.gate, "track"), (*prepared.notes, note))


def _by_start(prepared: Located) -> Located:
    """The same with laps begun at the recording's own start line, as an import has them begin."""
    track, info = prepared.venue.track, prepared.recording.info
    if track is None or prepared.venue.gate_source != "track":
        return prepared
    moved = at_own_start(track, info.gate)
    if moved is None:
        return prepared
    return msgspec.structs.replace(prepared, venue=Venue(moved, moved.gate, "stored", prepared.venue.notes))


def _report(prepared: Located, found: Survey) -> None:
    venue, info = prepared.venue, prepared.recording.info
    zone = "UTC" if info.time_of_day_s is None else "local"
    begun = (
        "unknown date"
        if info.start_utc_s is None
        else f"{datetime.fromtimestamp(info.start_utc_s, UTC):%Y-%m-%d %H:%M:%S} {zone}"
    )
    say(f"{found.path}: {found.format}, {begun}")
    say(f"{found.rows} rows in {found.span_s:.1f} s ({found.row_rate_hz:.1f} Hz), {found.fixes} fixes")
    for label, text in (("venue", info.venue), ("driver", info.driver), ("vehicle", info.vehicle)):
        if text:
            say(f"{label}: {text}")
    unknown = "unknown; if this is a closed circuit: pitwall track build FILE"
    say(f"track: {f'{venue.track.name} ({venue.track.id})' if venue.track else unknown}")
    if venue.gate is None:
        say("gate: none was found")
    else:
        gate = venue.gate
        say(
            f"gate: {gate.a_lat_deg:.6f} {gate.a_lon_deg:.6f} to {gate.b_lat_deg:.6f} {gate.b_lon_deg:.6f}, "
            f"driven towards {gate.heading_deg:.0f}° ({venue.gate_source})"
        )
    doubts = start_doubt(venue.track, info.gate) if venue.track is not None else ()
    for line in (*prepared.notes, *doubts):
        note(line)
    say()
    print_table(COLUMNS, [_channel(channel) for channel in found.channels])
    say()
    for finding in found.findings:
        times = "" if finding.count == 1 else f"{finding.count} times, "
        at = "" if finding.first_t is None else f"first at {finding.first_t:.1f} s"
        often = f" ({(times + at).rstrip(', ')})" if times + at else ""
        say(f"{finding.kind:<14} {finding.signal or 'the file'}: {finding.detail}{often}", hang=15)
    if not found.findings:
        say("no faults were found")


def _channel(channel: ChannelSurvey) -> tuple[str, ...]:
    trusted = "" if channel.trusted_share is None else f"{channel.trusted_share:.0%}"
    # The file's own name is shown where the name is not plainly the same.
    same = re.sub(r"[^a-z0-9]+", "_", channel.label.lower()).strip("_") in (channel.name, "")
    name = channel.name if same else f"{channel.name} ({channel.label})"
    rates = (f"{channel.true_rate_hz:.1f}", f"{channel.rate_hz:.1f}")
    limits = (_number(channel.low), _number(channel.high))
    return (name, channel.unit, *limits, trusted, *rates, str(channel.readings))


def _number(value: float | None) -> str:
    if value is None:
        return "-"
    return (
        f"{value:.5g}"
        if 1.0 <= abs(value) < 1e5 or abs(value) > 1e9
        else f"{value:.3f}".rstrip("0").rstrip(".")
    )
