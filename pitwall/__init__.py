"""Pitwall: a racing coach that lives on the phone in the car."""

import sys

__version__ = "0.1.0"

# python-can loads asammdf wherever it is installed, and so numpy and pandas: the car has no room for them.
# Only the program that reads MF4 loads it (`telemetry/recordings/mf4.py`).
sys.modules.setdefault("asammdf", None)  # type: ignore[arg-type]
