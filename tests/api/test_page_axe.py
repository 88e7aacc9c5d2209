"""Each view by axe-core, as it is judged for those who read a page by ear or by keys."""

from __future__ import annotations

from importlib.resources import files

import api_daemon
import pytest
from browser import browsing, let_in

from pitwall.config import Home

pytestmark = pytest.mark.long
# Opened: what is folded is judged too. Views of the lap's charts need a moment until they stand.
VIEWS = {
    "drive": "document.querySelector('.marks')",
    "laps": "document.querySelectorAll('.uplot').length > 5",
    "coach": "document.querySelector('details.script')",
    "paddock": "document.querySelector('.moment .uplot')",
    "system": "document.querySelector('.pairs')",
}
JUDGED = """axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] })
    .then(({ violations }) => violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html.slice(0, 160))]))"""


async def test_axe_finds_nothing_serious_in_any_view(driven: Home) -> None:
    pytest.importorskip("axe_core_python", reason="pip install -e .[dev]")
    axe = files("axe_core_python").joinpath("axe.min.js").read_text()
    async with api_daemon.running(driven) as (_, port, token), browsing() as page:
        await let_in(page, port, token)
        await page.size(390, 844, touch=True)
        await page.run(axe)
        found = {}
        for view, stands in VIEWS.items():
            await page.run(f"location.hash = '{view}'")
            await page.until(stands)
            await page.run("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
            for look in ("night", "day"):
                await page.run(f"document.documentElement.dataset.look = '{look}'; ui.recolour()")
                found[view, look] = await page.run(JUDGED)
        assert {where: each for where, each in found.items() if each} == {}
