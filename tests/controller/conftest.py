"""These tests speak to the same scripted model server as tests/paddock, which lies there."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "paddock"))
