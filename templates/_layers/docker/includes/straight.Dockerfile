{% set shipped = 'cuda' if supply == 'install' else '${BASE_IMAGE}' %}
{% set compiled = '${BUILD_IMAGE}' if supply == 'build' else shipped %}
# The GPU smoke test, by plain cc.
FROM ${BASE_IMAGE} AS smoke
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends gcc libc6-dev make \
 && rm -rf /var/lib/apt/lists/*
COPY smoke /smoke
RUN make -C /smoke

{% if supply == 'install' %}
# CUDA's libraries, from the repository that the base image knows.
FROM ${BASE_IMAGE} AS cuda
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
    {%+ include 'docker/libraries.txt' %} \
 && rm -rf /var/lib/apt/lists/*

{% endif %}
# Python, the pinned packages, this project's own: all below /opt/app.
FROM {{ compiled }} AS {{ 'packages' if resolution.build_requirements else 'build' }}
ARG PYTHON_SOURCE=uv
ARG PYTHON_VERSION={{ resolution.python }}
ARG UV_VERSION=0.13.8
ARG INDEX_URL=
RUN apt-get update \
 && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
    ca-certificates python3 python3-venv \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/app
# With uv, the base image's Python serves only to install uv, and uv only to install Python.
RUN {% include 'docker/python.sh' %}
{% include 'docker/packages.Dockerfile' %}
{% if resolution.build_requirements %}
{% include 'docker/compiled.Dockerfile' %}

FROM complete AS build
{% endif %}
{% include 'docker/build.Dockerfile' %}

# What runs: no compiler, no sources of wheels.
FROM {{ shipped }} AS image
ARG PYTHON_SOURCE=uv
RUN if [ "$PYTHON_SOURCE" = apt ]; then \
    apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends python3 \
    && rm -rf /var/lib/apt/lists/*; \
    fi
COPY --from=smoke /smoke/gpu-smoke /usr/local/bin/gpu-smoke
COPY --from=build /opt/app/python /opt/app/python
COPY --from=build /opt/app/venv /opt/app/venv
{% include 'docker/image.Dockerfile' %}
