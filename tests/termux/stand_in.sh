#!/bin/sh
# A command of the phone, by the name that it is called by: answers, hangs and deadlocks as the real ones do.
# $PHONE is a folder: `calls` is what was called; a file `no-api` there: the app Termux:API is missing.
name=${0##*/}
printf '%s %s\n' "$name" "$*" >> "$PHONE/calls"
hang() { exec sleep 3600; }
kept() { if [ -e "$PHONE/$1" ]; then cat "$PHONE/$1"; else printf '%s\n' "$2"; fi; }
# What adb's shell may, an app may not.
as_shell() { [ "${PHONE_USER:-app}" = shell ] || [ -e "$PHONE/granted-$1" ]; }

case $name in
  # A service of Termux itself, not of Termux:API.
  termux-wake-lock) : > "$PHONE/wake-lock"; exit 0 ;;
  termux-wake-unlock) rm -f "$PHONE/wake-lock"; exit 0 ;;
  termux-*) if [ -e "$PHONE/no-api" ] || [ -e "$PHONE/frozen" ]; then hang; fi ;;
esac

case $name in
  termux-battery-status)
    kept battery '{"present": true, "percentage": 57, "plugged": "UNPLUGGED", "status": "DISCHARGING", "temperature": 31.5, "current": -412000}'
    ;;
  termux-wifi-connectioninfo) kept wifi '{"ip": "0.0.0.0", "supplicant_state": "DISCONNECTED"}' ;;
  termux-telephony-deviceinfo) kept telephony '{"data_enabled": "true", "data_state": "connected"}' ;;
  termux-audio-info) kept audio-info '{"AUDIOTRACK_SAMPLE_RATE": 48000, "BLUETOOTH_A2DP_IS_ON": false, "WIREDHEADSET_IS_CONNECTED": true}' ;;
  termux-volume) kept volume '[{"stream": "ring", "volume": 0, "max_volume": 7}, {"stream": "music", "volume": 12, "max_volume": 15}]' ;;
  termux-notification) kept notification '' ;;
  termux-notification-remove | termux-vibrate) ;;
  termux-tts-speak)
    # The second intent waits for a latch that nobody opens.
    if [ -e "$PHONE/tts.pid" ] && kill -0 "$(cat "$PHONE/tts.pid")" 2>/dev/null; then hang; fi
    echo $$ > "$PHONE/tts.pid"
    while IFS= read -r line; do printf '%s\n' "$line" >> "$PHONE/spoken"; done
    ;;
  play-audio)
    [ -e "$PHONE/play-broken" ] && exit 1
    printf '%s\n' "$1" >> "$PHONE/played"
    if [ -e "$PHONE/play-long" ]; then hang; fi
    ;;
  pulseaudio)
    [ -e "$PHONE/no-pulse" ] && exit 1
    HOME=$PHONE XDG_RUNTIME_DIR=$PHONE PULSE_RUNTIME_PATH=$PHONE PULSE_STATE_PATH=$PHONE
    export HOME XDG_RUNTIME_DIR PULSE_RUNTIME_PATH PULSE_STATE_PATH
    exec /usr/bin/pulseaudio "$@"
    ;;
  pm)
    case "$1 $2" in
      "path com.termux.api") if [ -e "$PHONE/no-api" ]; then exit 1; fi; echo "package:/data/app/com.termux.api/base.apk" ;;
      "path com.termux.boot") if [ -e "$PHONE/no-boot" ]; then exit 1; fi; echo "package:/data/app/com.termux.boot/base.apk" ;;
      "path com.termux") if [ -e "$PHONE/no-termux" ]; then exit 1; fi; echo "package:/data/app/com.termux/base.apk" ;;
      "path "*) grep -qx "$2" "$PHONE/apps" 2>/dev/null || exit 1; echo "package:/data/app/$2/base.apk" ;;
      "grant com.termux"*) : > "$PHONE/granted-${3##*.}" ;;
      "grant "*) : > "$PHONE/granted-$2-${3##*.}" ;;
      "revoke com.termux"*) rm -f "$PHONE/granted-${3##*.}" ;;
      "revoke "*) rm -f "$PHONE/granted-$2-${3##*.}" ;;
    esac
    ;;
  settings)
    mkdir -p "$PHONE/settings"
    case $1 in
      get) kept "settings/$3" null ;;
      put) if as_shell WRITE_SECURE_SETTINGS; then printf '%s\n' "$4" > "$PHONE/settings/$3"; else echo "java.lang.SecurityException: Permission denial: writing to settings" >&2; exit 255; fi ;;
      delete) rm -f "$PHONE/settings/$3" ;;
    esac
    ;;
  dumpsys)
    if ! as_shell DUMP; then echo "Permission Denial: can't dump $1 from pid=$$, uid=10234 due to missing android.permission.DUMP permission"; exit 0; fi
    case "$1 $2" in
      "thermalservice "*) kept thermal 'Thermal Status: 0' ;;
      "deviceidle whitelist")
        case ${3:-} in
          +*) printf 'user,%s,10234\n' "${3#+}" >> "$PHONE/whitelist" ;;
          -*) grep -v "^user,${3#-}," "$PHONE/whitelist" > "$PHONE/whitelist.new"; mv "$PHONE/whitelist.new" "$PHONE/whitelist" ;;
          *) kept whitelist 'system,com.android.shell,2000' ;;
        esac
        ;;
      "package "*)
        printf 'Packages:\n  Package [%s] (1a2b3c):\n    runtime permissions:\n' "$2"
        for right in ACCESS_FINE_LOCATION ACCESS_BACKGROUND_LOCATION; do
          if [ -e "$PHONE/granted-$2-$right" ]; then given=true; else given=false; fi
          printf '      android.permission.%s: granted=%s, flags=[ USER_SET ]\n' "$right" "$given"
        done
        ;;
      "telephony.registry "*) kept call '  mCallState=0' ;;
      "connectivity "*) kept connectivity '' ;;
      "power "*)
        echo 'Wake Locks: size=1'
        [ ! -e "$PHONE/wake-lock" ] || echo "  PARTIAL_WAKE_LOCK  'termux:service-wakelock' ACQ=-1m2s (uid=10234)"
        ;;
    esac
    ;;
  am)
    case $1 in
      get-standby-bucket) kept "bucket-$2" 20 ;;
      set-standby-bucket) case $3 in active) echo 10 ;; working_set) echo 20 ;; *) echo "$3" ;; esac > "$PHONE/bucket-$2" ;;
    esac
    ;;
  cmd) kept appops 'POST_NOTIFICATION: allow' ;;
  input)
    # The keyboard of Termux's own window.
    case $1 in
      text) shift; printf '%s' "$*" | sed 's/%s/ /g' >> "$PHONE/typed" ;;
      keyevent)
        [ "$2" = 66 ] || exit 0
        line=$(cat "$PHONE/typed"); : > "$PHONE/typed"
        printf '%s\n' "$line" >> "$PHONE/typed-lines"
        PHONE_USER=app setsid sh -c "$line" > "$PHONE/terminal" 2>&1 < /dev/null &
        ;;
    esac
    ;;
  getprop) kept "prop-$1" arm64-v8a ;;
esac
