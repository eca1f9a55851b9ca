"""A hand-written wordnet of German in WN-LMF: nouns, some with two senses, two hypernyms, or listed forms."""

import gzip

HYPERNYMS = {
    "alles": (), "ding": ("alles",), "wesen": ("ding",), "ort": ("ding",), "gerät": ("ding",),
    "tier": ("wesen",), "pflanze": ("wesen",), "mensch": ("wesen",), "haustier": ("tier",), "säugetier": ("tier",),
    "hund": ("haustier", "säugetier"), "katze": ("haustier", "säugetier"), "kuh": ("säugetier",),
    "pferd": ("säugetier",), "baum": ("pflanze",), "eiche": ("baum",), "blume": ("pflanze",),
    "haus": ("ort",), "bank_geld": ("haus",),
    "sitzbank": ("gerät",), "stadt": ("ort",), "schloss_tür": ("gerät",), "schloss": ("haus",), "lehrer": ("mensch",),
}  # fmt: skip
WORDS = {
    **{name.capitalize(): [name] for name in HYPERNYMS if "_" not in name and name not in ("schloss", "sitzbank")},
    "Bank": ["bank_geld", "sitzbank"],
    "Schloss": ["schloss", "schloss_tür"],
    "weißer Hund": ["hund"],
}
FORMS = {"Hund": ["Hunde", "Hundes"], "Haus": ["Häuser"], "Bank": ["Banken", "Bänke"]}


def lmf(hypernyms=HYPERNYMS, words=WORDS, forms=FORMS, *, language="de", pos="n", indexed=False, relations=True):
    """Return the text of a file."""
    number = {name: k for k, name in enumerate(hypernyms)}
    entries, synsets = [], []
    for k, (word, senses) in enumerate(words.items()):
        own = "".join(f'<Form writtenForm="{form}"/>' for form in forms.get(word, ()))
        of = "".join(f'<Sense id="x-{k}-{n}" synset="x-s{number[s]}"/>' for n, s in enumerate(senses))
        entries.append(
            f'<LexicalEntry id="x-e{k}"><Lemma writtenForm="{word}" partOfSpeech="{pos}"/>{own}{of}</LexicalEntry>'
        )
    for name, up in hypernyms.items():
        to = "".join(f'<SynsetRelation relType="hypernym" target="x-s{number[one]}"/>' for one in up) * relations
        ili = f"i{number[name]}" if indexed else ""
        synsets.append(f'<Synset id="x-s{number[name]}" ili="{ili}" partOfSpeech="{pos}">{to}</Synset>')
    head = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE LexicalResource SYSTEM '
        '"http://globalwordnet.github.io/schemas/WN-LMF-1.1.dtd">\n'
    )
    lexicon = (
        f'<Lexicon id="x" label="Kleines Netz" language="{language}" email="a@b.de" license="none" version="1">'
        f"{''.join(entries)}{''.join(synsets)}</Lexicon>"
    )
    return (
        f'{head}<LexicalResource xmlns:dc="https://globalwordnet.github.io/schemas/dc/">{lexicon}</LexicalResource>\n'
    )


def written(path, **how):
    """Write a file, packed where its name ends in ``.gz``."""
    data = lmf(**how).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path
