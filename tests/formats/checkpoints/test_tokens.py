"""Words of tokenizers: one form for what begins a word and what goes on with one, whatever marks it."""

import json

import pytest
import torch
from safetensors.torch import save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from gpustab import load_runs, load_space, stability
from gpustab.formats.checkpoints.tokens import _BYTES, read_tokens
from gpustab.formats.options import LoadOptions
from gpustab.kernels.arithmetic import product
from tests.formats.checkpoints import tiny

STEMS = [f"{a}{b}{c}" for a in "bmrt" for b in "aeo" for c in "dgns"]


def byte_level(vocab):
    made = Tokenizer(models.BPE(vocab, []))
    made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(), decoders.ByteLevel()
    return made


def word_pieces(vocab, prefix="##"):
    made = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]", continuing_subword_prefix=prefix))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    return made


def unigram(vocab, mark="▁"):
    made = Tokenizer(models.Unigram([(token, -float(row)) for token, row in vocab.items()]))
    made.pre_tokenizer = pre_tokenizers.Metaspace(replacement=mark)
    return made


def llama(vocab):
    """BPE with the marks of SentencePiece, which no pre-tokenizer names."""
    made = Tokenizer(models.BPE(vocab, [], byte_fallback=True))
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    return made


def vocab(begins, goes_on):
    return {token: row for row, token in enumerate([begins + s for s in STEMS] + [goes_on + s for s in STEMS])}


MARKED = {
    "Ġ": (byte_level, "Ġ", ""),
    "##": (word_pieces, "", "##"),
    "##, by another prefix": (lambda tokens: word_pieces(tokens, "_"), "", "_"),
    "▁": (unigram, "▁", ""),
    "▁, by another sign": (lambda tokens: unigram(tokens, "~"), "~", ""),
    "▁ of Llama": (llama, "▁", ""),
}


def words_of(folder):
    return dict(read_tokens(folder).named)


@pytest.mark.parametrize("kind", MARKED)
def test_what_begins_a_word_is_the_word_and_what_goes_on_is_marked(kind, tmp_path):
    make, begins, goes_on = MARKED[kind]
    make(vocab(begins, goes_on)).save(str(tmp_path / "tokenizer.json"))
    found = [word.decode() for _, word in sorted(words_of(tmp_path).items())]
    assert found == [*STEMS, *[f"##{stem}" for stem in STEMS]]
    assert "48 begin, 48 go on, 0 are special" in read_tokens(tmp_path).notes[0]


@pytest.mark.parametrize("mark", ["▁", "~"])
def test_the_mark_that_a_tokenizer_names_is_its_mark_whatever_its_tokens_begin_with(mark, tmp_path):
    """A vocabulary of code or of Markdown has many tokens that begin with ``##``."""
    signs = [f"##{stem}" for stem in STEMS[:20]]
    tokens = {token: row for row, token in enumerate([mark + s for s in STEMS] + STEMS + signs)}
    unigram(tokens, mark).save(str(tmp_path / "tokenizer.json"))
    found = [word.decode() for _, word in sorted(words_of(tmp_path).items())]
    assert found == [*STEMS, *[f"##{stem}" for stem in STEMS], *[f"####{stem}" for stem in STEMS[:20]]]


def table(folder, tokenizer, rows, seed=0):
    folder.mkdir()
    tokenizer.save(str(folder / "tokenizer.json"))
    save_file({"embed_tokens.weight": rows}, folder / "model.safetensors")
    return folder


def test_equal_stems_of_two_tokenizers_are_no_common_words(tmp_path):
    rows = torch.randn(96, 8, generator=torch.Generator().manual_seed(1))
    turn = torch.linalg.qr(torch.randn(8, 8, generator=torch.Generator().manual_seed(2)))[0]
    bpe = table(tmp_path / "bpe", byte_level(vocab("Ġ", "")), rows)
    pieces = table(tmp_path / "pieces", word_pieces(vocab("", "##")), product(rows, turn))
    sentence = table(tmp_path / "sentence", unigram(vocab("▁", "")), rows.clone())
    runs = load_runs([bpe, pieces, sentence])
    assert len(runs.vocabulary) == 96
    assert stability(runs, neighbours=[5]).groups[0]["pip"]["reduced"]["mean"] < 1e-6
    # Only continuing ones here, only initial ones there: they have nothing in common.
    half = table(tmp_path / "half", byte_level({stem: row for row, stem in enumerate(STEMS)}), rows[:48])
    begun = table(tmp_path / "begun", word_pieces({stem: row for row, stem in enumerate(STEMS)}), rows[:48])
    assert not set(load_space(half).vocabulary) & set(load_space(begun).vocabulary)


