#!/usr/bin/env bash
# A car's recorder reads its CAN bus with python-can on a small computer. python-can 4.6.1 needs neither numpy nor
# pandas, but its reader of MF4 logs asks for asammdf at import: whoever has installed asammdf for another purpose
# gets asammdf, numpy and pandas loaded by a plain `import can`, though no MF4 file is ever opened.
# Guess before the run: `import can` loads what the bus needs; a file format's reader is loaded when it is used.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir" \
  python-can==4.6.1 asammdf==8.7.2 2> "$dir/pip.txt" || { cat "$dir/pip.txt" >&2; exit 1; }
found=$(cd "$dir" && PYTHONPATH=$dir python3 -W ignore - <<'P'
import sys

import can

loaded = [name for name in ("asammdf", "numpy", "pandas") if name in sys.modules]
print("import can loads", *loaded)
P
)
echo "$found"
[ "$found" = "import can loads asammdf numpy pandas" ] || { echo "this has changed" >&2; exit 1; }
