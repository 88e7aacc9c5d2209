"""One file per live source; `open_source` chooses by the scheme of its URI."""
