"""Asks a model for one word, to see whether it answers again."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.genai import types

from pitwall.contract.events import Answer
from pitwall.paddock.adk.problems import rest_after, sentence

# Room for the thoughts of a model that thinks first; its first piece is enough.
_MOST_TOKENS = 64


async def asked_for_a_word(model: BaseLlm, within_s: float) -> Answer:
    """An answer of the paddock's tier if the model began to speak in time, else why it did not."""
    word = types.Content(role="user", parts=[types.Part(text="Answer with the word ready.")])
    request = LlmRequest(
        model=model.model, contents=[word], config=types.GenerateContentConfig(max_output_tokens=_MOST_TOKENS)
    )
    try:
        async with (
            asyncio.timeout(within_s),
            aclosing(model.generate_content_async(request, stream=True)) as told,
        ):
            async for _piece in told:
                return Answer(text="", emotion="", agent="", tier="paddock", verdict="PASSED")
        why, rest_s = "The model answered nothing.", rest_after(TimeoutError())
    # A model and its server may raise anything.
    except Exception as error:
        why, rest_s = sentence(error), rest_after(error)
    return Answer(text="", emotion="", agent="", tier="rule", verdict="TIMEOUT", why=why, rest_s=rest_s)
