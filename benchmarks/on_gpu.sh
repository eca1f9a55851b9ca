#!/usr/bin/env bash
# Everything that needs a card, in the order of its worth: tests, the table of `gpustab bench`, training, the kernels.
# Run it from the checkout on a machine with CUDA. It ends after ten minutes, and says what it left out for want of time;
# MINUTES=20 is enough for all of it on an H100. Results go to benchmarks/results, or to the folder that is given.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PYTHONPATH=. OMP_WAIT_POLICY=PASSIVE
results=${1:-benchmarks/results}
mkdir -p "$results"
end=$((SECONDS + 60 * ${MINUTES:-10}))
run() {
    local left=$((end - SECONDS)) most=${limit:-300}
    if ((left < 10)); then
        echo "== left out: $*"
        return
    fi
    echo "== $*"
    timeout "$((left < most ? left : most))" "$@" || echo "== failed ($?): $*"
}

run python -m pytest -m gpu -q
run python -m gpustab doctor
run python -m pytest -m gpu -q -rs tests/test_gpu.py -k "faiss or long_lists"  # skips, and says so, without FAISS
run python -m pytest -m gpu -q -rs tests/encoders/test_gpu.py  # encode and the studies that read encoders
run python -m gpustab bench --device cuda --runs 128 --words 200000 --dim 300 --out "$results/bench-cuda"
run python -m benchmarks.goals "$results/bench-cuda/summary.json" --out "$results/goals-cuda.json"
run python -m benchmarks.bench_sgns engines --device cuda --out "$results"
run python -m benchmarks.bench_sgns time --device cuda --out "$results"
run python -m benchmarks.bench_sgns cbow --device cuda --out "$results"
limit=600 run python -m benchmarks.glove_many --device cuda --out "$results"
for name in pip_loss procrustes neighbours overlap averaging cosine prediction glove; do
    run python -m "benchmarks.bench_$name" --device cuda --out "$results"
done
