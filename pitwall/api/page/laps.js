// Any stored session: the report's own views, and its laps against those of another session.
// @ts-check
"use strict";

const laps = (() => {
  const { node, section } = ui, { say } = daemon;
  /** The last sessions that were read: one is looked at again and again. @type {Map<string, Promise<View>>} */
  const read = new Map();
  const KEPT = 4;

  /** A session as it is drawn. @param {string} id @returns {Promise<View>} */
  function viewOf(id) {
    const known = read.get(id);
    if (known) return known;
    const asked = daemon.get(`/sessions/${encodeURIComponent(id)}/view`);
    read.set(id, asked);
    asked.catch(() => read.delete(id));
    while (read.size > KEPT) read.delete([...read.keys()][0]);
    return asked;
  }
  /** Fetch what is missing of these laps by place: a view comes with a few. @param {View} view @param {Lap[]} of */
  async function fill(view, of) {
    const base = `/sessions/${encodeURIComponent(view.id)}`, seen = of.filter((lap) => lap.seen);
    const missing = seen.filter((lap) => !lap.columns.time).map((lap) => lap.lap);
    const found = missing.length ? await daemon.get(`${base}/columns?laps=${missing}`) : {};
    for (const lap of view.laps) lap.columns = found[lap.lap] || lap.columns;
    for (const { name, scale } of view.channels) {
      const without = seen.filter((lap) => lap.columns.time && !(name in lap.columns));
      const read = without.length ? await daemon.get(`${base}/signal?name=${encodeURIComponent(name)}&laps=${without.map((lap) => lap.lap)}`) : {};
      for (const lap of without) lap.columns[name] = placed(lap.columns.time, read[lap.lap] || [], scale);
    }
  }
  /** A signal's readings at the places of a lap: the last one before the lap was there.
   * @param {(number | null)[]} times ms @param {[number, number][]} readings s and value @param {number} scale */
  function placed(times, readings, scale) {
    let i = -1;
    return times.map((ms) => {
      if (ms === null) return null;
      while (i + 1 < readings.length && 1000 * readings[i + 1][0] <= ms) i++;
      return i < 0 ? null : Math.round(scale * readings[i][1]);
    });
  }
  /** All sessions, the newest first. @returns {Promise<any[]>} */
  async function sessions() {
    const [rows, known] = await Promise.all([daemon.get("/sessions"), daemon.get("/tracks").catch(() => [])]);
    const names = new Map(known.map((/** @type {any} */ track) => [track.id, track.name]));
    for (const row of rows) row.where = names.get(row.track) || row.track || row.venue;
    return rows.reverse();
  }
  /** When a session was driven, as everywhere else: the day in UTC, and none where it is not known. @param {any} row */
  const when = (row) => (row.driven_utc_s === null ? say("undated") : new Date(1000 * row.driven_utc_s).toISOString().slice(0, 16).replace("T", " "));
  /** So many flying laps. @param {number} count */
  const counted = (count) => `${count} ${say(count === 1 ? "one lap" : "laps")}`;
  /** A session in a list. @param {any} row */
  function title(row) {
    return [row.name || when(row), row.name ? when(row) : "", row.where, counted(row.laps),
      row.best_lap_s === null ? "" : daemon.clock(row.best_lap_s), row.kind === "live" ? "" : say(`session ${row.kind}`),
      row.conditions.weather && say(row.conditions.weather), row.conditions.tyres].filter(Boolean).join(" · ");
  }
  /** Choose one of the sessions. @param {any[]} rows @param {string} now @param {(id: string) => void} chosen */
  const chooser = (rows, now, chosen) =>
    ui.choice(say("choose a session"), rows.map((row) => [row.id, title(row)]), now, chosen);

  /** @param {string} wanted a session's id, "" for the last one @param {(id: string) => void} chosen
   * @param {string} corner what is framed first, "" for the whole lap */
  async function view(wanted, chosen, corner) {
    const rows = await sessions();
    const row = rows.find((each) => each.id === wanted) || rows.find((each) => each.laps > 0) || rows[0];
    if (!row) return { element: node("div", [node("p.told", say("no session")), gallery.view([], "")]), end() {} };
    const element = node("div", [node("div.chooser", [chooser(rows, row.id, chosen)]), gallery.view(rows, row.id)]);
    const shown = await viewOf(row.id);
    const beside = node("div.chooser");
    const told = ui.told();
    const drawn = session.laps(shown, [node("div.framing", [marker(shown, told), conditions(shown, told), share(row.id, session.fastest(shown)[0])]), told, coach.advice(shown, (corner) => drawn.frame(corner)), beside], (of) => fill(shown, of), () => daemon.get(`/sessions/${encodeURIComponent(shown.id)}/signals`));
    const { drawing } = drawn, films = drawing && video.beside(drawing, drawn.pick);
    if (drawing && films) drawing.element.querySelector(".views").before(films.chooser, films.top);
    element.append(session.head(shown, "h1"), drawn.element);
    for (const part of [session.potential(shown, drawn.frame), session.corners(shown, drawn.frame)]) if (part) element.append(part);
    otherSession(rows.filter((each) => each.id !== row.id && each.track === row.track && each.laps > 0), drawn, beside);
    return { element, start() { drawn.start(); if (corner) drawn.frame(corner); }, end() { if (films) films.end(); drawn.end(); } };
  }
  /** One file of the session to give away, without places off the track; with names only where that is wanted.
   * @param {string} id @param {Lap | undefined} best its best lap, which a friend may be compared with */
  function share(id, best) {
    const link = node("a.button", { download: "pitwall.html", textContent: say("share") });
    const named = node("input", { type: "checkbox", onchange: () => aim() });
    const aim = () => { link.href = `/sessions/${encodeURIComponent(id)}/report?share=${named.checked ? "named" : "nameless"}`; };
    aim();
    const lap = best ? [node("a.button", { download: `lap${best.lap}.pitlap`, textContent: say("share lap"),
      href: `/sessions/${encodeURIComponent(id)}/laps/${best.lap}/reference` })] : [];
    return ui.menu(say("share menu"), [node("div.row", [link, node("label.tick", [named, say("share names")]), ...lap])]);
  }
  /** Change something of this session and show it again; whether it was changed, and if not, why.
   * @param {View} view @param {any} change @param {HTMLElement} told */
  async function changed(view, change, told) {
    told.textContent = say("loading");
    try {
      let refused = "";
      await daemon.events("/changes", change,
        (name, data) => { if (name === "not_changed") refused = data.error || data.text || JSON.stringify(data); }, new AbortController().signal);
      if (refused) throw new Error(refused);
      read.delete(view.id);
      dispatchEvent(new Event("hashchange"));
      return true;
    } catch (error) {
      told.textContent = ui.why(error);
      return false;
    }
  }
  /** What the session was driven with, to be noted. Folded, as it is needed once a session. @param {View} view @param {HTMLElement} told
   * @param {number} [fromLap] the lap with which a stint begins, 0: of the whole session */
  function conditions(view, told, fromLap = 0) {
    const { number, shown, unit, stored } = daemon, stints = view.conditions.stints || [];
    const now = fromLap ? (stints.find((/** @type {any} */ each) => each.from_lap === fromLap) || { conditions: {} }).conditions : view.conditions;
    const inUnit = (/** @type {number | null | undefined} */ value, /** @type {string} */ in_) => (value == null ? "" : number(shown(value, in_), in_ === "bar" ? 2 : 0));
    const field = (/** @type {string} */ title, /** @type {string} */ value, /** @type {Record<string, any>} */ props = {}) =>
      node("input", { type: "text", value, maxLength: 200, autocomplete: "off", "aria-label": title, ...props });
    const figure = (/** @type {string} */ title, /** @type {string} */ value) => field(title, value, { inputMode: "decimal", className: "figure-in", maxLength: 8 });
    const wheels = ["front left", "front right", "rear left", "rear right"].map((name, i) => figure(`${say("pressures")}: ${say(name)}`, inUnit(now.pressures_bar?.[i], "bar")));
    const car = field(say("car"), now.car || view.car);
    const [tyres, setup, notes] = /** @type {[string, string][]} */ ([["tyres", now.tyres], ["setup", now.setup], ["own notes", now.notes]])
      .map(([title, value]) => field(say(title), value || "", title === "own notes" ? { maxLength: 1000 } : {}));
    const weather = node("select", ["", "dry", "damp", "wet"].map((name) => node("option", { value: name, textContent: say(name || "no weather") })));
    weather.value = now.weather || "";
    const [air, track] = [["air", now.air_c], ["track temperature", now.track_c]].map(([title, value]) => figure(say(title), inUnit(value, "degC")));
    const fuel = figure(say("fuel"), now.fuel_l == null ? "" : number(now.fuel_l, 1));
    const read = (/** @type {HTMLInputElement} */ input, /** @type {string} */ in_) => {
      const value = Number(input.value.trim().replace(",", "."));
      if (Number.isNaN(value)) throw new Error(`${input.ariaLabel}: ${input.value}`);
      return input.value.trim() === "" ? null : in_ ? stored(value, in_) : value;
    };
    const save = async () => {
      try {
        const pressures_bar = wheels.map((input) => read(input, "bar")).filter((each) => each !== null);
        if (pressures_bar.length % wheels.length) throw new Error(say("four pressures"));
        await changed(view, { change: "describe", session: view.id, from_lap: fromLap, conditions: { car: fromLap || car.value.trim() === view.car ? now.car || "" : car.value.trim(), tyres: tyres.value.trim(), setup: setup.value.trim(), notes: notes.value.trim(),
          weather: weather.value, pressures_bar: pressures_bar.length ? pressures_bar : null, air_c: read(air, "degC"), track_c: read(track, "degC"), fuel_l: read(fuel, "") } }, told);
      } catch (error) { told.textContent = ui.why(error); }
    };
    const named = (/** @type {string} */ title, /** @type {HTMLElement[]} */ inputs) => node(inputs.length > 1 ? "div" : "label", { className: "choice" }, [`${title} `, ...inputs]);
    const of = ui.choice(say("noted of"), [["0", say("whole session")], ...view.laps.filter((lap) => lap.lap > 1).map((lap) => /** @type {[string, string]} */ ([String(lap.lap), `${say("from lap")} ${lap.lap}`]))],
      String(fromLap), (value) => { const other = conditions(view, told, Number(value)); other.open = true; box.replaceWith(other); });
    const box = ui.menu(say("noted"), [
      node("form", { onsubmit: ui.submitted(save) }, [of,
        ...(fromLap ? [] : [named(say("car"), [car])]), named(say("tyres"), [tyres]), named(`${say("pressures")} (${unit("bar")})`, wheels), named(say("weather"), [weather]),
        named(`${say("air")} (${unit("degC")})`, [air]), named(`${say("track temperature")} (${unit("degC")})`, [track]), named(say("fuel"), [fuel]),
        named(say("setup"), [setup]), named(say("own notes"), [notes]),
        node("button", { type: "submit", textContent: say("save") })])], { className: "menu noted" });
    return box;
  }
  /** Traffic or yellow, said of a lap: it is no evidence from then on. The session is measured again. Folded: it is
   * needed now and then. @param {View} view @param {HTMLElement} told */
  function marker(view, told) {
    const choices = ["clear", "traffic", "yellow"];
    const kind = node("select", { "aria-label": say("mark a lap"), onchange: async () => {
      kind.disabled = true;
      if (await changed(view, { change: "mark", session: view.id, laps: [Number(lap)], mark: kind.value }, told)) return;
      pick(lap);
      kind.disabled = false;
    } }, choices.map((name) => node("option", { value: name, textContent: say(name === "clear" ? "no mark" : name) })));
    let lap = "";
    const pick = (/** @type {string} */ number) => {
      lap = number;
      const marked = view.laps.find((each) => String(each.lap) === number)?.marked || "";
      kind.value = choices.includes(marked) ? marked : "clear";
    };
    const seen = view.laps.map((each) => /** @type {[string, string]} */ ([String(each.lap), [each.lap, each.time].join(" · ")]));
    if (!seen.length) return "";
    pick(seen[0][0]);
    return ui.menu(say("mark a lap"), [
      node("div.framing", [ui.choice(say("lap"), seen, lap, pick), ui.labelled(say("lap mark"), kind)])]);
  }
  /** The laps of another session on the same track, to be shown against. @param {any[]} rows @param {any} drawn
   * @param {HTMLElement} box */
  function otherSession(rows, drawn, box) {
    if (!rows.length) return;
    const lapBox = node("span");
    const choose = async (/** @type {string} */ id) => {
      lapBox.replaceChildren();
      if (!id) { drawn.against(null); return; }
      try {
        const other = await viewOf(id), order = session.fastest(other), seen = session.drawn(other);
        const pick = async (/** @type {string} */ number) => {
          const lap = seen.find((each) => String(each.lap) === number);
          if (lap) await fill(other, [lap]);
          drawn.against(lap ? { view: other, lap } : null);
        };
        const first = String((order[0] || seen[0] || { lap: "" }).lap);
        lapBox.append(ui.choice(say("their lap"), seen.map((lap) => [String(lap.lap), `${lap.lap} · ${lap.time} · ${lap.kind}`]), first, pick));
        await pick(first);
      } catch (error) { lapBox.append(ui.why(error)); }
    };
    box.append(ui.choice(say("beside"), [["", say("own session")], ...rows.map((row) => /** @type {[string, string]} */ ([row.id, title(row)]))], "", choose), lapBox);
  }

  return { view, viewOf, fill, sessions, chooser, when, counted, changed };
})();
