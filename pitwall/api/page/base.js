// What all views stand on: elements, colours, tables, figures. Text goes in as text only, never as HTML.
// @ts-check
"use strict";

/** @typedef {{lap: number, start_t: number | null, kind: string, flying: boolean, time_s: number | null, time: string,
 *   sectors_s: (number | null)[], reason: string, marked: string, seen: boolean, columns: Record<string, (number | null)[]>}} Lap */
/** @typedef {{name: string, title: string, unit: string, scale: number}} Channel */
/** @typedef {{corner: string, title: string, number: string, entry_m: number, apex_m: number, exit_m: number}} Corner */
/** @typedef {Record<string, any> & {lap: number, corner: string}} Pass */
/** @typedef {{lap: number, corner: string, before: number | null, text: string, said: boolean, outcome: string,
 *   reason: string, followed: string}} Callout */
/** @typedef {{corner: string, loss_s: number, laps: number[], judged: number[], text: string}} Opportunity */
/** @typedef {{text: string, kind: string, evidence: string[]}} Lesson */
/** @typedef {{time: string, gain_s: number,
 *   pieces: {corner: string, lap: number, time_s: number, best_lap_time_s: number, gain_s: number, at_m: number}[]}} Potential */
/** @typedef {{text: string, corner: string, lap: number, against: number, loss_s: number, from_m: number,
 *   to_m: number}} Moment */
/** One session as pitwall/analysis/session_view.py makes it.
 * @typedef {{session: string, id: string, track: string, title: string, when: string, start_utc_s: number | null, conditions: Record<string, any>, stints: {from_lap: number, text: string}[], aim: {time_s: number, by: string} | null, noted: string, driver: string, car: string,
 *   length_m: number, step_m: number, speed_unit: string, distance_unit: string, laps: Lap[], channels: Channel[],
 *   corners: Corner[], passes: Pass[], callouts: Callout[], opportunities: Opportunity[], potential: Potential | null,
 *   moment: Moment | null, lessons: Lesson[], debrief: string, labels: Record<string, string>}} View */
/** What else a session recorded: its names, and how one of them is asked for.
 * @typedef {{names: () => Promise<{name: string, unit: string}[]>, ask: (name: string) => void}} More */
/** A lap and the session it is of. @typedef {{view: View, lap: Lap}} Side */

