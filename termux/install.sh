#!/bin/sh
# Installs or upgrades Pitwall on this phone, from the folder that this file lies in; the database is copied first.
# Run it in Termux; run it again to go on after a break. What is done already is not done again.
set -eu

usage() {
  cat <<'END'
sh termux/install.sh [OPTIONS]
  --dry-run             say what would be done, and do nothing
  --yes                 do not ask
  --only STEP           one step alone: check packages debian code venv home clips switch services start
  --wheels FOLDER       Python packages from this folder (made by scripts/wheelhouse), not from the network
  --debian IMAGE        what proot-distro installs: debian:trixie, or the path of an image on this phone
  --version             say which version this is
  --rollback            go back to the version before the last upgrade
  --uninstall           take everything away but the recordings and the settings
  --delete-recordings   with --uninstall: these too, for good
END
}

: "${PREFIX:=/data/data/com.termux/files/usr}"
CODE=$PREFIX/opt/pitwall
DATA=${PITWALL_HOME:-$HOME/pitwall}
DEBIAN=pitwall
CONF=$PREFIX/etc/pitwall.conf
SERVICES=$PREFIX/var/service
BOOT=$HOME/.termux/boot
SHORTCUTS=$HOME/.shortcuts
STEPS="check packages debian code venv home clips switch services start"
PACKAGES="python proot-distro termux-services termux-api pulseaudio play-audio procps"
INSIDE="python3 python3-venv espeak-ng libespeak-ng1 pulseaudio-utils"
# Debian with its packages takes 0.9 GB, ours 0.5 GB, and the recordings of a season want their place.
FREE_MB=3000
BATTERY_PCT=30

dry='' yes='' only='' wheels='' image=debian:trixie what=install delete='' stopped=''
while [ $# -gt 0 ]; do
  case $1 in
    --dry-run) dry=1 ;;
    --yes) yes=1 ;;
    --only) only=${2:?--only needs a step} && shift ;;
    --wheels) wheels=${2:?--wheels needs a folder} && shift ;;
    --debian) image=${2:?--debian needs an image} && shift ;;
    --version) what=version ;;
    --rollback) what=rollback ;;
    --uninstall) what=uninstall ;;
    --delete-recordings) delete=1 ;;
    --help | -h) usage && exit 0 ;;
    *) echo "install.sh: there is no $1" >&2 && usage >&2 && exit 2 ;;
  esac
  shift
done
SOURCE=$(cd "$(dirname "$0")/.." && pwd)

say() { printf 'pitwall: %s\n' "$*"; }
fail() {
  say "$1" >&2
  [ $# -lt 2 ] || say "  -> $2" >&2
  exit 1
}
full() { # FILE...: half of it was written
  rm -f "$@"
  fail "the disk is full" "make room, and run this again; until then the version before goes on"
}
run() { # COMMAND...: do it, or say so
  if [ -n "$dry" ]; then say "  would run: $*"; else "$@"; fi
}
within() { # SECONDS COMMAND...: Termux:API hangs for ever where its app is missing
  timeout "$@" < /dev/null 2> /dev/null
}
guest() { # COMMAND...: inside the Debian, where no preloaded library of Termux may follow
  (
    unset LD_PRELOAD
    proot-distro login "$DEBIAN" --bind "$CODE:/opt/pitwall" --bind "$DATA:/pitwall" \
      --env PITWALL_HOME=/pitwall -- "$@"
  )
}
version() { # what is in the folder, in one word: two copies that differ have two
  name=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' "$SOURCE/pitwall/__init__.py")
  sum=$(cd "$SOURCE" && find pitwall track_data audio_cache termux pyproject.toml scripts/constraints-phone.txt \
    -type f ! -name '*.pyc' | LC_ALL=C sort | while IFS= read -r file; do cksum "$file"; done | cksum)
  echo "$name-${sum%% *}"
}
link() { # TARGET NAME: at no moment there is none
  run ln -sfn "$1" "$2.new"
  run mv -fT "$2.new" "$2"
}
current() { readlink "$CODE/current" 2>/dev/null | sed 's|^releases/||'; }

# Each step: done_STEP says whether there is nothing to do, do_STEP does it and may be broken off anywhere.

done_check() { false; }
do_check() {
  machine=$(uname -m)
  [ "$machine" = aarch64 ] || [ -n "${PITWALL_ANY_MACHINE:-}" ] ||
    fail "this phone is a $machine; Pitwall's packages are made for aarch64"
  [ "${TERMUX_APK_RELEASE:-}" != GOOGLE_PLAY_STORE ] ||
    fail "this Termux is from Google Play, where Termux:API and Termux:Boot don't fit it" \
      "remove it, and install all three from F-Droid"
  for app in api boot; do
    within 5 pm path "com.termux.$app" > /dev/null ||
      fail "Termux:$app is not installed" "install it from where Termux came from, and open it once"
  done
  # Without it everything works but copies from and to what the phone's own apps can see.
  [ -d "$HOME/storage/shared" ] || say "the phone's Downloads can't be reached: termux-setup-storage, and tap Allow"
  free=$(df -Pk "$PREFIX" | awk 'NR == 2 { print int($4 / 1024) }')
  [ "$free" -ge "$FREE_MB" ] || fail "$free MB are free, $FREE_MB MB are wanted" "delete something on the phone"
  percent=$(within 10 termux-battery-status | sed -n 's/.*"percentage": *\([0-9]*\).*/\1/p') || true
  case $percent in
    '') say "the battery can't be read: is Termux:API allowed to run?" ;;
    *) [ "$percent" -ge "$BATTERY_PCT" ] || fail "the battery is at $percent %" "plug the phone in" ;;
  esac
}

