COPY requirements requirements
ARG FRAMEWORK_INDEX_URL={{ resolution.index_url or '' }}
# Where `make lock` was run everything comes by its hash, and what follows finds it here.
RUN --mount=type=cache,target=/root/.cache/pip \
    index=${INDEX_URL:+--index-url $INDEX_URL}; lock=requirements/lock/{{ 'cpu' if resolution.cuda.variant == 'cpu' else 'cuda' }}.txt; \
    [ ! -e "$lock" ] || venv/bin/pip install --require-hashes --no-deps \
    ${index:-${FRAMEWORK_INDEX_URL:+--extra-index-url $FRAMEWORK_INDEX_URL}} --requirement "$lock"
RUN --mount=type=cache,target=/root/.cache/pip \
    index=${INDEX_URL:-$FRAMEWORK_INDEX_URL}; \
    venv/bin/pip install ${index:+--index-url "$index"} \
    --constraint requirements/constraints.txt --requirement requirements/{{ 'indexed' if split else 'framework' }}.txt
ARG REQUIREMENTS=requirements/runtime.txt
# With what is there already, so that nothing of it is exchanged for another build.
RUN --mount=type=cache,target=/root/.cache/pip \
    venv/bin/pip install ${INDEX_URL:+--index-url "$INDEX_URL"} \
    --constraint requirements/constraints.txt{{ ' --requirement requirements/indexed.txt' if split }} \
    --requirement requirements/framework.txt{{ stack }} --requirement "$REQUIREMENTS"
