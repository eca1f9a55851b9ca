"""Pickles that are out for harm, and what a harmless one says."""

import io
import os
import pickle
import struct
import tracemalloc

import numpy as np
import pytest

from gpustab.errors import InputError
from gpustab.formats.gensim.described import Described, Global, array_of, attributes_of, pairs_of
from gpustab.formats.gensim.safe_pickle import describe_pickle

COMMAND = "echo > {}"


def refusal(content):
    with pytest.raises(InputError) as caught:
        describe_pickle(content)
    return str(caught.value)


def text(value):
    data = value.encode()
    return b"X" + struct.pack("<I", len(data)) + data


def attacks(command):
    """Pickles that run a command when Python reads them, and what each has to name."""
    call = text(command) + b"\x85R"
    return {
        "REDUCE": (b"\x80\x02cos\nsystem\n" + call + b".", "os.system"),
        "posix": (b"\x80\x02cposix\nsystem\n" + call + b".", "posix.system"),
        "STACK_GLOBAL": (b"\x80\x04" + text("os") + text("system") + b"\x93" + call + b".", "os.system"),
        "eval": (
            b"\x80\x02cbuiltins\neval\n" + text(f"__import__('os').system({command!r})") + b"\x85R.",
            "builtins.eval",
        ),
        "Python 2's": (b"\x80\x02c__builtin__\neval\n" + text("1") + b"\x85R.", "__builtin__.eval"),
        "getattr": (b"\x80\x02cbuiltins\ngetattr\ncos\nsystem\n\x86R.", "builtins.getattr"),
        "dotted name": (b"\x80\x04" + text("numpy") + text("ndarray.tofile") + b"\x93.", "numpy.ndarray.tofile"),
        "numpy's own": (b"\x80\x02cnumpy\nload\n" + call + b".", "numpy.load"),
        "numpy's runner": (
            b"\x80\x02cnumpy.testing._private.utils\nrunstring\n" + text(command) + b"}\x86R.",
            "runstring",
        ),
        "like a package": (b"\x80\x02cgensimx.utils\nx\n.", "gensimx.utils.x"),
        "object array": (pickle.dumps(np.array([Payload(command)], dtype=object), 4), "system"),
        "old instance": (b"\x80\x02(" + text(command) + b"ios\nsystem\n.", "INST"),
        "OBJ": (b"\x80\x02(cnumpy\nndarray\n" + text(command) + b"o.", "OBJ"),
        "extension": (b"\x80\x02\x82\x01.", "EXT1"),
        "extension of 4 bytes": (b"\x80\x02\x84\x01\x00\x00\x00.", "EXT4"),
        "persistent id": (b"\x80\x02Pos.system\n.", "PERSID"),
        "binary persistent id": (b"\x80\x02" + text("x") + b"Q.", "BINPERSID"),
        "buffer": (b"\x80\x05\x97.", "NEXT_BUFFER"),
        "unknown step": (b"\x80\x02\xff.", "the byte 0xff at byte 2"),
    }


class Payload:
    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


@pytest.mark.parametrize("kind", attacks(""))
def test_nothing_runs_and_the_culprit_is_named(tmp_path, kind):
    sentinel = tmp_path / "ran"
    content, culprit = attacks(COMMAND.format(sentinel))[kind]
    message = refusal(content)
    assert culprit in message
    assert "not opened" in message
    assert not sentinel.exists()


def test_known_names_are_not_called_either(tmp_path):
    """A call of something that is let through stays a description, whatever it is given and set to."""
    content = (
        b"\x80\x02cgensim.models.keyedvectors\nKeyedVectors\n)\x81"
        b"}(" + text("__class__") + b"cnumpy\nndarray\n" + text("__setstate__") + b"cbuiltins\nhash\nub."
    )
    described, names = describe_pickle(content)
    assert type(described) is Described
    assert type(attributes_of(described)["__setstate__"]) is Global
    assert [str(name) for name in names] == [
        "gensim.models.keyedvectors.KeyedVectors",
        "numpy.ndarray",
        "builtins.hash",
    ]
    weird = [b"K\x05", text("x"), b"]", b"(K\x01K\x02t", b"cnumpy\nndarray\n", b"}K\x01K\x02s"]
    for state in weird:
        described, _ = describe_pickle(b"\x80\x02cgensim.utils\nX\n)R" + state + b"b.")
        assert attributes_of(described) == {}
        assert array_of(described) is None


@pytest.mark.parametrize(
    "content", [b"(lp0\n2.", b"\x80\x00N.", b"\x80\x01N.", b"\x80\x06N.", b"", b"\x80", b"\x80\x04"]
)
def test_other_protocols_and_stumps(content):
    assert refusal(content)


