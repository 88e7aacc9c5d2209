"""Analyse stored laps: pure functions, tools for agents, and sentences that need no model."""
