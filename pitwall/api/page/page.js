// The page's frame: which view is seen, by the address behind the #; day and night; who is not let in.
// @ts-check
"use strict";

(() => {
  const { node } = ui, { say } = daemon;
  /** What each view is made by; behind the slashes stand the session, and a corner to frame. @type {Record<string, (session: string, corner: string) => any>} */
  const views = {
    drive: () => drive.view(),
    laps: (session, corner) => laps.view(session, (id) => { location.hash = `laps/${encodeURIComponent(id)}`; }, corner),
    coach: (session) => coach.view(session, (id) => { location.hash = `coach/${encodeURIComponent(id)}`; }),
    paddock: (session) => paddock.view(session),
    system: () => system.view(),
  };
  /** @type {[string, string][]} */
  const titles = [["drive", "Drive"], ["laps", "Laps"], ["coach", "Coach"], ["paddock", "Paddock"], ["system", "System"]];
  const LOOKS = ["auto", "day", "night"];
  // So often it is asked whether the car stands now.
  const PARKED_MS = 5000;

  const links = new Map(titles.map(([name, title]) => [name, node("a", { href: `#${name}`, textContent: say(title) })]));
  const look = node("button", { type: "button", className: "look" });
  const main = node("main", { id: "main", tabIndex: -1 });
  document.body.append(
    node("a.skip", { href: "#main", textContent: say("skip"), onclick: (/** @type {Event} */ event) => { event.preventDefault(); main.focus(); } }),
    node("nav", { "aria-label": say("views") }, [...links.values(), look]), main);

  /** @param {string} name auto, day or night */
  function dress(name) {
    look.replaceChildren("◐", node("span", say(name)));
    look.setAttribute("aria-label", `${say("look")}: ${say(name)}`);
    ui.dress(name);
  }
  let dressed = ui.kept("look", "auto");
  look.addEventListener("click", () => {
    dressed = LOOKS[(LOOKS.indexOf(dressed) + 1) % LOOKS.length];
    ui.keep("look", dressed);
    dress(dressed);
  });
  dress(dressed);

  let shown = 0, end = () => {}, strange = false;
  daemon.onStranger(() => {
    if (strange) return;
    strange = true;
    shown++;
    end();
    const note = daemon.words.note ? [node("p", say(daemon.words.note))] : [];
    main.replaceChildren(node("div.stranger", { role: "alert" }, [
      node("h1", "Pitwall"), ...note, node("p", say("sign in")),
      node("p", say("sign in help"))]));
  });
  async function show() {
    const [name, session = "", corner = ""] = location.hash.slice(1).split("/").map(decodeURIComponent);
    const wanted = name in views ? name : "drive", mine = ++shown;
    for (const [each, link] of links) {
      if (each === wanted) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
    }
    document.title = `${say(titles.filter(([each]) => each === wanted)[0][1])} · Pitwall`;
    document.body.dataset.view = wanted;
    end();
    end = () => {};
    strange = false;
    main.replaceChildren(node("p.empty", { role: "status", textContent: say("loading") }));
    try {
      const made = await views[wanted](session, corner);
      if (mine !== shown) { made.end(); return; }
      end = made.end;
      main.replaceChildren(made.element);
      if (!main.querySelector("h1")) main.prepend(node("h1.unseen", say(titles.filter(([each]) => each === wanted)[0][1])));
      if (made.start) made.start();
    } catch (error) {
      if (mine !== shown) return;
      const driven = error instanceof daemon.Refusal && error.status === 409;
      const told = driven ? say("while driven") : ui.why(error);
      if (driven) {
        const timer = window.setTimeout(show, PARKED_MS);
        end = () => clearTimeout(timer);
      }
      main.replaceChildren(node("p.empty", { role: "alert", textContent: told }));
    }
  }
  addEventListener("hashchange", show);
  // Without one the page is as good, and needs the daemon to open.
  if ("serviceWorker" in navigator) navigator.serviceWorker.register("/page/sw.js", { scope: "/" }).catch(() => {});
  if (daemon.words.note) daemon.get("/status").then(show, show); else show();
})();
