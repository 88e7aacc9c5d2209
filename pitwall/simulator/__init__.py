"""A lap simulator that writes recordings: the demo, and tests with a known truth. Never presented
as real."""
