"""The in-drive path as one thing, for car, replay, import and recovery."""
