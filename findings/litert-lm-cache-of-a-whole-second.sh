#!/usr/bin/env bash
# LiteRT-LM names the cache of a model's prepared weights by the model's time of change in whole seconds, and a
# file whose time has no fraction (adb push, tar and git archive leave such) gets the second before in some
# processes: litert-lm-api 0.18.1 makes two caches of one unchanged model, NAME_1795811711_SIZE and
# NAME_1795811712_SIZE, each as large as the weights, and prepares them again where the other one is there.
# In one process it is the same each time. With a fraction of a second all processes agree.
# Guess before the run: the name holds the time as it stands in the file system, so it is one name for ever.
set -euo pipefail
model=$(cd "$(dirname "$0")/../tests/litert_lm" && pwd)/tiny.litertlm # any valid model does
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 -m pip install --quiet --disable-pip-version-check --target "$dir/lib" "litert-lm-api==0.18.1"
cat >"$dir/open.py" <<'P'
import os
import sys
import tempfile

import litert_lm

litert_lm.set_min_log_severity(litert_lm.LogSeverity.FATAL)
with tempfile.TemporaryDirectory() as cache:
    litert_lm.Engine(sys.argv[1], backend=litert_lm.Backend.CPU(), max_num_tokens=4096, cache_dir=cache)
    print(*os.listdir(cache))
P
names() { # FRACTION: the names that processes give the cache of a model changed then, up to 60 of them
  cp "$model" "$dir/model.litertlm"
  touch -d "@1795811712.$1" "$dir/model.litertlm"
  for _ in $(seq 60); do
    PYTHONPATH=$dir/lib python3 "$dir/open.py" "$dir/model.litertlm"
  done | sort -u
}
whole=$(names 000)
half=$(names 500)
printf 'a whole second:\n%s\nhalf a second later:\n%s\n' "$whole" "$half"
wanted="model.litertlm_1795811711_394408.xnnpack_cache
model.litertlm_1795811712_394408.xnnpack_cache"
if [ "$whole" != "$wanted" ] || [ "$half" != model.litertlm_1795811712_394408.xnnpack_cache ]; then
  echo "this has changed" >&2
  exit 1
fi
