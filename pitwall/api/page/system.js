// The system: what is lost and what to do, sources, sound, disk, what can be done now.
// @ts-check
"use strict";

const system = (() => {
  const { node, section, table } = ui, { say } = daemon;
  const STATUS_MS = 5000;

  /** Terms and what stands beside them. @param {[string, string][]} rows */
  const pairs = (rows) => node("dl.pairs", {}, rows.flatMap(([name, value]) =>
    [node("dt", name), node("dd", value)]));

  async function view() {
    const state = node("div"), works = node("details.menu"), checks = node("ul.cards"), told = ui.told();
    const button = ui.button(say("look now"), () => examine());
    const element = node("div", [state, works, pits.made(), section(say("doctor"), [node("p.hint", say("doctor help")), button, told, checks])]);
    /** All checks of the doctor, those that want something first. */
    async function examine() {
      button.disabled = true;
      told.className = "told";
      told.textContent = say("loading");
      try {
        const found = await daemon.get("/doctor"), order = ["missing", "note", "good"];
        found.sort((/** @type {any} */ a, /** @type {any} */ b) => order.indexOf(a.verdict) - order.indexOf(b.verdict));
        checks.replaceChildren(...found.map((/** @type {any} */ each) => node("li", { className: each.verdict === "missing" ? "card told bad" : "card" }, [
          node("h3", [each.name, node("span", { className: each.verdict === "missing" ? "cost" : "fine", textContent: say(`check ${each.verdict}`) })]),
          node("p", each.found), ...(each.mend ? [node("p.fine", each.mend)] : [])])));
        told.textContent = "";
      } catch (error) {
        told.className = "told bad";
        told.textContent = ui.why(error);
      }
      button.disabled = false;
    }
    const look = async () => {
      if (document.hidden) return;
      try { show(await daemon.get("/status?details=capabilities,process,phone,notes")); } catch (error) {
        state.replaceChildren(node("p.told.bad", ui.why(error)));
      }
    };
    /** @param {any} status */
    function show(status) {
      const { process, phone, capabilities, notes } = status.details;
      const up = status.up_s < 5400 ? `${Math.round(status.up_s / 60)} ${say("minutes")}` : `${Math.round(status.up_s / 3600)} ${say("hours")}`;
      /** @type {[string, string][]} */
      const rows = [[say("version"), status.version], [say("up"), up], [say("memory"), `${Math.round(process.rss_bytes / 1e6)} MB`],
        [say("sound"), status.sound], [say("store"), status.store], [say("Paddock"), status.paddock],
        ...Object.entries(status.sources).map(([name, told]) => /** @type {[string, string]} */ ([`${say("source")} ${name}`, String(told)]))];
      // A name may stand behind the kind of a device: `bluetooth:Arai`.
      const told = (/** @type {unknown} */ value) => typeof value === "boolean" ? say(value ? "yes" : "no") : typeof value === "number" ? daemon.number(value, 0) : String(value).split(":").map(say).join(" ");
      if (phone) rows.push([say("phone"), Object.entries(phone.report).filter(([, value]) => value !== null && value !== "")
        .map(([name, value]) => `${say(name)}: ${told(value)}`).join(", ")]);
      const todo = status.to_do.map((/** @type {string} */ each) => node("li.card", each));
      const lost = status.lost.map((/** @type {string} */ each) => node("li.card.told.bad", each));
      state.replaceChildren(
        ...(lost.length ? [section(say("lost now"), [node("ul.cards", {}, lost)])] : []),
        section(say("to do"), [todo.length ? node("ul.cards", {}, todo) : say("all well")]),
        section(say("state"), [pairs(rows)]),
        ...(notes.length ? [section(say("notes"), notes.map((/** @type {string} */ each) => node("p", each)))] : []));
      works.replaceChildren(node("summary", `${say("capabilities")}: ${capabilities.filter((/** @type {any} */ each) => each.available).length} / ${capabilities.length}`),
        table([say("what"), "", say("why")], capabilities.map((/** @type {any} */ each) => [each.what, say(each.available ? "yes" : "no"), each.reason]), new Set([0, 1, 2]), 0));
    }
    const timer = window.setInterval(look, STATUS_MS);
    await look();
    return { element, end() { clearInterval(timer); } };
  }

  return { view };
})();
