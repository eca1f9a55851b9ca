"""The commands whose answers :mod:`tests.golden` writes, by name; ``data`` is the folder of its inputs."""

PLANTED = "data/planted"
LOW, HIGH, PARTS = f"{PLANTED}/low-[0-7].txt", f"{PLANTED}/high-[0-7].txt", f"{PLANTED}/part-[0-3].txt"
MADE = "--text data/book --terms data/terms.txt"
WORDNET = "--min-pairs 100 --draws 5 --words 200 --places 100"
PAIRS = "study localization data/pairs.tsv --draws 100"
ENCODERS = "data/encoders"
MODELS = f"-m {ENCODERS}/model -m {ENCODERS}/other"
MOVED = f"{ENCODERS}/moved.csv --as-is --min-count 1 --id-column id --date-column year"
TRAIN = "--train-on data/sentences.txt --dim 8 --epochs 1 --min-count 1"

CASES = {
    "stability-lee": "stability data/lee --targets 300",
    "stability-sotu": "stability data/sotu",
    "stability-sotu-units": "stability data/sotu/lsa data/units --targets 200",
    "stability-halves": "stability data/halves",
    "stability-four": "stability data/four --neighbours 3,10",
    "stability-documents": "stability data/documents",
    "stability-swept": "stability data/swept",
    "stability-one": "stability data/lee/sgns/shuffled --words data/words.txt --targets 100",
    "stability-two-runs": "stability data/lee/sgns/fixed/run-000.safetensors data/lee/sgns/fixed/run-001.safetensors",
    "stability-three-runs": f"stability --group three={PLANTED}/low-[0-2].txt",
    "stability-eight-runs": f"stability --group eight={LOW} --words data/planted-words.txt",
    "stability-union": f"stability --group parts={PARTS} --vocabulary union --min-runs 3",
    "stability-joint": f"stability --group parts={PARTS} --centre --neighbours 5,20 --proxy 100",
    "stability-metrics": f"stability --group low={LOW} --group high={HIGH} "
    "--metrics pip,procrustes,angular,cka,rdm,cca,svcca,pwcca",
    "stability-twins": f"stability {PLANTED}/low-0.txt {PLANTED}/twin.txt {PLANTED}/low-1.txt",
    "stability-collapsed": f"stability {PLANTED}/collapsed-0.txt {PLANTED}/collapsed-1.txt {PLANTED}/collapsed-2.txt",
    "stability-limit": f"stability {PLANTED}/low-0.txt {PLANTED}/high-0.txt --limit 200 --only data/planted-words.txt",
    "stability-set": "stability data/set --precision fp64 --backend torch",
    "stability-average": f"stability --group low={LOW} --average average.txt",
    "neighbours-lee": "neighbours government data/lee",
    "neighbours-one": "neighbours police data/lee/sgns/shuffled -n 5",
    "neighbours-planted": f"neighbours w5 {PLANTED}/low-0.txt {PLANTED}/low-1.txt {PLANTED}/low-2.txt",
    "neighbours-two": f"neighbours w7 {PLANTED}/high-0.txt {PLANTED}/high-1.txt",
    "neighbours-union": f"neighbours w3 {PLANTED}/part-0.txt {PLANTED}/part-1.txt {PLANTED}/part-2.txt "
    "--vocabulary union --min-runs 2",
    "neighbours-sotu": "neighbours war data/sotu",
    "compare-lee": "compare data/lee/sgns/shuffled data/lee/lsa/shuffled",
    "compare-planted": f"compare low={LOW} high={HIGH} -n 5 --targets 200",
    "compare-few": f"compare one={PLANTED}/low-[0-1].txt other={PLANTED}/low-[2-3].txt",
    "average-lee": "average data/lee/sgns -o average.txt",
    "average-planted": f"average {PLANTED}/low-0.txt {PLANTED}/low-1.txt {PLANTED}/low-2.txt {PLANTED}/low-3.txt "
    "--renormalise -o average.txt",
    "average-two": f"average {PLANTED}/low-0.txt {PLANTED}/low-1.txt -o average.vec",
    "info-files": f"info {PLANTED}/low-0.txt {PLANTED}/odd.txt data/lee/sgns/fixed/run-000.safetensors data/words.txt",
    "info-runset": "info data/sotu/lsa",
    "pack": "pack data/lee/lsa/bootstrap -o packed --vocabulary union --dtype float16",
    "train-lsa": "train lee -o runs --technique lsa --runs 3 --dim 10 --min-count 20",
    "train-techniques": "train lee -o runs --technique sgns,cbow,fasttext,glove,ppmi_svd,doc2vec_dm,doc2vec_dbow "
    "--sampling bootstrap --runs 1 --dim 8 --epochs 1 --min-count 20",
    "train-periods": "train sotu -o runs --technique lsa --sampling shuffled --runs 2 --dim 10 --min-count 100 "
    "--epochs-by year:1790-2020:120 --control 1",
    "sweep-lsa": "sweep lee -o runs --technique lsa --runs 3 --vary dim=10,20 --set options.min_count=20",
    "sweep-grid": "sweep lee -o runs --engine gensim --runs 3 --vary epochs=1,2,4 --vary window=2,5 --grid "
    "--set options.min_count=20 --set sgns.dim=10",
    "sweep-one-at-a-time": "sweep lee -o runs --technique ppmi_svd --sampling bootstrap --runs 3 "
    "--vary dim=10,20 --vary min_count=20,40",
    "bootstrap-planted": "study bootstrap data/set --query w5,w9,w40,nowhere",
    "bootstrap-lee": "study bootstrap data/lee --text lee --count 6 --seed 1",
    "bootstrap-sotu": "study bootstrap data/sotu --queries data/queries.txt -n 5",
    "bootstrap-nmf": "study bootstrap data/sotu/lsa/bootstrap-0.2 --text sotu --choose nmf --topics 4 --count 5",
    "bootstrap-lda": "study bootstrap data/lee/lsa/bootstrap --text lee --choose lda --topics 3 --count 5",
    "bootstrap-corpus": "study bootstrap lee --technique lsa --runs 3 --unit document,sentence --fraction 1,0.5 "
    "--query police,government",
    "instability-planted": "study instability data/set --targets 50 --pairs 500 --word w5 --other w9",
    "instability-lee": "study instability data/lee/sgns --limit 400 --targets 60 --pairs 1000 "
    "--word police --other government",
    "instability-four": "study instability data/four/cbow data/four/glove --limit 300 --targets 40 "
    "--pairs 500 --seed 3",
    "instability-one": "study instability data/sotu/ppmi_svd/shuffled-0.2 --limit 250 --targets 40 --pairs 500",
    "change-planted": "study change data/moved --min-count 100 -w w3,w50 -n 5 --resamples 50",
    "change-per-pair": "study change data/moved --min-count 100 --per-pair --reference 1820-1839 -w w20 --resamples 20",
    "change-sotu": "study change data/periods -w labor,war --min-count 100 --resamples 50",
    "change-authors": "study change data/periods --authors president --deals 19 --rate 0.2 --resamples 0",
    "change-two": "study change data/lee/lsa/shuffled data/lee/lsa/bootstrap --min-count 20 --resamples 20",
    "change-semeval": "study change --semeval data/semeval --technique sgns,cbow --runs 3 --set sgns.dim=12 "
    "--set sgns.epochs=10 --set cbow.dim=12",
    "change-semeval-one": "study change data/moved/sgns/shuffled/epoch=1800-1819 "
    "data/moved/sgns/shuffled/epoch=1820-1839 --semeval data/judged/english --min-count 1 --spread 0.3 --resamples 0",
    "consistency-random": f"study consistency data/letters.txt {MADE} --samples 4 --sentences 6",
    "consistency-runs": "study consistency data/lee --text lee --number 12 --subsample 0.01",
    "consistency-group": "study consistency --group a=data/letters.txt --group b=data/letters-too.txt "
    f"{MADE} --count types --drop-short --window 5",
    "consistency-keywords": "study consistency data/sotu/lsa/shuffled-0.2/run-000.safetensors --text lee "
    "--terms keywords --number 12 --cutoff 4",
    "consistency-models": f"study consistency data/letters.txt {MADE} --general data/general --svd-dim 10 "
    "--svd-min-count 2",
    "consistency-half": f"study consistency data/letters.txt {MADE} --split half --permutations 19",
    "consistency-half-runs": "study consistency data/kept --text lee --split half --number 10 --permutations 9",
    "consistency-nonce": "study consistency data/kept --text lee --model nonce2vec --number 6 --samples 3",
    "consistency-nonce-grid": "study consistency data/kept/sgns/shuffled/run-000.safetensors --text lee "
    "--model nonce2vec --grid --number 2 --samples 2 --sentences 1 --nonce-output updated",
    "consistency-texts": "study consistency data/letters.txt --text data/book --text data/general --number 10",
    "consistency-texts-runs": "study consistency data/lee/lsa/fixed --text lee --text sotu --number 8 "
    "--cutoff 8 --samples 4",
    "consistency-sample-file": "study consistency data/letters.txt --sample-file data/samples.txt",
    "thresholds-lee": f"study thresholds data/lee {WORDNET}",
    "thresholds-one": f"study thresholds data/lee/sgns/shuffled/run-000.safetensors {WORDNET} --senses first --exact",
    "thresholds-group": "study thresholds --group sg=data/lee/sgns/fixed/run-00[0-2].safetensors "
    f"--group one=data/lee/lsa/fixed/run-000.safetensors {WORDNET} --sample 200 --exclude data/queries.txt",
    "thresholds-swept": f"study thresholds data/swept {WORDNET}",
    "thresholds-baseline": "study thresholds data/set --baseline data/tests/scored.tsv --tests data/tests "
    "--min-pairs 20 --draws 5 --words 100 --places 50",
    "thresholds-none": "study thresholds data/sotu/lsa --baseline none --draws 5 --words 200 --places 100",
    "thresholds-documents": f"study thresholds data/documents {WORDNET} --confidence 0.9",
    "association-lee": "study association data/lee --sets data/sets.toml",
    "words-lee": "study words data/lee",
    "words-none": "study words data/sotu/lsa --wordnet none --targets 300 --top 5",
    "encode-words": f"encode {MOVED} {MODELS} -o runs --runs 2 --directions 1",
    "encode-sentences": f"encode {MOVED} {MODELS} -o runs --items sentences",
    "usage-moved": f"study usage {MOVED} -m {ENCODERS}/model --epochs-by year:1900-1949,1990-1999 --deals 199",
    "usage-sentence": f"study usage {MOVED} -m {ENCODERS}/model --epochs-by year:1900-1949,1990-1999 --deals 99 "
    "--centre sentence --targets 3 --layer 1",
    "calibration-pairs": f"study calibration {MODELS} --scores {ENCODERS}/scores.tsv",
    "layers-two": f"study layers {MOVED} {MODELS} --sentences 200",
    "localization-edits": f"study localization {ENCODERS}/edits.conllu --edits --language de -m {ENCODERS}/model",
    "localization-bow": f"{PAIRS} -m bow --corpus corpus.tsv",
    "localization-means": f"{PAIRS} -m bow -m mean=data/lee/sgns/shuffled/run-000.safetensors --sense first "
    "--choice count --order left --most 4 --words data/put-in.txt",
    "localization-msrpc": "study localization data/msrpc.txt --draws 100 --seed 2",
    "localization-trained": f"{PAIRS} -m pv-dm -m pv-dbow {TRAIN} --inference 20 --runs 2",
    "localization-trees": f"{PAIRS} -m urae -m untrained-urae {TRAIN} --tree greedy --runs 3",
}
"""Every command that answers, by name; each is called in an empty folder, with a folder for its result."""
