"""Tiny encoders with fast tokenizers, made on the spot, and a text some of whose words are several pieces to them."""

import json
import logging
import random
import string
import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

# transformers looks for an optional package of this name, and would find the folder of this repository.
sys.modules.setdefault("kernels", None)

from transformers import BertConfig, BertModel, PreTrainedTokenizerFast, RobertaConfig, RobertaModel
from transformers.utils import logging as said

said.set_verbosity_error()
said.disable_progress_bar()
logging.getLogger("transformers").setLevel(logging.ERROR)

WORDS = (
    "the of and river bank water stone Harbour sailing walked slowly never cafés don't Tuesday unhappily".split()  # noqa: SIM905
)
PIECES = "the of and river bank water stone harbour sail walk never un ' Harbour Tue The"
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SIZES = {"hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 20}


def texts(documents=14, length=9, seed=0):
    """Documents of words by a law like Zipf's, the last one empty but for a sign."""
    draw = random.Random(seed)
    weights = [1 / (k + 1) for k in range(len(WORDS))]
    found = [" ".join(draw.choices(WORDS, weights, k=length + n)).capitalize() + "." for n in range(documents)]
    return [*found[:5], "", *found[5:], "?"]


def word_pieces(*, lowercase=True):
    """A tokenizer as BERT's: what ends a word is ``##s``, and so on."""
    signs = [*string.ascii_letters, ".", "?"]
    inner = [f"##{end}" for end in ("ing", "ed", "ly", "happi", *string.ascii_lowercase)]
    vocabulary = {piece: k for k, piece in enumerate(dict.fromkeys([*SPECIAL, *PIECES.split(), *signs, *inner]))}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=lowercase, strip_accents=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    return PreTrainedTokenizerFast(
        tokenizer_object=made, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]"
    )


def bytes_in_pairs():
    """A tokenizer as RoBERTa's: every byte is a token, a blank that of the word behind it, and some pairs are one."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    merges = [("t", "h"), ("Ġ", "th"), ("r", "i"), ("Ġ", "b"), ("Ġb", "a")]
    tokens = [*special, *alphabet, *("".join(pair) for pair in merges)]
    made = Tokenizer(models.BPE({token: k for k, token in enumerate(tokens)}, merges))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
    made.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), add_prefix_space=False)
    return PreTrainedTokenizerFast(
        tokenizer_object=made, unk_token="<unk>", pad_token="<pad>", bos_token="<s>", eos_token="</s>",
        cls_token="<s>", sep_token="</s>"
    )  # fmt: skip


def save(folder, *, seed=0, limit=64, kind="bert", tokenizer=None, change=None, layers=2):
    """Write a folder with a tiny model; ``change`` gets it before."""
    tokenizer = tokenizer or (bytes_in_pairs() if kind == "roberta" else word_pieces())
    torch.manual_seed(seed)
    sizes = SIZES | {"num_hidden_layers": layers}
    if kind == "roberta":
        positions = {"max_position_embeddings": limit + 2, "pad_token_id": 1}
        model = RobertaModel(RobertaConfig(vocab_size=len(tokenizer), initializer_range=0.5, **positions, **sizes))
    else:
        settings = {"max_position_embeddings": limit, "initializer_range": 0.5, **sizes}
        model = BertModel(BertConfig(vocab_size=len(tokenizer), **settings))
    if change:
        with torch.no_grad():
            change(model, tokenizer)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    file = Path(folder) / "tokenizer_config.json"  # newer transformers read the sides from there, and write none
    sides = {name: getattr(tokenizer, name) for name in ("padding_side", "truncation_side")}
    file.write_text(json.dumps(json.loads(file.read_text()) | sides))
    return folder


def turned(model, _):
    """Turn the space of a BERT: its coordinates in another order, which is what its norms allow of rotations."""
    order = torch.randperm(model.config.hidden_size, generator=torch.Generator().manual_seed(5))
    inner = ("query", "key", "value")
    for name, weights in model.named_parameters():
        module = name.split(".")[-2]
        if "embeddings" in name and weights.ndim == 2:
            weights.copy_(weights[:, order])
        elif module == "LayerNorm" or (weights.ndim == 1 and name.endswith("output.dense.bias")):
            weights.copy_(weights[order])
        elif (module in inner and weights.ndim == 2) or name.endswith("intermediate.dense.weight"):
            weights.copy_(weights[:, order])
        elif name.endswith("output.dense.weight"):
            weights.copy_(weights[order])
