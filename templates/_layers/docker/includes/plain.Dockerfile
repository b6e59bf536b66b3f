# The image of {{ name }}: `make image` builds it, a plain `docker build .` too.
#
# In a closed network, or to try another base, change only these arguments:
#   BASE_IMAGE     any image with Python {{ python_version }} and its venv
#   INDEX_URL      one package index for everything, in place of pip's own
#   REQUIREMENTS   another file of pinned packages
ARG BASE_IMAGE=python:{{ python_version }}-slim-bookworm

# The pinned packages, this project's own: all below /opt/app.
FROM ${BASE_IMAGE} AS build
ARG INDEX_URL=
WORKDIR /opt/app
RUN python3 -m venv venv
COPY requirements requirements
# Where `make lock` was run everything comes by its hash, and what follows finds it here.
RUN --mount=type=cache,target=/root/.cache/pip \
    lock=requirements/lock/cpu.txt; \
    [ ! -e "$lock" ] || venv/bin/pip install ${INDEX_URL:+--index-url "$INDEX_URL"} \
    --require-hashes --no-deps --requirement "$lock"
ARG REQUIREMENTS=requirements/runtime.txt
RUN --mount=type=cache,target=/root/.cache/pip \
    venv/bin/pip install ${INDEX_URL:+--index-url "$INDEX_URL"} \
    --constraint requirements/constraints.txt --requirement "$REQUIREMENTS"
{% include 'docker/build.Dockerfile' %}

# What runs.
FROM ${BASE_IMAGE} AS image
COPY --from=build /opt/app/venv /opt/app/venv
{% include 'docker/image.Dockerfile' %}

{% include 'docker/test.Dockerfile' %}

# What is shipped.
FROM image AS runtime
ARG REVISION=unknown
ARG BASE_IMAGE
LABEL org.opencontainers.image.title="{{ name }}" \
    org.opencontainers.image.revision="$REVISION" \
    org.opencontainers.image.base.name="$BASE_IMAGE"
USER 10001:10001
{% include template ~ '/start.Dockerfile' %}
