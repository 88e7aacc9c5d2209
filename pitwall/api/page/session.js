// One session: its laps to pick from, corner by lap, what the coach said. The report and the page draw it alike.
// @ts-check
"use strict";

const session = (() => {
  const { node, section, table, head: th, figures, wide } = ui;

  // More marked laps than these are named in the table alone.
  const FEW_MARKS = 6;

  /** The head: where, when, who, the best lap. @param {View} view @param {string} level the heading's tag */
  function head(view, level) {
    const best = fastest(view)[0];
    const told = best ? `${view.labels.best} ${best.time} (${view.labels.lap} ${best.lap})` : "";
    return node("header", [
      node(level, { textContent: view.title }),
      node("p", [view.when, view.driver, view.car, told].filter(Boolean).join(" · ")),
      ...(view.noted ? [node("p", view.noted)] : []),
    ]);
  }
  /** Times in their order; below them what was noted, by the number that stands at its dot. Null where there is no trend.
   * @param {string} title @param {{name: string, time_s: number | null, time: string, counts: boolean, note: Node | string}[]} points */
  function trend(title, points) {
    const order = points.filter((each) => each.counts && each.time_s !== null).sort((one, two) => Number(one.time_s) - Number(two.time_s));
    if (order.length < 2) return null;
    const [best, worst] = [order[0], order[order.length - 1]], spread = Math.max(0.05, Number(worst.time_s) - Number(best.time_s));
    const x = (/** @type {number} */ i) => (100 * (i + 0.5)) / points.length;
    const y = (/** @type {number | null} */ time_s) => Math.max(0, Math.min(100, (100 * (Number(time_s) - Number(best.time_s))) / spread));
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), line = document.createElementNS(svg.namespaceURI, "polyline");
    svg.setAttribute("viewBox", "0 0 100 100");
    svg.setAttribute("preserveAspectRatio", "none");
    line.setAttribute("points", points.flatMap(({ counts, time_s }, i) => (counts && time_s !== null ? [`${x(i)},${100 - y(time_s)}`] : [])).join(" "));
    svg.append(line);
    const box = node("div.trendline", { role: "img", "aria-label": `${title}: ${best.name} ${best.time} - ${worst.name} ${worst.time}` }, [svg]);
    /** @type {HTMLElement[]} */
    const notes = [];
    points.forEach(({ name, time_s, time, counts, note }, i) => {
      if (time_s !== null) box.append(node("i", { className: !counts ? "aside" : order[0] === points[i] ? "best" : "", title: `${name} · ${time}` }));
      if (time_s !== null) Object.assign(/** @type {HTMLElement} */ (box.lastChild).style, { left: `${x(i)}%`, bottom: `${y(time_s)}%` });
      if (!note) return;
      notes.push(node("li", [note]));
      box.append(node("b", String(notes.length)));
      /** @type {HTMLElement} */ (box.lastChild).style.left = `${x(i)}%`;
    });
    return section(title, [node("div.trend", [
      node("p", [node("span", worst.time), node("span.best", best.time)]), box,
      node("p", [node("span", points[0].name), node("span", points[points.length - 1].name)])]), ...(notes.length ? [node("ol.trendnotes", {}, notes)] : [])]);
  }
  /** The laps that can be drawn. @param {View} view */
  const drawn = (view) => view.laps.filter((lap) => lap.seen);
  /** The flying laps, the fastest first. @param {View} view */
  const fastest = (view) => drawn(view).filter((lap) => lap.flying && lap.time_s !== null)
    .sort((a, b) => Number(a.time_s) - Number(b.time_s));

  /** The laps and what is shown of some of them. `against` draws a lap of another session, null ends that; `end` lets
   * go of the window. @param {View} view @param {(Node | string)[]} [between] stands over the charts
   * @param {(laps: Lap[]) => Promise<void>} [fill] fetches what is missing of these
   * @param {() => Promise<{name: string, unit: string}[]>} [names] what else was recorded */
  function laps(view, between, fill, names) {
    const say = view.labels, order = fastest(view), seen = drawn(view);
    const first = order[1] || order[0] || seen[0];
    /** `shown`: in the order in which they were picked. @type {{shown: Lap[], two: Lap | null, other: Side | null}} */
    const state = { shown: first ? [first] : [], two: order.length > 1 ? order[0] : null, other: null };
    const sectors = Math.max(0, ...view.laps.map((lap) => lap.sectors_s.length));
    const bests = Array.from({ length: sectors }, (_, i) => Math.min(...order.map((lap) => lap.sectors_s[i] ?? Infinity)));
    const heads = [th(say.shown, "pick"), th(say.versus, "pick"), th(say.lap), th(say.time), th(say.gap), ...bests.map((_, i) => th(`${say.sector} ${i + 1}`, "sector")), th(say.kind, "text")];
    /** @type {Map<Lap, {row: HTMLElement, one: HTMLInputElement, two: HTMLInputElement}>} */
    const lines = new Map();
    const body = view.laps.map((lap) => {
      const box = (/** @type {"shown" | "against"} */ which, /** @type {Record<string, any>} */ props) => node("input",
        { name: `${which} ${view.id}`, disabled: !lap.seen, "aria-label": `${say[which]}: ${say.lap} ${lap.lap}`, ...props });
      const pick = (/** @type {HTMLElement} */ input) => node("td.pick", [node("label", [input])]);
      const one = box("shown", { type: "checkbox", onchange: () => choose(lap, one.checked) });
      const two = box("against", { type: "radio", onchange: () => { state.two = lap; state.other = null; filled(); } });
      const gap = lap.flying && lap.time_s !== null ? lap.time_s - Number(order[0].time_s) : null;
      const row = node("tr", [
        pick(one), pick(two), node("td", String(lap.lap)),
        node("td", { textContent: lap.time, className: lap === order[0] ? "best" : "" }),
        node("td", gap === null || lap === order[0] ? "" : ui.signed(gap, 3)),
        ...bests.map((best, i) => {
          const time = lap.sectors_s[i];
          return node("td", { textContent: time == null ? "" : ui.number(time, 3), className: lap.flying && time === best ? "sector best" : "sector" });
        }),
        node("td", { className: lap.flying ? "text usual" : "text", textContent: [lap.kind, lap.reason].filter(Boolean).join(": ") }),
      ]);
      lines.set(lap, { row, one, two });
      return row;
    });
    const list = wide(say.laps, [figures(heads, body, "laps tight")], "laplist");
    const noted = new Map(view.stints.map((each) => [each.from_lap, each.text])), few = view.laps.filter((lap) => lap.marked).length <= FEW_MARKS;
    const times = trend(say.trend, view.laps.flatMap((lap) => (lap.flying || lap.marked || noted.has(lap.lap) ? [{ name: `${say.lap} ${lap.lap}`, time_s: lap.time_s,
      time: lap.time, counts: lap.flying, note: [noted.get(lap.lap), few && lap.marked && `${say.lap} ${lap.lap}: ${lap.kind}.`].filter(Boolean).join(" ") }] : [])));
    const element = node("div", [node("div.split", [section(say.laps, [view.laps.length ? list : say["no laps"]]), node("div", [...(times ? [times] : []), ...(between || [])])])]);
    const drawing = seen.length ? charts.comparison(view, names && { names, ask: () => filled() }) : null;
    if (drawing) element.append(drawing.element);

    /** A lap more, or one less; of too many the first one goes. @param {Lap} lap @param {boolean} shown */
    function choose(lap, shown) {
      state.shown = state.shown.filter((each) => each !== lap);
      if (shown) state.shown = [...state.shown, lap].slice(-charts.MOST_SHOWN);
      filled();
    }
    /** Show what is picked, and once more when all of it is here. */
    async function filled() {
      update();
      const missing = [...state.shown, state.two].flatMap((lap) => (lap && lap.seen && view.channels.some(({ name }) => !(name in lap.columns)) ? [lap] : []));
      if (!fill || !missing.length) return;
      await fill(missing).catch(() => {}); // what did not come stays undrawn, and is asked for when it is picked again
      update();
    }
    function update() {
      for (const [lap, { row, one, two }] of lines) {
        const at = state.shown.indexOf(lap), against = lap === state.two && !state.other;
        one.checked = at >= 0;
        two.checked = against;
        row.className = at >= 0 ? charts.LINES[at] : against ? "two" : "";
      }
      const two = state.other || (state.two && { view, lap: state.two });
      if (drawing) drawing.show(state.shown.map((lap) => ({ view, lap })), two);
    }
    /** @param {Side | null} side */
    function against(side) {
      state.other = side;
      update();
    }
    // The charts need their width, which they have when they stand in the page.
    /** Frame a corner in the charts, and bring them into view. @param {string} corner */
    function frame(corner) {
      if (!drawing) return;
      drawing.frame(corner);
      drawing.element.querySelector(".views").scrollIntoView({ block: "start" });
    }
    /** Draw what is picked; of many laps the list shows the first one that is drawn. */
    function start() {
      update();
      const row = state.shown[0] && lines.get(state.shown[0])?.row;
      if (row) list.scrollTop = row.offsetTop - list.clientHeight / 2;
    }
    /** Show this lap alone. @param {Lap} lap */
    const pick = (lap) => { state.shown = [lap]; filled(); };
    return { element, start, against, frame, pick, drawing, end: () => drawing && drawing.end() };
  }

  /** The names of the corners. @param {View} view */
  const titles = (view) => new Map(view.corners.map((corner) => [corner.corner, corner.title]));

  /** The head of a corner's row: its name, which frames it in the charts. @param {string} title @param {string} corner
   * @param {((corner: string) => void) | undefined} frame */
  const rowHead = (title, corner, frame) => node("th.text", { scope: "row" },
    [frame ? ui.button(title, () => frame(corner), { className: "plain" }) : title]);

  /** The theoretical best: of which laps its pieces are, and what each gains. @param {View} view
   * @param {(corner: string) => void} [frame] */
  function potential(view, frame) {
    const say = view.labels, found = view.potential, names = titles(view);
    if (!found || found.gain_s < 0.005) return null;
    const gains = found.pieces.map((piece) => piece.gain_s).sort((a, b) => b - a);
    const body = found.pieces.map((piece) => node("tr", [
      rowHead(names.get(piece.corner) || piece.corner || `${Math.round(piece.at_m)} m`, piece.corner, piece.corner ? frame : undefined),
      node("td", { textContent: ui.signed(-piece.gain_s, 2), className: gains.indexOf(piece.gain_s) < 3 && piece.gain_s >= 0.05 ? "best" : "" }),
      node("td", String(piece.lap)), node("td", ui.number(piece.time_s, 2)),
      node("td", ui.number(piece.best_lap_time_s, 2))]));
    const heads = [say.corner, say.gain, say.lap, say.time, say["best lap"]].map((text, i) => th(text, i ? "" : "text"));
    return section(say.potential, [
      node("p", [node("b", found.time), ` · ${ui.signed(-found.gain_s, 3)} s`]),
      node("p.hint", say["potential help"]),
      wide(say.potential, [figures(heads, body, "tight")])]);
  }

  /** The one thing for the next run, and the moment when it was earned: the place, and both laps there. `start` once it
   * stands in the page. @param {View} view */
  function moment(view) {
    const say = view.labels, found = view.moment;
    if (!found) return null;
    const side = (/** @type {number} */ number) => view.laps.find((lap) => lap.lap === number && lap.columns.time);
    const one = side(found.lap), two = side(found.against);
    const legend = node("p.legend", [
      node("span.one", `${say.lap} ${found.lap}`), " · ",
      node("span.two", `${say.lap} ${found.against}`),
      ` · ${titles(view).get(found.corner) || found.corner} · ${ui.signed(found.loss_s, 2)} s`]);
    const drawing = one && two && two !== one ? charts.moment(view, { view, lap: one }, { view, lap: two }, found) : null;
    return { element: node("section.moment", [node("h2", say["next run"]),
      node("p.one-thing", found.text), legend, ...(drawing ? [drawing.element] : [])]),
    start: () => drawing && drawing.start(), end: () => drawing && drawing.end() };
  }

  /** Corner by lap, a figure at a time. @param {View} view @param {(corner: string) => void} [frame] */
  function corners(view, frame) {
    const say = view.labels, box = wide(say.corners, [], "held");
    if (!view.corners.length || !view.passes.length) return null;
    /** @type {Record<string, string>} */
    const units = { grade: "", min_speed: view.speed_unit, exit_speed: view.speed_unit, brake: view.distance_unit, time_s: "s", loss_s: "s" };
    const driven = view.laps.filter((lap) => view.passes.some((pass) => pass.lap === lap.lap));
    const passOf = (/** @type {Lap} */ lap, /** @type {Corner} */ { corner }) => view.passes.find((each) => each.lap === lap.lap && each.corner === corner);
    // A letter, and where most of what it lost was lost.
    const graded = (/** @type {Pass | undefined} */ pass) => node("td", { className: pass ? `grade ${pass.grade}` : "" }, !pass || !pass.grade ? [] : [
      node("b", pass.grade),
      ...(pass.lost_in && pass.grade !== "A" ? [node("small", `${say[pass.lost_in]} ${ui.number(pass.lost_s, 2)}`)] : [])]);
    const grades = () => {
      const judged = driven.filter((lap) => lap.flying);
      // A corner that is taken flat has no grade.
      const body = view.corners.filter(({ corner }) => view.passes.some((pass) => pass.corner === corner && pass.grade)).map((corner) =>
        node("tr", [rowHead(corner.title, corner.corner, frame), ...judged.map((lap) => graded(passOf(lap, corner)))]));
      box.replaceChildren(figures([th(say.corner, "text"), ...judged.map((lap) => th(String(lap.lap)))], body, "grades"),
        node("p.legend", say["grade help"]));
    };
    const draw = (/** @type {string} */ name) => {
      if (name === "grade") { grades(); return; }
      const heads = [th(say.corner, "text"), th(say.median), ...driven.map((lap) => th(String(lap.lap)))];
      const digits = { time_s: 2, loss_s: 2 }[name] ?? 0, more = name === "min_speed" || name === "exit_speed";
      const body = view.corners.map((corner) => {
        const cells = driven.map((lap) => {
          const pass = passOf(lap, corner);
          return pass && pass[name] !== null ? Number(pass[name]) : null;
        });
        const flying = /** @type {number[]} */ (cells.filter((value, i) => value !== null && driven[i].flying)).sort((a, b) => a - b);
        const [low, high] = [flying[0], flying[flying.length - 1]];
        const [good, bad] = name === "brake" ? [NaN, NaN] : more ? [high, low] : [low, high];
        return node("tr", [rowHead(corner.title, corner.corner, frame),
          node("td", flying.length ? ui.number(flying[flying.length >> 1], digits) : ""),
          ...cells.map((value, i) => node("td", { textContent: value === null ? "" : ui.number(value, digits),
            className: !driven[i].flying || low === high ? "" : value === good ? "best" : value === bad ? "worst" : "" }))]);
      });
      box.replaceChildren(figures(heads, body));
    };
    if (!view.passes.some((pass) => pass.grade)) delete units.grade;
    const names = /** @type {[string, string][]} */ (Object.entries(units).map(([name, unit]) => [name, unit ? `${say[name]} (${unit})` : say[name]]));
    draw(names[0][0]);
    return section(say.corners, [ui.choice(say.figure, names, names[0][0], draw), box]);
  }

  /** What the coach said, and, when it is asked for, what it kept back and what became of that. @param {View} view */
  function coach(view) {
    const say = view.labels, names = titles(view), box = node("div");
    const kinds = { said: view.callouts.filter((each) => each.said), "kept back": view.callouts.filter((each) => !each.said), "all calls": view.callouts };
    const heads = [say.lap, say.corner, `${say.before} (${view.distance_unit})`, say.text, say.outcome, say.reason];
    const row = (/** @type {Callout} */ each) => [String(each.lap), names.get(each.corner) || each.corner,
      each.before === null ? "" : String(each.before), each.text,
      [each.outcome, each.followed].filter(Boolean).join("; "), each.reason];
    const draw = (/** @type {string} */ kind) => {
      const calls = kinds[/** @type {keyof typeof kinds} */ (kind)];
      box.replaceChildren(calls.length ? table(heads, calls.map(row), new Set([1, 3, 4, 5]), 3) : say["nothing of it"]);
    };
    if (!view.callouts.length) return section(say.coach, [say["no callouts"]]);
    draw("said");
    return section(say.coach, [ui.choice(say.calls, Object.entries(kinds).map(([kind, calls]) => [kind, `${say[kind]} (${calls.length})`]), "said", draw), box]);
  }

  return { head, trend, laps, corners, potential, moment, coach, fastest, drawn, titles };
})();
