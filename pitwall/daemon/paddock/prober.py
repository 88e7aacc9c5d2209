"""A probe of the model's own endpoint: a GET without a key, judged by who answers."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal

import msgspec

from pitwall import __version__
from pitwall.contract.settings import ModelSettings
from pitwall.telemetry.sources.base import is_loopback

if TYPE_CHECKING:
    import aiohttp

# Who hasn't answered a request without content by then is of no use to a driver who waits 8 or 15 s in all.
PROBE_S = 4.0
# Enough to tell a page from JSON.
_SNIFFED_BYTES = 256
_GEMINI = "https://generativelanguage.googleapis.com/"
# Lists models: without a key an API refuses it, and a web server's front page is not taken for the API.
_GEMINI_PATH = "v1beta/models"
# Google's names for places that are several regions have servers of another name.
_MULTI_REGIONS = ("us", "eu")
_NETWORK_AUTHENTICATION_REQUIRED, _PROXY_AUTHENTICATION_REQUIRED = 511, 407

# ok: an API answered; refused: it is there and fails (5xx); captive: somebody else answered in its place.
Outcome = Literal["ok", "refused", "captive", "unreachable"]


class Probed(msgspec.Struct, frozen=True):
    """Holds what a probe found; `detail` is a plain sentence about it."""

    outcome: Outcome
    detail: str


class ProbeTarget(msgspec.Struct, frozen=True):
    """Holds what is probed. `local`: it runs on this machine and needs no network."""

    url: str
    host: str
    local: bool


def target_of(model: ModelSettings) -> ProbeTarget | None:
    """The endpoint of the model in the settings, without any key or password; None where none is set, or
    where its address makes no sense."""
    address = _address(model)
    if not address:
        return None
    from yarl import URL  # with aiohttp, as the probe: a command without a model needs neither

    try:
        url = URL(address).with_user(None).with_query(None).with_fragment(None)
    except ValueError:
        return None
    if url.scheme not in ("http", "https") or not url.host:
        return None
    return ProbeTarget(str(url), url.host, is_loopback(url.host))


async def probe(target: ProbeTarget) -> Probed:
    """Ask once, within PROBE_S. Never raises for what the network does."""
    import aiohttp

    try:
        async with (
            asyncio.timeout(PROBE_S),
            _session() as session,
            session.get(target.url, allow_redirects=False) as response,
        ):
            return _judged(target, response, await response.content.read(_SNIFFED_BYTES))
    except TimeoutError:
        return Probed("unreachable", f"{target.host} did not answer within {PROBE_S:.0f} s")
    except aiohttp.ClientConnectorCertificateError:
        return Probed(
            "captive", f"somebody else answers for {target.host}: a log-in page, or the clock is wrong"
        )
    except (aiohttp.ClientError, OSError):
        return Probed("unreachable", f"{target.host} can't be reached")


def _session() -> aiohttp.ClientSession:
    # A session of its own each time: a kept connection would answer long after the network is gone. No
    # environment: it may hold passwords.
    import aiohttp

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(force_close=True, limit=1),
        cookie_jar=aiohttp.DummyCookieJar(),
        trust_env=False,
        headers={
            "Accept": "application/json",
            "Cache-Control": "no-cache",
            "User-Agent": f"pitwall/{__version__}",
        },
    )


def _judged(target: ProbeTarget, response: aiohttp.ClientResponse, start: bytes) -> Probed:
    status = response.status
    if status in (_NETWORK_AUTHENTICATION_REQUIRED, _PROXY_AUTHENTICATION_REQUIRED):
        return Probed("captive", f"the network wants a log-in (HTTP {status})")
    if 300 <= status < 400 and _leads_away(target, response):
        return Probed("captive", f"{target.host} is redirected elsewhere: a log-in page")
    if status >= 500:
        return Probed("refused", f"{target.host} answers, but fails (HTTP {status})")
    if status < 300 and ("html" in response.content_type or start.lstrip()[:1] == b"<"):
        return Probed("captive", f"a web page answers for {target.host}: a log-in page")
    return Probed("ok", f"{target.host} answers")


def _leads_away(target: ProbeTarget, response: aiohttp.ClientResponse) -> bool:
    from yarl import URL

    try:
        return URL(target.url).join(URL(response.headers.get("Location", ""))).host != target.host
    except ValueError:
        return True


def _address(model: ModelSettings) -> str:
    base = model.base_url.rstrip("/")
    if model.kind == "openai":
        return f"{base}/models" if base else ""
    if model.kind == "none":
        return ""
    if model.project and not base:
        return _vertex(model.location)
    return f"{base or _GEMINI.rstrip('/')}/{_GEMINI_PATH}"


def _vertex(location: str) -> str:
    if location in ("", "global"):
        return "https://aiplatform.googleapis.com/"
    if location in _MULTI_REGIONS:
        return f"https://aiplatform.{location}.rep.googleapis.com/"
    return f"https://{location}-aiplatform.googleapis.com/"
