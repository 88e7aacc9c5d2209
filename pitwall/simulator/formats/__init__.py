"""Writers, one file a format: each writes what its real logger writes, marked as simulated."""

from pitwall.simulator.formats.table import FORMATS, Format, write_recording

__all__ = ["FORMATS", "Format", "write_recording"]
