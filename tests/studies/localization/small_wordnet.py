"""An invented WordNet of a few dozen synsets, in the form of the real one's files, and tools that know its words."""

from gpustab.sentences.language import Language

NOUNS = [
    ["union:27", "trade_union:0", "brotherhood:0"],
    ["government:100", "authorities:10", "regime:2"],
    ["car:71", "auto:2", "automobile:15"],
    ["man:50", "adult_male:0"],
    ["idea:9", "thought:3"],
    ["firm:5", "company:9"],
    ["Earth:4", "world:7"],
    ["police_officer:3", "policeman:2"],
    ["police:8"],
    ["officer:6", "policeman:1"],
    ["hour:6", "time_of_day:0"],
]
VERBS = {
    "begin": ["begin:30", "start:20", "commence:5"],
    "end": ["end:29", "terminate:3"],
    "include": ["include:40"],
    "exclude": ["exclude:3"],
    "remain": ["stay:5", "remain:60"],
    "change": ["change:54"],
    "rise first": ["rise:10"],
    "fall": ["fall:21"],
    "rise second": ["rise:6", "increase:9"],
    "demand first": ["demand:12"],
    "demand second": ["demand:5", "ask:30", "necessitate:2"],
    "obviate": ["obviate:0"],
    "look_for": ["look_for:1"],
}
OPPOSITES = {
    "begin": [("begin", "end", "end")],
    "include": [("include", "exclude", "exclude")],
    "remain": [("stay", "change", "change")],
    "rise first": [("rise", "fall", "fall")],
    "demand second": [("necessitate", "obviate", "obviate")],
}
EXCEPTIONS = {"noun": ["men man"], "verb": ["began begin", "rose rise", "fell fall"], "adj": [], "adv": []}
FORMS = {
    ("begin", "VBD"): "began",
    ("start", "VBD"): "started",
    ("end", "VBD"): "ended",
    ("fall", "VBD"): "fell",
    ("rise", "VBD"): "rose",
    ("exclude", "VBG"): "excluding",
    ("change", "VBD"): "changed",
    ("stay", "VBD"): "stayed",
    ("obviate", "VBD"): "obviated",
    ("ask", "VBD"): "asked",
    ("increase", "VBD"): "increased",
    ("authorities", "NNS"): "authoritieses",
    ("man", "NNS"): "men",
    ("policeman", "NNS"): "policemen",
    ("terminate", "VBD"): "terminated",
    ("commence", "VBD"): "commenced",
}
NO_WORDS = {"authoritieses"}
TAGS = {
    "DT": ["the", "a", "an", "The", "A", "An"],
    "NNS": ["unions", "governments", "cars", "men", "ideas", "firms", "companies"],
    "NN": [
        "government",
        "car",
        "man",
        "idea",
        "thought",
        "firm",
        "company",
        "world",
        "officer",
        "police",
        "hour",
        "automobile",
        "regime",
    ],
    "VBD": ["began", "rose", "fell", "remained", "demanded", "was"],
    "VBG": ["including"],
    "VB": ["begin", "end"],
}


def write_wordnet(folder):
    """Write the files, and return their folder."""
    folder.mkdir(parents=True, exist_ok=True)
    _write(folder, "noun", [("n", lemmas, []) for lemmas in NOUNS])
    places = {name: 1000 + 10 * n for n, name in enumerate(VERBS)}
    verbs = []
    for name, lemmas in VERBS.items():
        pointers = [
            (places[other], _place(lemmas, own), _place(VERBS[other], lemma))
            for own, other, lemma in OPPOSITES.get(name, [])
        ]
        verbs.append(("v", lemmas, pointers))
    _write(folder, "verb", verbs)
    for name in ("adj", "adv"):
        (folder / f"index.{name}").write_text("  1 no licence\n")
    for name, lines in EXCEPTIONS.items():
        (folder / f"{name}.exc").write_text("".join(f"{line}\n" for line in lines))
    return folder


def language():
    """Return tools that need no package: spaces between tokens, tags from a list."""
    tag = {word: name for name, words in TAGS.items() for word in words}
    return Language(
        lambda sentence: tuple(sentence.split()),
        lambda sentences: [[tag.get(token, "X") for token in tokens] for tokens in sentences],
        lambda lemma, name: FORMS.get((lemma, name), lemma + "s" if name == "NNS" else lemma),
        lambda word: word not in NO_WORDS,
        {"tokens": "spaces"},
    )


def _place(lemmas, lemma):
    return [one.split(":")[0] for one in lemmas].index(lemma) + 1


def _write(folder, name, synsets):
    data, index, tagged = [], {}, []
    for n, (pos, lemmas, pointers) in enumerate(synsets):
        offset = 1000 + 10 * n
        words = [one.split(":") for one in lemmas]
        listed = " ".join(f"{lemma} {n % 16:x}" for lemma, _ in words)
        opposites = "".join(f" ! {to:08d} {pos} {own:02x}{other:02x}" for to, own, other in pointers)
        data.append(f"{offset:08d} 03 {pos} {len(words):02x} {listed} {len(pointers):03d}{opposites} | a gloss\n")
        for lemma, count in words:
            index.setdefault(lemma.lower(), []).append(offset)
            tagged.append(f"{lemma.lower()}%{1 if pos == 'n' else 2}:03:{n % 16:02d}:: 1 {count}\n")
    (folder / f"data.{name}").write_text("  1 no licence\n" + "".join(data))
    lines = [
        f"{lemma} {name[0]} {len(own)} 0 {len(own)} 0 {' '.join(f'{offset:08d}' for offset in own)}\n"
        for lemma, own in index.items()
    ]
    (folder / f"index.{name}").write_text("".join(lines))
    with (folder / "cntlist.rev").open("a") as file:
        file.writelines(tagged)
