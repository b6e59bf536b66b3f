
# What has no wheel: compiled by CUDA's compiler, which is not shipped.
FROM ${BUILD_IMAGE} AS wheels
USER 0
ARG INDEX_URL=
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
    ca-certificates g++ git python3 python3-dev python3-venv \
 && rm -rf /var/lib/apt/lists/*
COPY --from=packages /opt/app /opt/app
WORKDIR /opt/app
RUN --mount=type=cache,target=/root/.cache/pip \
    venv/bin/pip install ${INDEX_URL:+--index-url "$INDEX_URL"} ninja packaging psutil setuptools wheel \
 && PATH=/opt/app/venv/bin:$PATH venv/bin/pip wheel ${INDEX_URL:+--index-url "$INDEX_URL"} \
    --no-build-isolation --no-deps --wheel-dir /wheels --requirement requirements/build.txt

FROM packages AS complete
RUN --mount=type=cache,target=/root/.cache/pip --mount=type=bind,from=wheels,source=/wheels,target=/wheels \
    venv/bin/pip install ${INDEX_URL:+--index-url "$INDEX_URL"} --find-links /wheels \
    --constraint requirements/constraints.txt{{ ' --requirement requirements/indexed.txt' if split }} \
    --requirement requirements/framework.txt{{ stack }} --requirement requirements/build.txt
