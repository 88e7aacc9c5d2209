"""One file per recording format; `open_recording` chooses by content."""
