#!/usr/bin/env bash
# A requirement that is for Macs alone stops pip on Linux: packaging 22.0 to 25.0 (in pip 24.1 to 25.x) compare
# `platform_release` as a version even where another clause of the marker already says no, and raise on the
# release of an ordinary kernel, which is no version of PEP 440. packaging 21.3 and 26.0 answer False.
# pyobjc writes such markers for each of its frameworks, and pyttsx3 needs pyobjc on a Mac, so a constraints file
# that serves both systems holds a hundred of them.
# Guess before the run: every version answers False, since `sys_platform == 'darwin'` fails by itself.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
found=
for version in 21.3 25.0 26.0; do
  python3 -m pip install --quiet --disable-pip-version-check --target "$dir/$version" "packaging==$version"
  found+="$version $(PYTHONPATH=$dir/$version python3 - <<'P'
from packaging.markers import Marker

marker = Marker("platform_release >= '20' and sys_platform == 'darwin'")
try:
    print(marker.evaluate({"platform_release": "6.8.0-45-generic", "sys_platform": "linux"}))
except Exception as error:
    print(type(error).__name__)
P
)
"
done
printf '%s' "$found"
[ "$found" = "21.3 False
25.0 InvalidVersion
26.0 False
" ] || { echo "this has changed" >&2; exit 1; }
