"""A file per command of `pitwall`: its arguments, and what it prints."""
