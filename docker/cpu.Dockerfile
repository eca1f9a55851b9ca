# Build, from the root of the repository; TORCH_INDEX is PyTorch's index of CPU builds (see its install page),
# without which pip takes a CUDA build several GB larger:
#   docker build -f docker/cpu.Dockerfile --build-arg TORCH_INDEX=URL -t gpustab:cpu .
# Run, on the files of the current folder:
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" gpustab:cpu stability run-1.vec run-2.vec
FROM python:3.11-slim AS build

ARG TORCH_INDEX=""
RUN python -m venv /opt/gpustab
ENV PATH=/opt/gpustab/bin:$PATH
WORKDIR /src
COPY . .
RUN pip install --no-cache-dir -c constraints.txt ${TORCH_INDEX:+-i "$TORCH_INDEX"} torch \
    && pip install --no-cache-dir -c constraints.txt ".[cpu,train,study]"

# What is run has the packages and not the sources.
FROM python:3.11-slim AS cpu
COPY --from=build /opt/gpustab /opt/gpustab
RUN useradd --create-home gpustab
# HOME is a folder that any --user may write: libraries keep their caches there.
ENV OMP_WAIT_POLICY=PASSIVE HOME=/tmp PATH=/opt/gpustab/bin:$PATH
USER gpustab
WORKDIR /data
ENTRYPOINT ["gpustab"]
CMD ["--help"]
