"""Helpers for every room: child processes, waits between tries, HTML files, lines of TOML."""
