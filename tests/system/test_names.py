"""The package is named as its map says: one class name means one thing, and analysis only reads."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import pitwall

PACKAGE = Path(pitwall.__file__).parent
CLASS = re.compile(r"^class ([A-Za-z]\w*)", re.MULTILINE)
# Names with which Python code writes files, runs programs, or puts rows into the store.
WRITES = frozenset({
    "open", "write_text", "write_bytes", "mkdir", "unlink", "rename", "rmtree", "touch", "replace_file",
    "put", "flush", "put_lessons", "put_profile_events", "save_script", "Popen", "run", "executemany",
})  # fmt: skip


def test_no_two_modules_define_the_same_public_class_name() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for name in CLASS.findall(path.read_text(encoding="utf-8")):
            places[name].append(str(path.relative_to(PACKAGE)))
    double = {name: found for name, found in places.items() if len(found) > 1}
    assert double == {}


def test_analysis_writes_neither_files_nor_rows() -> None:
    calls = [
        f"{path.name}:{node.lineno} {name}"
        for path in sorted((PACKAGE / "analysis").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Call)
        and (name := node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", ""))
        in WRITES
    ]
    assert calls == []
