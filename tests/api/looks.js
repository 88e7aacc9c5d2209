// What a test asks of the view that is seen.
const looks = (() => {
  const seen = (element) => element.checkVisibility({ opacityProperty: true });
  /** What is pressed and is smaller than a finger; a radio button's label is pressed in its place. */
  const small = () => [...document.querySelectorAll("nav a, button, select, summary, input[type=text], td label")]
    .filter(seen).map((e) => [e.textContent, e.getBoundingClientRect()])
    .filter(([, box]) => box.height < 44 || box.width < 44).map(([text, box]) => [text, box.width, box.height]);
  const named = (e) => `${e.tagName.toLowerCase()}.${e.className} ${e.textContent.trim().slice(0, 40)}`;
  // What may be wider inside than outside: a driver can tell by its edge, and a finger or a key moves it.
  const moves = (e) => e.matches(".wide, nav, .charts");
  /** What is wider than the view, or sticks out of what it stands in, and texts that run into what is beside them. */
  const outside = () => [...document.querySelectorAll("body *")].filter((e) => seen(e) && !e.matches(".skip, .unseen, script")).flatMap((e) => {
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    const holder = e.parentElement.closest(".wide, nav, .charts");
    const [left, right] = holder ? [-Infinity, Infinity] : [0, innerWidth];
    const found = box.left < left - 0.5 || box.right > right + 0.5 ? [`out of the view: ${named(e)} ${Math.round(box.left)}..${Math.round(box.right)}`] : [];
    if (!moves(e) && e.scrollWidth > e.clientWidth + 1 && style.display !== "inline" && style.overflowX !== "visible") found.push(`cut off: ${named(e)}`);
    const text = [...e.childNodes].filter((n) => n.nodeType === 3 && n.textContent.trim());
    if (!text.length || holder?.matches(".charts") || e.matches("option, select")) return found;
    let block = e;
    while (getComputedStyle(block).display === "inline") block = block.parentElement;
    const room = block.getBoundingClientRect(), range = document.createRange();
    for (const each of text) {
      range.selectNodeContents(each);
      const told = range.getBoundingClientRect();
      if (told.right > room.right + 1 || told.left < room.left - 1) found.push(`runs out of its place: ${named(e)}`);
    }
    return found;
  });
  /** The buttons that can't be pressed where they stand: another element lies over them, or the view ends. */
  const unreached = (which) => [...document.querySelectorAll(which)].filter((e) => e.checkVisibility()).filter((e) => {
    const { left, right, top, bottom } = e.getBoundingClientRect();
    return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight || !e.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
  }).map(named);
  return { small, outside, unreached };
})();
