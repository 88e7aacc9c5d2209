"""A file per recording format; `open_recording` chooses by content."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pitwall.telemetry.findings import Finding
from pitwall.telemetry.recordings.base import Recording, RecordingError, RecordingInfo, StoredGate

if TYPE_CHECKING:
    from pitwall.telemetry.recordings.can_logs import Decoders

__all__ = ["Finding", "Recording", "RecordingError", "RecordingInfo", "StoredGate", "open_recording"]


def open_recording(path: Path | str, decoders: Decoders | None = None) -> Recording:
    """Open a recording. RecordingError. `decoders`: of a CAN log's frames."""
    from pitwall.telemetry.recordings import detect  # every format, 100 ms of CPU that few commands need

    return detect.open_recording(path, decoders)
