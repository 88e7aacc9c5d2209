"""One file per recording format; `open_recording` chooses by content."""

from pitwall.telemetry.findings import Finding
from pitwall.telemetry.recordings.base import Recording, RecordingError, RecordingInfo, StoredGate
from pitwall.telemetry.recordings.detect import open_recording

__all__ = ["Finding", "Recording", "RecordingError", "RecordingInfo", "StoredGate", "open_recording"]
