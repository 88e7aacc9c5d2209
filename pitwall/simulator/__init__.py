"""Simulate laps and write recordings: the demo, and tests with a known truth. Never presented as real."""
