set -eu; mkdir -p python; \
    case $PYTHON_SOURCE in \
    apt) python=python3 ;; \
    uv) python3 -m venv /opt/uv; \
        /opt/uv/bin/pip install ${INDEX_URL:+--index-url "$INDEX_URL"} "uv==$UV_VERSION"; \
        export UV_PYTHON_INSTALL_DIR=/opt/app/python; \
        /opt/uv/bin/uv python install "$PYTHON_VERSION"; \
        python=$(/opt/uv/bin/uv python find --managed-python --no-project "$PYTHON_VERSION") ;; \
    *) echo "PYTHON_SOURCE is uv or apt, not '$PYTHON_SOURCE'" >&2; exit 1 ;; \
    esac; \
    found=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
    if [ "$found" != "$PYTHON_VERSION" ]; then \
        echo "this image has Python $found, not $PYTHON_VERSION: build with PYTHON_SOURCE=uv" >&2; exit 1; \
    fi; \
    "$python" -m venv venv
