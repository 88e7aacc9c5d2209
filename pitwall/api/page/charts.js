// Laps by place against another: a chart for each channel, the map, the g-g plot, and one cursor for all of them.
// @ts-check
"use strict";

const charts = (() => {
  const { node, section, colour } = ui;
  // The map shows gain and loss as it comes about: what the gap grows by over so many places.
  const GROWN = 5;
  // Nothing closer than this can be told apart, metres; and what is shown around a corner.
  const CLOSEST_M = 40, BEFORE_M = 160, AFTER_M = 100;
  const KEPT = "charts";
  // A signal that is fetched when it is asked for, in hundredths; and into how many bars a histogram falls.
  const FINE = 100, BARS = 24;
  const WHEEL = 1.25, KEYS = { "+": 1 / 1.5, "=": 1 / 1.5, "-": 1.5 };
  // The laps that are shown at once, by the names of their colours; against them stands "two".
  const LINES = ["one", "three", "four", "five", "six", "seven"], MOST_SHOWN = LINES.length;

  /** Slow to fast, blue to orange. @param {number} share 0..1 */
  const shade = (share) => `hsl(${Math.round(215 - 190 * Math.min(1, Math.max(0, share)))} 85% 50%)`;
  /** Won is blue, lost is orange, nothing is grey. @param {number} share -1..1 */
  const turn = (share) => `hsl(${share < 0 ? 215 : 25} ${Math.round(90 * Math.min(1, Math.abs(share)))}% 50%)`;
  /** @param {(number | null | undefined)[]} list @returns {number[]} */
  const known = (list) => /** @type {number[]} */ (list.filter((value) => value != null));

  const axes = () => ({ stroke: () => colour("--soft"), grid: { stroke: () => colour("--line"), width: 1 } });
  /** @param {string} name @param {number} width */
  const line = (name, width) => ({ stroke: () => colour(`--${name}`), width, points: { show: false } });
  /** The values of a lap at these places, metres; another session's grid may be another.
   * @param {Side | null} side @param {string} name @param {number} scale @param {(number | null)[]} places @returns {(number | null)[]} */
  function values(side, name, scale, places) {
    const column = side && side.lap.columns[name];
    return places.map((at_m) => {
      const value = side && column && at_m !== null ? column[Math.round(at_m / side.view.step_m)] : null;
      return value == null ? null : value / scale;
    });
  }
  /** When a lap was at a place, ms from its start; null where that is not known. @param {Side | null} side @param {number} at_m */
  function timeAt(side, at_m) {
    const column = (side && side.lap.columns.time) || [], at = at_m / (side ? side.view.step_m : 1), i = Math.floor(at);
    const before = column[i], after = column[i + 1];
    if (before == null) return null;
    return after == null ? (at === i ? before : null) : before + (at - i) * (after - before);
  }
  /** Where a lap was at each of these rising times, ms from its start: metres; null outside what is known of it.
   * @param {Side | null} side @param {number[]} times @returns {(number | null)[]} */
  function placesAt(side, times) {
    const column = (side && side.lap.columns.time) || [], step = side ? side.view.step_m : 1;
    let i = 0;
    return times.map((ms) => {
      for (; i + 1 < column.length; i++) if (column[i + 1] !== null && /** @type {number} */ (column[i + 1]) > ms) break;
      const before = column[i], after = column[i + 1];
      if (before == null || before > ms) return null;
      if (after == null) return before === ms ? i * step : null;
      return (i + (ms - before) / Math.max(1, after - before)) * step;
    });
  }
  /** The same for one time. @param {Side | null} side @param {number} ms */
  const placeAt = (side, ms) => placesAt(side, [ms])[0];
  /** The places of a view's grid, metres. @param {View} view */
  const gridOf = (view) => Array.from({ length: Math.floor(view.length_m / view.step_m) + 1 }, (_, i) => i * view.step_m);
  /** How the charts were last looked at in this browser. @returns {{axis: string, difference: boolean, hidden: string[]}} */
  function wishes() {
    const usual = { axis: "distance", difference: false, hidden: [] };
    try { return { ...usual, ...JSON.parse(ui.kept(KEPT, "{}")) }; } catch { return usual; }
  }
  /** A canvas at the screen's own fineness, empty, and its size. @param {HTMLCanvasElement} canvas */
  function cleared(canvas) {
    const { width, height } = canvas.getBoundingClientRect(), ratio = devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
    }
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    return pen;
  }
  /** What puts places in metres into a canvas. @param {(number | null)[]} xs @param {(number | null)[]} ys
   * @param {{width: number, height: number}} box @param {number} margin @returns {(x: number, y: number) => [number, number]} */
  function fitted(xs, ys, { width, height }, margin) {
    const [x0, x1, y0, y1] = [Math.min(...known(xs)), Math.max(...known(xs)), Math.min(...known(ys)), Math.max(...known(ys))];
    const size = Math.min((width - margin) / Math.max(1, x1 - x0), (height - margin) / Math.max(1, y1 - y0));
    return (x, y) => [width / 2 + (x - (x0 + x1) / 2) * size, height / 2 - (y - (y0 + y1) / 2) * size];
  }
  /** The spots of places; null where one is not known. @param {(number | null)[]} xs @param {(number | null)[]} ys
   * @param {(x: number, y: number) => [number, number]} place @returns {([number, number] | null)[]} */
  const spotted = (xs, ys, place) => xs.map((x, i) => { const y = ys[i]; return x == null || y == null ? null : place(x, y); });
  /** A lap's way at these places. @param {Side | null} side @param {(number | null)[]} places */
  const wayOf = (side, places) => ["x", "y"].map((name) => values(side, name, 1, places));
  /** @param {CanvasRenderingContext2D} pen @param {([number, number] | null)[]} spots */
  function path(pen, spots) {
    pen.beginPath();
    spots.forEach((spot, i) => { if (spot) { if (i && spots[i - 1]) pen.lineTo(...spot); else pen.moveTo(...spot); } });
    pen.stroke();
  }
  /** @param {CanvasRenderingContext2D} pen @param {[number, number]} at @param {string} name @param {number} size */
  function dot(pen, at, name, size) {
    pen.beginPath(); pen.arc(...at, size, 0, 7); pen.fillStyle = colour(`--${name}`); pen.fill();
    pen.lineWidth = 2; pen.strokeStyle = colour("--paper"); pen.stroke();
  }

  /** The sections with charts and map. `show(shown, two)` draws these against that one, `end()` lets go of the window.
   * @param {View} view @param {More} [more] what else was recorded */
  function comparison(view, more) {
    const say = view.labels;
    /** `range`: the piece of the lap that the charts show, metres; `place`: the cursor's index in `along`, `at_m` its metres.
     * @type {{shown: Side[], two: Side | null, place: number | null, at_m: number | null, colour: string, range: [number, number]}} */
    const state = { shown: [], two: null, place: null, at_m: null, colour: "gain", range: [0, view.length_m] };
    const wish = wishes(), grid = gridOf(view), places = grid.length, none = grid.map(() => null);
    /** What the charts lie along: metres, or seconds since each lap's start. */
    let along = grid;
    /** Where each shown lap and, last, the other was at each index of `along`, metres. @type {(number | null)[][]} */
    let driven = [];
    const first = () => state.shown[0] || state.two;
    /** The value along the charts for a place of the first lap. @param {number} at_m */
    function alongAt(at_m) {
      if (wish.axis === "distance") return at_m;
      const end = along[places - 1];
      return at_m <= 0 ? 0 : at_m >= view.length_m ? end : (timeAt(first(), at_m) ?? (1000 * end * at_m) / view.length_m) / 1000;
    }
    /** The place of the first lap for a value along the charts, metres. @param {number} value */
    function metresAt(value) {
      if (wish.axis === "distance") return value;
      return placeAt(first(), 1000 * value) ?? (value < along[places - 1] / 2 ? 0 : view.length_m);
    }
    /** The index nearest to a place of the first lap. @param {number} at_m */
    const indexAt = (at_m) => Math.min(places - 1, Math.max(0, Math.round((alongAt(at_m) / along[places - 1]) * (places - 1))));
    const { channels } = view;
    /** What is drawn now, by channel: of each shown lap and, last, of the other, in the driver's units.
     * @type {Map<string, (number | null)[][]>} */
    let lines = new Map();
    /** The gap of each shown lap to the other. @type {(number | null)[][]} */
    let gaps = [];

    /** Where the cursor is; and, for who moves it by keys, the figures there. */
    const here = node("p.here"), spoken = node("p.unseen", { "aria-live": "polite" });
    const readings = ui.wide(say["at the cursor"], [], "held");
    const box = node("div.charts", { tabIndex: 0, "aria-label": say.charts, role: "group" });
    const map = node("canvas.map", { role: "img", "aria-label": say.map });
    const car = node("canvas.car", { "aria-hidden": "true" }), mini = node("canvas.mini", { "aria-hidden": "true" });
    const colours = node("select", { onchange: () => { state.colour = colours.value; drawMap(); } }, [
      node("option", { value: "speed", textContent: say["by speed"] }),
      node("option", { value: "gain", textContent: say["by gain"] }),
    ]);
    const frames = node("select", { onchange: () => { const at = frames.value; if (at) frame(at); else zoom(0, view.length_m); } }, [
      node("option", { value: "", textContent: say["whole lap"] }),
      ...view.corners.map((corner) => node("option", { value: corner.corner, textContent: corner.title }))]);
    /** @type {Set<(at_m: number | null, by: unknown) => void>} */
    const movers = new Set();
    /** @type {Set<(first: Side | null, second: Side | null) => void>} */
    const showers = new Set();
    const tick = (/** @type {string} */ text, /** @type {boolean} */ on, /** @type {(on: boolean) => void} */ set) => {
      const input = node("input", { type: "checkbox", checked: on, onchange: () => { set(input.checked); remake(); } });
      return node("label.tick", [input, text]);
    };
    /** @param {string} name @param {boolean} hidden */
    const hide = (name, hidden) => { wish.hidden = wish.hidden.filter((each) => each !== name).concat(hidden ? [name] : []); };
    const axis = ui.choice(say.axis, [["distance", say.distance], ["time", say.time]], wish.axis, (value) => { wish.axis = value; remake(); });
    const others = node("span.framing");
    const menu = ui.menu(say.channels, [node("div.framing", [
      tick(say.difference, wish.difference, (on) => { wish.difference = on; }),
      ...channels.map(({ name, title }) => tick(title, !wish.hidden.includes(name), (on) => hide(name, !on))), others])], { ontoggle: async () => {
      if (!more || !menu.open || others.childElementCount) return;
      for (const { name, unit } of await more.names().catch(() => [])) {
        // Its unit stands next to it.
        const title = name.replace(/_(deg|dps|mps|m|c|bar|pct)$/, "").replaceAll("_", " ");
        if (!channels.some((each) => each.name === name)) others.append(tick(title, false, (on) => {
          if (on && !channels.some((each) => each.name === name)) {
            channels.push({ name, title, unit, scale: FINE });
            felled.append(node("option", { value: name, textContent: title }));
            more.ask(name);
          }
          hide(name, !on);
        }));
      }
    } });
    const bars = node("canvas.bars", { role: "img" });
    const felled = node("select", { onchange: () => drawBars() }, channels.map(({ name, title }) => node("option", { value: name, textContent: title })));
    const whole = ui.button(say["whole lap"], () => zoom(0, view.length_m), { hidden: true });
    const legend = node("p.hint");
    const gg = node("canvas.gg", { role: "img", "aria-label": say["gg help"] });
    const felt = ["g_lat", "g_long"].every((name) => channels.some((channel) => channel.name === name));
    const element = section(say.charts, [
      node("p.hint", say.hint),
      node("p.framing", [ui.labelled(say.frame, frames), whole, axis, menu]),
      node("div.views", [node("div.column", [node("div.readout", [here, readings, mini, spoken]), box]), node("div.mapbox", [
        ui.labelled(say.colour, colours),
        node("div.stack", [map, car]), legend,
        ...(felt ? [node("h3", say.gg), gg, node("p.hint", say["gg help"])] : []),
        ...(channels.length ? [node("h3", say.histogram), ui.labelled(say.figure, felled), bars, node("p.hint", say["histogram help"])] : [])])]),
    ]);

    /** @type {{plot: any, name: string}[]} */
    const plots = [];
    const width = () => Math.max(280, box.clientWidth);
    function makePlots() {
      const chosen = channels.filter(({ name }) => !wish.hidden.includes(name));
      const all = [...(state.two || !chosen.length ? [{ name: "delta", title: say.delta, unit: "s" }] : []), ...chosen];
      const unit = wish.axis === "distance" ? "m" : "s", apart = wish.difference && state.two;
      const key = `place ${view.id} ${Math.random()}`;
      all.forEach((channel, i) => {
        const two = channel.name !== "delta";
        const options = {
          width: width(), height: (channel.name === "speed_mps" ? 210 : 110) + (i === all.length - 1 ? 30 : 0),
          title: two ? `${channel.title}${channel.unit ? ` (${channel.unit})` : ""}${apart ? `: ${say.difference}` : ""}` : " ",
          legend: { show: false }, padding: [8, 16, 6, 0],
          cursor: { sync: { key }, drag: { x: true, y: false, setScale: false }, points: { size: 7 } },
          scales: { x: { time: false, range: () => state.range.map(alongAt) } },
          axes: [
            { ...axes(), show: i === all.length - 1,
              values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map((each) => `${Number(each.toFixed(2))} ${unit}`) },
            { ...axes(), size: 52 },
          ],
          series: [{}, ...LINES.map((name) => line(name, 2)), ...(two ? [line("two", 1.5)] : [])],
          hooks: { drawClear: [bands], setSelect: [selected], setCursor: [(/** @type {any} */ plot) => {
            if (!settling && (plot.cursor.event || plot.cursor.idx !== null)) go(plot.cursor.idx, false); }] },
        };
        // @ts-ignore uPlot stands in the page before this script
        plots.push({ plot: new uPlot(options, [along, ...options.series.slice(1).map(() => none)], box), name: channel.name });
      });
    }
    /** The charts take a new scale only after this task; until then a cursor of theirs lies at another place. */
    let settling = false;
    function settle() {
      settling = true;
      queueMicrotask(() => { settling = false; putCursor(); });
    }
    function putCursor() {
      for (const { plot } of plots) plot.setCursor({ left: state.at_m === null ? -10 : plot.valToPos(alongAt(state.at_m), "x"), top: 0 }, false);
    }
    /** Another axis, other channels: the charts are made again, and kept so in this browser. */
    function remake() {
      ui.keep(KEPT, JSON.stringify(wish));
      for (const { plot } of plots.splice(0)) plot.destroy();
      show(state.shown, state.two);
    }
    /** What was drawn over with the mouse is shown whole; a click on a corner's band frames the corner.
     * @param {any} plot */
    function selected(plot) {
      const { left, width } = plot.select;
      const [from, to] = [left, left + width].map((at) => metresAt(plot.posToVal(at, "x")));
      plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
      if (width > 4) zoom(from, to);
    }
    /** Show this piece of the lap, metres, in all charts. @param {number} from @param {number} to @param {string} [corner] */
    function zoom(from, to, corner = "") {
      const size = Math.min(view.length_m, Math.max(CLOSEST_M, to - from));
      const begin = Math.min(Math.max(0, (from + to - size) / 2), view.length_m - size);
      state.range = [begin, begin + size];
      frames.value = corner;
      whole.hidden = size >= view.length_m;
      for (const { plot } of plots) plot.setScale("x", { min: alongAt(begin), max: alongAt(begin + size) });
      settle();
      drawMap();
    }
    /** Show a corner, named, with the way to it and out of it. @param {string} name */
    function frame(name) {
      const corner = view.corners.find((each) => each.corner === name);
      if (!corner) return;
      const ends = corner.entry_m <= corner.exit_m ? corner.exit_m : view.length_m;
      zoom(corner.entry_m - BEFORE_M, ends + AFTER_M, name);
      goTo(corner.apex_m, null);
    }
    /** Frame the corner before the cursor's, or behind it. @param {number} by -1 or 1 */
    function step(by) {
      const { corners } = view, at_m = state.at_m ?? 0;
      if (!corners.length) return;
      const now = corners.findIndex((each) => each.corner === frames.value);
      const next = now >= 0 ? now + by : by > 0 ? corners.findIndex((each) => each.apex_m > at_m) : corners.findLastIndex((each) => each.apex_m < at_m);
      frame(corners[(next + corners.length) % corners.length].corner);
    }
    /** Closer, or further away, around a place of the charts. @param {number} by @param {number} at_m */
    function zoomBy(by, at_m) {
      const [from, to] = state.range;
      zoom(at_m - (at_m - from) * by, at_m + (to - at_m) * by);
    }
    /** The place under a point of the charts, metres. @param {number} x */
    function placeUnder(x) {
      const over = plots[0].plot.over.getBoundingClientRect();
      return metresAt(plots[0].plot.posToVal(x - over.left, "x"));
    }
    /** The corners as bands behind a chart. @param {any} plot */
    function bands(plot) {
      const { ctx, bbox } = plot;
      ctx.save();
      ctx.beginPath(); ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height); ctx.clip();
      ctx.fillStyle = colour("--band");
      for (const corner of view.corners) {
        const from = plot.valToPos(alongAt(corner.entry_m), "x", true), to = plot.valToPos(alongAt(corner.exit_m), "x", true);
        if (to > from) ctx.fillRect(from, bbox.top, to - from, bbox.height);
      }
      ctx.restore();
    }

    /** The cursor to a place, by index; `move`: the charts do not have it yet; `by`: what moved it there.
     * @param {number | null | undefined} place @param {boolean} move @param {unknown} [by] @param {number} [at_m] */
    function go(place, move, by = null, at_m) {
      if (place === undefined || (place === state.place && at_m === undefined)) return;
      state.at_m = place === null ? null : at_m ?? metresAt(along[place]);
      if (move && !settling) putCursor();
      for (const moved of movers) moved(state.at_m, by);
      if (place === state.place) return;
      state.place = place;
      tell();
      drawCar();
    }
    /** The cursor to a place of the first lap, metres. @param {number} at_m @param {unknown} by */
    const goTo = (at_m, by) => go(indexAt(at_m), true, by, at_m);
    /** @param {number} at_m */
    function cornerAt(at_m) {
      return view.corners.find((corner) => corner.entry_m <= corner.exit_m
        ? corner.entry_m <= at_m && at_m <= corner.exit_m : at_m >= corner.entry_m || at_m <= corner.exit_m);
    }
    /** What is drawn: each lap, its place among the drawn ones, and the name of its colour. */
    const all = () => [...state.shown.map((side, k) => ({ side, k, name: LINES[k] })), ...(state.two ? [{ side: state.two, k: -1, name: "two" }] : [])];
    /** Where the cursor is, and a line of readings for each lap. */
    function tell() {
      const i = state.place, at_m = state.at_m ?? 0;
      here.textContent = i === null ? "" : [`${Math.round(at_m)} m`, wish.axis === "time" ? `${ui.number(along[i], 2)} s` : "", cornerAt(at_m)?.title].filter(Boolean).join(" · ");
      const told = channels.filter(({ name }) => (lines.get(name) || []).some((line) => line.some((value) => value !== null)));
      const at = (/** @type {(number | null)[] | undefined} */ line, /** @type {number} */ digits) => {
        const value = i === null || !line ? null : line[i];
        return value == null ? "" : ui.number(value, digits);
      };
      const heads = [say.lap, ...(state.two ? [`${say.delta} (s)`] : []), ...told.map(({ title, unit }) => (unit ? `${title} (${unit})` : title))];
      readings.replaceChildren(ui.figures(heads.map((text) => ui.head(text)), all().map(({ side, k, name }) => node("tr", { className: name }, [
          node("th", { textContent: String(side.lap.lap), scope: "row" }),
          ...(state.two ? [node("td", k < 0 ? say.reference : i === null || gaps[k][i] === null ? "" : ui.signed(Number(gaps[k][i]), 2))] : []),
          ...told.map((channel) => node("td", at((lines.get(channel.name) || []).at(k), channel.scale > 10 ? 2 : 0)))]))));
    }

    /** Say the figures of the cursor in a line: the laps, their gaps and speeds. */
    function speak() {
      const heads = [...readings.querySelectorAll("thead th")].map((each) => each.textContent);
      spoken.textContent = [here.textContent, ...[...readings.querySelectorAll("tbody tr")].map((row) => [...row.cells].slice(0, 3).map((cell, k) => `${heads[k]} ${cell.textContent}`).join(", "))].join("; ");
    }
    /** Where the shown lap went, in pixels of the map; null where nothing is known. @type {([number, number] | null)[]} */
    let spots = [];
    /** @type {((x: number, y: number) => [number, number]) | null} */
    let fit = null;
    function drawMap() {
      const side = state.shown[0], size = map.getBoundingClientRect();
      if (!side || !side.lap.columns.x || !size.width) { cleared(map); spots = []; drawCar(); return; }
      const { width, height } = size, [xs, ys] = wayOf(side, driven[0]);
      // A piece of the lap is drawn as large as the map allows, with the line of each lap.
      const [from_m, to_m] = state.range, framed = to_m - from_m < view.length_m / 2;
      const inside = driven[0].map((at_m, i) => !framed || (at_m !== null && at_m >= from_m && at_m <= to_m && xs[i] !== null));
      const some = inside.includes(true) ? inside : inside.map(() => true), place = fit = fitted(xs.filter((_, i) => some[i]), ys.filter((_, i) => some[i]), size, 60);
      spots = spotted(xs, ys, place);
      const gain = state.colour === "gain" && state.two;
      const figures = gain
        ? gaps[0].map((gap, i) => (gap == null || gaps[0][i + GROWN] == null ? null : Number(gaps[0][i + GROWN]) - gap))
        : (lines.get("speed_mps") || [none])[0];
      const sizes = known(figures).map(Math.abs).sort((a, b) => a - b);
      // One big loss must not make all the others grey.
      const most = Math.max(sizes[Math.floor(0.95 * sizes.length)] || 0, 1e-9);
      const [low, high] = [Math.min(...known(figures)), Math.max(...known(figures))];
      const pen = cleared(map);
      pen.lineCap = framed ? "butt" : "round";
      pen.lineWidth = framed ? 16 : 9;
      pen.strokeStyle = colour("--line");
      path(pen, spots);
      pen.lineWidth = framed ? 12 : 5;
      pen.globalAlpha = framed ? 0.4 : 1;
      for (let i = 0; i + 1 < places; i++) {
        const from = spots[i], to = spots[i + 1], value = figures[i];
        if (!from || !to || value == null) continue;
        pen.strokeStyle = gain ? turn(value / most) : shade((high - value) / Math.max(1e-9, high - low));
        pen.beginPath(); pen.moveTo(...from); pen.lineTo(...to); pen.stroke();
      }
      pen.globalAlpha = 1;
      pen.lineWidth = 2;
      if (framed) [...all()].reverse().forEach(({ side, k, name }) => {
        if (side.view !== view) return;
        const [xs, ys] = wayOf(side, driven.at(k) || none);
        pen.strokeStyle = colour(`--${name}`);
        path(pen, spotted(xs, ys, place));
      });
      pen.fillStyle = colour("--ink"); pen.font = "13px system-ui, sans-serif"; pen.textAlign = "center";
      for (const corner of view.corners) {
        const spot = spots[indexAt(corner.apex_m)];
        if (!spot) continue;
        const [px, py] = spot, [cx, cy] = [width / 2, height / 2], out = Math.hypot(px - cx, py - cy) || 1;
        pen.fillText(corner.number || corner.title, px + (18 * (px - cx)) / out, py + (18 * (py - cy)) / out + 4);
      }
      legend.replaceChildren();
      for (const [text, mark] of gain ? [[say.won, turn(-1)], [say.lost, turn(1)]] : [[say.fast, shade(0)], [say.slow, shade(1)]]) {
        const sample = node("span", { textContent: "■ ", "aria-hidden": "true" });
        sample.style.color = mark;
        legend.append(sample, `${text}  `);
      }
      drawCar();
    }
    /** The car of the first shown lap at the cursor, and where the others were after as long. */
    function drawCar() {
      drawForces();
      drawMini();
      const pen = cleared(car), i = state.place, one = state.shown[0];
      if (i === null || !one) return;
      const time = timeAt(one, state.at_m ?? 0);
      for (const { side, name } of all().slice(1)) {
        const at = time === null || side.view !== view ? null : placeAt(side, time);
        const [[x], [y]] = wayOf(side, [at]);
        if (x != null && y != null && fit) dot(pen, fit(x, y), name, 6);
      }
      const spot = spots[i];
      if (spot) dot(pen, spot, "one", 8);
    }
    /** The whole track and the cursor's place on it, small: on a phone it stays where the charts are. */
    function drawMini() {
      const size = mini.getBoundingClientRect(), [xs, ys] = wayOf(state.shown[0] || null, driven[0] || none);
      if (!size.width || !known(xs).length) return;
      const pen = cleared(mini), place = fitted(xs, ys, size, 12), [x, y] = [xs, ys].map((each) => (state.place === null ? null : each[state.place]));
      pen.lineWidth = 2;
      pen.strokeStyle = colour("--soft");
      path(pen, spotted(xs, ys, place));
      if (x != null && y != null) dot(pen, place(x, y), "one", 5);
    }
    /** How hard each lap corners, brakes and pulls, at each of its places: the tyre's circle; the cursor's place. */
    function drawForces() {
      const { width } = gg.getBoundingClientRect();
      if (!width) return;
      const pen = cleared(gg), sides = lines.get("g_lat") || [], along = lines.get("g_long") || [];
      const all = sides.concat(along).flatMap(known).map(Math.abs).sort((a, b) => a - b);
      // A kerb's blow must not make all the others small.
      const most = Math.ceil(4 * Math.max(0.75, all[Math.floor(0.995 * all.length)] || 0)) / 4, half = width / 2;
      const scale = (half - 22) / most;
      pen.strokeStyle = colour("--line"); pen.fillStyle = colour("--soft"); pen.font = "12px system-ui, sans-serif"; pen.lineWidth = 1;
      for (let g = 0.5; g <= most; g += 0.5) {
        pen.beginPath(); pen.arc(half, half, g * scale, 0, 7); pen.stroke();
        if (g % 1 === 0) pen.fillText(`${g} g`, half + 3, half - g * scale - 3);
      }
      pen.beginPath(); pen.moveTo(0, half); pen.lineTo(width, half); pen.moveTo(half, 0); pen.lineTo(half, width); pen.stroke();
      const names = [...state.shown.map((_, k) => LINES[k]), "two"];
      const spotOf = (/** @type {number} */ k, /** @type {number} */ i) => {
        const x = sides[k]?.[i], y = along[k]?.[i];
        return x == null || y == null ? null : /** @type {[number, number]} */ ([half + x * scale, half - y * scale]);
      };
      // The other lap first: what is shown lies over it.
      for (const k of [...names.keys()].reverse()) {
        pen.fillStyle = colour(`--${names[k]}`);
        for (let i = 0; i < places; i++) { const spot = spotOf(k, i); if (spot) pen.fillRect(spot[0] - 1, spot[1] - 1, 2, 2); }
      }
      for (const k of [...names.keys()].reverse()) {
        const spot = state.place === null ? null : spotOf(k, state.place);
        if (spot) dot(pen, spot, names[k], 6);
      }
    }
    /** How much of each lap's way a signal lay where. */
    function drawBars() {
      const { width, height } = bars.getBoundingClientRect(), channel = channels.find((each) => each.name === felled.value), sides = lines.get(felled.value) || [];
      const all = sides.flatMap(known), low = Math.min(...all), high = Math.max(...all);
      if (!width || !channel) return;
      const pen = cleared(bars);
      bars.setAttribute("aria-label", all.length ? `${channel.title}: ${ui.number(low, 1)} - ${ui.number(high, 1)} ${channel.unit}` : channel.title);
      if (!all.length || high <= low) return;
      const falls = sides.map((line) => {
        const values = known(line), counts = Array(BARS).fill(0);
        for (const value of values) counts[Math.min(BARS - 1, Math.floor((BARS * (value - low)) / (high - low)))] += 1 / values.length;
        return counts;
      });
      const most = Math.max(...falls.flat()), step = width / BARS, foot = height - 20;
      [...falls.keys()].reverse().forEach((k) => {
        pen.strokeStyle = pen.fillStyle = colour(`--${k < state.shown.length ? LINES[k] : "two"}`);
        pen.lineWidth = 2;
        pen.beginPath();
        falls[k].forEach((share, i) => { const y = foot - (share / most) * (foot - 8); pen.lineTo(i * step, y); pen.lineTo((i + 1) * step, y); });
        pen.stroke();
        if (!k) { pen.globalAlpha = 0.15; pen.lineTo(width, foot); pen.lineTo(0, foot); pen.fill(); pen.globalAlpha = 1; }
      });
      pen.fillStyle = colour("--soft"); pen.font = "12px system-ui, sans-serif";
      const digits = high - low < 10 ? 2 : 0;
      pen.textAlign = "left"; pen.fillText(ui.number(low, digits), 0, height - 4);
      pen.textAlign = "right"; pen.fillText(`${ui.number(high, digits)} ${channel.unit}`, width, height - 4);
    }
    /** The place nearest to a point of the map. @param {PointerEvent} event */
    function nearest(event) {
      const frame = map.getBoundingClientRect();
      const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
      let found = null, least = Infinity;
      spots.forEach((spot, i) => {
        const away = spot ? (spot[0] - x) ** 2 + (spot[1] - y) ** 2 : Infinity;
        if (away < least) { least = away; found = i; }
      });
      return found;
    }

    /** Draw these, against that one. @param {Side[]} shown @param {Side | null} two */
    function show(shown, two) {
      state.shown = shown;
      state.two = two;
      const timed = [...shown, two].filter((side) => side && side.lap.columns.time);
      const flying = timed.filter((side) => side && side.lap.flying);
      const longest = Math.max(1000, ...(flying.length ? flying : timed).map((side) => Math.max(...known(side ? side.lap.columns.time : []))));
      along = wish.axis === "distance" ? grid : grid.map((_, i) => (i * longest) / 1000 / (places - 1));
      driven = [...shown, two].map((side) => (wish.axis === "distance" ? grid : placesAt(side, along.map((s) => 1000 * s))));
      // A gap and a difference are those of one place, also where the charts lie along time.
      gaps = shown.map((side, k) => driven[k].map((at_m) => {
        const [own, other] = [side, two].map((each) => (at_m === null ? null : timeAt(each, at_m)));
        return own === null || other === null ? null : (own - other) / 1000;
      }));
      lines = new Map(channels.map(({ name, scale }) => [name, [...shown, two].map((side, k) => values(side, name, scale, driven[k]))]));
      const apart = (/** @type {Channel} */ channel) => shown.map((_, k) => {
        const theirs = values(two, channel.name, channel.scale, driven[k]), own = (lines.get(channel.name) || [])[k];
        return own.map((value, i) => { const other = theirs[i]; return value === null || other === null ? null : value - other; });
      });
      // One lap alone has no gap.
      if (plots.length > 1 && plots.some(({ name }) => name === "delta") !== Boolean(two)) for (const { plot } of plots.splice(0)) plot.destroy();
      if (!plots.length) makePlots();
      const spare = LINES.slice(shown.length).map(() => none);
      // An in-lap or out-lap beside flying ones must not make those flat: it may leave the chart.
      const counts = (/** @type {Side | null} */ side) => Boolean(side && side.lap.flying);
      const any = [...shown, two].some(counts), scaled = shown.map((side) => !any || counts(side));
      for (const { plot, name } of plots) {
        const channel = channels.find((each) => each.name === name);
        const drawn = channel && wish.difference && two ? [...apart(channel), none] : lines.get(name) || [];
        plot.series.slice(1).forEach((/** @type {any} */ each, /** @type {number} */ k) => {
          each.auto = k < LINES.length ? scaled[k] ?? true : !any || counts(two);
        });
        plot.setData(name === "delta" ? [along, ...gaps, ...spare] : [along, ...drawn.slice(0, -1), ...spare, drawn[drawn.length - 1]]);
      }
      // A gap says nothing without the lap that it is to.
      const shownGap = plots.find(({ name }) => name === "delta")?.plot.root.querySelector(".u-title");
      if (shownGap) shownGap.textContent = two ? `${say["delta to"]} ${two.lap.lap}${two.lap.time_s === null ? "" : `, ${two.lap.time}`} (s): ${say["delta help"]}` : say.delta;
      colours.value = state.colour = two ? state.colour : "speed";
      colours.disabled = !two;
      if (state.at_m !== null) state.place = indexAt(state.at_m);
      settle();
      tell();
      drawMap();
      drawBars();
      for (const shows of showers) shows(shown[0] || null, two);
    }
    const resize = () => {
      for (const { plot } of plots) plot.setSize({ width: width(), height: plot.height });
      drawMap();
      drawBars();
    };
    addEventListener("resize", resize);
    const repaint = ui.onColours(() => { for (const { plot } of plots) plot.redraw(false); drawMap(); drawBars(); });
    box.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const by = KEYS[/** @type {keyof typeof KEYS} */ (event.key)];
      if (by !== undefined || event.key === "Escape") {
        event.preventDefault();
        if (by === undefined) zoom(0, view.length_m);
        else zoomBy(by, state.place === null ? (state.range[0] + state.range[1]) / 2 : state.at_m ?? 0);
        return;
      }
      const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 }[event.key];
      const end = { Home: 0, End: places - 1 }[event.key];
      if (step === undefined && end === undefined) return;
      event.preventDefault();
      go(end ?? Math.min(places - 1, Math.max(0, (state.place ?? 0) + Number(step))), true);
      speak();
    });
    box.addEventListener("wheel", (/** @type {WheelEvent} */ event) => {
      const isWhole = state.range[1] - state.range[0] >= view.length_m;
      if (!plots.length || !event.deltaY || (event.deltaY > 0 && isWhole)) return;
      event.preventDefault();
      zoomBy(event.deltaY < 0 ? 1 / WHEEL : WHEEL, placeUnder(event.clientX));
    }, { passive: false });
    box.addEventListener("dblclick", () => zoom(0, view.length_m));
    // A finger makes no mouse moves: one moves the cursor, two bring closer what lies between them.
    /** @type {Map<number, number>} */
    const fingers = new Map();
    box.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
      if (event.pointerType === "touch") fingers.set(event.pointerId, event.clientX);
    });
    for (const kind of ["pointerup", "pointercancel", "pointerleave"]) {
      box.addEventListener(kind, (/** @type {PointerEvent} */ event) => fingers.delete(event.pointerId));
    }
    box.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
      if (event.pointerType !== "touch" || !plots.length) return;
      if (fingers.size === 2 && fingers.has(event.pointerId)) {
        const before = [...fingers.values()].map(placeUnder);
        fingers.set(event.pointerId, event.clientX);
        const after = [...fingers.values()].map(placeUnder);
        const span = Math.abs(after[1] - after[0]), [from, to] = state.range;
        if (span < 1) return;
        const by = Math.abs(before[1] - before[0]) / span, held = (before[0] + before[1]) / 2, now = (after[0] + after[1]) / 2;
        zoom(held - (now - from) * by, held + (to - now) * by);
        return;
      }
      fingers.set(event.pointerId, event.clientX);
      go(indexAt(placeUnder(event.clientX)), true);
    });
    for (const kind of ["pointermove", "pointerdown"]) {
      map.addEventListener(kind, (/** @type {PointerEvent} */ event) => go(nearest(event), true));
    }
    // A tap on a corner, in the map or on its band, frames it.
    let downX = 0;
    const tapped = () => {
      const corner = state.at_m === null ? undefined : cornerAt(state.at_m);
      if (corner && frames.value !== corner.corner) frame(corner.corner);
    };
    map.addEventListener("click", tapped);
    map.addEventListener("dblclick", () => zoom(0, view.length_m));
    box.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => { downX = event.clientX; }, true);
    box.addEventListener("click", (/** @type {MouseEvent} */ event) => { if (Math.abs(event.clientX - downX) <= 4 && event.detail === 1) tapped(); });
    function end() {
      removeEventListener("resize", resize);
      repaint();
      for (const { plot } of plots.splice(0)) plot.destroy();
    }
    return { element, show, end, frame, step, go: goTo, at: () => state.at_m,
      onMove: (/** @type {(at_m: number | null, by: unknown) => void} */ moved) => movers.add(moved),
      onShow: (/** @type {(first: Side | null, second: Side | null) => void} */ shows) => showers.add(shows) };
  }

  /** A line of places in metres, drawn as large as the canvas allows. @param {HTMLCanvasElement} canvas @param {[number, number][]} line */
  function outline(canvas, line) {
    const place = fitted(line.map(([x]) => x), line.map(([, y]) => y), canvas.getBoundingClientRect(), 16), pen = cleared(canvas);
    pen.lineWidth = 3;
    pen.lineJoin = "round";
    pen.strokeStyle = colour("--one");
    path(pen, [...line, line[0]].map(([x, y]) => place(x, y)));
  }

  /** The moment when something was earned: where it lies on the track, and the speed of both laps there. `start` draws
   * once it stands in the page. @param {View} view @param {Side} one @param {Side} two @param {Moment} found */
  function moment(view, one, two, found) {
    const say = view.labels, channel = view.channels.find((each) => each.name === "speed_mps");
    const map = node("canvas.minimap", { role: "img", "aria-label": say.map });
    const box = node("div.charts");
    const element = node("div.moment-views", [map, box]);
    const grid = gridOf(view), places = grid.length;
    const from = Math.round(found.from_m / view.step_m), count = Math.round((found.to_m - found.from_m) / view.step_m) + 1;
    const here = Array.from({ length: count }, (_, i) => (from + i) % places);
    function drawMap() {
      const [xs, ys] = wayOf(one, grid), size = map.getBoundingClientRect();
      if (!known(xs).length || !size.width) return;
      const place = fitted(xs, ys, size, 24), pen = cleared(map);
      const spots = spotted(xs, ys, place);
      pen.lineCap = "round";
      pen.lineWidth = 3; pen.strokeStyle = colour("--soft"); path(pen, spots);
      pen.lineWidth = 7; pen.strokeStyle = colour("--one"); path(pen, here.map((i) => spots[i]));
    }
    /** @type {any} */
    let plot = null;
    const size = () => ({ width: Math.max(200, box.clientWidth), height: 180 });
    function start() {
      drawMap();
      if (!channel) return;
      const [ours, theirs] = [one, two].map((side) => values(side, channel.name, channel.scale, grid));
      // @ts-ignore uPlot stands in the page before this script
      plot = new uPlot({ ...size(), title: `${channel.title} (${channel.unit})`, legend: { show: false }, padding: [8, 16, 6, 0],
        cursor: { show: false }, scales: { x: { time: false } },
        axes: [{ ...axes(), values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map((m) => `${Math.round(m % view.length_m)} m`) },
          { ...axes(), size: 52 }],
        series: [{}, line("one", 2), line("two", 1.5)] },
      [here.map((_, i) => found.from_m + i * view.step_m), here.map((i) => ours[i]), here.map((i) => theirs[i])], box);
    }
    const resize = () => { drawMap(); if (plot) plot.setSize(size()); };
    addEventListener("resize", resize);
    const repaint = ui.onColours(() => { drawMap(); if (plot) plot.redraw(false); });
    return { element, start, end() { removeEventListener("resize", resize); repaint(); if (plot) plot.destroy(); } };
  }

  return { comparison, moment, outline, timeAt, placeAt, LINES, MOST_SHOWN };
})();
