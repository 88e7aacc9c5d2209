"""What rules need beside signals (telemetry.capabilities), and why it is not there."""

from __future__ import annotations

from pitwall.daemon.sound.vocabulary import Vocabulary
from pitwall.drive.session import DriveSession
from pitwall.telemetry.capabilities import Condition


def conditions(path: DriveSession, vocabulary: Vocabulary, sound_trouble: str) -> dict[Condition, str]:
    """Each condition, "" where it is met, else why it is not."""
    off = path.degradations.off
    return {
        "track": "" if path.track is not None else "no known track is recognised here",
        "reference": "" if path.state.best_s is not None else "no flying lap yet",
        "phrases": vocabulary.trouble(path.track.id if path.track is not None else ""),
        "messages": vocabulary.trouble(""),
        "sound": sound_trouble,
        "brake phases": off.get("brake", ""),
        "exit phase": off.get("exit", ""),
        "turn-in and apex phases": off.get("turn_in", "") or off.get("apex", ""),
    }
