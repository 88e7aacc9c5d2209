// A GoPro's own GPS in its video, and where that speed was driven in a session. Nothing of a file leaves the browser.
// @ts-check
// Layout: GoPro's public description of GPMF; names of boxes: ISO 14496-12.
"use strict";

/** A moment of a film and the speed there. @typedef {{t: number, speed: number}} Fix */
/** What a film says of itself: seconds of a frame, how long it is (0: not known), the code of its pictures' format, its
 * speeds, when it began (null: not known). @typedef {{frame_s: number, long_s: number, codec: string, fixes: Fix[], utc_s: number | null}} Film */

const gpmf = (() => {
  const MOST_BOXES = 10_000, MOST_MOOV = 64e6, MOST_PAYLOAD = 4e6, AT_ONCE = 32, MOST_HDOP = 8;
  const FRAME_S = 1 / 30, HZ = 10, LEAST_OVERLAP_S = 10, LEAST_MATCH = 0.9, ALIKE = 0.02, NEAR_UTC_S = 60, MOST_READINGS = 6000;
  const GPS_EPOCH_S = 946_684_800;
  /** GPMF's kinds of numbers: bytes of one, and what reads it. @type {Record<string, [number, (view: DataView, at: number) => number]>} */
  const NUMBERS = {
    b: [1, (v, at) => v.getInt8(at)], B: [1, (v, at) => v.getUint8(at)], s: [2, (v, at) => v.getInt16(at)],
    S: [2, (v, at) => v.getUint16(at)], l: [4, (v, at) => v.getInt32(at)], L: [4, (v, at) => v.getUint32(at)],
    f: [4, (v, at) => v.getFloat32(at)], d: [8, (v, at) => v.getFloat64(at)],
  };
  /** @param {DataView} view @param {number} at @param {number} count */
  const text = (view, at, count) => String.fromCharCode(...Array.from({ length: count }, (_, i) => view.getUint8(at + i)));
  /** @param {Blob} file @param {number} at @param {number} size */
  const read = async (file, at, size) => new DataView(await file.slice(at, at + size).arrayBuffer());

  /** The head of a box: its kind, where its body begins, where it ends. @param {DataView} view @param {number} at @param {number} rest */
  function head(view, at, rest) {
    const short = view.getUint32(at), wide = short === 1;
    const size = wide ? Number(view.getBigUint64(at + 8)) : short || rest;
    return { kind: text(view, at + 4, 4), body: wide ? 16 : 8, size };
  }
  /** The boxes in a piece of the movie's table. @param {DataView} view @param {number} from @param {number} to */
  function boxes(view, from, to) {
    /** @type {{kind: string, from: number, to: number}[]} */
    const found = [];
    for (let at = from; at + 8 <= to && found.length < MOST_BOXES;) {
      const { kind, body, size } = head(view, at, to - at);
      if (size < body || at + size > to) break;
      found.push({ kind, from: at + body, to: at + size });
      at += size;
    }
    return found;
  }
  /** The movie's table of a file, null in a file of another kind. @param {Blob} file */
  async function moov(file) {
    for (let at = 0, n = 0; at + 16 <= file.size && n < MOST_BOXES; n++) {
      const { kind, body, size } = head(await read(file, at, 16), 0, file.size - at);
      if (size < body) return null;
      if (kind === "moov") return size <= MOST_MOOV ? read(file, at + body, size - body) : null;
      at += size;
    }
    return null;
  }
  /** The tables of each track, by kind. @param {DataView} movie */
  function tracks(movie) {
    return boxes(movie, 0, movie.byteLength).filter((box) => box.kind === "trak").map((trak) => {
      /** @type {Map<string, {from: number, to: number}>} */
      const tables = new Map();
      const walk = (/** @type {number} */ from, /** @type {number} */ to) => boxes(movie, from, to).forEach((box) => {
        tables.set(box.kind, box);
        if (["mdia", "minf", "stbl"].includes(box.kind)) walk(box.from, box.to);
      });
      walk(trak.from, trak.to);
      return tables;
    });
  }
  /** A table's numbers, 32 bits each, behind its head. @param {DataView} movie @param {Map<string, {from: number, to: number}>} tables
   * @param {string} kind @param {number} skip */
  function words(movie, tables, kind, skip) {
    const box = tables.get(kind);
    return box ? Array.from({ length: Math.max(0, (box.to - box.from - skip) >> 2) }, (_, i) => movie.getUint32(box.from + skip + 4 * i)) : [];
  }
  /** Ticks a second of a track. @param {DataView} movie @param {Map<string, {from: number, to: number}>} tables */
  function scaleOf(movie, tables) {
    const box = tables.get("mdhd");
    return box ? movie.getUint32(box.from + (movie.getUint8(box.from) ? 20 : 12)) || 1 : 1;
  }
  /** How long a track is, seconds. @param {DataView} movie @param {Map<string, {from: number, to: number}>} tables */
  function longOf(movie, tables) {
    const box = tables.get("mdhd");
    if (!box) return 0;
    return (movie.getUint8(box.from) ? Number(movie.getBigUint64(box.from + 24)) : movie.getUint32(box.from + 16)) / scaleOf(movie, tables);
  }
  /** Where the samples of a track lie and when they are due. @param {DataView} movie @param {Map<string, {from: number, to: number}>} tables */
  function samples(movie, tables) {
    const wide = tables.has("co64"), [same, count, ...sizes] = words(movie, tables, "stsz", 4);
    const raw = words(movie, tables, wide ? "co64" : "stco", 8), groups = words(movie, tables, "stsc", 8);
    const chunks = wide ? raw.flatMap((high, i) => (i % 2 ? [] : [high * 2 ** 32 + raw[i + 1]])) : raw;
    const scale = scaleOf(movie, tables), runs = words(movie, tables, "stts", 8);
    /** @type {{at: number, size: number, t: number, long: number}[]} */
    const found = [];
    let run = 0, used = 0, ticks = 0;
    for (let chunk = 0, group = 0; chunk < chunks.length; chunk++) {
      while (group + 3 < groups.length && groups[group + 3] <= chunk + 1) group += 3;
      for (let n = 0, at = chunks[chunk]; n < groups[group + 1] && found.length < count; n++) {
        while (run + 2 < runs.length && used >= runs[run]) { run += 2; used = 0; }
        const size = same || sizes[found.length] || 0, long = runs[run + 1] || 0;
        found.push({ at, size, t: ticks / scale, long: long / scale });
        at += size; ticks += long; used++;
      }
    }
    return found;
  }
  /** A payload's nested keys: fixes as rows of numbers, and what holds for all of them.
   * @param {DataView} view @param {number} from @param {number} to @param {Record<string, any>} found @param {number} depth */
  function keys(view, from, to, found, depth) {
    let scales = [1], layout = "";
    for (let at = from; at + 8 <= to;) {
      const key = text(view, at, 4), kind = text(view, at + 4, 1), size = view.getUint8(at + 5);
      const begin = at + 8, end = Math.min(to, begin + size * view.getUint16(at + 6));
      at = begin + 4 * Math.ceil((size * view.getUint16(at + 6)) / 4);
      const numbers = (/** @type {string} */ code, /** @type {number} */ first, /** @type {number} */ last) => {
        const list = [];
        for (let spot = first, i = 0; spot < last; i++) {
          const [bytes, get] = NUMBERS[code[i % code.length]];
          if (spot + bytes > last) break;
          list.push(get(view, spot));
          spot += bytes;
        }
        return list;
      };
      if (kind === "\0") { if (depth < 6) keys(view, begin, end, found, depth + 1); }
      else if (key === "TYPE") layout = text(view, begin, end - begin).replace(/\0/g, "");
      else if (key === "SCAL") scales = numbers(kind, begin, end).map((each) => each || 1);
      else if (key === "GPSU") found.GPSU = text(view, begin, end - begin);
      else if (key === "GPSF" || key === "GPSP") found[key] = numbers(kind, begin, end)[0];
      else if ((key === "GPS5" || key === "GPS9") && size) {
        const code = kind === "?" ? layout : kind.repeat(Number(key[3]));
        found[key] = [];
        for (let row = begin; row + size <= end; row += size) {
          found[key].push(numbers(code, row, row + size).map((each, i) => each / (scales.length > 1 ? scales[i] : scales[0])));
        }
      }
    }
    return found;
  }
  /** `yymmddhhmmss.sss` in UTC. @param {string} told */
  function clock(told) {
    const part = (/** @type {number} */ i) => Number(told.slice(i, i + 2));
    const utc_s = Date.UTC(2000 + part(0), part(2) - 1, part(4), part(6), part(8)) / 1000 + Number(told.slice(10, 16));
    return Number.isFinite(utc_s) ? utc_s : null;
  }

  /** What a file says of itself; a film without GPS has no fixes. @param {Blob} file @returns {Promise<Film>} */
  async function film(file) {
    /** @type {Film} */
    const made = { frame_s: FRAME_S, long_s: 0, codec: "", fixes: [], utc_s: null };
    try {
      const movie = await moov(file);
      for (const tables of movie ? tracks(movie) : []) {
        const handler = tables.get("hdlr"), entry = tables.get("stsd");
        if (!movie || !handler || !entry || entry.from + 16 > entry.to) continue;
        if (text(movie, handler.from + 8, 4) === "vide") {
          const ticks = words(movie, tables, "stts", 8)[1];
          if (ticks) made.frame_s = ticks / scaleOf(movie, tables);
          made.long_s = longOf(movie, tables);
          made.codec = text(movie, entry.from + 12, 4);
        }
        if (text(movie, entry.from + 12, 4) === "gpmd") await fixes(file, samples(movie, tables), made);
      }
    } catch (error) {
      // A damaged table: what was read up to it holds, the rest is aligned by hand.
      if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    }
    return made;
  }
  /** @param {Blob} file @param {{at: number, size: number, t: number, long: number}[]} places @param {Film} made */
  async function fixes(file, places, made) {
    const fit = places.filter(({ size }) => size <= MOST_PAYLOAD);
    /** @type {DataView[]} */
    let some = [];
    for (const [n, { t, long }] of fit.entries()) {
      // One piece a second of film: some are asked for at once, so that none waits for the one before it.
      if (n % AT_ONCE === 0) some = await Promise.all(fit.slice(n, n + AT_ONCE).map(({ at, size }) => read(file, at, size)));
      const data = some[n % AT_ONCE], found = keys(data, 0, data.byteLength, {}, 0);
      const nine = found.GPS9, rows = nine || found.GPS5 || [];
      if (!nine && ((found.GPSF ?? 3) < 2 || (found.GPSP ?? 100) / 100 > MOST_HDOP)) continue;
      rows.forEach((/** @type {number[]} */ row, /** @type {number} */ i) => {
        if (nine && (row[8] < 2 || row[7] > MOST_HDOP)) return;
        const spot = t + (i * long) / rows.length;
        const utc_s = nine ? GPS_EPOCH_S + row[5] * 86_400 + row[6] : i === 0 && found.GPSU ? clock(found.GPSU) : null;
        if (made.utc_s === null && utc_s !== null) made.utc_s = utc_s - spot;
        made.fixes.push({ t: spot, speed: row[3] });
      });
    }
  }

  /** Readings on an even grid of HZ; NaN in a hole of more than a second. @param {Fix[]} readings */
  function even(readings) {
    const begin = readings[0].t, count = Math.floor((readings[readings.length - 1].t - begin) * HZ) + 1;
    const values = new Float64Array(count).fill(NaN);
    for (let i = 0, k = 0; i + 1 < readings.length; i++) {
      const { t: from, speed: low } = readings[i], { t: to, speed: high } = readings[i + 1];
      for (; k < count && begin + k / HZ <= to; k++) {
        if (to > from && to - from <= 1) values[k] = low + ((high - low) * (begin + k / HZ - from)) / (to - from);
      }
    }
    return { begin, values };
  }
  /** How alike two series are (Pearson's r) where one is moved by `lag` readings; -1 where they hardly meet.
   * @param {Float64Array} one @param {Float64Array} two @param {number} lag @param {number} every @param {number} least */
  function alike(one, two, lag, every, least) {
    let n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
    for (let k = Math.max(0, -lag); k < one.length && k + lag < two.length; k += every) {
      const x = one[k], y = two[k + lag];
      if (x === x && y === y) { n++; a += x; b += y; aa += x * x; bb += y * y; ab += x * y; }
    }
    const spread = (n * aa - a * a) * (n * bb - b * b);
    return n * every < least || spread <= 0 ? -1 : (n * ab - a * b) / Math.sqrt(spread);
  }
  /** When in the session a film began, by its speeds; null where they are not the session's. Among lags that fit as well,
   * the one that the clock names. @param {Fix[]} film @param {Fix[]} driven @param {number | null} clock_s */
  function match(film, driven, clock_s) {
    if (film.length < 2 || driven.length < 2) return null;
    const one = even(film), two = even(driven);
    const least = HZ * Math.max(LEAST_OVERLAP_S, Math.min(60, one.values.length / HZ / 2, two.values.length / HZ / 2));
    const lagOf = (/** @type {number} */ begin_s) => Math.round((begin_s + one.begin - two.begin) * HZ);
    const rough = [];
    for (let lag = -one.values.length; lag < two.values.length; lag += HZ) rough.push({ lag, r: alike(one.values, two.values, lag, HZ / 2, least) });
    rough.sort((x, y) => y.r - x.r);
    const tried = rough.slice(0, 12).map(({ lag }) => lag);
    if (clock_s !== null) tried.push(lagOf(clock_s));
    const every = Math.ceil(one.values.length / MOST_READINGS), known = new Map();
    const fit = (/** @type {number} */ lag) => {
      if (!known.has(lag)) known.set(lag, alike(one.values, two.values, lag, every, least));
      return known.get(lag);
    };
    const found = tried.map((from) => {
      let best = from;
      for (let lag = from - 2 * HZ; lag <= from + 2 * HZ; lag++) if (fit(lag) > fit(best)) best = lag;
      const [before, at, after] = [fit(best - 1), fit(best), fit(best + 1)], bend = before - 2 * at + after;
      const between = bend < 0 ? Math.max(-0.5, Math.min(0.5, (before - after) / (2 * bend))) : 0;
      return { begin_s: two.begin - one.begin + (best + between) / HZ, r: at };
    }).sort((x, y) => y.r - x.r);
    const named = clock_s === null ? undefined : found.find(({ begin_s, r }) => Math.abs(begin_s - clock_s) < NEAR_UTC_S && r > found[0].r - ALIKE);
    const best = named || found[0];
    return best.r >= LEAST_MATCH ? best : null;
  }

  return { film, match };
})();
