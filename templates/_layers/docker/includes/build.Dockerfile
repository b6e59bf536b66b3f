COPY pyproject.toml README.md ./
COPY src src
# Beside the environment, not in it: a change of code must not make a new layer of gigabytes.
RUN --mount=type=cache,target=/root/.cache/pip \
    venv/bin/pip install ${INDEX_URL:+--index-url "$INDEX_URL"} --no-deps --target site .
ENV PYTHONPATH=/opt/app/site PATH=/opt/app/venv/bin:$PATH
{% include template ~ '/build.Dockerfile' ignore missing %}
