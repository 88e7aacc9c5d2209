// @ts-check
// Draws one session: laps, two laps by place, a map, corners by lap, the coach's ledger. Words, units and figures
// come with the data (pitwall/analysis/session_view.py); text goes in as text only.
"use strict";

/** @typedef {{lap: number, kind: string, flying: boolean, time_s: number | null, time: string,
 *   sectors_s: (number | null)[], reason: string, columns: Record<string, (number | null)[]>}} Lap */
/** @typedef {{name: string, title: string, unit: string, scale: number}} Channel */
/** @typedef {{corner: string, title: string, number: string, entry_m: number, apex_m: number, exit_m: number}} Corner */
/** @typedef {Record<string, any> & {lap: number, corner: string}} Pass */
/** @typedef {{lap: number, corner: string, text: string, outcome: string, reason: string}} Callout */
/** @typedef {{session: string, title: string, when: string, driver: string, car: string, length_m: number,
 *   step_m: number, speed_unit: string, distance_unit: string, laps: Lap[], channels: Channel[], corners: Corner[],
 *   passes: Pass[], callouts: Callout[], debrief: string, labels: Record<string, string>}} View */

(() => {
  /** @type {View} */
  const view = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("data")).textContent || "");
  const say = view.labels;
  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  const seen = view.laps.filter((lap) => lap.columns.time);
  const timed = seen.filter((lap) => lap.flying && lap.time_s !== null);
  const bySpeed = [...timed].sort((a, b) => Number(a.time_s) - Number(b.time_s));
  const state = {
    one: bySpeed[1] || bySpeed[0] || seen[0] || null,
    two: bySpeed.length > 1 ? bySpeed[0] : null,
    place: /** @type {number | null} */ (null),
    colour: bySpeed.length > 1 ? "gain" : "speed",
    figure: "min_speed",
  };
  const places = Math.max(0, ...seen.map((lap) => lap.columns.time.length));
  const along = Array.from({ length: places }, (_, i) => i * view.step_m);

  /** @param {string} tag @param {Record<string, any>} [props] @param {(Node | string)[]} [inside] */
  function node(tag, props, inside) {
    const made = document.createElement(tag);
    Object.assign(made, props || {});
    for (const each of inside || []) made.append(each);
    return made;
  }
  /** @param {string} name */
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  /** @param {string} title @param {(Node | string)[]} inside */
  function section(title, inside) {
    const made = node("section", {}, [node("h2", { textContent: title }), ...inside]);
    main.append(made);
    return made;
  }
  /** @param {Lap | null} lap @param {string} name @param {number} scale */
  function values(lap, name, scale) {
    const column = lap && lap.columns[name];
    return column ? column.map((value) => (value === null ? null : value / scale)) : along.map(() => null);
  }
  function delta() {
    const { one, two } = state;
    if (!one || !two) return along.map(() => null);
    return one.columns.time.map((t, i) => {
      const other = two.columns.time[i];
      return t === null || other === null || other === undefined ? null : (t - other) / 1000;
    });
  }

  // The head and the debrief.
  document.title = `${view.title}, ${view.when}`;
  const best = bySpeed[0] ? `${say.best} ${bySpeed[0].time} (${say.lap} ${bySpeed[0].lap})` : "";
  main.append(
    node("header", {}, [
      node("h1", { textContent: view.title }),
      node("p", { textContent: [view.when, view.driver, view.car, best].filter(Boolean).join(" · ") }),
    ]),
  );
  if (view.debrief) section(say.debrief, [node("p", { className: "debrief", textContent: view.debrief })]);

  // The laps: which one is shown, and against which other.
  const rows = new Map();
  {
    const sectors = Math.max(0, ...view.laps.map((lap) => lap.sectors_s.length));
    const head = node("tr", {}, [
      ...[say.shown, say.against].map((text) => node("th", { className: "pick", textContent: text, scope: "col" })),
      ...[say.lap, say.kind, say.time].map((text) => node("th", { textContent: text, scope: "col" })),
      ...Array.from({ length: sectors }, (_, i) => node("th", { textContent: `${say.sector} ${i + 1}`, scope: "col" })),
      node("th", { className: "text", textContent: say.reason, scope: "col" }),
    ]);
    const bests = Array.from({ length: sectors }, (_, i) =>
      Math.min(...timed.map((lap) => lap.sectors_s[i] ?? Infinity)));
    const body = view.laps.map((lap) => {
      const pick = (/** @type {"one" | "two"} */ which, /** @type {string} */ label) => {
        const input = node("input", { type: "radio", name: which, checked: state[which] === lap,
          disabled: !lap.columns.time, onchange: () => { state[which] = lap; update(); } });
        input.setAttribute("aria-label", `${label}: ${say.lap} ${lap.lap}`);
        return node("td", { className: "pick" }, [node("label", {}, [input])]);
      };
      const row = node("tr", {}, [
        pick("one", say.shown), pick("two", say.against),
        node("td", { textContent: String(lap.lap) }), node("td", { textContent: lap.kind }),
        node("td", { textContent: lap.time, className: lap === bySpeed[0] ? "best" : "" }),
        ...Array.from({ length: sectors }, (_, i) => {
          const time = lap.sectors_s[i];
          return node("td", { textContent: time == null ? "" : time.toFixed(3),
            className: lap.flying && time === bests[i] ? "best" : "" });
        }),
        node("td", { className: "text", textContent: lap.reason }),
      ]);
      rows.set(lap, row);
      return row;
    });
    const table = node("table", {}, [node("thead", {}, [head]), node("tbody", {}, body)]);
    section(say.laps, [view.laps.length ? node("div", { className: "wide" }, [table]) : say["no laps"]]);
  }

  // Two laps by place, with one cursor.
  const here = node("p", { className: "here" });
  here.setAttribute("aria-live", "polite");
  const charts = node("div", { tabIndex: 0 });
  charts.setAttribute("aria-label", say.charts);
  const canvas = /** @type {HTMLCanvasElement} */ (node("canvas", { className: "map" }));
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", say.map);
  const colours = /** @type {HTMLSelectElement} */ (node("select", {
    onchange: () => { state.colour = colours.value; drawMap(); } }, [
    node("option", { value: "speed", textContent: say["by speed"] }),
    node("option", { value: "gain", textContent: say["by gain"] }),
  ]));
  colours.value = state.colour;
  const legend = node("p", { className: "hint" });
  /** @type {any[]} */
  const plots = [];
  if (seen.length) {
    section(say.charts, [
      node("p", { className: "hint", textContent: say.hint }), here,
      node("div", { className: "views" }, [charts,
        node("div", { className: "mapbox" }, [node("label", {}, [`${say.colour} `, colours]), canvas, legend])]),
    ]);
    const sync = "place";
    const shown = [{ name: "delta", title: say.delta, unit: "s", scale: 1 },
      ...view.channels.filter((channel) => seen.some((lap) => lap.columns[channel.name]))];
    for (const channel of shown) {
      const two = channel.name !== "delta";
      const width = () => Math.max(280, charts.clientWidth);
      const options = {
        width: width(), height: channel.name === "speed_mps" ? 220 : 120,
        title: `${channel.title} (${channel.unit || "-"})${two ? "" : ": " + say["delta help"]}`,
        legend: { show: false }, padding: [8, 16, 0, 0],
        cursor: { sync: { key: sync }, drag: { x: true, y: false } },
        scales: { x: { time: false, range: [0, view.length_m] } },
        axes: [
          { show: channel === shown[shown.length - 1], stroke: () => colour("--soft"), grid: { stroke: () => colour("--line") },
            values: (/** @type {any} */ _, /** @type {number[]} */ ticks) => ticks.map((m) => `${m} m`) },
          { size: 56, stroke: () => colour("--soft"), grid: { stroke: () => colour("--line") } },
        ],
        series: [{}, { stroke: () => colour("--one"), width: 2, points: { show: false } },
          ...(two ? [{ stroke: () => colour("--two"), width: 1.5, points: { show: false } }] : [])],
        hooks: { drawClear: [bands], setCursor: [(/** @type {any} */ plot) => {
          if (plot.cursor.event || plot.cursor.idx !== null) go(plot.cursor.idx, false); }] },
      };
      // @ts-ignore uPlot stands in the page before this script
      const plot = new uPlot(options, data(channel), charts);
      plots.push({ plot, channel, width });
    }
    addEventListener("resize", () => { for (const { plot, width } of plots) plot.setSize({ width: width(), height: plot.height }); drawMap(); });
    charts.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1, PageUp: -20, PageDown: 20 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      go(Math.min(places - 1, Math.max(0, (state.place ?? 0) + step)), true);
    });
    canvas.addEventListener("pointermove", (event) => go(nearest(event), true));
  }

  /** @param {Channel} channel */
  function data(channel) {
    if (channel.name === "delta") return [along, delta()];
    return [along, values(state.one, channel.name, channel.scale), values(state.two, channel.name, channel.scale)];
  }
  /** @param {any} plot */
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
  /** @param {number | null | undefined} place @param {boolean} move */
  function go(place, move) {
    if (place === state.place || place === undefined) return;
    state.place = place;
    if (move && place !== null) for (const { plot } of plots) plot.setCursor({ left: plot.valToPos(along[place], "x"), top: 0 }, false);
    tell();
    drawMap();
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
    const gap = delta()[i];
    if (gap !== null) parts.push(`${say.delta} ${gap > 0 ? "+" : ""}${gap.toFixed(2)} s`);
    here.append(parts.join(" · "));
    for (const channel of view.channels) {
      const digits = channel.scale > 10 ? 2 : 0;
      const [one, two] = [state.one, state.two].map((lap) => values(lap, channel.name, channel.scale)[i]);
      if (one == null && two == null) continue;
      here.append(` · ${channel.title} `);
      if (one != null) here.append(node("span", { className: "one", textContent: one.toFixed(digits) }));
      if (one != null && two != null) here.append(" / ");
      if (two != null) here.append(node("span", { className: "two", textContent: two.toFixed(digits) }));
      here.append(` ${channel.unit}`);
    }
  }

  // The map.
  /** @type {{x: (number | null)[], y: (number | null)[], fit: (x: number, y: number) => [number, number]} | null} */
  let drawn = null;
  /** @param {PointerEvent} event */
  function nearest(event) {
    if (!drawn) return null;
    const box = canvas.getBoundingClientRect();
    let found = null, least = Infinity;
    for (let i = 0; i < places; i++) {
      const x = drawn.x[i], y = drawn.y[i];
      if (x == null || y == null) continue;
      const [px, py] = drawn.fit(x, y);
      const away = (px - (event.clientX - box.left)) ** 2 + (py - (event.clientY - box.top)) ** 2;
      if (away < least) { least = away; found = i; }
    }
    return found;
  }
  /** Slow to fast, blue to orange. @param {number} share 0..1 */
  const shade = (share) => `hsl(${Math.round(215 - 190 * Math.min(1, Math.max(0, share)))} 85% 50%)`;
  /** Won is blue, lost is orange, nothing is grey. @param {number} share -1..1 */
  const turn = (share) => `hsl(${share < 0 ? 215 : 25} ${Math.round(90 * Math.min(1, Math.abs(share)))}% 50%)`;
  function drawMap() {
    const lap = state.one || seen[0];
    if (!lap || !lap.columns.x) return;
    const box = canvas.getBoundingClientRect(), ratio = devicePixelRatio || 1;
    if (!box.width) return;
    canvas.width = box.width * ratio;
    canvas.height = box.height * ratio;
    const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    pen.scale(ratio, ratio);
    const xs = lap.columns.x, ys = lap.columns.y;
    const known = (/** @type {(number | null)[]} */ list) => /** @type {number[]} */ (list.filter((v) => v !== null));
    const [x0, x1, y0, y1] = [Math.min(...known(xs)), Math.max(...known(xs)), Math.min(...known(ys)), Math.max(...known(ys))];
    const size = Math.min((box.width - 60) / Math.max(1, x1 - x0), (box.height - 60) / Math.max(1, y1 - y0));
    /** @type {(x: number, y: number) => [number, number]} */
    const fit = (x, y) => [box.width / 2 + (x - (x0 + x1) / 2) * size, box.height / 2 - (y - (y0 + y1) / 2) * size];
    drawn = { x: xs, y: ys, fit };
    const gain = state.colour === "gain" && state.two;
    const speed = view.channels.find((channel) => channel.name === "speed_mps");
    const gaps = delta();
    // Gain and loss as it comes about: what the gap grows by over 5 places.
    const shown = gain ? gaps.map((gap, i) => gap === null || gaps[i + 5] == null ? null : Number(gaps[i + 5]) - gap)
      : values(lap, "speed_mps", speed ? speed.scale : 1);
    const figures = known(shown), sizes = figures.map(Math.abs).sort((a, b) => a - b);
    // One big loss must not make all the others grey.
    const most = Math.max(sizes[Math.floor(0.95 * sizes.length)] || 0, 1e-9);
    const [low, high] = [Math.min(...figures), Math.max(...figures)];
    pen.lineWidth = 5; pen.lineCap = "round";
    for (let i = 0; i + 1 < places; i++) {
      const [ax, ay, bx, by] = [xs[i], ys[i], xs[i + 1], ys[i + 1]];
      if (ax == null || ay == null || bx == null || by == null) continue;
      const value = shown[i];
      pen.strokeStyle = value == null ? colour("--line") : gain ? turn(value / most) : shade((high - value) / Math.max(1e-9, high - low));
      pen.beginPath(); pen.moveTo(...fit(ax, ay)); pen.lineTo(...fit(bx, by)); pen.stroke();
    }
    pen.fillStyle = colour("--ink"); pen.font = "13px system-ui, sans-serif"; pen.textAlign = "center";
    for (const corner of view.corners) {
      const i = Math.min(places - 1, Math.round(corner.apex_m / view.step_m)), x = xs[i], y = ys[i];
      if (x == null || y == null) continue;
      const [px, py] = fit(x, y), [cx, cy] = [box.width / 2, box.height / 2];
      const out = Math.hypot(px - cx, py - cy) || 1;
      pen.fillText(corner.number || corner.title, px + (18 * (px - cx)) / out, py + (18 * (py - cy)) / out + 4);
    }
    if (state.place !== null) {
      const x = xs[state.place], y = ys[state.place];
      if (x != null && y != null) {
        pen.beginPath(); pen.arc(...fit(x, y), 8, 0, 7); pen.fill();
        pen.lineWidth = 2; pen.strokeStyle = colour("--paper"); pen.stroke();
      }
    }
    legend.replaceChildren();
    for (const [text, colour] of gain ? [[say.won, turn(-1)], [say.lost, turn(1)]] : [[say.fast, shade(0)], [say.slow, shade(1)]]) {
      const mark = node("span", { textContent: "■ " });
      mark.style.color = colour;
      legend.append(mark, `${text}  `);
    }
  }

  // Corner by lap.
  const cornerTable = node("div", { className: "wide" });
  const units = { min_speed: view.speed_unit, exit_speed: view.speed_unit, brake: view.distance_unit, time_s: "s", loss_s: "s" };
  if (view.corners.length && view.passes.length) {
    const figure = /** @type {HTMLSelectElement} */ (node("select", {
      onchange: () => { state.figure = figure.value; drawCorners(); } },
      Object.entries(units).map(([name, unit]) => node("option", { value: name, textContent: `${say[name]} (${unit})` }))));
    figure.value = state.figure;
    section(say.corners, [node("label", {}, [`${say.figure} `, figure]), cornerTable]);
    drawCorners();
  }
  function drawCorners() {
    const laps = view.laps.filter((lap) => view.passes.some((pass) => pass.lap === lap.lap));
    const head = node("tr", {}, [node("th", { className: "text", textContent: say.corner, scope: "col" }),
      ...laps.map((lap) => node("th", { textContent: String(lap.lap), scope: "col" })),
      node("th", { textContent: say.median, scope: "col" })]);
    const digits = { time_s: 2, loss_s: 2 }[state.figure] ?? 0;
    const most = state.figure === "min_speed" || state.figure === "exit_speed" ? 1 : -1;
    const body = view.corners.map((corner) => {
      const cells = laps.map((lap) => {
        const pass = view.passes.find((each) => each.lap === lap.lap && each.corner === corner.corner);
        return pass && pass[state.figure] !== null ? Number(pass[state.figure]) : null;
      });
      const flying = /** @type {number[]} */ (cells.filter((value, i) => value !== null && laps[i].flying)).sort((a, b) => a - b);
      const [low, high] = [flying[0], flying[flying.length - 1]];
      const [good, bad] = state.figure === "brake" ? [NaN, NaN] : most > 0 ? [high, low] : [low, high];
      return node("tr", {}, [node("th", { className: "text", textContent: corner.title, scope: "row" }),
        ...cells.map((value, i) => node("td", { textContent: value === null ? "" : value.toFixed(digits),
          className: !laps[i].flying || low === high ? "" : value === good ? "best" : value === bad ? "worst" : "" })),
        node("td", { textContent: flying.length ? flying[flying.length >> 1].toFixed(digits) : "" })]);
    });
    cornerTable.replaceChildren(node("table", {}, [node("thead", {}, [head]), node("tbody", {}, body)]));
  }

  // The coach.
  const titles = new Map(view.corners.map((corner) => [corner.corner, corner.title]));
  section(say.coach, view.callouts.length ? [node("div", { className: "wide" }, [node("table", {}, [
    node("thead", {}, [node("tr", {}, [say.lap, say.corner, say.text, say.outcome, say.reason].map((text, i) =>
      node("th", { textContent: text, scope: "col", className: i ? "text" : "" })))]),
    node("tbody", {}, view.callouts.map((each) => node("tr", {}, [
      node("td", { textContent: String(each.lap) }),
      ...[titles.get(each.corner) || each.corner, each.text, each.outcome, each.reason].map((text) =>
        node("td", { className: "text", textContent: text }))]))),
  ])])] : [say["no callouts"]]);
  main.append(node("footer", { textContent: `${say["made by"]} · ${view.session}` }));

  function update() {
    for (const [lap, row] of rows) row.className = lap === state.one ? "one" : lap === state.two ? "two" : "";
    for (const { plot, channel } of plots) plot.setData(data(channel));
    tell();
    drawMap();
  }
  update();
})();
