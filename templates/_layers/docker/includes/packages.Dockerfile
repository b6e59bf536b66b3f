COPY requirements requirements
ARG FRAMEWORK_INDEX_URL={{ resolution.index_url or '' }}
RUN --mount=type=cache,target=/root/.cache/pip \
    index=${INDEX_URL:-$FRAMEWORK_INDEX_URL}; \
    venv/bin/pip install ${index:+--index-url "$index"} \
    --constraint requirements/constraints.txt --requirement requirements/framework.txt
ARG REQUIREMENTS=requirements/runtime.txt
RUN --mount=type=cache,target=/root/.cache/pip \
    venv/bin/pip install ${INDEX_URL:+--index-url "$INDEX_URL"} \
    --constraint requirements/constraints.txt --requirement "$REQUIREMENTS"
