// @ts-check
// All sessions as cards, and the way in for a recording of another device.
"use strict";

const gallery = (() => {
  const { node } = ui, { say } = daemon;
  /** The outline of each track that was drawn. @type {Map<string, Promise<any>>} */
  const tracks = new Map();
  /** @param {string} id */
  function trackOf(id) {
    const known = tracks.get(id) || daemon.get(`/tracks/${encodeURIComponent(id)}/view`).catch(() => null);
    tracks.set(id, known);
    return known;
  }

  /** The cards and the place to drop a file; it is opened by itself where there is no session yet. @param {any[]} rows @param {string} now */
  function view(rows, now) {
    const cards = node("ul", { className: "cards" });
    const all = node("details", { className: "menu gallery", open: !rows.length, ontoggle: () => { if (all.open && !cards.childElementCount) cards.append(...rows.map((row, i) => card(row, earlier(rows, i), now))); } }, [
      node("summary", { textContent: say("all sessions") }), dropped(), cards]);
    if (!rows.length) all.append(node("p", { className: "hint", textContent: say("ways to begin") }));
    return all;
  }
  /** The best lap before this session on its track, null without one. @param {any[]} rows the newest first @param {number} i */
  function earlier(rows, i) {
    const before = rows.slice(i + 1).filter((row) => row.track && row.track === rows[i].track && row.best_lap_s !== null && row.kind !== "replay" && !row.same_as);
    return before.length ? Math.min(...before.map((row) => row.best_lap_s)) : null;
  }
  /** @param {any} row @param {number | null} before @param {string} now */
  function card(row, before, now) {
    const map = node("canvas", { className: "thumb", "aria-hidden": "true" });
    if (row.track) trackOf(row.track).then((track) => { if (track && map.isConnected) charts.outline(map, track.line); });
    const gain = before === null || row.best_lap_s === null ? "" : `${ui.signed(row.best_lap_s - before, 2)} s ${say("on your best")}`;
    const noted = [row.conditions.weather && say(row.conditions.weather), row.conditions.tyres, ...row.tags].filter(Boolean).join(" · ");
    return node("li", { className: "card" }, [node("a", { href: `#laps/${encodeURIComponent(row.id)}`, ...(row.id === now ? { "aria-current": "true" } : {}) }, [
      map, node("b", { textContent: row.name || laps.when(row) }), node("span", { textContent: row.where }),
      node("span", { textContent: [row.best_lap_s === null ? "" : daemon.clock(row.best_lap_s), `${row.laps} ${say("laps")}`].filter(Boolean).join(" · ") }),
      ...(gain ? [node("span", { className: row.best_lap_s < Number(before) ? "best" : "fine", textContent: gain })] : []),
      ...(noted ? [node("span", { className: "fine", textContent: noted })] : [])])]);
  }
  /** Where files are dropped or picked; one after the other is stored. */
  function dropped() {
    const told = node("p", { className: "told", role: "status" });
    const input = node("input", { type: "file", multiple: true, onchange: () => take([...input.files]) });
    const box = node("div", { className: "drop" }, [node("label", { className: "choice" }, [`${say("add a file")} `, input]), told]);
    const over = (/** @type {DragEvent} */ event) => { event.preventDefault(); box.classList.toggle("over", event.type === "dragover"); };
    for (const kind of ["dragover", "dragleave"]) box.addEventListener(kind, over);
    box.addEventListener("drop", (/** @type {DragEvent} */ event) => { over(event); take([...(event.dataTransfer?.files || [])]); });
    /** @param {File[]} files */
    async function take(files) {
      input.disabled = true;
      let last = "";
      /** @type {string[]} */
      const lines = [];
      for (const file of files) {
        const tell = (/** @type {string} */ text) => { told.textContent = [...lines, `${file.name}: ${text}`].join("\n"); };
        tell(say("sending"));
        try {
          const done = await daemon.handIn(file, (line) => tell(line.waiting ? say("waits for the paddock") : `${line.samples} ${say("readings")}`));
          last = done.session;
          lines.push(`${file.name}: ${done.known ? say("stored before") : [`${done.flying} ${say("laps")}`, done.best_s === null ? "" : daemon.clock(done.best_s)].filter(Boolean).join(", ")}`);
        } catch (error) { lines.push(`${file.name}: ${error instanceof Error ? error.message : error}`); }
        told.textContent = lines.join("\n");
      }
      input.disabled = false;
      input.value = "";
      if (last && files.length === 1) location.hash = `laps/${encodeURIComponent(last)}`;
      else if (last) dispatchEvent(new Event("hashchange"));
    }
    return box;
  }

  return { view };
})();
