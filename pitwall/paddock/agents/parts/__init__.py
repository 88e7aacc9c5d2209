"""Agents that nobody asks by name: they work in the pipelines."""