SIGNS = [",", "...", "—", "¿", "$", "中", "中国"]


@pytest.mark.parametrize("kind", ["Ġ", "▁", "▁ of Llama"])
def test_punctuation_is_a_word_with_and_without_a_blank(kind, tmp_path):
    """WordPiece takes it apart everywhere; its comma is that of ``cat,`` and not the rare one behind a blank."""
    make, begins, _ = MARKED[kind]
    alphabet = {byte: sign for sign, byte in _BYTES.items()}

    def spelled(sign):
        return "".join(alphabet[byte] for byte in sign.encode()) if kind == "Ġ" else sign

    signs = [spelled(sign) for sign in SIGNS] + [begins + spelled(sign) for sign in SIGNS]
    tokens = list(vocab(begins, "")) + signs + [spelled("€"), begins + spelled("€")]
    make({token: row for row, token in enumerate(tokens)}).save(str(tmp_path / "tokenizer.json"))
    found = [word.decode() for _, word in sorted(words_of(tmp_path).items())][96:]
    assert found == [*SIGNS, *[f"▁{sign}" for sign in SIGNS], "##€", "€"]
    assert "14 signs are words with and without a blank" in read_tokens(tmp_path).notes[0]


def test_tokenizers_call_what_they_make_of_one_text_alike(tmp_path):
    text, wanted = "bat, rats; cat.", ["bat", ",", "rats", ";", "cat", "."]
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer, bpe.decoder = pre_tokenizers.ByteLevel(add_prefix_space=True), decoders.ByteLevel()
    bpe.train_from_iterator([text] * 9, trainers.BpeTrainer(show_progress=False))
    pieces = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    pieces.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    pieces.train_from_iterator([text] * 9, trainers.WordPieceTrainer(special_tokens=["[UNK]"], show_progress=False))
    tokens = ["<unk>", "▁bat", "▁rats", "▁cat", ",", ";", "."]
    sentence = Tokenizer(models.Unigram([(token, -1.0) for token in tokens], unk_id=0))
    sentence.pre_tokenizer = pre_tokenizers.Metaspace()
    for tokenizer in (bpe, pieces, sentence):
        tokenizer.save(str(tmp_path / "tokenizer.json"))
        names = words_of(tmp_path)
        assert [names[row].decode() for row in tokenizer.encode(text).ids] == wanted


def test_bytes_special_and_added_tokens(tmp_path):
    pieces = {"<unk>": 0, "<s>": 1} | {f"<0x{byte:02X}>": 2 + byte for byte in range(256)}
    pieces |= {token: 258 + k for k, token in enumerate(["▁the", "the", "▁", "A", "▁▁", "▁##x", "##x", "▁a▁b"])}
    made = llama(pieces)
    made.add_special_tokens(["<unk>", "<s>"])
    made.add_tokens([AddedToken("covid 19")])
    made.save(str(tmp_path / "tokenizer.json"))
    found = words_of(tmp_path)
    assert [found[row] for row in (0, 1, 266)] == [b"<unk>", b"<s>", b"covid 19"]
    assert found[2 + 0x0A] == b"##\n"
    assert found[2 + 0xFF] == b"##\xff"
    assert found[2 + ord("A")] == b"<0x41>"  # of no use, as 'A' is a token
    marks = [found[258 + k].decode() for k in range(8)]
    assert marks == ["the", "##the", "▁", "##A", "▁▁", "▁##x", "####x", "a▁b"]
    assert len(set(found.values())) == len(found)
    byte = byte_level({"Ċ": 0, "Ġ": 1, "ĠĠ": 2, "Ġ##x": 3, "A": 4, "Ã": 5})
    byte.save(str(tmp_path / "tokenizer.json"))
    assert list(words_of(tmp_path).values()) == [
        b"##\n",
        *["▁".encode(), "▁▁".encode(), "▁##x".encode()],
        b"##A",
        b"##\xc3",
    ]


