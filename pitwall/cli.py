"""The `pitwall` command."""

from __future__ import annotations


def main() -> int:
    """Entry point."""
    return 0
