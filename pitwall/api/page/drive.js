// The view for the dash: what a driver reads at a glance, from the live stream ten times a second.
// @ts-check
"use strict";

const drive = (() => {
  const { node, kept, keep } = ui, { say } = daemon;
  const HZ = 10, STATUS_MS = 5000, SILENT_MS = 2000, SAID_MS = 8000;
  // So long a lap's time stands after the line; and figures that nothing renews are taken away.
  const LAP_MS = 10000, OLD_MS = 10000;
  // Within this of the best of the day a sector is a good one, seconds.
  const GOOD_SECTOR_S = 0.1;
  // The bar's ends, seconds; and a difference that is none.
  const BAR_S = 1.5, EVEN_S = 0.02;
  // The shift light: above this share of the most that the engine turned; and no engine idles so high.
  const SHIFT_AT = 0.95, SHIFT_RPM = 2500;

  /** What each button asks of the coach. @type {Record<string, object>} */
  const ASKS = { hush: { hush: "lap ended" }, mute: { hush: "session" }, lost: { hush: "place proved" }, over: { hush: "over" }, understood: { understood: true } };
  /** What the button of silence asks next. @type {Record<string, string>} */
  const NEXT_SILENCE = { "": "hush", "lap ended": "mute" };
  // Players that make no sound.
  const SILENT = ["text", "none"];

  /** @typedef {{corner: string, title: string, number: string, entry_m: number, apex_m: number, exit_m: number}} Ahead */

  /** A light: a mark and a word, so that the colour is not all it tells. @param {string} title */
  function light(title) {
    const state = node("span.state");
    const element = node("div.light", [node("span.name", title), state]);
    /** @param {string} kind good, lost or off @param {string} word */
    function show(kind, word) {
      if (element.dataset.kind === kind && state.textContent === word) return;
      element.dataset.kind = kind;
      state.textContent = word;
    }
    return { element, show };
  }
  /** What a tap changes, and Enter too. @param {HTMLElement} element @param {string} title @param {() => void} does */
  function tapped(element, title, does) {
    Object.assign(element, { tabIndex: 0, onclick: does, onkeydown: (/** @type {KeyboardEvent} */ event) => { if (event.key === "Enter") does(); } });
    element.setAttribute("role", "button");
    element.setAttribute("aria-label", title);
    element.classList.add("tap");
  }

  /** A figure under its name. @param {string} title @param {string} className */
  function figure(title, className) {
    const value = node("span.value", "–");
    return { element: node("div", { className: `figure ${className}` }, [node("span.name", title), value]), value };
  }
  /** Only what changed is written: the browser need not look at the rest. @param {HTMLElement} element @param {string} text */
  function write(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  /** A gap in three digits, so that it is as wide however large it is. @param {number} gap */
  const gapText = (gap) => ui.signed(gap, Math.abs(gap) < 9.995 ? 2 : Math.abs(gap) < 99.95 ? 1 : 0);

  /** The browser's own location, where the car has no receiver; it goes on while other views are seen. */
  const here = (() => {
    const ENOUGH_M = 30, COUNTED = 6;
    /** @type {number | null} */
    let watch = null;
    /** @type {number[]} */
    let fixes = [];
    return {
      /** How often it comes, in words; "" while it is off. */
      rate: () => watch === null ? "" : fixes.length < 2 ? say("waiting") : `${say("browser")} ${ui.number((1000 * (fixes.length - 1)) / (fixes[fixes.length - 1] - fixes[0]), 1)} Hz`,
      /** Begin, or end. @param {(text: string) => void} tell */
      turn(tell) {
        if (watch !== null) { navigator.geolocation.clearWatch(watch); watch = null; fixes = []; tell(say("location off")); return; }
        const page = Array.from(crypto.getRandomValues(new Uint8Array(8)), (each) => each.toString(16).padStart(2, "0")).join("");
        let number = 0;
        tell(say("location on"));
        watch = navigator.geolocation.watchPosition(({ coords, timestamp }) => {
          if (coords.accuracy > ENOUGH_M || timestamp <= fixes[fixes.length - 1]) return;
          fixes = [...fixes, timestamp].slice(-COUNTED);
          daemon.post("/location", { page, number: number++, at_s: timestamp / 1000, lat_deg: coords.latitude, lon_deg: coords.longitude,
            speed_mps: coords.speed, heading_deg: Number.isNaN(coords.heading) ? null : coords.heading }).catch((error) => tell(error.message));
        }, (error) => tell(error.message), { enableHighAccuracy: true, maximumAge: 0 });
      },
    };
  })();

  /** The view; `end()` lets go of the stream. */
  function view() {
    const lights = { gps: light(say("GPS")), can: light(say("CAN")), sound: light(say("sound")), disk: light(say("recording")) };
    const life = node("p.life", { role: "status" });
    const note = node("p.alarm", { role: "alert", hidden: true });
    const delta = figure(say("delta"), "delta"), speed = figure(daemon.unit("m/s"), "speed");
    const bar = node("div.bar", { "aria-hidden": "true" }), fill = node("i");
    bar.append(fill, node("b"));
    const next = figure(say("next"), "next"), far = node("span.far");
    next.element.append(far);
    const sectors = node("ol.sectors", { "aria-label": say("sectors") });
    const card = node("div.standing", { hidden: true });
    const lap = figure(say("lap"), "spare"), last = figure(say("last"), "spare");
    const predicted = figure(say("predicted"), ""), best = figure(say("best"), "");
    const said = node("p.said", { "aria-live": "polite", textContent: say("nothing said") });
    /** Whose gap is shown: the coach's own reference first. */
    const OF = ["coach", "session", "day", "all"], SHOWS = ["speed", "gear"];
    let of = kept("delta", "coach"), shows = kept("figure", "speed"), mostRpm = Number(kept("rpm", "0"));
    tapped(delta.element, say("tap delta"), () => { of = OF[(OF.indexOf(of) + 1) % OF.length]; keep("delta", of); showGap(seen); });
    tapped(speed.element, say("tap speed"), () => { shows = SHOWS[(SHOWS.indexOf(shows) + 1) % SHOWS.length]; keep("figure", shows); });
    tapped(said, say("hear again"), async () => {
      const text = said.textContent || "";
      try { if (standing && heard) await daemon.hear(text); else await daemon.send("POST", "/coach", { again: true }); } catch (error) { hear(ui.why(error)); }
    });
    tapped(lights.gps.element, say("tap location"), () => { here.turn(hear); lamps(); });
    /** The day of a lap of an earlier session, by its label. @param {any} other */
    const dayOf = (other) => {
      const day = /^(\d{4})(\d\d)(\d\d)-/.exec(other ? other.label : "");
      return day ? new Date(Date.UTC(+day[1], +day[2] - 1, +day[3])).toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }) : "";
    };
    /** The lap that is run down to: the gap, its time and what it is called. @param {any} state @returns {[number | null, number | null, string]} */
    function gapOf(state) {
      if (of === "coach") {
        const earlier = state.reference === "remembered" && state.others.find((/** @type {any} */ each) => each.of === "all" && each.time_s === state.reference_s);
        return [state.delta_s, state.reference_s, state.reference_s === null ? "" : dayOf(earlier) || say(`reference ${state.reference}`)];
      }
      const i = state.others.findIndex((/** @type {any} */ each) => each.of === of), other = state.others[i];
      return [state.other_deltas_s[i] ?? null, other ? other.time_s : null, (of === "all" && dayOf(other)) || say(`best of ${of}`)];
    }
    /** @param {string} name @param {() => void} does */
    const button = (name, does) => ui.button(say(`button ${name}`), does);
    /** Silence for a lap, then for the session, then none. */
    let silence = "hush";
    const quiet = button(silence, () => ask(silence));
    /** The answer to the pit wall; without one there is nothing to answer. */
    const understood = Object.assign(button("understood", () => ask("understood")), { hidden: true });
    const askWall = () => { if (understood.hidden) daemon.get("/wall").then(({ on }) => { understood.hidden = !on; }, () => {}); };
    askWall();
    /** @type {any} */
    let seen = null;
    const nextName = /** @type {HTMLElement} */ (next.element.firstChild);
    const deltaName = /** @type {HTMLElement} */ (delta.element.firstChild);
    const lapName = /** @type {HTMLElement} */ (lap.element.firstChild);
    const element = node("div.drive", [
      node("div.lights", { role: "group", "aria-label": say("System") }, Object.values(lights).map((each) => each.element)),
      life, note,
      node("div.big", [speed.element, node("div.deltabox", [delta.element, bar])]),
      node("div.road", [next.element, sectors]), card,
      node("div.times", [lap.element, last.element, predicted.element, best.element]),
      node("div.foot", [
        node("div.figure.saidbox", [node("span.name", say("said")), said]),
        node("div.marks", ["mark", "traffic", "yellow"].map((name) => button(name, () => mark(name))).concat(["lost"].map((name) => button(name, () => ask(name))), quiet, understood))]),
    ]);
    /** Silence that ends by itself, and the answer to the pit wall. @param {string} name */
    async function ask(name) {
      try {
        await daemon.send("POST", "/coach", ASKS[name]);
        hear(say(`${name} heard`));
        look();
      } catch (error) { hear(ui.why(error)); }
    }

    /** Said of the running lap, by tap. @param {string} name */
    async function mark(name) {
      try {
        const marked = await daemon.send("POST", "/mark", { mark: name });
        hear(`${say(name)}: ${say("lap")} ${marked.lap}`);
      } catch (error) { hear(ui.why(error)); }
    }

    /** @type {{title: string, length_m: number, corners: Ahead[]} | null} */
    let track = null;
    let trackId = "", ended = false, frameMs = -Infinity, carSeen = false;
    /** The lap that has just ended, until when it is shown, and what it is compared with.
     * @type {{lap: number, time_s: number, gap_s: number | null, sectors_s: (number | null)[], bests_s: (number | null)[], untilMs: number} | null} */
    let finished = null;
    /** @type {any} */
    let before = null;
    /** Of which session the card is, as it was asked for. */
    let carded = "", standing = false;
    // Whether anything was said since the view is here.
    let heard = false;
    /** @type {any} */
    let status = null;

    /** The corner the car is in, or the next one and how far it is. @param {number} at metres from the gate */
    function ahead(at) {
      if (!track || !track.corners.length) return null;
      const length = track.length_m, left = (/** @type {number} */ m) => (((m - at) % length) + length) % length;
      const here = track.corners.find((each) => left(each.exit_m) < left(each.entry_m));
      if (here) return { corner: here, far_m: 0 };
      const corner = track.corners.reduce((one, other) => (left(other.entry_m) < left(one.entry_m) ? other : one));
      return { corner, far_m: left(corner.entry_m) };
    }
    /** @param {any} message */
    function frame({ frame, position, state }) {
      frameMs = performance.now();
      if (shows === "gear") write(speed.value, frame.gear === null ? "–" : frame.gear === 0 ? "N" : String(frame.gear));
      else write(speed.value, frame.speed_mps === null ? "–" : String(Math.round(daemon.shown(frame.speed_mps, "m/s"))));
      write(/** @type {HTMLElement} */ (speed.element.firstChild), shows === "gear" ? say("gear") : daemon.unit("m/s"));
      if (frame.rpm > mostRpm) keep("rpm", String(mostRpm = Math.round(frame.rpm)));
      // He changes up where the engine was highest before; a little earlier the light calls for it.
      speed.element.dataset.shift = shows === "gear" && frame.rpm > SHIFT_RPM && frame.rpm > SHIFT_AT * mostRpm ? "now" : "";
      showGap(seen = state);
      lapEnds(state);
      if (finished) showFinished(finished); else showNext(state);
      write(lapName, `${say("lap")} ${state.lap}`);
      write(lap.value, daemon.clock(state.lap_elapsed_s, 1));
      write(last.value, daemon.clock(state.last_s));
      write(predicted.value, daemon.clock(state.predicted_s, 1));
      write(best.value, daemon.clock(state.best_s));
      carSeen = carSeen || [frame.throttle_pct, frame.brake_bar, frame.brake_pct, frame.rpm].some((each) => each !== null);
      if (position === null && !lost("gps")) lights.gps.show("off", say("waiting"));
    }
    /** @param {any} state */
    function showGap(state) {
      if (!state) return;
      const [gap, time_s, called] = gapOf(state), kind = gap === null ? "none" : Math.abs(gap) < EVEN_S ? "even" : gap > 0 ? "slower" : "faster";
      write(delta.value, gap === null ? "–" : gapText(gap));
      // A gap says nothing without the lap that it is to.
      write(deltaName, time_s === null ? [say("delta"), of === "coach" ? "" : say(`best of ${of}`)].filter(Boolean).join(": ") : `${say("delta to")} ${daemon.clock(time_s)} (${called})`);
      delta.element.dataset.kind = fill.dataset.kind = kind;
      delta.element.title = gap === null ? say("no delta") : "";
      const share = gap === null ? 0 : Math.max(-1, Math.min(1, gap / BAR_S));
      fill.style.transform = `translateX(${share < 0 ? 100 * share : 0}%) scaleX(${Math.abs(share)})`;
    }
    /** Notice that the line was crossed. @param {any} state */
    function lapEnds(state) {
      const now = performance.now();
      if (before && state.lap === before.lap + 1 && state.last_s !== null && state.last_s !== before.last_s) {
        finished = { lap: before.lap, time_s: state.last_s, gap_s: before.best_s === null ? null : state.last_s - before.best_s,
          sectors_s: state.last_sectors_s, bests_s: before.best_sectors_s, untilMs: now + LAP_MS };
      } else if (finished && (now > finished.untilMs || state.lap !== finished.lap + 1)) finished = null;
      before = { lap: state.lap, last_s: state.last_s, best_s: state.best_s, best_sectors_s: state.best_sectors_s };
    }
    /** The corner ahead, and the sectors of the running lap. @param {any} state */
    function showNext(state) {
      const place = state.distance_m === null ? null : ahead(state.distance_m);
      write(nextName, say("next"));
      write(next.value, place ? place.corner.title : "–");
      write(far, !place ? "" : place.far_m ? `${Math.round(daemon.shown(place.far_m, "m") / 10) * 10} ${daemon.unit("m")}` : say("now"));
      next.element.dataset.kind = place && !place.far_m ? "now" : "";
      showSectors(state.sectors_s, state.best_sectors_s);
    }
    /** @param {NonNullable<typeof finished>} done */
    function showFinished(done) {
      write(nextName, `${say("lap")} ${done.lap}`);
      write(next.value, daemon.clock(done.time_s));
      write(far, done.gap_s === null ? "" : gapText(done.gap_s));
      next.element.dataset.kind = done.gap_s === null ? "" : done.gap_s < 0 ? "record" : "slower";
      showSectors(done.sectors_s, done.bests_s);
    }
    /** A chip a sector: purple where it is the best of the day, green where it is nearly, red where it is slower; in
     * figures too. @param {(number | null)[]} sectors_s @param {(number | null)[]} bests_s */
    function showSectors(sectors_s, bests_s) {
      const many = Math.max(sectors_s.length, bests_s.length);
      while (sectors.children.length > many) sectors.lastChild?.remove();
      while (sectors.children.length < many) sectors.append(node("li", [`${say("sector")}${sectors.children.length + 1} `, node("b")]));
      [...sectors.children].forEach((/** @type {any} */ chip, i) => {
        const time = sectors_s[i] ?? null, best = bests_s[i] ?? null, gap = time === null || best === null ? null : time - best;
        write(chip.lastElementChild, time === null ? "–" : gap === null ? ui.number(time, 1) : ui.signed(gap, 2));
        chip.dataset.kind = gap === null ? "" : gap <= 0 ? "record" : gap < GOOD_SECTOR_S ? "faster" : "slower";
      });
    }
    /** Nothing has come for so long that what is shown is not so any more. */
    function clear() {
      for (const each of [speed, delta, lap, predicted, next]) write(each.value, "–");
      write(far, "");
      write(deltaName, say("delta"));
      delta.element.dataset.kind = "none";
      fill.style.transform = "scaleX(0)";
      next.element.dataset.kind = "";
      finished = before = seen = null;
    }
    /** The car stands: its best lap, what its best passes would give, and the one thing for the next run. */
    async function stand() {
      const now = status.session, wanted = `${now.id} ${now.life} ${now.lap}`;
      if (carded === wanted) return;
      carded = wanted;
      moment.end();
      moment = { end() {} };
      try {
        const rows = now.id ? [] : await laps.sessions();
        const id = now.id || (rows.find((each) => each.laps > 0) || { id: "" }).id;
        const shown = id ? await daemon.get(`/sessions/${encodeURIComponent(id)}/view`) : null;
        if (ended || carded !== wanted) return;
        const best = shown ? session.fastest(shown)[0] : undefined, found = shown ? session.moment(shown) : null;
        card.replaceChildren(...(id || rows.length ? [] : [gallery.view([], "")]), ...(best ? [
          node("p.fine", [shown.title, shown.when].filter(Boolean).join(" · ")),
          node("dl", [node("div", [node("dt", say("best")), node("dd", best.time)]),
            ...(shown.potential && shown.potential.gain_s >= 0.005 ? [node("div", [node("dt", say("in hand")),
              node("dd.gain", `${ui.number(shown.potential.gain_s, 2)} s`)])] : [])])] : []),
          ...(found ? [found.element] : []));
        if (found) moment = found;
        showCard();
        if (found && !card.hidden) found.start();
      } catch (error) { carded = ""; /* it is asked again with the next status */ }
    }
    let moment = { end() {} };
    /** The card takes the place of the figures while the car stands. */
    function showCard() {
      card.hidden = !standing || !card.children.length;
      element.dataset.standing = card.hidden ? "no" : "yes";
    }
    /** @param {string[]} names */
    const lost = (...names) => Boolean(status && status.degradations.some((/** @type {any} */ each) => names.includes(each.name)));
    function lamps() {
      if (!status) return;
      const can = (/** @type {string} */ name) => status.capabilities.some((/** @type {any} */ each) => each.name === name && each.available);
      const fed = performance.now() - frameMs < SILENT_MS;
      const show = (/** @type {any} */ lamp, /** @type {boolean} */ bad, /** @type {boolean} */ good, /** @type {string} */ word) =>
        lamp.show(bad ? "lost" : good ? "good" : "off", bad ? say("lost") : good ? say("good") : word);
      if (here.rate()) lights.gps.show("off", here.rate());
      else show(lights.gps, lost("gps", "sources"), fed && (can("timing") || can("speed")), say("none tap"));
      show(lights.can, lost("can", "sources"), fed && carSeen, say("none"));
      show(lights.sound, lost("audio") || status.voice.heard === false, status.voice.heard === true,
        say(status.voice.player && SILENT.includes(status.voice.player.name) ? "silent" : "unknown"));
      show(lights.disk, lost("disk", "store"), status.store.state === "good", status.store.state);
      const session = status.session;
      const caught = session.caught_up === null ? "" : say("catching up");
      const where = session.life === "none" ? "" : track ? track.title : say("track unknown");
      silence = NEXT_SILENCE[session.hush] || "over";
      write(quiet, say(`button ${silence}`));
      write(life, [session.hush && say(`hush ${session.hush}`), say(session.life === "none" ? "life none" : session.life), where, caught].filter(Boolean).join(" · "));
      const spared = lost("phone") && !fed;
      // The worst comes last; lamps tell of the others.
      const losses = status.degradations.filter((/** @type {any} */ each) => !each.covered);
      write(note, spared ? say("spared") : losses.length ? losses[losses.length - 1].told : "");
      note.hidden = !note.textContent;
      element.dataset.fed = fed ? "yes" : "no";
      if (performance.now() - frameMs > OLD_MS) clear();
      standing = session.life === "paddock" || session.life === "none";
      if (standing) stand();
      else carded = "";
      showCard();
      if (!heard && status.session.said) {
        write(said, status.session.said);
        element.dataset.said = "yes";
        said.classList.add("past");
      }
    }
    async function look() {
      if (ended || document.hidden) return;
      try {
        status = (await daemon.get("/status?details=session,degradations,capabilities,voice,store")).details;
        if (status.session.track !== trackId) {
          trackId = status.session.track;
          track = trackId ? await daemon.get(`/tracks/${encodeURIComponent(trackId)}/view`) : null;
        }
        lamps();
      } catch (error) { /* the stream tells that the daemon is away */ }
    }
    /** What changes is looked at when it is told; of many at once the last is enough. */
    let looking = 0, fading = 0;
    const lookSoon = () => { clearTimeout(looking); looking = window.setTimeout(look, 150); };
    /** What is said now. Of a corner long behind it must not read as if it were of the next one. @param {string} text */
    function hear(text) {
      heard = true;
      element.dataset.said = "yes";
      write(said, text);
      said.classList.remove("past");
      clearTimeout(fading);
      fading = window.setTimeout(() => said.classList.add("past"), SAID_MS);
    }
    const close = daemon.live(HZ, (message) => {
      if (message.type === "frame") frame(message);
      else if (message.type === "callout") { hear(message.callout.text); askWall(); }
      else if (message.type === "event" && message.kind === "next run") hear(message.detail);
      else if (message.type === "event") lookSoon();
    }, (up) => {
      if (up) { lookSoon(); return; }
      write(note, say("no answer"));
      note.hidden = false;
      element.dataset.fed = "no";
    });
    const timer = window.setInterval(look, STATUS_MS);
    const awake = keepAwake();
    look();
    return { element, end() { ended = true; close(); awake(); clearInterval(timer); clearTimeout(looking); moment.end(); } };
  }

  /** Keep the screen on while the view is seen, where the browser can; gives what ends that. */
  function keepAwake() {
    /** @type {any} */
    let lock = null, ended = false;
    const take = async () => {
      if (document.hidden || ended || !navigator.wakeLock) return;
      lock = await navigator.wakeLock.request("screen").catch(() => null);
      if (ended && lock) lock.release();
    };
    document.addEventListener("visibilitychange", take);
    take();
    return () => { ended = true; document.removeEventListener("visibilitychange", take); if (lock) lock.release(); };
  }

  return { view };
})();