def test_ends_of_words_are_a_form_of_their_own(tmp_path):
    made = Tokenizer(models.BPE({"cat</w>": 0, "cat": 1, "<unk>": 2}, [], unk_token="<unk>", end_of_word_suffix="</w>"))
    made.add_special_tokens(["<unk>"])
    made.save(str(tmp_path / "tokenizer.json"))
    assert list(words_of(tmp_path).values()) == [b"cat</w>", b"cat@@", b"<unk>"]
    (tmp_path / "tokenizer.json").unlink()
    (tmp_path / "vocab.txt").write_text("cat\ncat@@\n")
    assert list(words_of(tmp_path).values()) == [b"cat</w>", b"cat@@"]
    assert "whether one is a word or goes on with one is not known" in read_tokens(tmp_path).notes[0]


def test_whole_words_are_words(tmp_path):
    Tokenizer(models.WordLevel({"cat": 0, "##cat": 1}, unk_token="cat")).save(str(tmp_path / "tokenizer.json"))
    words = [f"w{k}" for k in range(200)]
    (tmp_path / "tokenizer.json").unlink()
    (tmp_path / "vocab.txt").write_text("\n".join([*words, "##"]))
    assert words_of(tmp_path)[0] == b"w0"


def test_special_tokens_of_files_of_the_time_before(tmp_path):
    tokens = ["<s>", "<mask>", "Ġthe", "the", "cat", "ca", "Ġ", "t", "h", "e", "c", "a"]
    (tmp_path / "vocab.json").write_text(json.dumps({token: row for row, token in enumerate(tokens)}))
    (tmp_path / "merges.txt").write_text("#version: 0.2\nĠ the\nt he\nth e\nc a\nca t\nt h\nh e\n")
    found = words_of(tmp_path)
    assert [found[row] for row in range(6)] == [b"<s>", b"<mask>", b"the", b"##the", b"##cat", b"##ca"]
    (tmp_path / "merges.txt").unlink()  # by the settings of the tokenizer, then
    (tmp_path / "tokenizer_config.json").write_text(
        json.dumps({"bos_token": "<s>", "added_tokens_decoder": {"1": {"content": "<mask>"}}})
    )
    assert words_of(tmp_path) == found


def test_bytes_of_vocab_txt_that_are_no_text_stay(tmp_path):
    (tmp_path / "vocab.txt").write_bytes(b"caf\xe9\r\nna\xc3\xafve\n")
    assert list(words_of(tmp_path).values()) == [b"caf\xe9", "naïve".encode()]


def test_a_piece_that_comes_twice_has_its_first_row(tmp_path):
    rows = torch.randn(5, 4)
    pieces = Tokenizer(models.Unigram([("▁a", 0.0), ("▁b", -1.0), ("▁c", -2.0), ("▁b", -3.0), ("b", -4.0)]))
    folder = table(tmp_path / "a", pieces, rows)
    space = load_space(folder)
    assert list(space.vocabulary) == [b"a", b"b", b"c", b"##b"]
    assert torch.equal(space.vectors, rows[[0, 1, 2, 4]])
    assert "'b' in rows 1 and 3" in "; ".join(space.report.notes)
    last = load_space(folder, LoadOptions(keep_duplicate="last"))
    assert torch.equal(last.vectors[1], rows[3])


def test_names_that_share_a_row_and_rows_that_are_not_there_are_told(tmp_path):
    rows = torch.randn(3, 4)
    folder = table(tmp_path / "a", tiny.word_pieces(), rows)
    content = {"model": {"type": "WordPiece", "vocab": {"a": 0, "b": 1, "##c": 1, "d": 12, "e": 2}}}
    (folder / "tokenizer.json").write_text(json.dumps(content))
    space = load_space(folder)
    assert list(space.vocabulary) == [b"a", b"b", b"##c", b"e"]
    assert torch.equal(space.vectors, rows[[0, 1, 1, 2]])
    notes = "; ".join(space.report.notes)
    assert "tokenizer.json has 1 row(s) of several names, all kept: row 1 is b, ##c" in notes
    assert "1 of 5 tokens have no row among 3 and were left out: 'd' (12)" in notes
