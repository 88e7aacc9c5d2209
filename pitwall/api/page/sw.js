// Keeps the page itself, so that it opens while no daemon runs. What the daemon answers is never kept.
// @ts-check
"use strict";

(() => {
  const worker = /** @type {any} */ (self), KEPT = "pitwall-page";
  worker.addEventListener("install", () => worker.skipWaiting());
  worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(worker.clients.claim()));
  worker.addEventListener("fetch", (/** @type {any} */ event) => {
    const { request } = event, { pathname, origin } = new URL(request.url);
    if (request.method !== "GET" || origin !== location.origin || (pathname !== "/" && !pathname.startsWith("/page/"))) return;
    event.respondWith((async () => {
      const kept = await caches.open(KEPT);
      try {
        const answer = await fetch(request);
        if (answer.ok) await kept.put(pathname, answer.clone());
        return answer;
      } catch (error) {
        const known = await kept.match(pathname);
        if (known) return known;
        throw error;
      }
    })());
  });
})();
