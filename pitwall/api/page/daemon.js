// The daemon as the page sees it: questions, answers that come bit by bit, the live stream, and the driver's words.
// @ts-check
"use strict";

/** What the page says and how it shows figures: pitwall/api/page_files.py.
 * @typedef {{labels: Record<string, string>, view: Record<string, string>,
 *   measures: Record<string, [string, number, number]>, figures: Record<string, string>, calls: Record<string, string>, habits: Record<string, string>, commands: Record<string, string>, version: string, note: string}} Words */

const daemon = (() => {
  /** @type {Words} */
  const words = JSON.parse(/** @type {HTMLElement} */ (document.getElementById("words")).textContent || "");
  // A command with what follows it: all up to the backtick, or options and names in capitals.
  const COMMANDS = Object.entries(words.commands).map(([command, place]) =>
    /** @type {[RegExp, string]} */ ([new RegExp(`\`${command}\\b[^\`"]*\`|${command}\\b(?: (?:[A-Z]{2,}\\b|--[a-z-]+))*`, "g"), place]));
  const AGAIN_MS = [500, 1000, 2000, 5000];

  /** A refusal: what is wrong, and what to do. */
  class Refusal extends Error {
    /** @param {number} status @param {string} error @param {string} toDo */
    constructor(status, error, toDo) {
      super(toDo ? `${error}: ${toDo}` : error);
      this.status = status;
    }
  }
  let stranger = () => {};
  /** Called when this browser is not let in. @param {() => void} told */
  const onStranger = (told) => { stranger = told; };

  /** What the daemon answers. Where a sentence of it names a command, it names what does the same on this page. @param {string} text */
  function parsed(text) {
    if (text.includes("pitwall ")) for (const [command, place] of COMMANDS) text = text.replace(command, place);
    return JSON.parse(text);
  }
  /** The daemon's answer, JSON. Throws a Refusal. @param {string} method @param {string} path @param {any} [body]
   * @param {AbortSignal} [signal] */
  async function request(method, path, body, signal) {
    /** @type {RequestInit} */
    const init = { method, signal };
    if (body !== undefined) Object.assign(init, { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
    let answer;
    try {
      answer = await fetch(path, init);
    } catch (error) {
      if (signal && signal.aborted) throw error;
      throw new Refusal(0, words.labels["no answer"], "");
    }
    if (answer.ok) return answer;
    return refused(answer);
  }
  /** Throw what an answer refuses. @param {Response} answer @returns {Promise<never>} */
  async function refused(answer) {
    if (answer.status === 401) stranger();
    const told = await answer.text().then(parsed).catch(() => ({ error: `${answer.status}`, what_to_do: "" }));
    throw new Refusal(answer.status, told.error, told.what_to_do);
  }
  /** @param {string} path @param {AbortSignal} [signal] */
  const get = async (path, signal) => parsed(await (await request("GET", path, undefined, signal)).text());
  /** @param {string} path */
  const bytes = async (path) => (await request("GET", path)).arrayBuffer();
  /** @param {string} method @param {string} path @param {any} body */
  const send = async (method, path, body) => parsed(await (await request(method, path, body)).text());
  /** Ask for what has no answer but that it was done. @param {string} path @param {any} body */
  const post = (path, body) => request("POST", path, body);

  /** Each event of an answer that comes bit by bit: its name and its data. Throws a Refusal.
   * @param {string} path @param {any} body @param {(name: string, data: any) => void} told @param {AbortSignal} signal */
  async function events(path, body, told, signal) {
    const answer = await request("POST", path, body, signal);
    const reader = /** @type {ReadableStream} */ (answer.body).pipeThrough(new TextDecoderStream()).getReader();
    for (let text = ""; ;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (text + value).split("\n\n");
      text = String(blocks.pop());
      for (const block of blocks) {
        const name = /^event: (.*)$/m.exec(block), data = /^data: (.*)$/m.exec(block);
        if (data) told(name ? name[1] : "", parsed(data[1]));
      }
    }
  }

  /** Store a recording; its last line. Throws a Refusal, or what is wrong with the file. @param {File} file
   * @param {(line: any) => void} told */
  async function handIn(file, told) {
    const path = `/imports?name=${encodeURIComponent(file.name)}`;
    let answer;
    try {
      answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });
    } catch { throw new Refusal(0, words.labels["not sent"], ""); }
    if (!answer.ok) await refused(answer);
    const reader = /** @type {ReadableStream} */ (answer.body).pipeThrough(new TextDecoderStream()).getReader();
    for (let text = "", last = null; ;) {
      const { done, value } = await reader.read();
      const lines = (text + (value || "")).split("\n");
      text = String(lines.pop());
      for (const line of lines) { last = parsed(line); if (last.type === "progress") told(last); }
      if (!done) continue;
      if (last?.type === "done") return last;
      throw new Error(last?.error || words.labels["no answer"]);
    }
  }

  /** The live stream from now on, through every restart of the daemon; gives what ends it. A page that nobody sees
   * has none. @param {number} hz @param {(message: any) => void} told @param {(up: boolean) => void} reached */
  function live(hz, told, reached) {
    /** @type {EventSource | null} */
    let source = null;
    let tries = 0, timer = 0;
    function open() {
      close();
      if (document.hidden) return;
      source = new EventSource(`/live?hz=${hz}`);
      source.onmessage = (event) => {
        if (tries >= 0) reached(true);
        tries = -1;
        told(JSON.parse(event.data));
      };
      source.onerror = () => {
        reached(false);
        close();
        tries = Math.max(0, tries);
        timer = window.setTimeout(open, AGAIN_MS[Math.min(tries++, AGAIN_MS.length - 1)]);
        // A stream does not say why it was refused; a question does.
        get("/status").catch(() => {});
      };
    }
    function close() {
      clearTimeout(timer);
      if (source) source.close();
      source = null;
    }
    document.addEventListener("visibilitychange", open);
    open();
    return () => { document.removeEventListener("visibilitychange", open); close(); };
  }

  /** @type {AudioContext | null} */
  let sound = null;
  /** Speak a phrase here as the coach would; throws a Refusal. @param {string} text */
  async function hear(text) {
    sound ??= new AudioContext();
    if (sound.state === "suspended") await sound.resume();
    const clip = await sound.decodeAudioData(await (await request("POST", "/hear", { text })).arrayBuffer());
    const played = sound.createBufferSource();
    played.buffer = clip;
    played.connect(sound.destination);
    played.start();
    return clip.duration;
  }

  const { number } = ui;
  /** A value in the driver's unit. @param {number} value @param {string} unit */
  function shown(value, unit) {
    const [, factor, offset] = words.measures[unit];
    return value * factor + offset;
  }
  /** What the driver wrote, as it is kept. @param {number} value @param {string} unit */
  const stored = (value, unit) => (value - words.measures[unit][2]) / words.measures[unit][1];
  /** @param {string} unit */
  const unit = (unit) => words.measures[unit][0];
  /** 1:51.937, or a dash. @param {number | null | undefined} time_s @param {number} digits */
  function clock(time_s, digits = 3) {
    if (time_s == null) return "–";
    const fine = 10 ** digits, whole = Math.round(time_s * fine) / fine, minutes = Math.floor(whole / 60);
    return `${minutes}:${number(whole - 60 * minutes, digits).padStart(digits ? digits + 3 : 2, "0")}`;
  }
  /** @param {string} key */
  const say = (key) => words.labels[key] ?? key;

  return { words, say, Refusal, onStranger, get, bytes, send, post, events, handIn, live, hear, number, shown, stored, unit, clock };
})();
