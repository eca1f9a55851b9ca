"""Tiny checkpoints as Hugging Face's libraries write them, with random weights."""

import logging
import sys
from functools import cache

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

# transformers looks for an optional package of this name, and would find the folder of this repository.
sys.modules.setdefault("kernels", None)

from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertModel,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    OPTConfig,
    OPTModel,
    RobertaConfig,
    RobertaModel,
    T5Config,
    T5ForConditionalGeneration,
)
from transformers.utils import logging as said

TEXTS = ["the naïve cat sat on the mat", "the café is on the corner", "a cat and a dog"]
ROWS = 320  # more than there are tokens

said.set_verbosity_error()
said.disable_progress_bar()
logging.getLogger("transformers").setLevel(logging.ERROR)

_SMALL = {"hidden_size": 8, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
MODELS = {
    "gpt2": lambda: GPT2LMHeadModel(
        GPT2Config(
            vocab_size=ROWS,
            n_embd=8,
            n_layer=2,
            n_head=2,
            n_positions=32,
            bos_token_id=0,
            eos_token_id=0,
            pad_token_id=0,
        )
    ),
    "bert": lambda: BertModel(BertConfig(vocab_size=ROWS, max_position_embeddings=32, **_SMALL)),
    "bert-lm": lambda: BertForMaskedLM(BertConfig(vocab_size=ROWS, max_position_embeddings=32, **_SMALL)),
    "t5": lambda: T5ForConditionalGeneration(
        T5Config(vocab_size=ROWS, d_model=8, d_kv=4, d_ff=16, num_layers=1, num_heads=2)
    ),
    "roberta": lambda: RobertaModel(RobertaConfig(vocab_size=ROWS, max_position_embeddings=34, **_SMALL)),
    "opt": lambda: OPTModel(
        OPTConfig(
            vocab_size=ROWS,
            hidden_size=8,
            word_embed_proj_dim=8,
            ffn_dim=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=32,
        )
    ),
    "llama": lambda: LlamaForCausalLM(LlamaConfig(vocab_size=ROWS, **_SMALL)),
}


def model(kind, seed=0):
    torch.manual_seed(seed)
    return MODELS[kind]().eval()


@cache
def byte_level():
    """A tokenizer as GPT-2's."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=300,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    made.train_from_iterator(TEXTS, trainer)
    return made


@cache  # training has no order among equals
def word_pieces():
    """A tokenizer as BERT's."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    special = ["[PAD]", "[UNK]"]
    made.train_from_iterator(
        TEXTS, trainers.WordPieceTrainer(vocab_size=60, special_tokens=special, show_progress=False)
    )
    return made


@cache
def unigram():
    """A tokenizer as T5's."""
    made = Tokenizer(models.Unigram([("<pad>", 0.0), ("▁the", -1.0), ("▁cat", -2.0), ("s", -3.0)]))
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    return made


def checkpoint(folder, kind="gpt2", tokenizer=byte_level, seed=0, **how):
    """Write a checkpoint and return its model."""
    made = model(kind, seed)
    made.save_pretrained(folder, **how)
    if tokenizer:
        tokenizer().save(str(folder / "tokenizer.json"))
    return made
