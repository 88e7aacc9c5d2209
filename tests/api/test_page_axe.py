"""Each view by axe-core, as it is judged for those who read a page by ear or by keys."""

from __future__ import annotations

import re

import api_daemon
import pytest
from browser import browsing, judged, let_in

from pitwall.api.page_files import PAGE
from pitwall.config import Home

# Opened: what is folded is judged too. Views of the lap's charts need a moment until they stand.
VIEWS = {
    "drive": "document.querySelector('.marks')",
    "laps": "document.querySelectorAll('.uplot').length > 5",
    "coach": "document.querySelector('details.script')",
    "paddock": "document.querySelector('.moment .uplot')",
    "system": "document.querySelector('.pairs')",
}
# What a text is written in, and what lies behind it.
INKS = ["ink", "soft", "one", "two", "three", "four", "five", "six", "seven", "good", "bad", "warn"]
GROUNDS = ("paper", "card")


@pytest.mark.parametrize("look", ["day", "night"])
def test_each_colour_of_a_text_stands_out_from_its_ground(look: str) -> None:
    """A contrast of 4.5 to 1 or more (WCAG 2.1, 1.4.3), where a browser can't judge it too."""
    [block] = re.findall(rf"\[data-look={look}\] \{{(.*?)\}}", (PAGE / "style.css").read_text(), re.DOTALL)
    palette = dict(re.findall(r"--(\w+): (#\w+);", block))
    # White on the main button's blue, and on the red of what is lost.
    pairs = [(ink, ground) for ink in INKS for ground in GROUNDS] + [("paper", "one"), ("paper", "bad")]
    ratios = {pair: contrast(*(palette[each] for each in pair)) for pair in pairs}
    assert {pair: ratio for pair, ratio in ratios.items() if ratio < 4.5} == {}


def contrast(*colours: str) -> float:
    """Of two colours as #rgb or #rrggbb."""
    lights = []
    for colour in colours:
        digits = colour[1:] if len(colour) == 7 else "".join(2 * each for each in colour[1:])
        parts = (int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4))
        linear = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
        lights.append(sum(share * v for share, v in zip((0.2126, 0.7152, 0.0722), linear, strict=True)))
    return (max(lights) + 0.05) / (min(lights) + 0.05)


@pytest.mark.long
async def test_axe_finds_nothing_serious_in_any_view(driven: Home) -> None:
    async with api_daemon.running(driven) as (_, port, token), browsing() as page:
        await let_in(page, port, token)
        await page.size(390, 844, touch=True)
        for view, stands in VIEWS.items():
            await page.run(f"location.hash = '{view}'")
            await page.until(stands)
            await page.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
            await judged(page)