BOMBS = {
    "memo": b"\x80\x02Nr\xff\xff\xff\xff.",
    "bytes": b"\x80\x04\x8e" + struct.pack("<Q", 1 << 40) + b".",
    "bytearray": b"\x80\x05\x96" + struct.pack("<Q", 1 << 40) + b".",
    "text": b"\x80\x04\x8d" + struct.pack("<Q", (1 << 64) - 1) + b".",
    "frame": b"\x80\x04\x95" + struct.pack("<Q", 1 << 62) + b"N.",
    "long": b"\x80\x02\x8b\xff\xff\xff\x7f.",
    "decimals": b"\x80\x02I" + b"9" * 100_000 + b"\n.",
    "called bytearray": b"\x80\x02cbuiltins\nbytearray\n\x8a\x05\x00\x00\x00\x00\x01\x85R.",
    "array": b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n\x8a\x06"
    + b"\x7f" * 6
    + b"\x85C\x01b\x87R.",
    "nested tuples as a key": b"\x80\x02})" + b"\x85" * 200_000 + b"Ns.",
    "nested lists": b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b".",
    "nested dictionaries": b"\x80\x02" + b"}" * 100_000 + b".",
    "marks": b"\x80\x02" + b"(" * 100_000 + b"t" * 100_000 + b".",
    "itself": b"\x80\x02]q\x00h\x00a.",
    "doubled lists": b"\x80\x02]q\x00" + b"](h\x00h\x00eq\x00" * 100 + b".",
}


@pytest.mark.parametrize("kind", BOMBS)
def test_bombs_do_not_go_off(kind):
    tracemalloc.start()
    try:
        describe_pickle(BOMBS[kind])
    except InputError:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 2_000_000 + 250 * len(BOMBS[kind])


PLAIN = [
    None,
    True,
    False,
    0,
    255,
    65535,
    -1,
    1 << 40,
    -(1 << 70),
    0.1,
    "naïve\ud8ff",
    [],
    [1, [2]],
    (),
    (1,),
    (1, 2, 3, 4),
]


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_plain_values_are_those_of_pickle(protocol):
    assert describe_pickle(pickle.dumps(PLAIN, protocol)) == (PLAIN, [])
    described, _ = describe_pickle(pickle.dumps({"a": 1, "b": {2: 3}}, protocol))
    assert [key for key, _ in pairs_of(described)] == ["a", "b"]
    assert dict(pairs_of(described))["b"].items == [2, 3]


ARRAYS = [
    np.arange(12, dtype=np.float32).reshape(3, 4),
    np.arange(12, dtype=">f8").reshape(3, 4),
    np.asfortranarray(np.arange(12, dtype=np.float16).reshape(3, 4)),
    np.array([-(1 << 62), 200, 255]),
    np.array([], dtype=np.uint8),
    np.array(7, dtype=np.uint32),
]


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("i", range(len(ARRAYS)))
def test_arrays_come_back(protocol, i):
    described, _ = describe_pickle(pickle.dumps(ARRAYS[i], protocol))
    array = array_of(described)
    assert array.dtype == ARRAYS[i].dtype
    assert array.flags.f_contiguous == ARRAYS[i].flags.f_contiguous
    assert np.array_equal(array, ARRAYS[i])


@pytest.mark.parametrize(
    "value", [np.array([1 + 2j]), np.array(["a"]), np.array([(1, 2)], dtype="i4,i4"), np.array([True])]
)
def test_arrays_of_no_numbers_are_none(value):
    assert array_of(describe_pickle(pickle.dumps(value, 4))[0]) is None


def test_an_array_of_another_size_than_its_bytes():
    content = pickle.dumps(ARRAYS[0], 4)
    with pytest.raises(InputError, match=r"float32 \(3, 5\) has 48 bytes"):
        array_of(describe_pickle(content.replace(b"K\x03K\x04\x86", b"K\x03K\x05\x86"))[0])


def test_text_that_stands_for_no_bytes():
    content = pickle.dumps(ARRAYS[0], 2).replace("\x80?".encode(), "\u0500?".encode())
    assert array_of(describe_pickle(content)[0]) is None


def test_python2_strings():
    """Python 2 writes the bytes of an array as a string of its own (opcodes T and U)."""
    dtype = b"cnumpy\ndtype\nU\x02f4K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
    data = struct.pack("<2f", 1.5, -3e38)
    content = (
        b"\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R"
        b"(K\x01K\x02\x85" + dtype + b"\x89T" + struct.pack("<I", len(data)) + data + b"tb."
    )
    assert array_of(describe_pickle(content)[0]).tolist() == np.array([1.5, -3e38], np.float32).tolist()
    assert describe_pickle(b"\x80\x02(I01\nI00\nI-5000000000\nt.")[0] == (True, False, -5000000000)


def test_pythons_own_reader_agrees_about_objects():
    state = {"vectors": ARRAYS[0], "names": ["a", "b"], "size": 3}
    stream = io.BytesIO()
    pickler = pickle.Pickler(stream, 4)
    pickler.dump(np.random.RandomState(0))  # what old models hold; not needed, and let through
    described, _ = describe_pickle(stream.getvalue())
    assert described.kind.name == "__randomstate_ctor"
    assert [key for key, _ in pairs_of(describe_pickle(pickle.dumps(state))[0])] == list(state)
