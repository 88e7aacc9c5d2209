// What a test asks of the view that is seen.
const looks = (() => {
  const numbers = (text) => text.match(/[\d.]+/g).map(Number);
  function light(colour) {
    const [r, g, b] = colour.slice(0, 3).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  function behind(element) {
    for (let each = element; each; each = each.parentElement) {
      const colour = numbers(getComputedStyle(each).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  }
  const seen = (element) => element.checkVisibility({ opacityProperty: true });
  /** Texts that stand out too little from what is behind them (WCAG AA: 4.5), with the ratio. */
  const faint = () => [...document.querySelectorAll("body *")]
    .filter((e) => seen(e) && !e.disabled && !e.ariaHidden && [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim()))
    .map((e) => {
      const [one, two] = [light(numbers(getComputedStyle(e).color)), light(behind(e))];
      return [e.textContent, (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05)];
    }).filter(([, ratio]) => ratio < 4.5);
  /** What is pressed and is smaller than a finger; a radio button's label is pressed in its place. */
  const small = () => [...document.querySelectorAll("nav a, button, select, summary, input[type=text], td label")]
    .filter(seen).map((e) => [e.textContent, e.getBoundingClientRect()])
    .filter(([, box]) => box.height < 44 || box.width < 44).map(([text, box]) => [text, box.width, box.height]);
  /** What has no name for who can't see it. */
  const nameless = () => [...document.querySelectorAll("button, select, input, textarea, canvas[role], a")]
    .filter((e) => seen(e) && !(e.textContent.trim() && e.tagName !== "SELECT") && !e.ariaLabel && !(e.labels && e.labels.length))
    .map((e) => e.outerHTML);
  return { faint, small, nameless };
})();
