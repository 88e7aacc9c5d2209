// The paddock: a question, the brief, the debrief, with what works on them as it comes; and the jobs.
// @ts-check
"use strict";

const paddock = (() => {
  const { node, section } = ui, { say } = daemon;
  const JOBS_MS = 5000;

  /** @param {string} wanted a session's id, "" for the last one */
  async function view(wanted) {
    const rows = await laps.sessions();
    let chosen = (rows.find((each) => each.id === wanted) || { id: "last" }).id;
    const question = node("textarea", { rows: 3, maxLength: 2000, id: "question" });
    const works = ui.told();
    const answer = node("div.answer", { "aria-live": "polite", role: "region", "aria-label": say("answer") });
    const choices = node("div.row");
    const about = node("p.hint");
    const stop = node("button", { type: "button", textContent: say("stop"), disabled: true, onclick: () => running && running.abort() });
    /** @type {any[]} */
    const starts = [];
    /** @type {AbortController | null} */
    let running = null;

    /** @param {string} path @param {any} body */
    async function ask(path, body) {
      if (running) running.abort();
      const mine = running = new AbortController();
      for (const each of starts) each.disabled = true;
      stop.disabled = false;
      works.className = "told";
      works.textContent = say("asking");
      answer.textContent = about.textContent = "";
      choices.replaceChildren();
      let attempt = 0;
      try {
        await daemon.events(path, body, (name, data) => {
          if (mine !== running) return;
          if (name === "agent_active") works.textContent = `${data.agent} ${say("works")}`;
          else if (name === "tool_start") works.textContent = `${data.agent} ${say("looks at")} ${data.tool.replace(/_/g, " ")}`;
          else if (name === "thinking") works.textContent = data.text;
          else if (name === "token") {
            if (data.attempt > attempt) { attempt = data.attempt; answer.textContent = ""; }
            answer.textContent += data.text;
          } else if (name === "content") answer.textContent = (data.unverified ? `${say("unverified")} ` : "") + data.text;
          else if (name === "error") { works.className = "told bad"; works.textContent = data.text; }
          else if (name === "done") {
            const end = data.answer;
            answer.textContent = (end.unverified ? `${say("unverified")} ` : "") + end.text;
            works.textContent = "";
            choices.replaceChildren(...(end.choices || []).map((/** @type {string} */ each) => node("button", { type: "button", textContent: each,
              onclick: () => { question.value = each; ask("/coach/ask", { question: each, session: chosen }); } })));
            about.textContent = [end.tier === "rule" ? say("composed") : end.agent, end.why, `${say("took")} ${daemon.number(end.took_s, 1)} s`].filter(Boolean).join(" · ");
          }
        }, mine.signal);
      } catch (error) {
        if (!mine.signal.aborted) { works.className = "told bad"; works.textContent = ui.why(error); }
        else works.textContent = "";
      }
      if (mine !== running) return;
      running = null;
      stop.disabled = true;
      for (const each of starts) each.disabled = false;
    }
    const form = node("form", { onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      if (question.value.trim()) ask("/coach/ask", { question: question.value.trim(), session: chosen });
    } });
    const button = (/** @type {string} */ title, /** @type {Record<string, any>} */ props) => {
      const made = node("button", { type: "button", textContent: say(title), ...props });
      starts.push(made);
      return made;
    };
    form.append(node("label", { for: "question", textContent: say("question") }), question, node("div.row", [
      button("ask", { type: "submit", className: "main" }),
      button("brief", { onclick: () => ask("/coach/brief", { session: chosen }) }),
      button("debrief", { onclick: () => ask("/coach/debrief", { session: chosen }) }), stop]));
    // A figure, a place and laps: an exact question, which no words are read for.
    const picks = node("div.row"), picked = { measure: "speed", place: "", laps: "" };
    /** @type {[string, string][]} */
    const figures = Object.entries(daemon.words.figures);
    const show = button("show", { onclick: () => {
      const { measure, place, laps: mark } = picked, each = mark === "each";
      const called = [...picks.querySelectorAll("select")].map((one) => one.selectedOptions[0].textContent).join(", ");
      ask("/coach/ask", { session: chosen, question: called,
        query: { measure, group: each ? "lap" : "", scope: { places: place ? [place] : [], laps: mark && !each ? [mark] : [] } } });
    } });
    /** @param {any} view the session's, null while it can't be read */
    const showPicks = (view) => {
      /** @type {[string, string][]} */
      const places = [["", say("whole lap")], ...(view ? view.corners : []).map((/** @type {any} */ each) => [each.corner, each.title])];
      /** @type {[string, string][]} */
      const of = [["", say("all laps")], ["each", say("each lap")], ["best", say("best lap")], ["last", say("last lap")],
        ...(view ? view.laps : []).filter((/** @type {any} */ each) => each.flying)
          .map((/** @type {any} */ each) => [String(each.lap), `${say("lap")} ${each.lap}`])];
      if (!places.some(([value]) => value === picked.place)) picked.place = "";
      if (!of.some(([value]) => value === picked.laps)) picked.laps = "";
      picks.replaceChildren(
        ui.choice(say("figure"), figures, picked.measure, (value) => { picked.measure = value; }),
        ui.choice(say("place"), places, picked.place, (value) => { picked.place = value; }),
        ui.choice(say("laps"), of, picked.laps, (value) => { picked.laps = value; }), show);
    };
    question.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); form.requestSubmit(); }
    });
    const jobs = node("div"), earned = node("div");
    /** @type {ReturnType<typeof session.moment>} */
    let moment = null;
    /** What the chosen session says of the next run; nothing while it can't be read. */
    const showMoment = async () => {
      const wanted = chosen === "last" ? rows[0] && rows[0].id : chosen;
      if (moment) moment.end();
      moment = null;
      earned.replaceChildren();
      showPicks(null);
      if (!wanted) return;
      try {
        const view = await laps.viewOf(wanted);
        if (ended || wanted !== (chosen === "last" ? rows[0].id : chosen)) return;
        showPicks(view);
        moment = session.moment(view);
        if (moment) { earned.append(moment.element); moment.start(); }
      } catch (error) { /* the car is driven: it is not asked for now */ }
    };
    let ended = false;
    const element = node("div", [
      section(say("ask"), [
        ...(rows.length ? [node("div.chooser", [laps.chooser(rows, chosen === "last" ? rows[0].id : chosen, (id) => { chosen = id; showMoment(); })])] : []),
        earned, form, picks, works, answer, choices, about]),
      section(say("jobs"), [jobs]),
    ]);
    const look = async () => {
      if (document.hidden || jobs.contains(document.activeElement)) return;
      try { showJobs(jobs, await daemon.get("/jobs"), look); } catch (error) { /* it is asked again */ }
    };
    const timer = window.setInterval(look, JOBS_MS);
    await look();
    return { element, start: showMoment, end() { ended = true; clearInterval(timer); if (running) running.abort(); if (moment) moment.end(); } };
  }

  /** @param {HTMLElement} box @param {any[]} rows @param {() => void} again */
  function showJobs(box, rows, again) {
    if (!rows.length) { box.replaceChildren(say("no jobs")); return; }
    const cells = rows.map((job) => {
      const open = job.state === "waiting" || job.state === "running";
      const told = job.result ? job.result.why || (job.result.answer && job.result.answer.text) || Object.keys(job.result.done).join(", ") : "";
      const cancel = node("button", { type: "button", textContent: say("cancel"), onclick: async () => {
        cancel.blur();
        try { await daemon.send("POST", `/jobs/${encodeURIComponent(job.id)}/cancel`, undefined); } catch (error) { /* it has ended */ }
        again();
      } });
      return [new Date(1000 * job.created_utc_s).toLocaleString("en", { dateStyle: "short", timeStyle: "short" }),
        job.kind.replace(/_/g, " "), say(`job ${job.state}`), told, open ? cancel : ""];
    });
    box.replaceChildren(ui.table([say("when"), say("kind"), say("state"), say("answer"), ""], cells, new Set([0, 1, 2, 3, 4]), 3));
  }

  return { view };
})();
