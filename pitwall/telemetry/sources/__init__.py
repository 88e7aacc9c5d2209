"""A file per live source; `open_source` in `base.py` chooses by the scheme of its URI."""
