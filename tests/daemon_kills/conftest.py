"""These tests start the same daemons as tests/service and break the same disks as tests/store, with the help
that lies there."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1] / room) for room in ("service", "store")]
