// The pit wall: what the pits see of a drive, live, and what they may say to the driver; of several cars where this
// @ts-check
// browser was paired with several phones.
"use strict";

(() => {
  // So long a message is worth another try: the phone speaks no older one.
  const GOOD_MS = 10_000;
  const SAYS = ["box", "box_now", "push", "save_fuel", "yellow", "red", "traffic"];
  const STATE_MS = 500, LOST_MS = 5000, ANSWER_MS = 4000, AGAIN_MS = 700, KEPT = "cars";
  /** @type {Record<string, string>} */
  const TERMS = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("words")).textContent || "{}");
  /** @param {string} name @returns {string} */
  const say = (name) => TERMS[name] || name;
  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  /** @param {string} tag @param {string} text @param {string} kind @returns {any} */
  function node(tag, text = "", kind = "") {
    const made = document.createElement(tag);
    made.textContent = text;
    made.className = kind;
    return made;
  }
  /** @param {string} text @param {() => void} does @param {string} kind */
  function button(text, does, kind = "") {
    const made = node("button", text, kind);
    made.type = "button";
    made.onclick = does;
    return made;
  }
  /** @param {string} label @param {string} hint @param {string} kind */
  function input(label, hint = "", kind = "") {
    const made = node("input", "", kind);
    made.placeholder = hint;
    made.setAttribute("aria-label", label);
    return made;
  }
  /** @param {number | null | undefined} s @returns {string} */
  function clock(s) {
    if (s === null || s === undefined) return "-";
    const minutes = Math.floor(s / 60);
    return `${minutes}:${(s - 60 * minutes).toFixed(3).padStart(6, "0")}`;
  }
  /** What this browser keeps: the other cars with what lets it in, and limits. @param {string} name @param {any} other */
  const kept = (name, other) => { try { return JSON.parse(localStorage.getItem(name) || "null") ?? other; } catch { return other; } };
  /** @param {string} name @param {any} value */
  const keep = (name, value) => { try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* until it is closed */ } };

  /** Ask a phone: this page's own by its cookie (`base` ""), another one by the secret of its link.
   * @param {string} base @param {string} secret @param {string} path @param {object} [body] */
  async function ask(base, secret, path, body) {
    /** @type {RequestInit} */
    const how = { signal: AbortSignal.timeout(ANSWER_MS), credentials: base ? "omit" : "same-origin", headers: {} };
    if (secret) how.headers = { Authorization: `Bearer ${secret}` };
    if (body) Object.assign(how, { method: "POST", body: JSON.stringify(body), headers: { ...how.headers, "Content-Type": "application/json" } });
    const answer = await fetch(base + path, how), found = await answer.json();
    if (!answer.ok) throw Object.assign(new Error(`${found.error}: ${found.what_to_do || ""}`), { status: answer.status });
    return found;
  }

  /** One car. @param {string} base @param {string} secret @param {() => void} [drop] shuts it out of this page */
  function panel(base, secret, drop) {
    const link = node("p", say("connecting"), "link"), now = node("p", "", "big"), figures = node("div", "", "row"), said = node("p"), title = node("h2");
    const laps = node("div", "", "wide"), sent = node("div", "", "wide"), crew = node("div", "", "row"), news = node("p"), map = node("div");
    const limits = node("details"), section = node("section");
    news.setAttribute("role", "status");
    let heardMs = 0, drawn = "", ended = false;
    /** The phone's clock when it answered last, and ours then: a message says how old its button is. */
    let theirs_s = 0, oursMs = 0;
    let road = { line: /** @type {[number, number][]} */ ([]), step_m: 0, title: "" };
    /** Fuel where each lap began, for how many laps it lasts. @type {Map<number, number>} */
    const fuels = new Map();
    const own = kept(`limits ${base}`, /** @type {Record<string, number>} */ ({}));

    /** A message goes out once: a second try has the same id. @param {string} says @param {object} more @param {string} text */
    async function send(says, more = {}, text = say(says)) {
      const id = Array.from(crypto.getRandomValues(new Uint8Array(12)), (each) => each.toString(16).padStart(2, "0")).join("");
      const pressed_s = theirs_s + (performance.now() - oursMs) / 1000;
      for (const untilMs = performance.now() + GOOD_MS; performance.now() < untilMs;) {
        try {
          await ask(base, secret, "/say", { id, says, pressed_s, ...more });
          news.textContent = say("sent");
          return;
        } catch (error) {
          // Refused: no second try changes that. Not answered: it may have come through; its id is the same.
          if (!(error instanceof TypeError) && !(error instanceof DOMException)) {
            news.textContent = `${say("not spoken")} ${error instanceof Error ? error.message : error}`;
            return;
          }
          news.textContent = `${say("again")} ${text}`;
          await new Promise((done) => setTimeout(done, AGAIN_MS));
        }
      }
      news.textContent = `${say("unsure")} ${text}`;
    }

    for (const says of SAYS) crew.append(button(say(says), () => send(says), says === "red" || says === "box_now" ? "danger" : ""));
    const target = input(say("target hint"), "1:45.2"), line = input(say("line hint"), say("line hint"), "line");
    line.maxLength = 80;
    crew.append(target, button(say("target"), () => {
      const [minutes, seconds] = target.value.includes(":") ? target.value.split(":") : ["0", target.value];
      const target_s = 60 * Number(minutes) + Number(seconds.replace(",", "."));
      if (target_s >= 5 && target_s <= 3600) send("target", { target_s }); else news.textContent = say("target wrong");
    }), line, button(say("say line"), () => {
      const words = line.value.trim().split(/\s+/).filter(Boolean);
      if (words.length && words.length <= 8) { send("line", { line: words.join(" ") }, words.join(" ")); line.value = ""; } else news.textContent = say("line wrong");
    }));
    crew.hidden = true;

    /** @param {HTMLElement} into @param {string[]} heads @param {string[][]} rows */
    function table(into, heads, rows) {
      const made = document.createElement("table"), head = made.createTHead().insertRow();
      for (const each of heads) head.append(node("th", say(each)));
      const body = made.createTBody();
      for (const row of rows) { const tr = body.insertRow(); for (const each of row) tr.append(node("td", each)); }
      into.replaceChildren(...(rows.length ? [made] : []));
    }
    /** The limits that the crew sets, once the car has shown what it measures. @param {any[]} measured */
    function limit(measured) {
      if (limits.childElementCount > measured.length || !measured.length) return;
      limits.hidden = false;
      limits.replaceChildren(node("summary", say("limits")), ...measured.map((each) => {
        const field = input(`${say("limit of")} ${say(each.name)} (${each.unit})`, String(each.limit ?? ""));
        field.inputMode = "decimal";
        field.value = own[each.name] ?? "";
        field.onchange = () => { if (field.value === "" || isNaN(field.value)) delete own[each.name]; else own[each.name] = Number(field.value); keep(`limits ${base}`, own); };
        const label = node("label", `${say(each.name)} (${each.unit}) `);
        label.append(field);
        return label;
      }));
    }
    /** @param {any} each @param {number} lap */
    function figure(each, lap) {
      const edge = own[each.name] ?? each.limit, bad = edge !== null && (each.above ? each.value > edge : each.value < edge);
      let lasts = "";
      if (each.name === "fuel") {
        if (!fuels.has(lap)) fuels.set(lap, each.value);
        const [first, ...rest] = [...fuels.entries()].slice(-5), last = rest.pop();
        if (last && first[1] > last[1]) lasts = `, ${say("lasts laps")} ${Math.floor(each.value * (last[0] - first[0]) / (first[1] - last[1]))}`;
      }
      return node("span", `${say(each.name)}: ${Math.round(10 * each.value) / 10} ${each.unit.replace("deg", "°")}${lasts}${bad ? ` ${say("past limit")} ${edge}` : ""}`, bad ? "not" : "");
    }

    /** @param {any} state */
    async function show(state) {
      // A driver who gave neither name nor car is known by his phone's address.
      title.textContent = `${state.car || new URL(base || location.origin).host}: ${say("you are")} ${state.name}`;
      now.textContent = state.speed_mps === null ? "" : `${Math.round(state.speed_mps * Number(say("speed factor")))} ${say("speed unit")}`;
      limit(state.figures);
      figures.replaceChildren(...[
        ["track", (state.track === drawn && road.title) || state.track || say("unknown")], ["now", say(`life ${state.life}`)], ["lap", String(state.lap)], ["best", clock(state.best_s)],
        ["last", clock(state.last_s)], ["phone", state.phone_age_s === null ? say("no report") : `${state.battery_pct ?? "?"} %, ${say("heat")} ${state.heat || "?"}`],
      ].map(([term, value]) => node("span", `${say(term)}: ${value}`)), ...state.figures.map((/** @type {any} */ each) => figure(each, state.lap)),
      ...state.troubles.map((/** @type {string} */ each) => node("span", each, "not")));
      said.textContent = state.said ? `${say("heard last")} ${state.said}` : say("heard nothing");
      table(laps, ["lap", "kind", "time", "gap", "sectors"], state.laps.map((/** @type {any} */ each) => [String(each.number), each.kind,
        clock(each.time_s), each.gap_s === null ? "" : `+${each.gap_s.toFixed(3)}`, each.sectors_s.map((/** @type {number | null} */ s) => (s === null ? "-" : s.toFixed(2))).join("  ")]));
      table(sent, ["message", "by", "became"], state.messages.map((/** @type {any} */ each) => [each.text || each.says, each.by,
        !each.ended ? say("waits") : each.ended.includes("spoken") ? say(each.understood_utc_s ? "understood" : "spoken") : `${say("not spoken")} ${each.ended}, ${each.why}`]));
      crew.hidden = state.role !== "crew";
      if (state.track !== drawn) {
        road = await ask(base, secret, "/line");
        drawn = state.track;
        draw();
      }
      const car = map.querySelector("circle"), place = road.step_m ? road.line[Math.floor((state.distance_m || 0) / road.step_m) % road.line.length] : null;
      if (car && place) {
        car.setAttribute("visibility", state.distance_m === null ? "hidden" : "visible");
        car.setAttribute("cx", String(place[0]));
        car.setAttribute("cy", String(-place[1]));
      }
    }
    function draw() {
      map.replaceChildren();
      if (!road.line.length) return;
      const x = road.line.map((each) => each[0]), y = road.line.map((each) => -each[1]);
      const box = [Math.min(...x) - 20, Math.min(...y) - 20, Math.max(...x) - Math.min(...x) + 40, Math.max(...y) - Math.min(...y) + 40];
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), path = document.createElementNS(svg.namespaceURI, "path");
      svg.setAttribute("viewBox", box.join(" "));
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", say("map"));
      path.setAttribute("d", `M${road.line.map((each) => `${each[0]} ${-each[1]}`).join("L")}Z`);
      const car = document.createElementNS(svg.namespaceURI, "circle");
      car.setAttribute("r", String(Math.max(box[2], box[3]) / 50));
      svg.append(path, car);
      map.append(svg);
    }

    async function look() {
      if (ended) return;
      try {
        const askedMs = performance.now(), state = await ask(base, secret, "/state");
        theirs_s = state.now_s;
        oursMs = askedMs;
        heardMs = Date.now();
        await show(state);
        section.classList.remove("old");
        link.textContent = say(state.speed_mps === null ? "no data" : "linked");
        link.className = state.speed_mps === null ? "link" : "link good";
      } catch (error) {
        if (/** @type {any} */ (error).status === 401) { section.replaceChildren(node("p", say("unpaired"), "not"), ...(drop ? [button(say("drop car"), drop)] : [])); return; }
        if (Date.now() - heardMs > LOST_MS) {
          // What is old must not read as if it were now.
          now.textContent = "";
          section.classList.add("old");
          link.textContent = `${say("lost")} ${heardMs ? Math.round((Date.now() - heardMs) / 1000) : say("long")}`;
          link.className = "link lost";
        }
      }
      setTimeout(look, STATE_MS);
    }
    limits.hidden = true;
    section.append(title, link, now, figures, said, crew, news, sent, laps, map, limits, ...(drop ? [button(say("drop car"), drop)] : []));
    look();
    return { section, end() { ended = true; } };
  }

  const cars = node("div", "", "cars"), news = node("p"), adding = node("details");
  /** The phones that this browser was paired with, besides the one whose page this is. @type {Record<string, string>} */
  const others = kept(KEPT, {});
  /** @param {string} base */
  function add(base) {
    const made = panel(base, others[base], () => { made.end(); made.section.remove(); delete others[base]; keep(KEPT, others); });
    cars.append(made.section);
  }
  /** Let this page in at another phone by its link. @param {string} text */
  async function enter(text) {
    news.textContent = "";
    const link = URL.canParse(text.trim()) ? new URL(text.trim()) : null;
    if (!link || link.origin === location.origin || link.protocol !== "http:") { news.textContent = say("link wrong"); return; }
    try {
      others[link.origin] = (await ask(link.origin, "", "/pair", { code: link.hash.slice(1) })).secret;
      keep(KEPT, others);
      add(link.origin);
    } catch (error) { news.textContent = error instanceof TypeError ? say("not reached") : String(error instanceof Error ? error.message : error); }
  }

  async function begin() {
    const code = location.hash.slice(1), link = input(say("link hint"), "http://", "line");
    news.setAttribute("role", "status");
    if (code) {
      history.replaceState(null, "", "/");
      try { await ask("", "", "/pair", { code }); } catch (error) { news.textContent = String(error instanceof Error ? error.message : error); }
    }
    adding.append(node("summary", say("add car")), link, button(say("add car"), () => { enter(link.value); link.value = ""; }));
    main.append(node("h1", say("title")), cars, news, adding);
    cars.append(panel("", "").section);
    for (const base of Object.keys(others)) add(base);
  }
  begin();
})();