done_packages() {
  for each in python proot-distro sv termux-battery-status pulseaudio play-audio pkill; do
    command -v "$each" > /dev/null || return 1
  done
}
do_packages() {
  # shellcheck disable=SC2086
  run pkg install -y $PACKAGES || fail "Termux's packages could not be installed" "is there a network? then: pkg update"
}

done_debian() {
  proot-distro list 2>/dev/null | grep -qw "$DEBIAN" &&
    guest sh -c 'command -v python3 && command -v espeak-ng && command -v pacat' > /dev/null 2>&1
}
do_debian() {
  run mkdir -p "$CODE" "$DATA"
  proot-distro list 2>/dev/null | grep -qw "$DEBIAN" || run proot-distro install "$image" --name "$DEBIAN" ||
    fail "the Debian could not be fetched" "is there a network? or give --debian the path of an image"
  # shellcheck disable=SC2086
  run guest sh -c "apt-get update -q && apt-get install -qy --no-install-recommends $INSIDE" ||
    fail "Debian's packages could not be installed" "is there a network?"
}

done_code() { [ -e "$CODE/releases/$VERSION/complete" ]; }
do_code() {
  new=$CODE/releases/$VERSION
  run rm -rf "$new"
  run mkdir -p "$new"
  for each in pitwall track_data audio_cache termux pyproject.toml README.md LICENSE; do
    run cp -R "$SOURCE/$each" "$new/" || { rm -rf "$new" && full; }
  done
  run mkdir "$new/scripts"
  run cp "$SOURCE/scripts/constraints-phone.txt" "$new/scripts/" || { rm -rf "$new" && full; }
  run touch "$new/complete"
}

done_venv() { [ -e "$CODE/releases/$VERSION/venv/complete" ]; }
do_venv() {
  inside=/opt/pitwall/releases/$VERSION
  from=
  if [ -n "$wheels" ]; then
    run rm -rf "$CODE/wheels"
    run cp -R "$wheels" "$CODE/wheels"
    from="--no-index --find-links /opt/pitwall/wheels"
  fi
  run rm -rf "$CODE/releases/$VERSION/venv"
  run guest python3 -m venv "$inside/venv"
  pip="$inside/venv/bin/python -m pip install -q --disable-pip-version-check"
  # shellcheck disable=SC2086
  run guest $pip --only-binary=:all: --require-hashes --no-deps $from -r "$inside/scripts/constraints-phone.txt" ||
    fail "the Python packages could not be installed" "is there a network? or make a folder with scripts/wheelhouse"
  # shellcheck disable=SC2086
  run guest $pip --no-deps --no-build-isolation --no-index "$inside" || fail "Pitwall itself could not be installed"
  run rm -rf "$CODE/wheels"
  run touch "$CODE/releases/$VERSION/venv/complete"
}

done_home() { [ -e "$DATA/pitwall.toml" ] && [ ! -e "$SOURCE/token" ]; }
do_home() {
  run mkdir -p "$DATA"
  run chmod 700 "$DATA"
  # A token that the laptop made: with it, and no other, its scripts may ask the daemon.
  if [ -e "$SOURCE/token" ]; then
    run cp "$SOURCE/token" "$DATA/token"
    run chmod 600 "$DATA/token"
    run rm -f "$SOURCE/token"
  fi
  [ -e "$DATA/pitwall.toml" ] || run cp "$SOURCE/termux/pitwall.toml" "$DATA/pitwall.toml"
}