const ui = (() => {
  /** An element, its classes behind dots, with its text, or its properties and what is in it; `aria-*`, `role`, `for` and
   * `data-*` are attributes. @param {string} tag @param {string | (Node | string)[] | Record<string, any>} [props]
   * @param {(Node | string)[]} [inside] @returns {any} */
  function node(tag, props = {}, inside = []) {
    const [name, ...classes] = tag.split("."), made = document.createElement(name);
    if (classes.length) made.className = classes.join(" ");
    if (typeof props === "string") made.textContent = props;
    else if (Array.isArray(props)) made.append(...props);
    else for (const [name, value] of Object.entries(props || {})) {
      if (/^(aria-|data-|role$|for$)/.test(name)) made.setAttribute(name, String(value));
      else Object.assign(made, { [name]: value });
    }
    made.append(...inside);
    return made;
  }
  /** A section under its heading. @param {string} title @param {(Node | string)[]} inside */
  const section = (title, inside) => node("section", [node("h2", title), ...inside]);
  /** A table of things to read; on a phone each row is a card. `text`: the columns that are read, and so stand left;
   * `main`: the one that says it.
   * @param {string[]} heads @param {(Node | string)[][]} rows @param {Set<number>} text @param {number} main */
  function table(heads, rows, text, main) {
    const cell = (/** @type {string} */ tag, /** @type {Node | string} */ inside, /** @type {number} */ i) =>
      node(tag, { className: i === main ? "text main" : text.has(i) ? "text" : "", ...(tag === "th" ? { scope: "col" } : { "data-head": heads[i] }) }, [inside]);
    return wide(heads[main], [figures(heads.map((each, i) => cell("th", each, i)),
      rows.map((row) => node("tr", {}, row.map((each, i) => cell("td", each, i)))), "cards-on-a-phone")]);
  }
  /** The head of a column. @param {string} text @param {string} [className] */
  const head = (text, className = "") => node("th", { className, textContent: text, scope: "col" });
  /** A table of figures: the heads of its columns and its rows. @param {Node[]} heads @param {Node[]} rows @param {string} [className] */
  const figures = (heads, rows, className = "") => node("table", { className }, [node("thead", [node("tr", {}, heads)]), node("tbody", {}, rows)]);
  /** What may be wider than the view, and then moves in its own frame. @param {string} title @param {Node[]} inside @param {string} [className] */
  const wide = (title, inside, className = "") => node("div", { className: `wide ${className}`, tabIndex: 0, role: "group", "aria-label": title }, inside);
  /** @param {string} text @param {() => void} onclick @param {Record<string, any>} [props] */
  const button = (text, onclick, props) => node("button", { type: "button", textContent: text, onclick, ...props });
  /** A line that says what is going on. @param {string} [tag] */
  const told = (tag = "p") => node(tag, { className: "told", role: "status" });
  /** A folded menu under its title. @param {string} title @param {(Node | string)[]} inside @param {Record<string, any>} [props] */
  const menu = (title, inside, props) => node("details.menu", { ...props }, [node("summary", title), ...inside]);
  /** @param {string} title @param {Node} input */
  const labelled = (title, input) => node("label.choice", [`${title} `, input]);
  /** What a form does in place of sending itself. @param {() => void} save */
  const submitted = (save) => (/** @type {Event} */ event) => { event.preventDefault(); save(); };
  /** A select of [value, text] under a label. @param {string} title @param {[string, string][]} choices
   * @param {string} value @param {(value: string) => void} chosen */
  function choice(title, choices, value, chosen) {
    const select = node("select", { onchange: () => chosen(select.value) },
      choices.map(([key, text]) => node("option", { value: key, textContent: text })));
    select.value = value;
    return labelled(title, select);
  }

  const decimal = (0.5).toLocaleString(document.documentElement.lang || "en")[1];
  /** A number with the decimal sign of the page's language. @param {number} value @param {number} digits */
  const number = (value, digits) => value.toFixed(digits).replace(".", decimal);

  /** A difference with its sign, which one that is shown as nought has not; a true minus is as wide as the plus.
   * @param {number} value @param {number} digits */
  function signed(value, digits) {
    const size = Math.abs(value).toFixed(digits);
    return (Number(size) === 0 ? "" : value < 0 ? "−" : "+") + size.replace(".", decimal);
  }

  /** @type {Map<string, string>} */
  let colours = new Map();
  /** A colour of the style sheet, by its name there. @param {string} name @returns {string} */
  function colour(name) {
    let found = colours.get(name);
    if (found === undefined) {
      found = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
      colours.set(name, found);
    }
    return found;
  }
  /** @type {Set<() => void>} */
  const repaints = new Set();
  /** Call this when the colours change; gives what ends that. @param {() => void} paint */
  function onColours(paint) {
    repaints.add(paint);
    return () => repaints.delete(paint);
  }
  /** Read the colours again and paint again. */
  function recolour() {
    colours = new Map();
    for (const paint of repaints) paint();
  }
  const night = matchMedia("(prefers-color-scheme: dark)");
  let look = "auto";
  /** Show the page by day or by night; auto: as the phone does. @param {string} name */
  function dress(name) {
    look = name;
    document.documentElement.dataset.look = name !== "auto" ? name : night.matches ? "night" : "day";
    recolour();
  }
  night.addEventListener("change", () => dress(look));
  dress(look);

  /** What went wrong, in words. @param {unknown} error */
  const why = (error) => String(error instanceof Error ? error.message : error);
  /** What this browser was last set to; one that keeps nothing begins as usual. @param {string} name @param {string} usual @returns {string} */
  const kept = (name, usual) => { try { return localStorage.getItem(name) ?? usual; } catch { return usual; } };
  /** @param {string} name @param {string} value */
  const keep = (name, value) => { try { localStorage.setItem(name, value); } catch { /* until it is closed */ } };

  return { node, section, table, head, figures, wide, button, told, menu, labelled, submitted, choice, number, signed, colour, onColours, recolour, dress, why, kept, keep };
})();
