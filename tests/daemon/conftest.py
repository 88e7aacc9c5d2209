"""Peers, a sound server and a small disk that other rooms' tests have made."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / room) for room in ("sources", "voice", "store")]
