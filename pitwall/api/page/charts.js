// @ts-check
// Two laps by place: a chart for each channel, the map, and one cursor for all of them.
"use strict";

const charts = (() => {
  const { node, section, colour } = ui;
  // The map shows gain and loss as it comes about: what the gap grows by over so many places.
  const GROWN = 5;

  /** Slow to fast, blue to orange. @param {number} share 0..1 */
  const shade = (share) => `hsl(${Math.round(215 - 190 * Math.min(1, Math.max(0, share)))} 85% 50%)`;
  /** Won is blue, lost is orange, nothing is grey. @param {number} share -1..1 */
  const turn = (share) => `hsl(${share < 0 ? 215 : 25} ${Math.round(90 * Math.min(1, Math.abs(share)))}% 50%)`;
  /** @param {(number | null | undefined)[]} list @returns {number[]} */
  const known = (list) => /** @type {number[]} */ (list.filter((value) => value != null));

  /** The sections with charts and map. `laps`: all laps that may be shown, for what channels there are.
   * `show(one, two)` draws these two, `end()` lets go of the window.
   * @param {View} view @param {Side[]} laps */
  function comparison(view, laps) {
    const say = view.labels;
    /** @type {{one: Side | null, two: Side | null, place: number | null, colour: string}} */
    const state = { one: null, two: null, place: null, colour: "gain" };
    const places = Math.floor(view.length_m / view.step_m) + 1;
    const along = Array.from({ length: places }, (_, i) => i * view.step_m);
    const shown = view.channels.filter((channel) => laps.some(({ lap }) => lap.columns[channel.name]));
    /** What is drawn now, by channel: of the one lap and of the other, in the driver's units. */
    let lines = new Map();
    /** @type {(number | null)[]} */
    let gaps = [];

    /** The values of a lap at our places; another session's grid may be another.
     * @param {Side | null} side @param {string} name @param {number} scale */
    function values(side, name, scale) {
      const column = side && side.lap.columns[name];
      if (!side || !column) return along.map(() => null);
      const step = view.step_m / side.view.step_m;
      return along.map((_, i) => {
        const value = column[Math.round(i * step)];
        return value == null ? null : value / scale;
      });
    }

    const here = node("p", { className: "here", "aria-live": "polite" });
    const box = node("div", { className: "charts", tabIndex: 0, "aria-label": say.charts, role: "group" });
    const map = node("canvas", { className: "map", role: "img", "aria-label": say.map });
    const car = node("canvas", { className: "car", "aria-hidden": "true" });
    const colours = node("select", { onchange: () => { state.colour = colours.value; drawMap(); } }, [
      node("option", { value: "speed", textContent: say["by speed"] }),
      node("option", { value: "gain", textContent: say["by gain"] }),
    ]);
    const legend = node("p", { className: "hint" });
    const element = section(say.charts, [
      node("p", { className: "hint", textContent: say.hint }), here,
      node("div", { className: "views" }, [box, node("div", { className: "mapbox" }, [
        node("label", { className: "choice" }, [`${say.colour} `, colours]),
        node("div", { className: "stack" }, [map, car]), legend])]),
    ]);

    /** @type {{plot: any, name: string}[]} */
    const plots = [];
    const width = () => Math.max(280, box.clientWidth);
    function makePlots() {
      const all = [{ name: "delta", title: say.delta, unit: "s" }, ...shown];
      const key = `place ${view.id} ${Math.random()}`;
      all.forEach((channel, i) => {
        const two = channel.name !== "delta";
        const axis = { stroke: () => colour("--soft"), grid: { stroke: () => colour("--line"), width: 1 } };
        const options = {
          width: width(), height: (channel.name === "speed_mps" ? 210 : 110) + (i === all.length - 1 ? 30 : 0),
          title: `${channel.title} (${channel.unit || "-"})${two ? "" : ": " + say["delta help"]}`,
          legend: { show: false }, padding: [8, 16, 6, 0],
          cursor: { sync: { key }, drag: { x: true, y: false }, points: { size: 7 } },
          scales: { x: { time: false, range: [0, view.length_m] } },
          axes: [
            { ...axis, show: i === all.length - 1,
              values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map((m) => `${m} m`) },
            { ...axis, size: 52 },
          ],
          series: [{}, { stroke: () => colour("--one"), width: 2, points: { show: false } },
            ...(two ? [{ stroke: () => colour("--two"), width: 1.5, points: { show: false } }] : [])],
          hooks: { drawClear: [bands], setCursor: [(/** @type {any} */ plot) => {
            if (plot.cursor.event || plot.cursor.idx !== null) go(plot.cursor.idx, false); }] },
        };
        const none = along.map(() => null);
        // @ts-ignore uPlot stands in the page before this script
        plots.push({ plot: new uPlot(options, two ? [along, none, none] : [along, none], box), name: channel.name });
      });
    }
    /** The corners as bands behind a chart. @param {any} plot */
    function bands(plot) {
      const { ctx, bbox } = plot;
      ctx.save();
      ctx.fillStyle = colour("--band");
      for (const corner of view.corners) {
        const from = plot.valToPos(corner.entry_m, "x", true), to = plot.valToPos(corner.exit_m, "x", true);
        if (to > from) ctx.fillRect(from, bbox.top, to - from, bbox.height);
      }
      ctx.restore();
    }

    /** The cursor to a place, by index; `move`: the charts do not have it yet.
     * @param {number | null | undefined} place @param {boolean} move */
    function go(place, move) {
      if (place === state.place || place === undefined) return;
      state.place = place;
      if (move && place !== null) {
        for (const { plot } of plots) plot.setCursor({ left: plot.valToPos(along[place], "x"), top: 0 }, false);
      }
      tell();
      drawCar();
    }
    /** @param {number} i */
    function cornerAt(i) {
      const at = along[i];
      const found = view.corners.find((corner) => corner.entry_m <= corner.exit_m
        ? corner.entry_m <= at && at <= corner.exit_m : at >= corner.entry_m || at <= corner.exit_m);
      return found ? found.title : "";
    }
    function tell() {
      here.replaceChildren();
      const i = state.place;
      if (i === null) return;
      const parts = [`${Math.round(along[i])} m`, cornerAt(i)].filter(Boolean);
      const gap = gaps[i];
      if (gap != null) parts.push(`${say.delta} ${gap > 0 ? "+" : ""}${ui.number(gap, 2)} s`);
      here.append(parts.join(" · "));
      for (const channel of shown) {
        const digits = channel.scale > 10 ? 2 : 0;
        const [one, two] = lines.get(channel.name).map((/** @type {(number | null)[]} */ line) => line[i]);
        if (one == null && two == null) continue;
        here.append(` · ${channel.title} `);
        if (one != null) here.append(node("span", { className: "one", textContent: ui.number(one, digits) }));
        if (one != null && two != null) here.append(" / ");
        if (two != null) here.append(node("span", { className: "two", textContent: ui.number(two, digits) }));
        here.append(` ${channel.unit}`);
      }
    }

    /** Where the shown lap went, in pixels of the map; null where nothing is known. @type {([number, number] | null)[]} */
    let spots = [];
    /** @type {((x: number, y: number) => [number, number]) | null} */
    let fit = null;
    /** A canvas at the screen's own fineness, empty. @param {HTMLCanvasElement} canvas */
    function cleared(canvas) {
      const { width, height } = map.getBoundingClientRect(), ratio = devicePixelRatio || 1;
      if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
        canvas.width = Math.round(width * ratio);
        canvas.height = Math.round(height * ratio);
      }
      const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, width, height);
      return pen;
    }
    function drawMap() {
      const side = state.one;
      const { width, height } = map.getBoundingClientRect();
      if (!side || !side.lap.columns.x || !width) return;
      const xs = values(side, "x", 1), ys = values(side, "y", 1);
      const [x0, x1, y0, y1] = [Math.min(...known(xs)), Math.max(...known(xs)), Math.min(...known(ys)), Math.max(...known(ys))];
      const size = Math.min((width - 60) / Math.max(1, x1 - x0), (height - 60) / Math.max(1, y1 - y0));
      fit = (x, y) => [width / 2 + (x - (x0 + x1) / 2) * size, height / 2 - (y - (y0 + y1) / 2) * size];
      const fitted = fit;
      spots = xs.map((x, i) => { const y = ys[i]; return x == null || y == null ? null : fitted(x, y); });
      const gain = state.colour === "gain" && state.two;
      const figures = gain
        ? gaps.map((gap, i) => (gap == null || gaps[i + GROWN] == null ? null : Number(gaps[i + GROWN]) - gap))
        : (lines.get("speed_mps") || [[]])[0];
      const sizes = known(figures).map(Math.abs).sort((a, b) => a - b);
      // One big loss must not make all the others grey.
      const most = Math.max(sizes[Math.floor(0.95 * sizes.length)] || 0, 1e-9);
      const [low, high] = [Math.min(...known(figures)), Math.max(...known(figures))];
      const pen = cleared(map);
      pen.lineCap = "round";
      pen.lineWidth = 9;
      pen.strokeStyle = colour("--line");
      pen.beginPath();
      spots.forEach((spot, i) => { if (spot) { if (i && spots[i - 1]) pen.lineTo(...spot); else pen.moveTo(...spot); } });
      pen.stroke();
      pen.lineWidth = 5;
      for (let i = 0; i + 1 < places; i++) {
        const from = spots[i], to = spots[i + 1], value = figures[i];
        if (!from || !to || value == null) continue;
        pen.strokeStyle = gain ? turn(value / most) : shade((high - value) / Math.max(1e-9, high - low));
        pen.beginPath(); pen.moveTo(...from); pen.lineTo(...to); pen.stroke();
      }
      pen.fillStyle = colour("--ink"); pen.font = "13px system-ui, sans-serif"; pen.textAlign = "center";
      for (const corner of view.corners) {
        const spot = spots[Math.min(places - 1, Math.round(corner.apex_m / view.step_m))];
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
    /** The car of the shown lap at the cursor, and where the other one was after as long. */
    function drawCar() {
      const pen = cleared(car), i = state.place;
      if (i === null || !state.one) return;
      const time = reading(state.one, "time", i);
      if (state.two && time !== null && fit && state.two.view.track === state.one.view.track) {
        const j = placeAfter(state.two, time);
        const x = j === null ? null : state.two.lap.columns.x?.[j], y = j === null ? null : state.two.lap.columns.y?.[j];
        if (x != null && y != null && state.two.view === state.one.view) dot(pen, fit(x, y), "--two", 6);
      }
      const spot = spots[i];
      if (spot) dot(pen, spot, "--one", 8);
    }
    /** @param {CanvasRenderingContext2D} pen @param {[number, number]} at @param {string} name @param {number} size */
    function dot(pen, at, name, size) {
      pen.beginPath(); pen.arc(...at, size, 0, 7); pen.fillStyle = colour(name); pen.fill();
      pen.lineWidth = 2; pen.strokeStyle = colour("--paper"); pen.stroke();
    }
    /** @param {Side} side @param {string} name @param {number} i */
    function reading(side, name, i) {
      const value = side.lap.columns[name]?.[Math.round((i * view.step_m) / side.view.step_m)];
      return value == null ? null : value;
    }
    /** The index of the place where a lap was after this time, ms. @param {Side} side @param {number} time */
    function placeAfter(side, time) {
      const column = side.lap.columns.time;
      let found = null;
      for (let i = 0; i < column.length; i++) {
        const at = column[i];
        if (at === null) continue;
        if (at > time) break;
        found = i;
      }
      return found;
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

    /** Draw these two. @param {Side | null} one @param {Side | null} two */
    function show(one, two) {
      state.one = one;
      state.two = two;
      const ours = values(one, "time", 1000), theirs = values(two, "time", 1000);
      gaps = ours.map((t, i) => { const other = theirs[i]; return t === null || other === null ? null : t - other; });
      lines = new Map(shown.map(({ name, scale }) => [name, [values(one, name, scale), values(two, name, scale)]]));
      if (!plots.length) makePlots();
      for (const { plot, name } of plots) plot.setData(name === "delta" ? [along, gaps] : [along, ...lines.get(name)]);
      colours.value = state.colour = two ? state.colour : "speed";
      colours.disabled = !two;
      tell();
      drawMap();
    }
    const resize = () => {
      for (const { plot } of plots) plot.setSize({ width: width(), height: plot.height });
      drawMap();
    };
    addEventListener("resize", resize);
    const repaint = ui.onColours(() => { for (const { plot } of plots) plot.redraw(false); drawMap(); });
    box.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 }[event.key];
      const end = { Home: 0, End: places - 1 }[event.key];
      if (step === undefined && end === undefined) return;
      event.preventDefault();
      go(end ?? Math.min(places - 1, Math.max(0, (state.place ?? 0) + Number(step))), true);
    });
    // A finger makes no mouse moves.
    box.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
      if (event.pointerType !== "touch" || !plots.length) return;
      const over = plots[0].plot.over.getBoundingClientRect();
      const at = plots[0].plot.posToIdx(event.clientX - over.left);
      go(Math.min(places - 1, Math.max(0, at)), true);
    });
    for (const kind of ["pointermove", "pointerdown"]) {
      map.addEventListener(kind, (/** @type {PointerEvent} */ event) => go(nearest(event), true));
    }
    function end() {
      removeEventListener("resize", resize);
      repaint();
      for (const { plot } of plots) plot.destroy();
    }
    return { element, show, end, go };
  }

  return { comparison };
})();
