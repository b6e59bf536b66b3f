# The same with the tests: {{ '`make gpu`' if resolution else '`ci/test-image.sh`' }} runs them.
FROM image AS test
ARG INDEX_URL=
COPY requirements requirements
RUN --mount=type=cache,target=/root/.cache/pip \
    lock=requirements/lock/{{ 'cuda' if resolution and resolution.cuda.variant != 'cpu' else 'cpu' }}-dev.txt; \
    { [ ! -e "$lock" ] || pip install ${INDEX_URL:+--index-url "$INDEX_URL"} \
    --require-hashes --no-deps --requirement "$lock"; } \
    && pip install ${INDEX_URL:+--index-url "$INDEX_URL"} \
    --constraint requirements/constraints.txt --requirement requirements/dev.txt
COPY pyproject.toml ./
{% include template ~ '/test.Dockerfile' ignore missing %}
COPY tests tests
USER 10001:10001
ENTRYPOINT ["python", "-m", "pytest", "-p", "no:cacheprovider"]
