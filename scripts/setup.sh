# Sourced by the scripts beside it: sets up Python and the Debian packages on a fresh machine.
# setup PINS PACKAGE...   PINS: a constraints file beside this one. PACKAGE: Debian packages that are needed.
# Afterwards $VENV/bin holds everything. Says one line for each thing that it installs.
# Sourcing it answers `--help`: it prints the comment at the script's head, and ends before anything is set up.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
VENV=${PITWALL_VENV:-$ROOT/.venv}
# Each process would compile all of pitwall anew: what is measured would be the compiler.
unset PYTHONDONTWRITEBYTECODE
# Brew's names where they differ from Debian's; the others have no counterpart that is needed there.
BREW_PACKAGES="espeak-ng"

for word in "$@"; do
  case $word in
    -h | --help)
      [ -f "$0" ] || cd "$OLDPWD" # the script went to the root before it came here
      sed -n '2,/^[^#]/{/^# shellcheck/d;s/^# \{0,1\}//p;}' "$0"
      exit 0
      ;;
  esac
done

say() { printf 'setup: %s\n' "$*" >&2; }

find_python() { # the first Python >= 3.11 that can make a virtual environment
  local name
  for name in python3 python3.14 python3.13 python3.12 python3.11; do
    if command -v "$name" >/dev/null 2>&1 &&
      "$name" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
      command -v "$name"
      return 0
    fi
  done
  return 1
}

missing_debian() { # which of the named packages are not installed
  local name
  for name in "$@"; do
    dpkg-query -W -f '${Status}' "$name" 2>/dev/null | grep -q 'ok installed' || printf '%s ' "$name"
  done
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_system() { # PACKAGE...: with apt or brew when we may, else print the one command that does
  if command -v apt-get >/dev/null 2>&1; then
    local missing
    missing=$(missing_debian "$@")
    [ -z "$missing" ] && return 0
    # The unversioned python3 may be older than 3.11 (Ubuntu 22.04): then the versioned one is asked for.
    local command="apt-get install -y --no-install-recommends $missing"
    if [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || [ -t 0 ]; then
      say "installing Debian packages: $missing"
      # shellcheck disable=SC2086
      if as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq >/dev/null &&
        as_root env DEBIAN_FRONTEND=noninteractive $command -qq >/dev/null; then
        return 0
      fi
    fi
    say "these packages are missing: $missing"
    say "install them with:  sudo apt-get update && sudo $command"
    return 1
  fi
  if [ "$(uname)" = Darwin ]; then
    command -v espeak-ng >/dev/null 2>&1 && return 0
    if command -v brew >/dev/null 2>&1; then
      say "installing with brew: $BREW_PACKAGES"
      brew install --quiet $BREW_PACKAGES && return 0
    fi
    say "espeak-ng is missing; install it with:  brew install $BREW_PACKAGES"
    return 1
  fi
  say "neither apt-get nor brew is here: make sure that these are installed: $*"
}

for_this_system() { # PINS: without what is for some releases of a Mac alone
  # Newer pips stop at those lines everywhere: the release of most kernels (6.8.0-45-generic) is no version to them.
  if [ "$(uname)" = Darwin ]; then cat "$1"; else awk '/^[^ #]/ { mac = /platform_release/ } !mac' "$1"; fi
}

setup() {
  local pins=$ROOT/scripts/$1
  shift
  local python
  if ! python=$(find_python); then
    install_system python3 python3-venv || true
    python=$(find_python) || install_system python3.11 python3.11-venv || true
    python=$(find_python) || {
      say "Python 3.11 or newer with its venv module is needed and was not found"
      return 1
    }
  fi
  # Sound is wanted, not needed: without it the words are shown as text.
  install_system "$@" || [ "${SETUP_STRICT:-}" != 1 ] || return 1
  local stamp=$VENV/pitwall-pins have want
  want=$(cat "$pins" "$ROOT/pyproject.toml" | cksum)
  have=$(cat "$stamp" 2>/dev/null || true)
  # The tests' environment holds everything that running needs, so it serves the demo as well.
  case "$have" in *"$want"*) [ -x "$VENV/bin/pitwall" ] && return 0 ;; esac
  [ -x "$VENV/bin/python" ] || { say "making a Python environment in $VENV" && "$python" -m venv "$VENV"; }
  say "installing Python packages from $(basename "$pins")"
  for_this_system "$pins" > "$VENV/pins.txt"
  "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --no-warn-script-location --no-compile --require-hashes --no-deps -r "$VENV/pins.txt"
  # On all processors, else (where processes can't share a lock) on one; some packages ship files that are no
  # Python of today.
  "$VENV/bin/python" -m compileall -q -q -j 0 "$VENV/lib" >/dev/null 2>&1 ||
    "$VENV/bin/python" -m compileall -q -q "$VENV/lib" >/dev/null 2>&1 || true
  "$VENV/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e "$ROOT"
  if [ "$(basename "$pins")" = constraints-dev.txt ]; then
    want="$want $(cat "$ROOT/scripts/constraints.txt" "$ROOT/pyproject.toml" | cksum)"
  fi
  echo "$want" > "$stamp"
}
