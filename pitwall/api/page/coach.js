// The coach: where time is, with its evidence; what was said and whether it was heeded; lessons; what is spoken, to edit.
// @ts-check
"use strict";

const coach = (() => {
  const { node, section } = ui, { say } = daemon, { why } = ui;
  const MODES = ["learn", "coach", "numbers", "quiet"], LEVELS = ["beginner", "intermediate", "expert"];
  // More than these nobody can work on in a day: they are folded.
  const MOST_ADVICE = 4;

  /** @param {string} wanted a session's id, "" for the last one @param {(id: string) => void} chosen */
  async function view(wanted, chosen) {
    const [rows, status] = await Promise.all([laps.sessions(), daemon.get("/status?details=coach")]);
    const row = rows.find((each) => each.id === wanted) || rows.find((each) => each.laps > 0) || rows[0];
    const element = node("div", [manner(status.details.coach)]);
    if (!row) {
      element.append(node("p.empty", say("no session")));
      return { element, end() {} };
    }
    element.prepend(node("div.chooser", [laps.chooser(rows, row.id, chosen)]));
    const shown = await laps.viewOf(row.id), titles = session.titles(shown);
    element.append(
      ...(shown.track ? [goal(shown)] : []),
      advice(shown, (corner) => { location.hash = `laps/${encodeURIComponent(row.id)}/${encodeURIComponent(corner)}`; }),
      folded(session.coach(shown)),
      section(say("lessons"), [shown.lessons.length ? node("ul.cards", {}, shown.lessons.map((each) =>
        node("li.card", [node("p", each.text),
          node("p.fine", each.kind),
          ...each.evidence.map((line) => node("p.fine", line))]))) : say("no lessons")]),
      await scripts(shown.track, titles));
    return { element, end() {} };
  }

  /** The lap time to reach here, and until when: brief and debrief say how far it is. @param {View} shown */
  function goal(shown) {
    const told = ui.told("span"), now = shown.aim;
    const time = node("input", { type: "text", className: "figure-in", value: now ? daemon.clock(now.time_s, 1) : "", autocomplete: "off" });
    const by = node("input", { type: "text", className: "figure-in", value: now ? now.by : "", autocomplete: "off" });
    const save = async () => {
      const found = /^(?:(\d+):)?(\d+(?:[.,]\d+)?)$/.exec(time.value.trim());
      if (time.value.trim() && (!found || !/^(\d{4}-\d\d(-\d\d)?)?$/.test(by.value.trim()))) { told.textContent = say("goal wrong"); return; }
      const aim = found ? { time_s: 60 * Number(found[1] || 0) + Number(found[2].replace(",", ".")), by: by.value.trim() } : null;
      if (await laps.changed(shown, { change: "aim", track: shown.track, aim }, told)) told.textContent = say("saved manner");
    };
    return section(say("goal"), [node("form.row.goal", { onsubmit: ui.submitted(save) }, [
      ui.labelled(say("goal time"), time), ui.labelled(say("goal by"), by),
      node("button", { type: "submit", textContent: say("save") }), told])]);
  }
  /** Numbers in their order, those that follow each other as a span: 3, 5-9. @param {number[]} numbers */
  const spans = (numbers) => numbers.map((each, i) => (numbers[i - 1] !== each - 1 ? `, ${each}` : numbers[i + 1] === each + 1 ? "" : `${numbers[i - 2] === each - 2 ? "-" : ", "}${each}`)).join("").slice(2);
  /** Where time is lost, and what to do there; a tap on the corner frames it. @param {View} shown @param {(corner: string) => void} frame */
  function advice(shown, frame) {
    const titles = session.titles(shown), all = shown.opportunities.map((each) => {
      const title = titles.get(each.corner) || each.corner;
      return node("li.card", [
        node("h3", [ui.button(title, () => frame(each.corner), { className: "plain" }),
          node("span.cost", `${daemon.number(each.loss_s, 2)} ${say("a lap")}`)]),
        // The card's head has its name already.
        node("p.begins", each.text.startsWith(`${title}, `) ? each.text.slice(title.length + 2) : each.text),
        node("p.fine", `${say("laps seen")} ${spans(each.laps)} · ${say("laps judged")} ${each.judged.length}`)]);
    });
    const cards = (/** @type {Node[]} */ some) => node("ul.cards", {}, some), rest = all.splice(MOST_ADVICE);
    return section(say("opportunities"), [all.length ? cards(all) : say("no opportunities"),
      ...(rest.length ? [ui.menu(`${say("smaller losses")}: ${rest.length}`, [cards(rest)])] : [])]);
  }

  /** How the coach speaks from now on. @param {{mode: string, level: string}} now */
  function manner(now) {
    const told = ui.told("span");
    const change = async (/** @type {any} */ body) => {
      try { await daemon.send("POST", "/coach", body); told.textContent = say("saved manner"); } catch (error) { told.textContent = why(error); }
    };
    return section(say("how"), [node("div.row", [
      ui.choice(say("mode"), MODES.map((each) => [each, say(each)]), now.mode, (mode) => change({ mode })),
      ui.choice(say("level"), LEVELS.map((each) => [each, say(each)]), now.level, (level) => change({ level })), told])]);
  }

  /** What is spoken at each corner, to be changed phrase by phrase; each is checked by the daemon.
   * @param {string} track @param {Map<string, string>} titles */
  async function scripts(track, titles) {
    if (!track) return section(say("scripts"), [node("p.hint", say("no scripts"))]);
    const path = `/tracks/${encodeURIComponent(track)}`;
    const table = await daemon.get(`${path}/script-changes`);
    const list = node("div"), told = node("p.told", { role: "status" });
    const fill = (/** @type {any} */ table) => list.replaceChildren(...table.corners.map((/** @type {any} */ row) =>
      script(path, titles.get(row.corner) || row.name, row)));
    fill(table);
    /** The last change of all corners; of a job, all that it wrote. */
    const undo = node("button", { type: "button", textContent: say("undo last"), onclick: async () => {
      try {
        await daemon.send("POST", `${path}/script-changes/undo`, { corner: "" });
        fill(await daemon.get(`${path}/script-changes`));
        told.textContent = say("undone");
      } catch (error) { told.textContent = why(error); }
    } });
    return section(say("scripts"), [...table.problems.map((/** @type {string} */ each) => node("p.told.bad", each)),
      node("details.script", [node("summary", say("change phrases")), node("div.row", [undo, told]), list])]);
  }
  /** A section that is opened by its heading: it is long, and read now and then. @param {HTMLElement} part */
  function folded(part) {
    const title = /** @type {HTMLElement} */ (part.firstElementChild);
    return node("section", [node("details.script.folded", [node("summary", [title]), ...[...part.childNodes].filter((each) => each !== title)])]);
  }
  /** @param {string} path @param {string} title @param {any} row */
  function script(path, title, row) {
    const told = ui.told(), origin = node("span"), fields = node("div");
    /** @type {Map<string, HTMLInputElement>} */
    let inputs = new Map();
    /** @type {Record<string, string>} */
    let spoken = {};
    const fill = (/** @type {any} */ row) => {
      spoken = row.script;
      origin.textContent = `${say(row.origin)} · ${row.script.brake || row.script.approach || Object.values(row.script)[0] || ""}`;
      inputs = new Map(Object.entries(row.script).filter(([key]) => key !== "own").map(([key, text]) =>
        [key, node("input", { type: "text", name: key, value: String(text), maxLength: 200, autocomplete: "off" })]));
      fields.replaceChildren(...[...inputs].map(([key, input]) => node("div.phrase", [
        node("label", [key.replace(/_/g, " "), input]),
        node("button", { type: "button", textContent: "▶", "aria-label": `${say("hear")}: ${title}, ${key.replace(/_/g, " ")}`, onclick: () => hear(input.value) })])));
      undo.disabled = row.origin !== "yours";
    };
    const hear = async (/** @type {string} */ text) => {
      told.className = "told";
      told.textContent = "";
      try { if (text.trim()) await daemon.hear(text.trim()); } catch (error) { told.className = "told bad"; told.textContent = why(error); }
    };
    const again = async () => {
      const table = await daemon.get(`${path}/script-changes`);
      fill(table.corners.find((/** @type {any} */ each) => each.corner === row.corner));
    };
    /** @param {() => Promise<any>} act @param {string} done */
    const act = async (act, done) => {
      told.className = "told";
      told.textContent = say("loading");
      try { await act(); await again(); told.textContent = say(done); } catch (error) { told.className = "told bad"; told.textContent = why(error); }
    };
    const put = (/** @type {Record<string, string>} */ texts) => daemon.send("PUT", `${path}/scripts/${encodeURIComponent(row.corner)}`, texts);
    const texts = () => Object.fromEntries([...inputs].map(([key, input]) => [key, input.value.trim()]).filter(([, text]) => text));
    /** Words that nothing can check are the driver's own: shown back, and confirmed once by a second button. */
    const confirm = node("button", { type: "button", hidden: true, textContent: say("own words"),
      onclick: () => act(async () => {
        confirm.hidden = true;
        await put({ ...texts(), own: Object.keys(texts()).join(", ") });
      }, "saved") });
    const save = () => act(async () => {
      const kept = String(spoken.own || "").split(", ").filter((key) => key && texts()[key] === spoken[key]).join(", ");
      confirm.hidden = true;
      await put(kept ? { ...texts(), own: kept } : texts()).catch((/** @type {any} */ error) => {
        confirm.hidden = error.status !== 422;
        throw error;
      });
    }, "saved");
    const undo = node("button", { type: "button", textContent: say("undo"),
      onclick: () => act(() => daemon.send("POST", `${path}/script-changes/undo`, { corner: row.corner }), "undone") });
    const form = node("form", { onsubmit: ui.submitted(save) }, [
      fields, confirm, node("div.row", [node("button", { type: "submit", className: "main", textContent: say("save") }), undo]), told]);
    const made = node("details.script", { "data-corner": row.corner }, [node("summary", [node("b", title), origin]), form]);
    fill(row);
    return made;
  }

  return { view, advice };
})();
