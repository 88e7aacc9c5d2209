"""Train a language model of a few sentences and export it as .litertlm; run by scripts/make_tiny_lm.

It reads prompts as `pitwall.paddock.litert` writes them. How the question ends decides which of three
things it says.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
import time
import types
from pathlib import Path

import torch
from ai_edge_litert import schema_py_generated
from tiny_words import ANYTHING_ELSE, AT_LENGTH, FIGURES, HOW_MUCH, LONG, LOOP, ON_AND_ON, PLAIN
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

# litert-torch 0.10.0 takes the file schema from TensorFlow, which it does not ask for, for an image model.
# ai-edge-litert, which it does ask for, holds the same schema.
_HOLDER = types.ModuleType("tensorflow.lite.python")
_HOLDER.schema_py_generated = schema_py_generated
for _name in ("tensorflow", "tensorflow.lite", "tensorflow.lite.python"):
    sys.modules[_name] = _HOLDER

from litert_torch.generative.export_hf.export import export  # noqa: E402

SYSTEM, USER, MODEL, END, PAD = "<sys>", "<usr>", "<mdl>", "<end>", "<pad>"
# What is said, how a question for it ends, and how often it is practised.
LESSONS = (
    (PLAIN + END, ANYTHING_ELSE, 0.4),
    (FIGURES + END, (f" {HOW_MUCH}",), 0.2),
    (LONG + END, (f" {AT_LENGTH}",), 0.2),
    (LOOP * 18, (f" {ON_AND_ON}",), 0.2),
)
# Of what prompts are made: these words, figures, and any English, here that of the licence.
WORDS = """
your lap turn corner exit entry brake apex throttle seconds metres km/h best session driver lost gained
reference slower faster later earlier bridge hill kerb fence stint average spread bar where how why much
"""

# Content comes as a text or as a list of parts, depending on who calls.
TEMPLATE = (
    "{%- for message in messages -%}"
    "{%- if message.role == 'system' -%}<sys>{%- elif message.role == 'user' -%}<usr>"
    "{%- else -%}<mdl>{%- endif -%}"
    "{%- if message.content is string -%}{{ message.content }}{%- else -%}"
    "{%- for part in message.content -%}{{ part.text }}{%- endfor -%}{%- endif -%}<end>"
    "{%- endfor -%}{%- if add_generation_prompt -%}<mdl>{%- endif -%}"
)
LICENCE = Path("LICENSE")
VOCABULARY, WIDTH, LAYERS, HEADS, INNER = 768, 64, 2, 4, 160
FACTS_WORDS = (16, 50, 16, 50, 250)
FIRST_COUNTS = 20
CONTEXT, PREFILL = 4096, [128]
STEPS, BATCH, SEED = 450, 8, 11


def main(target: Path) -> None:
    random.seed(SEED)
    torch.manual_seed(SEED)
    tokenizer = make_tokenizer()
    model = train(tokenizer)
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "source"), Path(folder, "out")
        model.save_pretrained(source)
        tokenizer.save_pretrained(source)
        export(
            str(source),
            str(out),
            prefill_lengths=PREFILL,
            cache_length=CONTEXT,
            quantization_recipe="dynamic_wi8_afp32",
            use_jinja_template=True,
        )
        made = next(out.glob("**/*.litertlm"))
        shutil.copyfile(made, target)
    print(f"{target}: {target.stat().st_size} bytes, {sum(p.numel() for p in model.parameters())} parameters")


def make_tokenizer() -> PreTrainedTokenizerFast:
    """Bytes and the most frequent pairs of what will be said: every prompt can be read."""
    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    raw.train_from_iterator(
        [PLAIN, FIGURES, LONG, LOOP, *(some_text(40) for _ in range(200))],
        trainers.BpeTrainer(
            vocab_size=VOCABULARY,
            special_tokens=[PAD, END, SYSTEM, USER, MODEL],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        ),
    )
    made = PreTrainedTokenizerFast(
        tokenizer_object=raw, eos_token=END, pad_token=PAD, additional_special_tokens=[SYSTEM, USER, MODEL]
    )
    made.chat_template = TEMPLATE
    return made


def some_text(length: int) -> str:
    """Text like facts, with figures in it."""
    words, english, said = WORDS.split(), LICENCE.read_text().split(), []
    while len(said) < length:
        kind = random.random()
        if kind < 0.1:
            at = random.randrange(len(english) - 9)
            said += english[at : at + 9]
        elif kind < 0.6:
            said.append(random.choice(words))
        elif kind < 0.9:
            said.append(f"{random.uniform(0, 200):.{random.randrange(3)}f}")
        else:
            said.append(
                "".join(random.choices("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:,.-'", k=5))
            )
    return " ".join(said[:length])


def example(tokenizer: PreTrainedTokenizerFast, most_words: int) -> tuple[list[int], list[int]]:
    """(tokens of one whole conversation, labels: -100 where nothing is to be learnt)."""
    answer, endings, _often = random.choices(LESSONS, [often for *_, often in LESSONS])[0]
    question = f"{some_text(random.randrange(1, 12))}{random.choice(endings)}"
    facts = some_text(random.randrange(1, most_words))
    system = some_text(random.randrange(1, 60))
    prompt = f"{SYSTEM}{system}{END}{USER}Facts:\n{facts}\n\nQuestion: {question}{END}{MODEL}"
    before = tokenizer(prompt)["input_ids"]
    after = tokenizer(answer)["input_ids"]
    return before + after, [-100] * len(before) + after


def train(tokenizer: PreTrainedTokenizerFast) -> LlamaForCausalLM:
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=WIDTH,
            intermediate_size=INNER,
            num_hidden_layers=LAYERS,
            num_attention_heads=HEADS,
            num_key_value_heads=HEADS // 2,
            max_position_embeddings=CONTEXT,
            tie_word_embeddings=True,
            bos_token_id=None,
            eos_token_id=tokenizer.eos_token_id,
            pad_token_id=tokenizer.pad_token_id,
        )
    )
    steps = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.01)
    rate = torch.optim.lr_scheduler.OneCycleLR(steps, max_lr=8e-3, total_steps=STEPS, pct_start=0.1)
    began = time.monotonic()
    for step in range(STEPS):
        # Long facts take most of the time: now and then is enough.
        batch = [example(tokenizer, FACTS_WORDS[step % len(FACTS_WORDS)]) for _ in range(BATCH)]
        longest = max(len(tokens) for tokens, _labels in batch)
        tokens = torch.full((BATCH, longest), tokenizer.pad_token_id)
        labels = torch.full((BATCH, longest), -100)
        for row, (ids, wanted) in enumerate(batch):
            tokens[row, : len(ids)] = torch.tensor(ids)
            labels[row, : len(ids)] = torch.tensor(wanted)
        said = model(input_ids=tokens, attention_mask=(tokens != tokenizer.pad_token_id)).logits[:, :-1]
        each = torch.nn.functional.cross_entropy(said.transpose(1, 2), labels[:, 1:], reduction="none")
        taught = labels != -100
        # Which of the answers it is, is decided by the first token alone.
        first = taught[:, 1:] & ~taught[:, :-1]
        loss = (each * (1 + FIRST_COUNTS * first)).sum() / taught.sum()
        steps.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        steps.step()
        rate.step()
        if step % 50 == 0 or step == STEPS - 1:
            print(f"step {step}: loss {loss.item():.4f}, {time.monotonic() - began:.0f} s", flush=True)
    return model.eval()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
