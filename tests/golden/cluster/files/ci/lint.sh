#!/bin/sh
# Everything that can be checked without a cluster, by the tools that are here: each that is missing is named.
set -eu
cd "$(dirname "$0")/.."

have() {
    command -v "$1" >/dev/null && return
    echo "$1 is not installed: $2 not checked" >&2
    return 1
}

if have shellcheck "ci/*.sh"; then
    shellcheck -x ci/*.sh
fi
if have python3 "nodes/base/*.py, monitoring/gpus.json"; then
    # Compiled in memory: nothing is left lying about.
    for file in nodes/base/*.py; do
        python3 -c 'import sys; compile(open(sys.argv[1]).read(), sys.argv[1], "exec")' "$file"
    done
    python3 -m json.tool monitoring/gpus.json >/dev/null
fi
if have yamllint "YAML"; then
    yamllint --strict .
fi
# kubectl has a kustomize of its own.
if command -v kubectl >/dev/null || have kustomize "what kustomize makes"; then
    mkdir -p reports
    for folder in $(find . -name kustomization.yaml ! -path './nodes/image/*' | sed 's,/[^/]*$,,' | sort); do
        if command -v kubectl >/dev/null; then
            kubectl kustomize "$folder" >reports/kustomized.yaml
        else
            kustomize build "$folder" >reports/kustomized.yaml
        fi
    done
fi
if have promtool "monitoring/rules.yaml"; then
    mkdir -p reports
    # The operator's object is Prometheus's own file below `spec`, four columns in.
    sed -n '/^spec:$/,$p' monitoring/rules.yaml | sed -e 1d -e 's/^  //' >reports/rules.yml
    promtool check rules reports/rules.yml
fi