done_clips() { [ -e "$CODE/releases/$VERSION/clips-complete" ]; }
do_clips() {
  run guest "/opt/pitwall/releases/$VERSION/venv/bin/python" -c "
from pathlib import Path
from pitwall.config import Home
from pitwall.drive.prepare import known_tracks, prepare_words
home = Home(Path('/pitwall'))
home.prepare()
for track in (None, *known_tracks(home)[0].values()):
    words = prepare_words(home, track, sound=True)
    assert words.clips, words.notes
" || fail "the voice could not be rendered" "look at: proot-distro login $DEBIAN -- espeak-ng --version"
  run touch "$CODE/releases/$VERSION/clips-complete"
}

done_switch() { [ "$(current)" = "$VERSION" ]; }
do_switch() {
  was=$(current)
  if [ -n "$was" ]; then
    # The database is copied as it was left; the journals are never touched by any version.
    stop_services
    if [ -e "$DATA/pitwall.duckdb" ]; then
      run mkdir -p "$DATA/backups"
      keep_database "$DATA/pitwall.duckdb" "$DATA/backups/before-$VERSION.duckdb"
    fi
    link "releases/$was" "$CODE/previous"
  fi
  link "releases/$VERSION" "$CODE/current"
  run rm -f "$CODE/rolling-back"
  for each in "$CODE"/releases/*; do
    case ${each##*/} in "$VERSION" | "$was" | '*') ;; *) run rm -rf "$each" ;; esac
  done
}

done_services() {
  [ "$(cat "$CODE/services-of" 2>/dev/null)" = "$VERSION" ] && [ -e "$CONF" ] && [ -e "$SERVICES/pitwall-phone/run" ]
}
do_services() {
  run mkdir -p "$SERVICES" "$BOOT" "$SHORTCUTS" "$PREFIX/etc"
  if [ -z "$dry" ]; then
    # The services that run read it.
    printf 'PITWALL_HOME=%s\nPITWALL_CODE=%s\nPITWALL_DEBIAN=%s\n' "$DATA" "$CODE" "$DEBIAN" > "$CONF.new" ||
      full "$CONF.new"
    mv "$CONF.new" "$CONF"
  fi
  from=$CODE/releases/$VERSION/termux
  for each in pitwall pitwall-phone; do
    # File by file: runsv holds its own in the same folder. `down` stays away where somebody has started it.
    run mkdir -p "$SERVICES/$each/log" "$SERVICES/$each/control"
    [ -e "$SERVICES/$each/run" ] || run touch "$SERVICES/$each/down"
    for file in run finish log/run control/t; do
      [ ! -e "$from/service/$each/$file" ] || put "$from/service/$each/$file" "$SERVICES/$each/$file"
    done
  done
  put "$from/boot/start-pitwall" "$BOOT/start-pitwall"
  put "$from/pitwall" "$PREFIX/bin/pitwall"
  for each in "$from"/widget/*; do
    [ ! -e "$each" ] || put "$each" "$SHORTCUTS/${each##*/}"
  done
  if [ -z "$dry" ]; then echo "$VERSION" > "$CODE/services-of"; fi
}
put() { # FROM TO: a script of ours, with the shell that this Termux has; whoever runs it now keeps the old one
  if [ -n "$dry" ]; then say "  would write: $2" && return; fi
  sed "1s|^#!/bin/sh|#!$PREFIX/bin/sh|" "$1" > "$2.new" || full "$2.new"
  chmod 755 "$2.new"
  mv "$2.new" "$2"
}

done_start() { false; }
do_start() {
  for each in pitwall pitwall-phone; do
    run rm -f "$SERVICES/$each/down"
    if [ ! -p "$SERVICES/$each/supervise/ok" ]; then
      say "close Termux with exit, and open it again: then $each starts, and at each boot"
    else
      run sv up "$SERVICES/$each" || fail "$each does not start" "look at $PREFIX/var/log/sv/$each/current"
    fi
  done
  stopped=''
}
stop_services() {
  [ -n "$dry" ] || stopped=1
  for each in pitwall-phone pitwall; do
    [ ! -p "$SERVICES/$each/supervise/ok" ] || run sv -w 15 down "$SERVICES/$each" || true
  done
}

