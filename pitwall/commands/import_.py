"""x."""

from __future__ import annotations
import argparse
from pitwall.config import Home


def add_arguments(parser: argparse.ArgumentParser) -> None: ...
def run(arguments: argparse.Namespace, home: Home) -> int:
    return 2
