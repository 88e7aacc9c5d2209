"""What a driver's phone runs in sh, and what his laptop runs: shellcheck finds nothing."""

from __future__ import annotations

import subprocess

import null_sink
from phone_folder import ROOT


def test_shellcheck_finds_nothing() -> None:
    null_sink.need("shellcheck")
    scripts = [
        path
        for folder in (ROOT / "termux", ROOT / "tests" / "termux")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.read_bytes()[:9] in (b"#!/bin/sh", b"#!/usr/bi")
    ]
    assert len(scripts) >= 8
    done = subprocess.run(
        ["shellcheck", "-x", *scripts], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout
