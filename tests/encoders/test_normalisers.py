"""What becomes of capitals and umlauts: what the files of a folder say, whichever of them say it."""

import json
from importlib.util import find_spec

import pytest

from gpustab.errors import InputError

pytestmark = pytest.mark.skipif(find_spec("transformers") is None, reason="needs the extra encoders")

TEXT = "Der SCHÖNE für Schöne"
TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "Der", "der", "SCHÖNE", "Schöne", "schöne", "schone", "für"]
TOKENS += ["fur", "Schone", "SCHONE"]

CASED = ["Der", "SCHÖNE", "für", "Schöne"]
UMLAUTS = ["der", "schöne", "für", "schöne"]
BARE = ["der", "schone", "fur", "schone"]
LOWER, KEPT = {"lowercase": True, "strip_accents": None}, {"lowercase": True, "strip_accents": False}
CAPITALS = {"lowercase": False, "strip_accents": False}


def tokens_of(folder, *, normaliser=None, config=None, text=TEXT):
    """Make a folder with tokenizer.json by a normaliser, or else vocab.txt, and return what gpustab reads there."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    from gpustab.formats.checkpoints.encoder import SentenceEncoder
    from tests.encoders.tiny import SIZES, BertConfig, BertModel

    BertModel(BertConfig(vocab_size=len(TOKENS), **SIZES)).save_pretrained(folder)
    if normaliser is None:
        (folder / "vocab.txt").write_text("\n".join(TOKENS) + "\n", encoding="utf-8")
    else:
        made = Tokenizer(models.WordPiece({token: k for k, token in enumerate(TOKENS)}, unk_token="[UNK]"))
        made.normalizer = normalizers.BertNormalizer(**normaliser) if isinstance(normaliser, dict) else normaliser
        made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        made.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
        made.save(str(folder / "tokenizer.json"))
    if config is not None:
        (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer"} | config))
    return SentenceEncoder(folder).tokenizer.tokenize(text)


@pytest.mark.parametrize(
    ("config", "wanted"),
    [
        (None, BARE),
        ({"do_lower_case": False}, CASED),
        ({"do_lower_case": True}, BARE),
        ({"do_lower_case": True, "strip_accents": False}, UMLAUTS),
        ({"do_lower_case": False, "strip_accents": True}, ["Der", "SCHONE", "fur", "Schone"]),
    ],
)
def test_a_list_of_tokens_alone_is_read_as_the_configuration_says(tmp_path, config, wanted):
    assert tokens_of(tmp_path, config=config) == wanted


@pytest.mark.parametrize("normaliser", [LOWER, KEPT, CAPITALS], ids=["bare", "umlauts", "cased"])
@pytest.mark.parametrize("config", [None, {}, {"strip_accents": None}], ids=["no file", "silent", "open"])
def test_what_the_configuration_leaves_open_is_as_in_the_tokenizer(tmp_path, normaliser, config):
    wanted = {str(LOWER): BARE, str(KEPT): UMLAUTS, str(CAPITALS): CASED}[str(normaliser)]
    assert tokens_of(tmp_path, normaliser=normaliser, config=config) == wanted


def test_umlauts_stay_where_the_configuration_speaks_of_small_letters_alone(tmp_path):
    assert tokens_of(tmp_path, normaliser=KEPT, config={"do_lower_case": True}) == UMLAUTS


def test_a_normaliser_of_ones_own_stays(tmp_path):
    from tokenizers import normalizers

    long_s = normalizers.Sequence([normalizers.Replace("ſ", "s"), normalizers.Lowercase()])
    assert tokens_of(tmp_path, normaliser=long_s, config={"do_lower_case": True}, text="ſchöne") == ["schöne"]


@pytest.mark.parametrize(
    ("normaliser", "config", "said"),
    [
        (CAPITALS, {"do_lower_case": True}, "do_lower_case is true in .*, lowercase false in"),
        (LOWER, {"do_lower_case": False}, "do_lower_case is false in .*, lowercase true in"),
        (LOWER, {"do_lower_case": True, "strip_accents": False}, "strip_accents is false in .*, strip_accents true in"),
        (KEPT, {"strip_accents": True}, "strip_accents is true in .*, strip_accents false in"),
    ],
)
def test_files_that_say_different_things_are_refused(tmp_path, normaliser, config, said):
    with pytest.raises(InputError, match=said):
        tokens_of(tmp_path, normaliser=normaliser, config=config)


def test_accents_that_go_with_capitals_are_no_difference(tmp_path):
    assert tokens_of(tmp_path, normaliser=LOWER, config={"do_lower_case": True, "strip_accents": True}) == BARE
