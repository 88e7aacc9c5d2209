"""Shell scripts of the phone and the laptop: shellcheck finds nothing, and `--help` touches nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

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


def test_help_of_every_script_prints_what_it_does_and_touches_nothing(tmp_path: Path) -> None:
    """In a checkout without an environment, with nothing but a bare Python on the path."""
    tree = tmp_path / "tree"
    shutil.copytree(
        ROOT / "scripts", tree / "scripts", symlinks=True, ignore=shutil.ignore_patterns("__pycache__")
    )
    (tree / "pitwall").mkdir()
    shutil.copy(ROOT / "pitwall" / "__init__.py", tree / "pitwall")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python3").symlink_to(sys.executable)
    before = sorted(tmp_path.rglob("*"))
    scripts = [
        path for path in before if path.is_file() and os.access(path, os.X_OK) and "tree" in path.parts
    ]
    assert len(scripts) > 20
    for script in scripts:
        environment = {
            "PATH": f"{tmp_path}/bin:/usr/bin:/bin",
            "HOME": str(tmp_path),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        done = subprocess.run(
            [str(script), "--help"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60
        )
        assert len(done.stdout) > 60, (script.name, done.stderr)
        assert (done.returncode, done.stderr) == (0, ""), script.name
    assert sorted(tmp_path.rglob("*")) == before