bring_back() { # Whatever ends this: what ran before runs again, in the version that is current now.
  status=$?
  for each in ${stopped:+pitwall pitwall-phone}; do
    [ ! -p "$SERVICES/$each/supervise/ok" ] || [ -e "$SERVICES/$each/down" ] || sv up "$SERVICES/$each" || true
  done
  exit $status
}

confirm() {
  [ -z "$yes$dry" ] || return 0
  printf 'pitwall: go on? [y/N] '
  read -r answer || answer=
  case $answer in y | Y | yes) ;; *) fail "nothing was done" ;; esac
}
install_steps() {
  VERSION=$(version)
  case " $STEPS " in *" ${only:-check} "*) ;; *) fail "there is no step $only" "use one of: $STEPS" ;; esac
  say "version $VERSION from $SOURCE"
  say "steps: ${only:-$STEPS}; code in $CODE, recordings in $DATA, a Debian named $DEBIAN"
  confirm
  for step in ${only:-$STEPS}; do
    if [ -z "$only" ] && "done_$step"; then
      say "$step: done already"
    else
      say "$step"
      "do_$step"
    fi
  done
  [ -n "$only$dry" ] || say "Pitwall is listening. Next: pitwall doctor --phone, as termux/README.md says"
}
keep_database() { # FROM TO: a copy of a database with the log that belongs to it
  for part in '' .wal; do
    run rm -f "$2$part"
    [ ! -e "$1$part" ] || run cp "$1$part" "$2$part" || full "$2$part"
  done
}
same_database() { # RELEASE RELEASE: whether one can open what the other has written
  cmp -s "$CODE/$1/pitwall/store/schema.py" "$CODE/$2/pitwall/store/schema.py" &&
    [ "$(grep '^duckdb==' "$CODE/$1/scripts/constraints-phone.txt")" = \
      "$(grep '^duckdb==' "$CODE/$2/scripts/constraints-phone.txt")" ]
}
roll_back() {
  # Broken off, it goes on from what was planned: the links may say something else by then.
  if plan=$(cat "$CODE/rolling-back" 2>/dev/null); then
    was=${plan% *} previous=${plan#* }
  else
    previous=$(readlink "$CODE/previous") || fail "there is no version before this one"
    was=$(readlink "$CODE/current") plan=''
  fi
  say "back from ${was#releases/} to ${previous#releases/}; recordings stay as they are"
  confirm
  stop_services
  before=$DATA/backups/before-${was#releases/}.duckdb
  after=$DATA/backups/after-${was#releases/}.duckdb
  if [ -z "$plan$dry" ]; then
    rm -f "$after" "$after.wal"
    echo "$was $previous" > "$CODE/rolling-back.new" || full "$CODE/rolling-back.new"
    mv "$CODE/rolling-back.new" "$CODE/rolling-back"
  fi
  if [ -e "$before" ] && [ "$(readlink "$CODE/current")" = "$was" ] && ! same_database "$was" "$previous"; then
    say "the database is put back as it was before; sessions since then are made again from their journals"
    for part in .wal ''; do # the log first: where the database is aside, all of it is
      [ -e "$after" ] || [ ! -e "$DATA/pitwall.duckdb$part" ] || run mv "$DATA/pitwall.duckdb$part" "$after$part"
    done
    keep_database "$before" "$DATA/pitwall.duckdb"
  fi
  link "$previous" "$CODE/current"
  link "$was" "$CODE/previous"
  VERSION=${previous#releases/}
  do_services
  do_start
  run rm -f "$CODE/rolling-back"
}
uninstall() {
  say "services, boot script, widgets, code and the Debian go; ${delete:+the recordings in $DATA too, FOR GOOD}"
  [ -n "$delete" ] || say "recordings and settings stay in $DATA"
  confirm
  stop_services
  stopped=''
  for each in pitwall pitwall-phone; do
    # runsv ends by itself once its folder is gone.
    run rm -rf "${SERVICES:?}/$each" "${SHORTCUTS:?}/pitwall-"*
  done
  run rm -f "$BOOT/start-pitwall" "$PREFIX/bin/pitwall" "$CONF"
  proot-distro list 2>/dev/null | grep -qw "$DEBIAN" && run proot-distro remove "$DEBIAN"
  run rm -rf "$CODE"
  [ -z "$delete" ] || run rm -rf "$DATA"
  run termux-wake-unlock
}

trap bring_back EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
case $what in
  install) install_steps ;;
  version) version ;;
  rollback) roll_back ;;
  uninstall) uninstall ;;
esac
