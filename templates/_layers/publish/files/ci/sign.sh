#!/bin/sh
# Says what is in the image that ci/publish.sh has pushed and who built it: a list of its packages
# (SBOM) by syft, and signatures of image and list by cosign, all by the image's digest, since a tag may
# be another image's by now. GitHub and GitLab give the job an identity to sign with; elsewhere, and
# where you rather would, it is a key. What cannot be done is left out, and said.
# Environment: COSIGN_KEY (what `cosign sign --key` takes: a file, a KMS), COSIGN_PASSWORD (the file's);
# SYFT (syft); REGISTRY_USER and REGISTRY_PASSWORD to log in
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

if [ ! -s reports/published ]; then
    echo "nothing to sign: ci/publish.sh has not said which image it pushed" >&2
    exit 1
fi
image=$(cat reports/published)
syft=${SYFT:-syft}
list=reports/sbom.spdx.json
if command -v "$syft" >/dev/null; then
    SYFT_REGISTRY_AUTH_AUTHORITY=${REGISTRY%%/*} SYFT_REGISTRY_AUTH_USERNAME=${REGISTRY_USER-} \
        SYFT_REGISTRY_AUTH_PASSWORD=${REGISTRY_PASSWORD-} "$syft" scan "registry:$image" --output "spdx-json=$list"
else
    echo "no SBOM of $image: syft is not installed" >&2
    list=
fi
if ! command -v cosign >/dev/null; then
    echo "not signed: $image; cosign is not installed" >&2
    exit
fi
if [ -z "${COSIGN_KEY-}${ACTIONS_ID_TOKEN_REQUEST_URL-}${SIGSTORE_ID_TOKEN-}" ]; then
    echo "not signed: $image; this CI gives no identity, and COSIGN_KEY is not set" >&2
    exit
fi
[ -z "${REGISTRY_PASSWORD-}" ] || printf '%s' "$REGISTRY_PASSWORD" |
    cosign login "${REGISTRY%%/*}" --username "$REGISTRY_USER" --password-stdin
cosign sign --yes ${COSIGN_KEY:+--key "$COSIGN_KEY"} "$image"
[ -z "$list" ] ||
    cosign attest --yes ${COSIGN_KEY:+--key "$COSIGN_KEY"} --type spdxjson --predicate "$list" "$image"
