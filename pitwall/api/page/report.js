// The report: one session in one file. Its figures and words stand in the page as JSON.
// @ts-check
"use strict";

(() => {
  const { node, section } = ui;
  /** @type {View} */
  const view = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("data")).textContent || "");
  const main = /** @type {HTMLElement} */ (document.querySelector("main"));
  document.title = [view.title, view.when].filter(Boolean).join(", ");
  main.append(session.head(view, "h1"));
  if (view.debrief) main.append(section(view.labels.debrief, [node("p.debrief", view.debrief)]));
  const moment = session.moment(view);
  if (moment) { main.append(moment.element); moment.start(); }
  const laps = session.laps(view);
  main.append(laps.element);
  laps.start();
  for (const part of [session.potential(view, laps.frame), session.corners(view, laps.frame), session.coach(view)]) if (part) main.append(part);
  main.append(node("footer", [view.labels["made by"], view.session].filter(Boolean).join(" · ")));
})();
