"""One file per live source; `open_source` chooses by the scheme of its URI."""

from pitwall.telemetry.sources.base import (
    Inbox,
    Options,
    Source,
    SourceAbsentError,
    SourceError,
    SourceHealth,
)
from pitwall.telemetry.sources.uri import open_source

__all__ = ["Inbox", "Options", "Source", "SourceAbsentError", "SourceError", "SourceHealth", "open_source"]
