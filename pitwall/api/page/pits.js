// The driver's side of the pit wall: switch it on, let a device in by its QR code, shut one out.
// @ts-check
"use strict";

const pits = (() => {
  const { node, section, choice } = ui, { say } = daemon;

  /** A QR code of rows of 0 and 1, dark on white by day and by night. @param {string[]} rows @param {string} title */
  function code(rows, title) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), path = document.createElementNS(svg.namespaceURI, "path");
    svg.setAttribute("viewBox", `0 0 ${rows.length} ${rows.length}`);
    svg.setAttribute("class", "qr");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", title);
    path.setAttribute("d", rows.flatMap((row, y) => [...row].map((each, x) => each === "1" ? `M${x} ${y}h1v1h-1z` : "")).join(""));
    svg.append(path);
    return svg;
  }

  /** The section. */
  function made() {
    const inside = node("div"), told = ui.told();
    let role = "crew";
    /** @param {() => Promise<any>} work */
    const doing = (work) => async () => {
      told.textContent = "";
      try { await work(); } catch (error) { told.textContent = ui.why(error); }
    };
    /** @param {any} wall */
    function show(wall) {
      const name = node("input", { type: "text", className: "who", maxLength: 40, value: say("crew name") });
      const shown = node("div"), devices = wall.devices.map((/** @type {any} */ each) => node("li.card", [
        node("p", [`${each.name}: ${say(`role ${each.role}`)}`]),
        ui.button(say("shut out"), doing(async () => { await daemon.post("/wall/forget", { id: each.id }); show(await daemon.get("/wall")); }), { "aria-label": `${say("shut out")}: ${each.name}` })]));
      inside.replaceChildren(
        node("p.hint", say(wall.on ? "wall is on" : "wall is off")),
        ui.button(say(wall.on ? "wall off" : "wall on"), doing(async () => show(await daemon.send("POST", "/wall", { on: !wall.on })))),
        ...(wall.trouble ? [node("p.told.bad", wall.trouble)] : []),
        ...(wall.on ? [node("div.framing", [
          ui.labelled(say("crew who"), name),
          choice(say("may"), [["crew", say("role crew")], ["view", say("role view")]], role, (value) => { role = value; }),
          ui.button(say("let in"), doing(async () => {
            const link = await daemon.send("POST", "/wall/links", { role, name: name.value });
            shown.replaceChildren(code(link.qr, say("qr")), node("p.link", link.link), node("p.hint", say("good once")));
          }))]), shown] : []),
        ...(devices.length ? [node("ul.cards", {}, devices)] : []));
    }
    daemon.get("/wall").then(show, (error) => { told.textContent = String(error.message); });
    return section(say("pit wall"), [inside, told]);
  }

  return { made };
})();
