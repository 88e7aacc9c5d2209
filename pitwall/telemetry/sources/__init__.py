"""A file per live source; `open_source` in `uri.py` chooses by the scheme of its URI."""
