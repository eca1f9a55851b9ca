"""A zoo of texts: ordinary ones, which raise no strong doubt, and others, which must raise the right one.

    PYTHONPATH=. python -m benchmarks.zoo --found CLONES --out benchmarks/results

Thresholds of :mod:`gpustab.corpus.evidence` were set on what is called seen here. Three sets were written down before
the rules were frozen, and read once, afterwards (:mod:`benchmarks.zoo.first_fresh`, two in
:mod:`benchmarks.zoo.found`); after each the rules were mended by what it taught. How the last two came out when they
were read first stands in ``benchmarks/results/zoo-first-reading.json``, and how all come out now in ``zoo.json``.

An ordinary text is running text of one language as people save it, with its title pages, lists and examples. Three
kinds of text that this machine offers beside it are none, by rules that ask no doubt:

- more than half of its letters are of scripts without blanks (:func:`benchmarks.zoo.specimen.by_script`);
- more than half of its paragraphs are records, a field and its value a line (``README`` files, by their stanzas);
- lines of it begin with the labels of fastText: they are read as such lines, without a layout.

The first two must raise the doubt that fits them, and count with the made ones. What is ordinary by these rules stays
so, even where a doubt is right: the licence of matplotlib, say, in which the heads of twelve bundled licences are 6 %.
"""
