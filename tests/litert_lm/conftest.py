"""What other rooms' tests have made: a scripted model."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "paddock"))
