// @ts-check
// Any stored session: the report's own views, and its laps against those of another session.
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
  /** All sessions, the newest first. @returns {Promise<any[]>} */
  const sessions = async () => (await daemon.get("/sessions")).reverse();
  /** A session in a list. @param {any} row */
  function title(row) {
    // As everywhere else: the day in UTC, and none where it is not known.
    const when = row.driven_utc_s === null ? say("undated") : new Date(1000 * row.driven_utc_s)
      .toLocaleString("en", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
    return [row.name || when, row.name ? when : "", (row.track || row.venue).replace(/_/g, " "), `${row.laps} ${say("laps")}`,
      row.best_lap_s === null ? "" : daemon.clock(row.best_lap_s), row.kind === "live" ? "" : say(`session ${row.kind}`)].filter(Boolean).join(" · ");
  }
  /** Choose one of the sessions. @param {any[]} rows @param {string} now @param {(id: string) => void} chosen */
  const chooser = (rows, now, chosen) =>
    ui.choice(say("choose a session"), rows.map((row) => [row.id, title(row)]), now, chosen);

  /** @param {string} wanted a session's id, "" for the last one @param {(id: string) => void} chosen */
  async function view(wanted, chosen) {
    const rows = await sessions();
    const row = rows.find((each) => each.id === wanted) || rows.find((each) => each.laps > 0) || rows[0];
    if (!row) return { element: node("p", { className: "empty", textContent: say("no session") }), end() {} };
    const element = node("div", {}, [node("div", { className: "chooser" }, [chooser(rows, row.id, chosen)])]);
    const shown = await viewOf(row.id);
    const beside = node("div", { className: "chooser" });
    const told = node("p", { className: "told", role: "status" });
    const drawn = session.laps(shown, [told, beside], (lap) => marker(shown, lap, told));
    element.append(session.head(shown, "h1"), share(row.id), drawn.element);
    for (const part of [session.potential(shown, drawn.frame), session.corners(shown, drawn.frame)]) if (part) element.append(part);
    otherSession(rows.filter((each) => each.id !== row.id && each.track === row.track && each.laps > 0), drawn, beside);
    return { element, start: drawn.start, end: drawn.end };
  }
  /** One file of the session to give away, without places off the track; with names only where that is wanted.
   * @param {string} id */
  function share(id) {
    const link = node("a", { className: "button", download: "pitwall.html", textContent: say("share") });
    const named = node("input", { type: "checkbox", onchange: () => aim() });
    const aim = () => { link.href = `/sessions/${encodeURIComponent(id)}/report?share=${named.checked ? "named" : "nameless"}`; };
    aim();
    return node("p", { className: "row" }, [link, node("label", { className: "tick" }, [named, say("share names")])]);
  }
  /** Traffic or yellow, said of a lap: it is no evidence from then on. The session is measured anew.
   * @param {View} view @param {Lap} lap @param {HTMLElement} told */
  function marker(view, lap, told) {
    const choices = ["clear", "traffic", "yellow"], now = choices.includes(lap.marked) ? lap.marked : "clear";
    const select = node("select", { "aria-label": `${view.labels.mark}: ${view.labels.lap} ${lap.lap}`, onchange: async () => {
      select.disabled = true;
      told.textContent = say("loading");
      try {
        let refused = "";
        await daemon.events("/changes", { change: "mark", session: view.id, laps: [lap.lap], mark: select.value },
          (name, data) => { if (name === "not_changed") refused = data.error || data.text || JSON.stringify(data); }, new AbortController().signal);
        if (refused) throw new Error(refused);
        read.delete(view.id);
        dispatchEvent(new Event("hashchange"));
      } catch (error) {
        told.textContent = String(error instanceof Error ? error.message : error);
        select.value = now;
        select.disabled = false;
      }
    } }, choices.map((name) => node("option", { value: name, textContent: name === "clear" ? "–" : say(name) })));
    select.value = now;
    return select;
  }
  /** The laps of another session on the same track, to be shown against. @param {any[]} rows @param {any} drawn
   * @param {HTMLElement} box */
  function otherSession(rows, drawn, box) {
    if (!rows.length) return;
    const lapBox = node("span", {});
    const choose = async (/** @type {string} */ id) => {
      lapBox.replaceChildren();
      if (!id) { drawn.against(null); return; }
      try {
        const other = await viewOf(id), order = session.fastest(other), seen = session.drawn(other);
        const pick = (/** @type {string} */ number) => {
          const lap = seen.find((each) => String(each.lap) === number);
          drawn.against(lap ? { view: other, lap } : null);
        };
        const first = String((order[0] || seen[0] || { lap: "" }).lap);
        lapBox.append(ui.choice(say("their lap"), seen.map((lap) => [String(lap.lap), `${lap.lap} · ${lap.time} · ${lap.kind}`]), first, pick));
        pick(first);
      } catch (error) { lapBox.append(String(error instanceof Error ? error.message : error)); }
    };
    box.append(ui.choice(say("beside"), [["", say("own session")], ...rows.map((row) => /** @type {[string, string]} */ ([row.id, title(row)]))], "", choose), lapBox);
  }

  return { view, viewOf, sessions, chooser };
})();
