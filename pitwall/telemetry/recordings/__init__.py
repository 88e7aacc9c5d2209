"""One file per recording format; `open_recording` chooses by content."""

from pathlib import Path

from pitwall.telemetry.findings import Finding
from pitwall.telemetry.recordings.base import Recording, RecordingError, RecordingInfo, StoredGate

__all__ = ["Finding", "Recording", "RecordingError", "RecordingInfo", "StoredGate", "open_recording"]


def open_recording(path: Path | str) -> Recording:
    """Open a recording of any format we know. RecordingError where it is none or can't be used."""
    from pitwall.telemetry.recordings import detect  # every format, 100 ms of CPU that few commands need

    return detect.open_recording(path)
