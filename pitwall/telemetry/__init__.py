"""Samples, frames, signal quality and fusion: what the car says, and how far to believe it."""
