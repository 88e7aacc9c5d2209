// @ts-check
// The pit wall: what the pits see of a drive, live, and what they may say to the driver.
"use strict";

(() => {
  const SAYS = ["box", "box_now", "push", "save_fuel", "yellow", "red", "traffic"];
  const STATE_MS = 1000, LOST_MS = 5000, ANSWER_MS = 4000;
  /** @type {Record<string, string>} */
  const TERMS = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("words")).textContent || "{}");
  /** @param {string} name @returns {string} */
  const say = (name) => TERMS[name] || name;
  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  /** @param {string} tag @param {string} text @param {string} kind @returns {HTMLElement} */
  function node(tag, text = "", kind = "") {
    const made = document.createElement(tag);
    made.textContent = text;
    made.className = kind;
    return made;
  }
  /** @param {number | null | undefined} s @returns {string} */
  function clock(s) {
    if (s === null || s === undefined) return "-";
    const minutes = Math.floor(s / 60);
    return `${minutes}:${(s - 60 * minutes).toFixed(3).padStart(6, "0")}`;
  }
  /** @param {string} path @param {object} body */
  async function post(path, body) {
    const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal: AbortSignal.timeout(ANSWER_MS) });
    const told = await answer.json();
    if (!answer.ok) throw new Error(`${told.error}: ${told.what_to_do || ""}`);
    return told;
  }

  const link = node("p", say("connecting"), "link"), figures = node("div", "", "row"), said = node("p"), now = node("p", "", "big");
  const laps = node("div", "", "wide"), sent = node("div", "", "wide"), crew = node("div", "", "row"), news = node("p"), map = node("div");
  news.setAttribute("role", "status");
  let heardMs = 0, drawn = "", step = 0, scale = "";
  /** The phone's clock when it answered last, and ours then: a message says how old its button is. */
  let theirs_s = 0, oursMs = 0;
  /** @type {[number, number][]} */
  let line = [];
  /** A message goes out once: a second try has the same id. @param {string} says @param {number | null} target_s */
  async function send(says, target_s = null) {
    const id = Array.from(crypto.getRandomValues(new Uint8Array(12)), (each) => each.toString(16).padStart(2, "0")).join("");
    const pressed_s = theirs_s + (performance.now() - oursMs) / 1000;
    for (let tries = 0; tries < 3; tries++) {
      try {
        await post("/say", target_s === null ? { id, says, pressed_s } : { id, says, pressed_s, target_s });
        news.textContent = say("sent");
        return;
      } catch (error) {
        // Refused: no second try changes that. Not answered: it may have come through; its id is the same.
        if (!(error instanceof TypeError) && !(error instanceof DOMException)) {
          news.textContent = `${say("not spoken")} ${error instanceof Error ? error.message : error}`;
          return;
        }
        news.textContent = `${say("again")} ${say(says)}`;
        await new Promise((done) => setTimeout(done, 1500));
      }
    }
    news.textContent = `${say("unsure")} ${say(says)}`;
  }

  /** @param {HTMLElement} into @param {string[]} heads @param {string[][]} rows */
  function table(into, heads, rows) {
    const made = document.createElement("table"), head = made.createTHead().insertRow();
    for (const each of heads) head.append(node("th", say(each)));
    const body = made.createTBody();
    for (const row of rows) { const tr = body.insertRow(); for (const each of row) tr.append(node("td", each)); }
    into.replaceChildren(made);
  }

  /** @param {any} state */
  function show(state) {
    figures.replaceChildren(...[
      ["track", state.track || say("unknown")], ["now", state.life], ["lap", String(state.lap)], ["best", clock(state.best_s)],
      ["last", clock(state.last_s)], ["phone", state.phone_age_s === null ? say("no report") : `${state.battery_pct ?? "?"} %, ${say("heat")} ${state.heat || "?"}`],
    ].map(([name, value]) => node("span", `${say(name)}: ${value}`)), ...state.troubles.map((/** @type {string} */ each) => node("span", each, "not")));
    said.textContent = state.said ? `${say("heard last")} ${state.said}` : say("heard nothing");
    table(laps, ["lap", "kind", "time", "gap", "sectors"], state.laps.map((/** @type {any} */ each) => [String(each.number), each.kind,
      clock(each.time_s), each.gap_s === null ? "" : `+${each.gap_s.toFixed(3)}`, each.sectors_s.map((/** @type {number | null} */ s) => (s === null ? "-" : s.toFixed(2))).join("  ")]));
    table(sent, ["message", "by", "became"], state.messages.map((/** @type {any} */ each) => [each.text || each.says, each.by,
      !each.ended ? say("waits") : each.ended.includes("spoken") ? say(each.understood_utc_s ? "understood" : "spoken") : `${say("not spoken")} ${each.ended}, ${each.why}`]));
    crew.hidden = state.role !== "crew";
    if (state.track !== drawn && state.line.length) {
      drawn = state.track; line = state.line; step = state.step_m;
      const x = line.map((each) => each[0]), y = line.map((each) => -each[1]);
      const box = [Math.min(...x) - 20, Math.min(...y) - 20, Math.max(...x) - Math.min(...x) + 40, Math.max(...y) - Math.min(...y) + 40];
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), road = document.createElementNS(svg.namespaceURI, "path");
      svg.setAttribute("viewBox", box.join(" "));
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", say("map"));
      road.setAttribute("d", `M${line.map((each) => `${each[0]} ${-each[1]}`).join("L")}Z`);
      const car = document.createElementNS(svg.namespaceURI, "circle");
      car.setAttribute("r", String(box[2] / 60));
      scale = "car";
      svg.append(road, car);
      map.replaceChildren(svg);
    }
  }

  /** @param {any} message */
  function hear(message) {
    heardMs = Date.now();
    const frame = message.frame, at = message.position;
    if (message.type !== "frame" || !frame) return;
    const heat = [["water", frame.coolant_c], ["oil", frame.oil_temp_c]].filter((each) => typeof each[1] === "number");
    now.textContent = [frame.speed_mps == null ? "" : `${Math.round(frame.speed_mps * 3.6)} km/h`, ...heat.map((each) => `${each[0]} ${Math.round(each[1])} °C`)].filter(Boolean).join("   ");
    const car = map.querySelector("circle");
    if (car && scale && at && step && line.length) {
      const place = line[Math.floor(at.distance_m / step) % line.length];
      car.setAttribute("cx", String(place[0]));
      car.setAttribute("cy", String(-place[1]));
    }
  }

  async function look() {
    try {
      const askedMs = performance.now(), answer = await fetch("/state", { signal: AbortSignal.timeout(ANSWER_MS) });
      if (answer.status === 401) { main.replaceChildren(node("p", say("unpaired"), "not")); return; }
      const state = await answer.json();
      theirs_s = state.now_s;
      oursMs = askedMs;
      show(state);
      link.textContent = Date.now() - heardMs < LOST_MS ? say("linked") : say("no data");
      link.className = Date.now() - heardMs < LOST_MS ? "link good" : "link";
    } catch {
      link.textContent = `${say("lost")} ${heardMs ? Math.round((Date.now() - heardMs) / 1000) : say("long")}`;
      link.className = "link lost";
    }
    setTimeout(look, STATE_MS);
  }

  async function begin() {
    const code = location.hash.slice(1);
    if (code) {
      history.replaceState(null, "", "/");
      try { await post("/pair", { code }); } catch (error) { news.textContent = String(error instanceof Error ? error.message : error); }
    }
    for (const says of SAYS) {
      const button = /** @type {HTMLButtonElement} */ (node("button", say(says), says === "red" || says === "box_now" ? "danger" : ""));
      button.onclick = () => send(says);
      crew.append(button);
    }
    const target = document.createElement("input"), button = /** @type {HTMLButtonElement} */ (node("button", say("target")));
    target.placeholder = "1:45.2";
    target.setAttribute("aria-label", say("target hint"));
    button.onclick = () => {
      const [minutes, seconds] = target.value.includes(":") ? target.value.split(":") : ["0", target.value];
      const target_s = 60 * Number(minutes) + Number(seconds.replace(",", "."));
      if (target_s >= 5 && target_s <= 3600) send("target", target_s); else news.textContent = say("target wrong");
    };
    crew.append(target, button);
    crew.hidden = true;
    main.replaceChildren(link, now, figures, said, crew, news, sent, map, laps);
    const stream = new EventSource("/live");
    stream.onmessage = (event) => hear(JSON.parse(event.data));
    look();
  }
  begin();
})();
