"""Folders of sentence-transformers: another pooling is another model."""

import json

import pytest
import torch
from safetensors.torch import save_file

from gpustab import InputError, encode, load_runs, stability
from gpustab.formats.checkpoints.encoder import SentenceEncoder
from gpustab.formats.checkpoints.windows import layer_means_of, states_of, vectors_of, windows_of
from tests.formats.checkpoints import tiny

TEXTS = ["the cat", "a dog sat on the mat", "the corner", "cat", "dog and cat and mat", "the the the", "on"]
LIBRARY = "sentence_transformers.models"


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A folder of transformers alone, and its states of every text, ``(t, d)`` float64."""
    from transformers import PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("plain")
    model = tiny.model("bert")
    model.save_pretrained(folder)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=tiny.word_pieces(), pad_token="[PAD]", unk_token="[UNK]")
    tokenizer.save_pretrained(folder)

    def states(texts):
        with torch.no_grad():
            return [model(**tokenizer(t, return_tensors="pt")).last_hidden_state[0].double() for t in texts]

    return folder, states


@pytest.fixture
def write(plain, tmp_path):
    """Write a folder as sentence-transformers does, with what stands in its files."""

    def written(pooling, *after, name="model", first="Transformer", **files):
        folder = tmp_path / name
        inner = folder / "0_Transformer"
        inner.mkdir(parents=True)
        for file in plain[0].iterdir():
            (inner / file.name).symlink_to(file)
        modules = [
            ("0_Transformer", first),
            ("1_Pooling", "Pooling"),
            *[(f"{k}_{m}", m) for k, (m, _) in enumerate(after, 2)],
        ]
        listed = [
            {"idx": k, "name": str(k), "path": path, "type": kind if "." in kind else f"{LIBRARY}.{kind}"}
            for k, (path, kind) in enumerate(modules)
        ]
        (folder / "modules.json").write_text(json.dumps(listed))
        for (path, _), config in zip(modules[1:], [pooling, *[config for _, config in after]], strict=True):
            (folder / path).mkdir()
            tensors = config.pop("tensors", None)
            (folder / path / "config.json").write_text(json.dumps(config))
            if tensors:
                save_file(tensors, folder / path / "model.safetensors")
        for file, content in files.items():
            place = folder if file.startswith("config") else inner
            (place / f"{file}.json").write_text(json.dumps(content))
        return folder

    return written


def modes(**on):
    names = ["cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken"]
    return {"word_embedding_dimension": 8} | {f"pooling_mode_{name}": bool(on.get(name)) for name in names}


def by_position(states):
    k = torch.arange(1, len(states) + 1, dtype=torch.float64)
    return (states * k[:, None]).sum(0) / k.sum()


POOLED = {
    "mean": (modes(mean_tokens=1), lambda s: s.mean(0)),
    "cls": (modes(cls_token=1), lambda s: s[0]),
    "max": (modes(max_tokens=1), lambda s: s.max(0).values),
    "sqrt": (modes(mean_sqrt_len_tokens=1), lambda s: s.sum(0) / len(s) ** 0.5),
    "weighted": (modes(weightedmean_tokens=1), by_position),
    "last": (modes(lasttoken=1), lambda s: s[-1]),
    "two": (modes(mean_tokens=1, cls_token=1), lambda s: torch.cat([s[0], s.mean(0)])),
    "last, by the newer file": ({"embedding_dimension": 8, "pooling_mode": "lasttoken"}, lambda s: s[-1]),
    "two, in the order of the newer file": (
        {"embedding_dimension": 8, "pooling_mode": ["mean", "cls"]},
        lambda s: torch.cat([s.mean(0), s[0]]),
    ),
}


@pytest.mark.parametrize("kind", POOLED)
def test_tokens_are_pooled_as_the_folder_says(kind, write, plain):
    pooling, pool = POOLED[kind]
    space = encode(write(dict(pooling)), TEXTS)
    wanted = torch.stack([pool(states) for states in plain[1](TEXTS)])
    torch.testing.assert_close(space.vectors.double(), wanted, atol=1e-6, rtol=1e-5)
    assert "The folder's own modules were taken: pooling by" in space.report.notes[0]


def test_what_follows_the_pooling_is_computed(write, plain):
    torch.manual_seed(3)
    layer = {"linear.weight": torch.randn(5, 8), "linear.bias": torch.randn(5)}
    dense = {"in_features": 8, "out_features": 5, "activation_function": "torch.nn.modules.activation.Tanh"}
    folder = write(
        modes(mean_tokens=1), ("Dense", dense | {"tensors": layer}), ("Dropout", {"dropout": 0.1}), ("Normalize", {})
    )
    means = torch.stack([states.mean(0) for states in plain[1](TEXTS)])
    wanted = torch.tanh(
        torch.nn.functional.linear(means, layer["linear.weight"].double(), layer["linear.bias"].double())
    )
    wanted /= wanted.norm(dim=1, keepdim=True)
    space = encode(folder, TEXTS)
    torch.testing.assert_close(space.vectors.double(), wanted, atol=1e-6, rtol=1e-5)
    assert "pooling by mean, a layer of 5, no dropout, length 1" in space.report.notes[0]


def test_a_copy_of_another_pooling_is_another_run(write):
    folders = [write(modes(**{kind: 1}), name=kind) for kind in ("mean_tokens", "cls_token")]
    runs = load_runs([encode(folder, TEXTS, name=folder.name) for folder in folders])
    assert stability(runs, neighbours=[2]).groups[0]["pip"]["reduced"]["mean"] > 0.01


def test_prompts_lengths_and_letter_case_are_those_of_the_folder(write, plain):
    folder = write(
        modes(mean_tokens=1),
        sentence_bert_config={"max_seq_length": 4, "do_lower_case": True},
        config_sentence_transformers={"prompts": {"query": "A dog ", "passage": ""}, "default_prompt_name": "query"},
    )
    space = encode(folder, ["The CAT", "cat on the mat", "cat on the corner"])
    states = plain[1](["a dog the cat", "a dog cat on", "a dog cat on"])
    wanted = torch.stack([one[:4].mean(0) for one in states])
    torch.testing.assert_close(space.vectors.double(), wanted, atol=1e-6, rtol=1e-5)
    _own, prompt, cut, same = space.report.notes
    assert prompt == "The folder's prompt 'A dog ' was put before every text."
    assert cut.startswith("2 of 3 texts were cut at 4 tokens: 'a dog cat on the mat'")
    assert same.startswith("1 of 3 texts have the tokens of another one")


def test_prompts_that_nobody_chose_are_said(write):
    prompts = {"prompts": {"query": "query: ", "passage": "passage: "}, "default_prompt_name": None}
    notes = encode(write(modes(mean_tokens=1), config_sentence_transformers=prompts), TEXTS).report.notes
    assert "The folder's prompts (query, passage) were put before no text: none of them is its default." in notes


def test_a_folder_that_does_not_say_how_is_pooled_by_means_and_said(plain):
    space = encode(str(plain[0]), TEXTS)
    wanted = torch.stack([states.mean(0) for states in plain[1](TEXTS)])
    torch.testing.assert_close(space.vectors.double(), wanted, atol=1e-6, rtol=1e-5)
    assert space.report.notes == ("The folder does not say how tokens are pooled: their means were taken.",)


def test_the_default_device_of_a_program_changes_nothing(write):
    folder = write(modes(mean_tokens=1))
    wanted = encode(folder, TEXTS).vectors
    with torch.device("meta"):
        assert torch.equal(encode(folder, TEXTS).vectors, wanted)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda w: w(modes(mean_tokens=1), ("LSTM", {})), "a module LSTM, which gpustab does not compute"),
        (lambda w: w(modes(mean_tokens=1), ("Dense", {"use_residual": True})), "a residual layer"),
        (lambda w: w(modes(mean_tokens=1), ("Dense", {"activation_function": "mine.Act"})), "an activation mine.Act"),
        (lambda w: w(modes(mean_tokens=1), ("Normalize", {"module_input_name": "x"})), "a module of .* and x"),
        (lambda w: w({"pooling_mode_attention": True}), "a pooling of pooling_mode_attention"),
        (lambda w: w({"pooling_mode": "median"}), "a pooling of median"),
        (lambda w: w({}), "a pooling without config.json"),
        (lambda w: w(modes(mean_tokens=1), first="custom_st.Transformer"), "modules custom_st.Transformer, Pooling"),
        (lambda w: w(modes(mean_tokens=1), first="WordEmbeddings"), "modules WordEmbeddings, Pooling"),
        (
            lambda w: w(
                modes(mean_tokens=1) | {"include_prompt": False},
                config_sentence_transformers={"prompts": {"q": "x "}, "default_prompt_name": "q"},
            ),
            "a pooling of all tokens but those of the prompt 'x '",
        ),
        (
            lambda w: w(modes(mean_tokens=1), sentence_bert_config={"transformer_task": "fill-mask"}),
            "a transformer for fill-mask",
        ),
    ],
)
def test_what_is_not_computed_is_refused_by_name_with_the_way(make, message, write):
    folder = make(write)
    with pytest.raises(InputError, match=message) as error:
        encode(folder, TEXTS)
    assert str(error.value).endswith("gpustab.encode(sentence_transformers.SentenceTransformer(FOLDER), texts)")


def test_the_inner_folder_alone_is_refused_as_its_pooling_stands_above(write):
    folder = write(modes(cls_token=1))
    with pytest.raises(InputError, match=rf"how its tokens are pooled stands in .*; give {folder}"):
        encode(folder / "0_Transformer", TEXTS)
    encode(folder, TEXTS)  # the advice


READERS = {
    "texts": lambda encoder: encoder.encode(TEXTS),
    "states": lambda encoder: list(states_of(encoder, windows_of(encoder, TEXTS), 1)),
    "layers": lambda encoder: list(layer_means_of(encoder, windows_of(encoder, TEXTS))),
    "vectors": lambda encoder: list(vectors_of(encoder, windows_of(encoder, TEXTS))),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(("precision", "library"), [(torch.float32, False), (torch.bfloat16, True)])
def test_single_precision_runs_without_what_keeps_every_shape(reader, precision, library, plain):
    encoder = SentenceEncoder(plain[0])
    encoder.model.to(precision)
    seen = []
    encoder.model.register_forward_hook(lambda *_: seen.append(torch.backends.mkldnn.enabled))
    READERS[reader](encoder)
    assert set(seen) == {library}
    assert torch.backends.mkldnn.enabled


def test_a_model_that_fails_leaves_the_library_as_it_was(plain):
    encoder = SentenceEncoder(plain[0])
    encoder.model.register_forward_hook(lambda *_: [][1])
    with pytest.raises(IndexError):
        encoder.encode(TEXTS)
    assert torch.backends.mkldnn.enabled


def test_folders_that_are_none(tmp_path, write):
    with pytest.raises(InputError, match=r"holds no encoder: there is no config\.json"):
        encode(tmp_path, TEXTS)
    folder = write(modes(mean_tokens=1))
    (folder / "modules.json").write_text('{"a": 1}')
    with pytest.raises(InputError, match=r"modules\.json: this is not a list of modules with their types and paths"):
        encode(folder, TEXTS)


def test_the_encoder_of_a_model_with_a_decoder_is_taken(tmp_path):
    from transformers import PreTrainedTokenizerFast

    model = tiny.checkpoint(tmp_path, "t5", tokenizer=None)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=tiny.word_pieces(), pad_token="[PAD]", unk_token="[UNK]")
    tokenizer.save_pretrained(tmp_path)
    with torch.no_grad():
        states = model.encoder(**tokenizer("the cat", return_tensors="pt")).last_hidden_state[0]
    torch.testing.assert_close(encode(tmp_path, ["the cat"]).vectors[0], states.mean(0), atol=1e-6, rtol=1e-5)
