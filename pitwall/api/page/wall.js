// @ts-check
// The pit wall: what the pits see of a drive, live, and what they may say to the driver.
"use strict";

(() => {
  const WORDS = { box: "Box this lap", box_now: "Box NOW", push: "Push", save_fuel: "Save fuel", yellow: "Yellow", red: "RED FLAG", traffic: "Traffic behind" };
  const STATE_MS = 1000, LOST_MS = 5000;
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
    const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    const told = await answer.json();
    if (!answer.ok) throw new Error(`${told.error}: ${told.what_to_do || ""}`);
    return told;
  }

  const link = node("p", "connecting", "link"), figures = node("div", "", "row"), said = node("p"), now = node("p", "", "big");
  const laps = node("div", "", "wide"), sent = node("div", "", "wide"), crew = node("div", "", "row"), news = node("p"), map = node("div");
  news.setAttribute("role", "status");
  let heardMs = 0, drawn = "", step = 0, scale = "";
  /** @type {[number, number][]} */
  let line = [];
  /** What was sent and not yet answered: a lost link is said, not hidden. @type {Map<string, string>} */
  const waiting = new Map();

  /** A message goes out once: a second try has the same id. @param {string} says @param {number | null} target_s */
  async function say(says, target_s = null) {
    const id = Array.from(crypto.getRandomValues(new Uint8Array(12)), (each) => each.toString(16).padStart(2, "0")).join("");
    waiting.set(id, says);
    for (let tries = 0; tries < 3; tries++) {
      try {
        await post("/say", target_s === null ? { id, says } : { id, says, target_s });
        waiting.delete(id);
        news.textContent = "sent: what became of it stands below";
        return;
      } catch (error) {
        if (!(error instanceof TypeError)) { // refused: no second try changes that
          waiting.delete(id);
          news.textContent = `NOT spoken. ${error instanceof Error ? error.message : error}`;
          return;
        }
        news.textContent = `"${says}" does not get through, trying again`;
        await new Promise((done) => setTimeout(done, 1500));
      }
    }
    waiting.delete(id);
    news.textContent = `"${says}": the link is lost. If it is not in the list below, it was NOT spoken.`;
  }

  /** @param {HTMLElement} into @param {string[]} heads @param {string[][]} rows */
  function table(into, heads, rows) {
    const made = document.createElement("table"), head = made.createTHead().insertRow();
    for (const each of heads) head.append(node("th", each));
    const body = made.createTBody();
    for (const row of rows) { const tr = body.insertRow(); for (const each of row) tr.append(node("td", each)); }
    into.replaceChildren(made);
  }

  /** @param {any} state */
  function show(state) {
    figures.replaceChildren(...[
      ["track", state.track || "not known"], ["now", state.life], ["lap", String(state.lap)], ["best", clock(state.best_s)],
      ["last", clock(state.last_s)], ["phone", state.phone_age_s === null ? "no report" : `${state.battery_pct ?? "?"} %, heat ${state.heat || "?"}`],
    ].map(([name, value]) => node("span", `${name}: ${value}`)), ...state.troubles.map((/** @type {string} */ each) => node("span", each, "not")));
    said.textContent = state.said ? `the driver heard last: ${state.said}` : "nothing was said yet";
    table(laps, ["lap", "kind", "time", "gap", "sectors"], state.laps.map((/** @type {any} */ each) => [String(each.number), each.kind,
      clock(each.time_s), each.gap_s === null ? "" : `+${each.gap_s.toFixed(3)}`, each.sectors_s.map((/** @type {number | null} */ s) => (s === null ? "-" : s.toFixed(2))).join("  ")]));
    table(sent, ["message", "by", "became"], state.messages.map((/** @type {any} */ each) => [each.text || each.says, each.by,
      !each.ended ? "waits for a straight" : each.ended.includes("spoken") ? `spoken${each.understood_utc_s ? ", UNDERSTOOD" : ""}` : `NOT spoken: ${each.ended}, ${each.why}`]));
    crew.hidden = state.role !== "crew";
    if (state.track !== drawn && state.line.length) {
      drawn = state.track; line = state.line; step = state.step_m;
      const x = line.map((each) => each[0]), y = line.map((each) => -each[1]);
      const box = [Math.min(...x) - 20, Math.min(...y) - 20, Math.max(...x) - Math.min(...x) + 40, Math.max(...y) - Math.min(...y) + 40];
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), road = document.createElementNS(svg.namespaceURI, "path");
      svg.setAttribute("viewBox", box.join(" "));
      svg.setAttribute("role", "img");
      svg.setAttribute("aria-label", "map with the car");
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
      const answer = await fetch("/state");
      if (answer.status === 401) { main.replaceChildren(node("p", "This device is not paired. Ask the driver for a link: pitwall wall link", "not")); return; }
      show(await answer.json());
      link.textContent = Date.now() - heardMs < LOST_MS ? "linked" : "linked, no data from the car";
      link.className = Date.now() - heardMs < LOST_MS ? "link good" : "link";
    } catch {
      link.textContent = `LINK LOST: the last data is ${heardMs ? `${Math.round((Date.now() - heardMs) / 1000)} s` : "long"} old`;
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
    for (const [says, text] of Object.entries(WORDS)) {
      const button = /** @type {HTMLButtonElement} */ (node("button", text, says === "red" || says === "box_now" ? "danger" : ""));
      button.onclick = () => say(says);
      crew.append(button);
    }
    const target = document.createElement("input"), button = /** @type {HTMLButtonElement} */ (node("button", "Target"));
    target.placeholder = "1:45.2";
    target.setAttribute("aria-label", "target lap time");
    button.onclick = () => {
      const [minutes, seconds] = target.value.includes(":") ? target.value.split(":") : ["0", target.value];
      const target_s = 60 * Number(minutes) + Number(seconds.replace(",", "."));
      if (target_s >= 5 && target_s <= 3600) say("target", target_s); else news.textContent = "a lap time is written 1:45.2";
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
