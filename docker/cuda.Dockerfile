# Build, from the root of the repository (the CUDA 12 libraries come with torch, so no CUDA base image is needed):
#   docker build -f docker/cuda.Dockerfile -t gpustab:cuda .
# Run, on the files of the current folder; the host needs an NVIDIA driver and the NVIDIA container toolkit:
#   docker run --rm --gpus all --user "$(id -u):$(id -g)" -v "$PWD:/data" gpustab:cuda stability run-1.vec run-2.vec
FROM python:3.11-slim AS build

RUN python -m venv /opt/gpustab
ENV PATH=/opt/gpustab/bin:$PATH
WORKDIR /src
COPY . .
# The extra `gpu` pins the one torch that goes with faiss-gpu, and a CUDA build of torch pins its Triton and CUDA
# libraries: these constraints are left out.
RUN grep -vE '^(torch|triton|nvidia-[a-z0-9-]+)==' constraints.txt > /tmp/constraints.txt \
    && pip install --no-cache-dir -c /tmp/constraints.txt ".[gpu,train,study]"

# What is run has the packages and not the sources; Triton compiles its launcher on first use, with the C compiler that it
# finds.
FROM python:3.11-slim AS cuda
RUN apt-get update \
    && apt-get install -y --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home gpustab
COPY --from=build /opt/gpustab /opt/gpustab

# HOME is a folder that any --user may write: Triton and other libraries keep their caches there.
ENV OMP_WAIT_POLICY=PASSIVE HOME=/tmp PATH=/opt/gpustab/bin:$PATH
USER gpustab
WORKDIR /data
ENTRYPOINT ["gpustab"]
CMD ["--help"]
