// Films of a session next to the charts' cursor: picked from the device, aligned, played; two laps side by side.
// @ts-check
"use strict";

const video = (() => {
  const { node } = ui, { say } = daemon;
  /** A film and when in its session it began, seconds; null until that is known.
   * `chain`: the chapters of one recording, in their order, itself among them.
 * @typedef {{name: string, key: string, url: string, film: Film, begin_s: number | null, long_s: number, chain: Clip[]}} Clip */
  /** A film and its lap. `wanted`: the moment where it must go, `put`: where it was sent last; null once it went by
   * itself. @typedef {{side: Side | null, clip: Clip | null, film: any, name: any, box: any, wanted: number | null, put: number | null}} Pane */
  /** The films of each session, for as long as the page stands. @type {Map<string, Clip[]>} */
  const picked = new Map();
  const KEPT = "film ", AHEAD_S = 0.5, CLOSE_S = 1e-3, RATES = [0.25, 4];
  // A GoPro splits a recording: GX010007, GX020007, or GOPR0007, GP010007. And the codes of HEVC's pictures.
  const CHAPTER = /^(?:(G[A-Z])(\d\d)|GOPR)(\d{4})/i, HEVC = /^(hvc1|hev1|dvh1|dvhe)$/;

  /** The speeds of a session as it was driven, by its time. @param {View} view @returns {Fix[]} */
  const driven = (view) => view.laps.flatMap((lap) => {
    const { time, speed_mps: speeds } = lap.columns, start = lap.start_t;
    return start === null || !time || !speeds ? [] : time.flatMap((ms, i) => {
      const speed = speeds[i];
      return ms === null || speed === null ? [] : [{ t: start + ms / 1000, speed }];
    });
  }).sort((one, two) => one.t - two.t);

  /** Read what the files of one recording say of themselves, in their order, and find where it belongs.
   * @param {File[]} files @param {View} view @returns {Promise<Clip[]>} */
  async function clipsOf(files, view) {
    /** @type {Clip[]} */
    const chain = [];
    for (const file of files) {
      const film = await gpmf.film(file);
      chain.push({ name: file.name, key: `${KEPT}${view.id} ${file.name} ${file.size}`, url: URL.createObjectURL(file), film, begin_s: null, long_s: film.long_s || Infinity, chain });
    }
    let ahead_s = 0;
    const starts_s = chain.map(({ film }) => { const at_s = ahead_s; ahead_s += film.long_s; return at_s; });
    const fixes = chain.flatMap(({ film }, i) => film.fixes.map(({ t, speed }) => ({ t: t + starts_s[i], speed })));
    const known = ui.kept(chain[0].key, ""), timed = chain.findIndex(({ film }) => film.utc_s !== null);
    let begin_s = known && known !== "null" ? Number(known) : null;
    if (begin_s === null && fixes.length) {
      await laps.fill(view, view.laps);
      const clock_s = view.start_utc_s === null || timed < 0 ? null : Number(chain[timed].film.utc_s) - starts_s[timed] - view.start_utc_s;
      const found = gpmf.match(fixes, driven(view), clock_s);
      begin_s = found && found.begin_s;
    }
    chain.forEach((clip, i) => { clip.begin_s = begin_s === null ? null : begin_s + starts_s[i]; });
    return chain;
  }
  /** The files by recording, a recording's in their order. @param {File[]} files @returns {File[][]} */
  function recordings(files) {
    /** @type {Map<string, [number, File][]>} */
    const found = new Map();
    for (const file of files) {
      const [, kind, number, of] = CHAPTER.exec(file.name) || [];
      const name = of ? `${kind && !/^GP/i.test(kind) ? kind : "GOPR"}${of}`.toUpperCase() : `${file.name} ${file.size}`;
      found.set(name, [...(found.get(name) || []), [Number(number || 0), file]]);
    }
    return [...found.values()].map((chapters) => chapters.sort(([one], [two]) => one - two).map(([, file]) => file));
  }

  /** The films next to a comparison. @param {any} drawing what `charts.comparison` made @param {(lap: Lap) => void} showLap */
  function beside(drawing, showLap) {
    /** @type {Pane[]} */
    const panes = ["one", "two"].map((name, i) => {
      const film = node("video", { controls: true, muted: i === 1, playsInline: true, preload: "auto", "aria-label": say("film") });
      const refuse = (/** @type {string} */ why) => { told.textContent = HEVC.test(panes[i].clip?.film.codec || "") ? say("no hevc") : `${say("no play")} ${why}`; };
      film.addEventListener("error", () => { if (film.error && film.src) refuse(film.error.message); });
      // Some play its sound and leave the picture black.
      film.addEventListener("loadeddata", () => { if (!film.videoWidth) refuse(""); });
      const title = node("figcaption", { className: name });
      return { side: null, clip: null, film, name: title, box: node("figure", { hidden: true }, [film, title]), wanted: null, put: null };
    });
    const [one, two] = panes;
    const told = ui.told();
    const button = (/** @type {string} */ word, /** @type {() => void} */ act) => ui.button(say(word), act);
    const playing = button("play", () => { if (one.film.paused) play(); else one.film.pause(); });
    const tools = node("div.framing", { hidden: true }, [
      button("corner before", () => step(-1)), playing, button("corner after", () => step(1)),
      ui.menu(say("align"), [node("div.framing", [
        button("at the line", () => align(0)), button("at the cursor", () => align(drawing.at())),
        button("frame back", () => nudge(-1)), button("frame on", () => nudge(1))]),
      node("p.hint", say("align help"))])]);
    const input = node("input", { type: "file", accept: "video/*", multiple: true, onchange: () => take([...input.files]) });
    const asked = node("select", { "aria-label": say("film of") });
    const pick = ui.labelled(say("pick a film"), input);
    const top = node("div.films", [node("div.panes", [one.box, two.box]), tools]);
    const chooser = node("div.filmpick.row", [pick, asked, told]);

    /** When in a pane's film its lap is at a place; null where the film does not show it. @param {Pane} pane @param {number} at_m */
    function momentOf(pane, at_m) {
      const { side } = pane, ms = side && charts.timeAt(side, at_m);
      if (!side || ms === null || side.lap.start_t === null) return null;
      return side.lap.start_t + ms / 1000;
    }
    /** The film that shows this moment of a session, or the first one. @param {View} view @param {number | null} t */
    function clipAt(view, t) {
      const clips = picked.get(view.id) || [];
      return clips.find(({ begin_s, long_s }) => t !== null && begin_s !== null && begin_s <= t && t < begin_s + long_s) || clips[0] || null;
    }
    /** Put a film into a pane. @param {Pane} pane @param {Clip | null} clip */
    function load(pane, clip) {
      if (pane.clip === clip) return;
      pane.clip = clip;
      pane.wanted = pane.put = null;
      if (!clip) { pane.film.removeAttribute("src"); return; }
      pane.film.src = clip.url;
      pane.film.onloadedmetadata = () => { clip.long_s = pane.film.duration; follow(drawing.at(), null); };
    }
    /** Bring a pane's film to a moment; one that is still on its way takes the last wish. @param {Pane} pane @param {number} t */
    function seek(pane, t) {
      pane.wanted = t;
      if (pane.film.seeking || at(pane, t)) return;
      pane.put = t;
      pane.film.currentTime = t;
    }
    /** Whether a film stands at this moment. @param {Pane} pane @param {number | null} t */
    const at = (pane, t) => t !== null && Math.abs(pane.film.currentTime - t) < CLOSE_S;
    /** A film came where it was sent: on to what was wanted since; or the driver moved it by its own bar. @param {Pane} pane */
    function arrived(pane) {
      if (!at(pane, pane.put)) { pane.wanted = pane.put = null; if (pane === one) lead(); }
      else if (pane.wanted !== null) seek(pane, pane.wanted);
    }
    /** The cursor moved: the films go there. @param {number | null} at_m @param {unknown} by what moved it */
    function follow(at_m, by) {
      for (const pane of panes) {
        if (at_m === null || !pane.side || pane.box.hidden) continue;
        if (by === one && pane === one) { pane.box.dataset.off = "false"; if (told.textContent === say("film ends")) told.textContent = ""; continue; }
        const t = momentOf(pane, at_m), clip = clipAt(pane.side.view, t);
        load(pane, clip);
        const seen = t !== null && clip && clip.begin_s !== null ? t - clip.begin_s : null;
        const off = clip?.begin_s != null && (seen === null || seen < 0 || seen > clip.long_s);
        pane.box.dataset.off = String(off);
        // At its end it would lead the cursor back there.
        if (pane === one && (off || told.textContent === say("film ends"))) told.textContent = off ? say("film ends") : "";
        if (off || seen === null) continue;
        if (pane === two && !one.film.paused) chase(two, at_m); else seek(pane, seen);
      }
    }
    /** While the first film plays, the second goes as fast as its lap comes to the same places.
     * @param {Pane} pane @param {number} at_m */
    function chase(pane, at_m) {
      const ms = one.side && charts.timeAt(one.side, at_m), next_m = ms == null ? null : charts.placeAt(/** @type {Side} */ (one.side), ms + 1000 * AHEAD_S);
      const t = next_m === null ? null : momentOf(pane, next_m);
      if (t === null || !pane.clip || pane.clip.begin_s === null) return;
      const rate = (t - pane.clip.begin_s - pane.film.currentTime) / AHEAD_S;
      if (Math.abs(rate) > RATES[1]) { seek(pane, t - pane.clip.begin_s - AHEAD_S); return; }
      pane.film.playbackRate = Math.max(RATES[0], rate);
      if (pane.film.paused) pane.film.play().catch(() => {});
    }
    let inside = false;
    /** The first film is at another moment: the cursor goes there. At the end of the lap it stops. */
    function lead() {
      const { side, clip, film } = one;
      if (!side || !clip || clip.begin_s === null || side.lap.start_t === null || film.seeking || at(one, one.put)) return;
      const at_m = charts.placeAt(side, 1000 * (clip.begin_s + film.currentTime - side.lap.start_t));
      if (at_m !== null) drawing.go(at_m, one); else if (inside) film.pause();
      inside = at_m !== null;
    }
    const watch = () => { lead(); if (!one.film.paused) requestAnimationFrame(watch); };
    function play() {
      one.wanted = one.put = null;
      one.film.play().catch((/** @type {Error} */ error) => { told.textContent = error.message; });
    }
    one.film.addEventListener("play", () => { playing.textContent = say("pause"); requestAnimationFrame(watch); });
    one.film.addEventListener("pause", () => { playing.textContent = say("play"); two.film.pause(); });
    one.film.addEventListener("timeupdate", lead);
    // The next chapter goes on where this one ends.
    one.film.addEventListener("ended", () => {
      const { clip, side } = one, next = clip && clip.chain[clip.chain.indexOf(clip) + 1];
      if (!next || next.begin_s === null || !side || side.lap.start_t === null) return;
      const at_m = charts.placeAt(side, 1000 * (next.begin_s + next.film.frame_s - side.lap.start_t));
      if (at_m === null) return;
      one.film.addEventListener("seeked", () => play(), { once: true });
      drawing.go(at_m, null);
    });
    for (const pane of panes) pane.film.addEventListener("seeked", () => arrived(pane));

    /** To the corner before or behind this one, shown from the way to it on. @param {number} by */
    function step(by) {
      one.film.pause();
      drawing.step(by);
    }
    /** The frame that is seen is this place of the first shown lap. @param {number | null} at_m */
    function align(at_m) {
      const t = at_m === null ? null : momentOf(one, at_m);
      if (t === null || !one.clip) { told.textContent = say("cannot align"); return; }
      settled(one.clip, t - one.film.currentTime, at_m);
    }
    /** @param {number} frames */
    function nudge(frames) {
      if (!one.clip || one.clip.begin_s === null) return;
      settled(one.clip, one.clip.begin_s - frames * one.clip.film.frame_s, drawing.at());
    }
    /** A film begins here, and its other chapters around it. @param {Clip} clip @param {number} begin_s @param {number | null} at_m */
    function settled(clip, begin_s, at_m) {
      const { chain } = clip;
      let first_s = begin_s;
      for (const each of chain.slice(0, chain.indexOf(clip))) first_s -= each.film.long_s;
      for (const each of chain) { each.begin_s = first_s; first_s += each.film.long_s; }
      ui.keep(chain[0].key, String(chain[0].begin_s));
      told.textContent = say("aligned");
      if (at_m !== null) drawing.go(at_m, null);
      follow(at_m, null);
    }
    /** @param {File[]} files */
    async function take(files) {
      const view = [one, two].map(({ side }) => side && side.view).find((each) => each && each.id === asked.value);
      if (!view || !files.length) return;
      told.textContent = say("reading film");
      input.disabled = true;
      try {
        const clips = [];
        for (const chapters of recordings(files)) clips.push(...await clipsOf(chapters, view));
        for (const { url } of picked.get(view.id) || []) URL.revokeObjectURL(url);
        picked.set(view.id, clips);
        told.textContent = say(clips.every(({ begin_s }) => begin_s !== null) ? "aligned" : clips.some(({ film }) => film.fixes.length) ? "no match" : "no gps");
        show(one.side, two.side);
        showOneOf(view);
      } catch (error) {
        told.textContent = ui.why(error);
      } finally {
        input.disabled = false;
        input.value = "";
      }
    }
    /** Where the film does not show the lap that is seen, show the best lap that it does. @param {View} view */
    function showOneOf(view) {
      const now = one.side && one.side.view === view ? one.side.lap : null, share = (drawing.at() ?? 0) / view.length_m;
      const seen = (/** @type {Lap} */ lap) => lap.start_t !== null && lap.time_s !== null && (picked.get(view.id) || []).some(({ begin_s, long_s }) =>
        begin_s !== null && begin_s <= Number(lap.start_t) + share * Number(lap.time_s) && Number(lap.start_t) + share * Number(lap.time_s) < begin_s + long_s);
      const found = !now || seen(now) ? undefined : session.fastest(view).find(seen);
      if (!found) return;
      showLap(found);
      told.textContent = `${say("film lap")} ${found.lap}.`;
    }
    /** Other laps are compared. @param {Side | null} first @param {Side | null} second */
    function show(first, second) {
      [one.side, two.side] = [first, second];
      const views = [...new Set([first, second].flatMap((side) => (side ? [side.view] : [])))];
      asked.replaceChildren(...views.map((view) => node("option", { value: view.id, textContent: view.when || view.session })));
      asked.hidden = views.length < 2;
      for (const pane of panes) {
        const clips = pane.side ? picked.get(pane.side.view.id) || [] : [];
        pane.box.hidden = !clips.length || !pane.side || (pane === two && clips.every(({ begin_s }) => begin_s === null));
        if (pane.side) pane.name.textContent = `${pane.side.view.labels.lap} ${pane.side.lap.lap} · ${pane.side.lap.time}`;
        if (pane.box.hidden) { pane.film.pause(); load(pane, null); } else load(pane, clips.includes(/** @type {Clip} */ (pane.clip)) ? pane.clip : clips[0]);
      }
      tools.hidden = one.box.hidden;
      top.parentElement?.classList.toggle("filmed", !tools.hidden);
      follow(drawing.at(), null);
    }
    drawing.onMove((/** @type {number | null} */ at_m, /** @type {unknown} */ by) => { if (by !== one && !one.film.paused) one.film.pause(); follow(at_m, by); });
    drawing.onShow(show);
    return { top, chooser, end() { for (const { film } of panes) { film.pause(); film.removeAttribute("src"); } } };
  }

  return { beside };
})();
