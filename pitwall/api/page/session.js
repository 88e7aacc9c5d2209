// @ts-check
// One session: its laps to pick from, corner by lap, what the coach said. The report and the page draw it alike.
"use strict";

const session = (() => {
  const { node, section, table } = ui;

  /** The head: where, when, who, the best lap. @param {View} view @param {string} level the heading's tag */
  function head(view, level) {
    const best = fastest(view)[0];
    const told = best ? `${view.labels.best} ${best.time} (${view.labels.lap} ${best.lap})` : "";
    return node("header", {}, [
      node(level, { textContent: view.title }),
      node("p", { textContent: [view.when, view.driver, view.car, told].filter(Boolean).join(" · ") }),
    ]);
  }
  /** The laps that can be drawn. @param {View} view */
  const drawn = (view) => view.laps.filter((lap) => lap.columns.time);
  /** The flying laps, the fastest first. @param {View} view */
  const fastest = (view) => drawn(view).filter((lap) => lap.flying && lap.time_s !== null)
    .sort((a, b) => Number(a.time_s) - Number(b.time_s));

  /** The laps and what is shown of two of them. `against` draws a lap of another session, null ends that; `end` lets
   * go of the window. @param {View} view @param {(Node | string)[]} [between] stands over the charts
   * @param {(lap: Lap) => Node} [marks] what marks a lap */
  function laps(view, between, marks) {
    const say = view.labels, order = fastest(view), seen = drawn(view);
    /** @type {{one: Lap | null, two: Lap | null, other: Side | null}} */
    const state = { one: order[1] || order[0] || seen[0] || null, two: order.length > 1 ? order[0] : null, other: null };
    const rows = new Map();
    const sectors = Math.max(0, ...view.laps.map((lap) => lap.sectors_s.length));
    const bests = Array.from({ length: sectors }, (_, i) => Math.min(...order.map((lap) => lap.sectors_s[i] ?? Infinity)));
    const heads = node("tr", {}, [
      ...[say.shown, say.against].map((text) => node("th", { className: "pick", textContent: text, scope: "col" })),
      ...[say.lap, say.kind, say.time].map((text) => node("th", { textContent: text, scope: "col" })),
      ...bests.map((_, i) => node("th", { textContent: `${say.sector} ${i + 1}`, scope: "col" })),
      node("th", { className: "text", textContent: say.reason, scope: "col" }),
      ...(marks ? [node("th", { className: "text", textContent: say.mark, scope: "col" })] : []),
    ]);
    /** @type {any[]} */
    const theirs = [];
    const body = view.laps.map((lap) => {
      const pick = (/** @type {"one" | "two"} */ which, /** @type {string} */ label) => {
        const input = node("input", { type: "radio", name: `${which} ${view.id}`, checked: state[which] === lap,
          disabled: !lap.columns.time, "aria-label": `${label}: ${say.lap} ${lap.lap}`,
          onchange: () => { state[which] = lap; if (which === "two") state.other = null; update(); } });
        if (which === "two") theirs.push(input);
        return node("td", { className: "pick" }, [node("label", {}, [input])]);
      };
      const row = node("tr", {}, [
        pick("one", say.shown), pick("two", say.against),
        node("td", { textContent: String(lap.lap) }), node("td", { textContent: lap.kind }),
        node("td", { textContent: lap.time, className: lap === order[0] ? "best" : "" }),
        ...bests.map((best, i) => {
          const time = lap.sectors_s[i];
          return node("td", { textContent: time == null ? "" : ui.number(time, 3), className: lap.flying && time === best ? "best" : "" });
        }),
        node("td", { className: "text", textContent: lap.reason }),
        ...(marks ? [node("td", { className: "text" }, [marks(lap)])] : []),
      ]);
      rows.set(lap, row);
      return row;
    });
    const list = node("div", { className: "wide", tabIndex: 0, role: "group", "aria-label": say.laps }, [
      node("table", {}, [node("thead", {}, [heads]), node("tbody", {}, body)])]);
    const element = node("div", {}, [section(say.laps, [view.laps.length ? list : say["no laps"]]), ...(between || [])]);
    const drawing = seen.length ? charts.comparison(view, seen.map((lap) => ({ view, lap }))) : null;
    if (drawing) element.append(drawing.element);

    function update() {
      for (const [lap, row] of rows) row.className = lap === state.one ? "one" : lap === state.two && !state.other ? "two" : "";
      const two = state.other || (state.two && { view, lap: state.two });
      if (drawing) drawing.show(state.one && { view, lap: state.one }, two);
    }
    /** @param {Side | null} side */
    function against(side) {
      state.other = side;
      for (const input of theirs) input.checked = false;
      const at = view.laps.indexOf(/** @type {Lap} */ (state.two));
      if (!side && theirs[at]) theirs[at].checked = true;
      update();
    }
    // The charts need their width, which they have when they stand in the page.
    return { element, start: update, against, end: () => drawing && drawing.end() };
  }

  /** Corner by lap, a figure at a time. @param {View} view */
  function corners(view) {
    const say = view.labels, box = node("div", { className: "wide", tabIndex: 0, role: "group", "aria-label": say.corners });
    if (!view.corners.length || !view.passes.length) return null;
    /** @type {Record<string, string>} */
    const units = { grade: "", min_speed: view.speed_unit, exit_speed: view.speed_unit, brake: view.distance_unit, time_s: "s", loss_s: "s" };
    const driven = view.laps.filter((lap) => view.passes.some((pass) => pass.lap === lap.lap));
    // A letter, and where most of what it lost was lost.
    const graded = (/** @type {Pass | undefined} */ pass) => node("td", { className: pass ? `grade ${pass.grade}` : "" }, !pass || !pass.grade ? [] : [
      node("b", { textContent: pass.grade }),
      ...(pass.lost_in && pass.grade !== "A" ? [node("small", { textContent: `${say[pass.lost_in]} ${ui.number(pass.lost_s, 2)}` })] : [])]);
    const grades = () => {
      const judged = driven.filter((lap) => lap.flying);
      const head = node("tr", {}, [node("th", { className: "text", textContent: say.corner, scope: "col" }),
        ...judged.map((lap) => node("th", { textContent: String(lap.lap), scope: "col" }))]);
      const body = view.corners.map((corner) => node("tr", {}, [node("th", { className: "text", textContent: corner.title, scope: "row" }),
        ...judged.map((lap) => graded(view.passes.find((each) => each.lap === lap.lap && each.corner === corner.corner)))]));
      box.replaceChildren(node("table", { className: "grades" }, [node("thead", {}, [head]), node("tbody", {}, body)]),
        node("p", { className: "legend", textContent: say["grade help"] }));
    };
    const draw = (/** @type {string} */ name) => {
      if (name === "grade") { grades(); return; }
      const head = node("tr", {}, [node("th", { className: "text", textContent: say.corner, scope: "col" }),
        ...driven.map((lap) => node("th", { textContent: String(lap.lap), scope: "col" })),
        node("th", { textContent: say.median, scope: "col" })]);
      const digits = { time_s: 2, loss_s: 2 }[name] ?? 0, more = name === "min_speed" || name === "exit_speed";
      const body = view.corners.map((corner) => {
        const cells = driven.map((lap) => {
          const pass = view.passes.find((each) => each.lap === lap.lap && each.corner === corner.corner);
          return pass && pass[name] !== null ? Number(pass[name]) : null;
        });
        const flying = /** @type {number[]} */ (cells.filter((value, i) => value !== null && driven[i].flying)).sort((a, b) => a - b);
        const [low, high] = [flying[0], flying[flying.length - 1]];
        const [good, bad] = name === "brake" ? [NaN, NaN] : more ? [high, low] : [low, high];
        return node("tr", {}, [node("th", { className: "text", textContent: corner.title, scope: "row" }),
          ...cells.map((value, i) => node("td", { textContent: value === null ? "" : ui.number(value, digits),
            className: !driven[i].flying || low === high ? "" : value === good ? "best" : value === bad ? "worst" : "" })),
          node("td", { textContent: flying.length ? ui.number(flying[flying.length >> 1], digits) : "" })]);
      });
      box.replaceChildren(node("table", {}, [node("thead", {}, [head]), node("tbody", {}, body)]));
    };
    if (!view.passes.some((pass) => pass.grade)) delete units.grade;
    const names = /** @type {[string, string][]} */ (Object.entries(units).map(([name, unit]) => [name, unit ? `${say[name]} (${unit})` : say[name]]));
    draw(names[0][0]);
    return section(say.corners, [ui.choice(say.figure, names, names[0][0], draw), box]);
  }

  /** What the coach said and kept back, and what became of it. @param {View} view */
  function coach(view) {
    const say = view.labels, titles = new Map(view.corners.map((corner) => [corner.corner, corner.title]));
    const heads = [say.lap, say.corner, `${say.before} (${view.distance_unit})`, say.text, say.outcome, say.reason];
    const rows = view.callouts.map((each) => [String(each.lap), titles.get(each.corner) || each.corner,
      each.before === null ? "" : String(each.before), each.text,
      [each.outcome, each.followed].filter(Boolean).join("; "), each.reason]);
    return section(say.coach, [rows.length ? table(heads, rows, new Set([1, 3, 4, 5])) : say["no callouts"]]);
  }

  return { head, laps, corners, coach, fastest, drawn };
})();
