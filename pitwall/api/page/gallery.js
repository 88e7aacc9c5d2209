// All sessions as cards, and the way in for a recording of another device.
// @ts-check
"use strict";

const gallery = (() => {
  const { node } = ui, { say } = daemon;
  // As much as the daemon takes of a page.
  const MOST_BYTES = 256 << 20;
  // So many days of a circuit have room for their numbers on a phone.
  const MOST_DAYS = 16;
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
    const drop = dropped(), cards = node("ul.cards"), trends = node("div.trends");
    const all = ui.menu(say("all sessions"), [drop.box, trends, cards], { className: "menu gallery", open: !rows.length, ontoggle: async () => {
      if (!all.open || cards.childElementCount) return;
      cards.append(...rows.map((row, i) => card(row, earlier(rows, i), now)));
      trends.append(...trendsOf(rows));
      const about = await daemon.get("/focuses").catch(() => ({}));
      rows.forEach((row, i) => { if (about[row.id]) tellFocus(cards.children[i].firstElementChild, row, about[row.id]); });
    } });
    if (!rows.length) all.append(node("h2", say("ways to begin")), node("ol.ways", [
      node("li", [say("way import")]), node("li", [say("way drive")]),
      node("li", [`${say("way demo")} `, ui.button(say("demo"), drop.demo)])]));
    return all;
  }
  /** The best lap before this session on its track, null without one. @param {any[]} rows the newest first @param {number} i */
  function earlier(rows, i) {
    const before = rows.slice(i + 1).filter((row) => row.track && row.track === rows[i].track && row.best_lap_s !== null && row.kind !== "replay" && !row.same_as);
    return before.length ? Math.min(...before.map((row) => row.best_lap_s)) : null;
  }
  /** What was worked on, or where the day's time was lost. @param {Element | null} link @param {any} row @param {{corner: string, action: string, called: number, loss_s: number}} focus */
  async function tellFocus(link, row, focus) {
    const track = row.track && await trackOf(row.track), corner = track && track.corners.find((/** @type {any} */ each) => each.corner === focus.corner);
    if (!corner || !link) return;
    const { calls, habits } = daemon.words;
    link.append(node("span", focus.called ? `${say("worked on")} ${corner.title}, ${calls[focus.action] || focus.action}`
      : `${say("lost most")} ${corner.title}, ${habits[focus.action] || focus.action} (${daemon.number(focus.loss_s, 2)} ${say("a lap")})`));
  }
  /** What was noted of a session, by kind. @param {any} row @returns {string[]} */
  const notes = ({ vehicle, conditions: { weather, tyres, fuel_l, setup, notes } }) => [vehicle, weather && say(weather), tyres, fuel_l == null ? "" : `${say("fuel")} ${fuel_l}`, setup, notes].map((each) => each || "");
  /** Of each circuit the best lap of each session in its order, and what was other than the time before. @param {any[]} rows the newest first */
  function trendsOf(rows) {
    const counted = rows.filter((row) => row.track && row.best_lap_s !== null && row.kind !== "replay" && !row.same_as).reverse();
    return [...new Set(counted.map((row) => row.track))].reverse().flatMap((track) => {
      const own = counted.filter((row) => row.track === track);
      const points = own.map((row, i) => {
        const name = row.name || laps.when(row).slice(0, 10), before = own[i - 1], noted = notes(row);
        const other = noted.filter((each, k) => each && !(before && notes(before)[k] === each));
        const gap = before && other.length ? ` (${ui.signed(row.best_lap_s - before.best_lap_s, 2)} s)` : "";
        const link = other.length ? node("a", { href: `#laps/${encodeURIComponent(row.id)}`, textContent: `${name}: ${other.join(" · ")} · ${daemon.clock(row.best_lap_s)}${gap}` }) : "";
        return { name, time_s: row.best_lap_s, time: daemon.clock(row.best_lap_s), counts: true, note: link };
      });
      return session.trend(`${say("best laps")}: ${own[0].where}`, points.slice(-MOST_DAYS)) || [];
    });
  }
  /** @param {any} row @param {number | null} before @param {string} now */
  function card(row, before, now) {
    const map = node("canvas.thumb", { "aria-hidden": "true" });
    if (row.track) trackOf(row.track).then((track) => { if (track && map.isConnected) charts.outline(map, track.line); });
    const gain = before === null || row.best_lap_s === null ? "" : `${ui.signed(row.best_lap_s - before, 2)} s ${say("on your best")}`;
    const noted = [...notes(row), ...row.tags].filter(Boolean).join(" · ");
    return node("li.card", [node("a", { href: `#laps/${encodeURIComponent(row.id)}`, ...(row.id === now ? { "aria-current": "true" } : {}) }, [
      map, node("b", row.name || laps.when(row)), node("span", row.where),
      node("span", [row.best_lap_s === null ? "" : daemon.clock(row.best_lap_s), laps.counted(row.laps)].filter(Boolean).join(" · ")),
      ...(gain ? [node("span", { className: row.best_lap_s < Number(before) ? "best" : "fine", textContent: gain })] : []),
      ...(noted ? [node("span.fine", noted)] : [])])]);
  }
  /** The files of what was dropped, a folder's with all below it; what a computer hides is none. @param {any} entry @returns {Promise<File[]>} */
  async function filesOf(entry) {
    if (entry.name.startsWith(".") || entry.name === "__MACOSX") return [];
    if (entry.isFile) return [await new Promise((done, failed) => entry.file(done, failed))];
    const reader = entry.createReader(), found = [];
    for (;;) {
      const some = await new Promise((done, failed) => reader.readEntries(done, failed));
      if (!some.length) return (await Promise.all(found.map(filesOf))).flat();
      found.push(...some);
    }
  }
  /** The files in a zip (APPNOTE 6.3: its central directory is at the end), unpacked by the browser. @param {File} zip */
  async function unpacked(zip) {
    const END = 0x06054b50, FILE = 0x02014b50, ALL = 0xffffffff;
    const tail = new DataView(await zip.slice(Math.max(0, zip.size - 65_557)).arrayBuffer());
    let end = tail.byteLength - 22;
    while (end >= 0 && tail.getUint32(end, true) !== END) end--;
    if (end < 0 || tail.getUint32(end + 16, true) === ALL) throw new Error(say("no zip"));
    const size = tail.getUint32(end + 12, true), begin = tail.getUint32(end + 16, true);
    const list = new DataView(await zip.slice(begin, begin + size).arrayBuffer()), found = [];
    for (let at = 0; at + 46 <= size && list.getUint32(at, true) === FILE;) {
      const [how, packed, long, name, extra, note, spot] = [list.getUint16(at + 10, true), list.getUint32(at + 20, true), list.getUint32(at + 24, true),
        list.getUint16(at + 28, true), list.getUint16(at + 30, true), list.getUint16(at + 32, true), list.getUint32(at + 42, true)];
      const path = new TextDecoder().decode(new Uint8Array(list.buffer, at + 46, name)), shown = path.split("/").pop() || "";
      at += 46 + name + extra + note;
      if (!long || shown.startsWith(".") || path.startsWith("__MACOSX")) continue;
      if (long > MOST_BYTES || (how !== 0 && how !== 8)) throw new Error(`${shown}: ${say("no zip")}`);
      const head = new DataView(await zip.slice(spot, spot + 30).arrayBuffer());
      const from = spot + 30 + head.getUint16(26, true) + head.getUint16(28, true), piece = zip.slice(from, from + packed);
      const whole = how ? await new Response(piece.stream().pipeThrough(new DecompressionStream("deflate-raw"))).blob() : piece;
      found.push(new File([whole], shown));
    }
    return found;
  }
  /** Where files are dropped or picked; one after the other is stored. */
  function dropped() {
    const told = ui.told();
    const input = node("input", { type: "file", multiple: true, onchange: () => take([...input.files]) });
    const box = node("div.drop", [ui.labelled(say("add a file"), input), told]);
    const over = (/** @type {DragEvent} */ event) => { event.preventDefault(); box.classList.toggle("over", event.type === "dragover"); };
    for (const kind of ["dragover", "dragleave"]) box.addEventListener(kind, over);
    box.addEventListener("drop", async (/** @type {DragEvent} */ event) => {
      over(event);
      // What was dropped is forgotten after this task: the folders are asked for now, and read then.
      const roots = [...(event.dataTransfer?.items || [])].map((each) => each.webkitGetAsEntry()).filter((each) => each !== null);
      take((await Promise.all(roots.map(filesOf))).flat());
    });
    /** @param {File[]} given */
    async function take(given) {
      input.disabled = true;
      /** @type {File[]} */
      const files = [];
      for (const file of given) {
        try { files.push(...(/\.zip$/i.test(file.name) ? await unpacked(file) : [file])); } catch (error) { told.textContent = `${file.name}: ${ui.why(error)}`; }
      }
      let last = "";
      /** @type {string[]} */
      const lines = [];
      for (const [n, file] of files.entries()) {
        const many = files.length > 1 ? `${n + 1} / ${files.length} · ` : "";
        const tell = (/** @type {string} */ text) => { told.textContent = [...lines, `${many}${file.name}: ${text}`].join("\n"); };
        tell(say("sending"));
        try {
          const done = await daemon.handIn(file, (line) => tell(line.waiting ? say("waits for the paddock") : `${line.samples} ${say("readings")}`));
          last = done.session;
          lines.push(`${file.name}: ${!done.session ? done.notes.join(" ") : done.known ? say("stored before") : [laps.counted(done.flying), done.best_s === null ? "" : daemon.clock(done.best_s)].filter(Boolean).join(", ")}`);
        } catch (error) { lines.push(`${file.name}: ${ui.why(error)}`); }
        told.textContent = lines.join("\n");
      }
      input.disabled = false;
      input.value = "";
      if (last && files.length === 1) location.hash = `laps/${encodeURIComponent(last)}`;
      else if (last) dispatchEvent(new Event("hashchange"));
    }
    return { box, demo: async () => {
      told.textContent = say("simulating");
      try { await take([new File([await daemon.bytes("/demo")], "simulated.vbo")]); } catch (error) { told.textContent = ui.why(error); }
    } };
  }

  return { view };
})();
