"""/metrics in Prometheus' text format 0.0.4: the daemon's figures, and the API's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from aiohttp import web

from pitwall.api.call import POOL, ApiCall
from pitwall.contract.status import Metric

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
PREFIX = "pitwall_"

REQUESTS: web.AppKey[Counter[tuple[str, str, int]]] = web.AppKey("requests")
"""Requests answered, by method, the route's pattern (never the path as asked) and status."""

_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def metrics_text(call: ApiCall) -> str:
    """All metrics. Those of one name stand together, as the format wants it."""
    return render([*call.port.metrics(), *_own(call)])


def render(metrics: Iterable[Metric]) -> str:
    """Prometheus text of these metrics, in the order of the first of each name."""
    families: dict[str, list[Metric]] = {}
    for metric in metrics:
        families.setdefault(metric.name, []).append(metric)
    lines: list[str] = []
    for name, family in families.items():
        lines.append(f"# HELP {PREFIX}{name} {family[0].help.translate(_ESCAPES)}")
        lines.append(f"# TYPE {PREFIX}{name} {family[0].kind}")
        for metric in family:
            labels = ",".join(f'{key}="{text.translate(_ESCAPES)}"' for key, text in metric.labels.items())
            shown = f"{{{labels}}}" if labels else ""
            lines.append(f"{PREFIX}{name}{shown} {_number(metric.value)}")
    return "\n".join(lines) + "\n"


def _own(call: ApiCall) -> list[Metric]:
    app, live = call.request.app, call.port.live.status()
    found = [
        Metric(
            name="api_requests_total",
            kind="counter",
            help="Requests answered.",
            value=count,
            labels={"method": method, "route": route, "status": str(status)},
        )
        for (method, route, status), count in app[REQUESTS].items()
    ]
    for name, help_, value in (
        ("api_work", "Requests in the threads or waiting for one.", app[POOL].busy),
        ("live_clients", "Clients at /live.", live.clients),
    ):
        found.append(Metric(name=name, kind="gauge", help=help_, value=value))
    for name, help_, value in (
        ("live_frames_total", "Frames published to /live.", live.frames),
        ("live_thinned_total", "Frames that a client did not get, newer ones came.", live.thinned),
        ("live_missed_total", "Callouts and events dropped for slow clients.", live.missed),
    ):
        found.append(Metric(name=name, kind="counter", help=help_, value=value))
    return found


def _number(value: float) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    return repr(int(value)) if value == int(value) else repr(float(value))
