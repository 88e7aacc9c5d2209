"""These tests speak to the model server of tests/paddock and start the daemons of tests/service."""

from __future__ import annotations

import sys
from pathlib import Path

for folder in ("paddock", "service"):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / folder))
