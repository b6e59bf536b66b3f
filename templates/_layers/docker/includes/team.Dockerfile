# The GPU smoke test: the one of the base, else made by plain cc.
FROM ${BASE_IMAGE} AS smoke
USER 0
COPY smoke /smoke
RUN if command -v gpu-smoke; then cp "$(command -v gpu-smoke)" /smoke/gpu-smoke; else \
    apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends gcc libc6-dev make \
    && rm -rf /var/lib/apt/lists/* \
    && make -C /smoke; \
    fi

# The base with the pinned packages. What it has stays where it is: a copy out of another stage would
# be gigabytes once more.
FROM ${BASE_IMAGE} AS packages
USER 0
ARG PYTHON_SOURCE=uv
ARG PYTHON_VERSION={{ resolution.python }}
ARG UV_VERSION=0.13.8
ARG INDEX_URL=
ENV HOME=/root
{% if supply == 'install' %}
# CUDA's libraries, from the repository that such a base knows.
RUN libraries="{% include 'docker/libraries.txt' %}"; \
    dpkg-query --show $libraries || { \
    apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $libraries \
    && rm -rf /var/lib/apt/lists/*; \
    }
{% endif %}
WORKDIR /opt/app
# Nothing to do on the team's image. With uv, the base image's Python serves only to install uv, and uv
# only to install Python.
RUN --mount=type=cache,target=/root/.cache/pip \
    if [ -x venv/bin/python ]; then \
        found=$(venv/bin/python -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
        [ "$found" != "$PYTHON_VERSION" ] || exit 0; \
        echo "this image has Python $found, not $PYTHON_VERSION" >&2; exit 1; \
    fi; \
    set -eu; trap 'rm -rf /opt/uv' EXIT; \
    apt-get update; \
    DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
        ca-certificates python3 python3-venv; \
    rm -rf /var/lib/apt/lists/*; \
    {%+ include 'docker/python.sh' %}
{% include 'docker/packages.Dockerfile' %}
{% if resolution.build_requirements %}
{% include 'docker/compiled.Dockerfile' %}
{% endif %}

# This project's own, by the tools that are not shipped.
FROM {{ 'complete' if resolution.build_requirements else 'packages' }} AS build
{% include 'docker/build.Dockerfile' %}

# What runs.
FROM {{ 'complete' if resolution.build_requirements else 'packages' }} AS image
COPY --from=smoke /smoke/gpu-smoke /usr/local/bin/gpu-smoke
{% include 'docker/image.Dockerfile' %}
