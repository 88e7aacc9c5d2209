"""The store: the journal first, DuckDB second, and bounded read-only questions to it."""
