"""The package is named as its map says: one class name means one thing, and analysis only reads."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pitwall

PACKAGE = Path(pitwall.__file__).parent
CLASS = re.compile(r"^class ([A-Za-z]\w*)", re.MULTILINE)


def test_no_two_modules_define_the_same_public_class_name() -> None:
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for name in CLASS.findall(path.read_text(encoding="utf-8")):
            places[name].append(str(path.relative_to(PACKAGE)))
    double = {name: found for name, found in places.items() if len(found) > 1}
    assert double == {}
