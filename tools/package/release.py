"""What a release has beside its files: sums, an SBOM, and a statement of how they were made.

    release.py check          everything has one version, the tree is clean, and HEAD is its tag
    release.py record FOLDER  writes the three there

SBOM: SPDX 2.3, of the one file (https://spdx.github.io/spdx-spec/v2.3/). Statement: in-toto's form
with SLSA's provenance (https://slsa.dev/spec/v1.0/provenance). CI signs the sums.
"""

import hashlib
import json
import os
import re
import sys
import time
from pathlib import Path

from common import LICENCE, TOP, epoch, git, purl, sources, version

SBOM, PROVENANCE, SUMS = "tmplgen.spdx.json", "tmplgen.provenance.json", "SHA256SUMS"


def repository():
    """Where CI says that it is; None elsewhere."""
    place = [os.environ.get(name) for name in ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY")]
    return "/".join(place) if all(place) else None


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def faults():
    """Why this tree is none to release."""
    tag, now = f"v{version()}", version()
    if re.search("[^0-9.]", now):
        yield f"'{now}' is the version of a tree at work, none of a release"
    catalog = re.search(r"^version: *(\S+)", (TOP / "catalog.yml").read_text(), re.M)[1]
    if catalog != now:
        yield f"the program is {now}, the catalog {catalog}: both have one version"
    if not re.search(rf"^## {re.escape(now)}, \d{{4}}-", (TOP / "CHANGELOG.md").read_text(), re.M):
        yield f"CHANGELOG.md has no dated section for {now}"
    if not (TOP / "releases/index.txt").read_text().splitlines()[-1].startswith(f"{now} "):
        yield f"releases/ does not end with the catalog of {now}: make release-catalog"
    if git("status", "--porcelain"):
        yield "the tree is not clean"
    if tag not in git("tag", "--points-at", "HEAD").split():
        yield f"HEAD is not tagged {tag}"


def packages():
    """The libraries in the one file, each once, with the sums of their sources."""
    found = {}
    for name, number, file, digest, licence in sources():
        if name == "curl":  # only its headers: the library is the system's
            continue
        package = found.setdefault(
            name,
            {
                "SPDXID": f"SPDXRef-{name}",
                "name": name,
                "versionInfo": number,
                "supplier": "Organization: Debian",
                "downloadLocation": "NOASSERTION",
                "filesAnalyzed": False,
                "licenseConcluded": licence,
                "licenseDeclared": licence,
                "copyrightText": "NOASSERTION",
                "externalRefs": [
                    {
                        "referenceCategory": "PACKAGE-MANAGER",
                        "referenceType": "purl",
                        "referenceLocator": purl(name, number),
                    }
                ],
                "comment": "",
            },
        )
        package["comment"] += f"{' ' if package['comment'] else ''}{file} sha256:{digest}"
    return list(found.values())


def sbom(files):
    """Of the files that hold the libraries: those of this program itself."""
    linked = packages()
    parts = [
        {
            "SPDXID": f"SPDXRef-file-{re.sub('[^A-Za-z0-9.-]', '-', path.name)}",
            "name": path.name,
            "versionInfo": version(),
            "supplier": "Organization: The tmplgen maintainers",
            "downloadLocation": f"{repository()}/releases/download/v{version()}/{path.name}"
            if repository()
            else "NOASSERTION",
            "filesAnalyzed": False,
            "checksums": [{"algorithm": "SHA256", "checksumValue": sha256(path)}],
            "licenseConcluded": LICENCE,
            "licenseDeclared": "Apache-2.0",
            "copyrightText": "The tmplgen maintainers",
            "primaryPackagePurpose": "APPLICATION",
        }
        for path in files
    ]
    of = {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES"}
    relations = [of | {"relatedSpdxElement": it["SPDXID"]} for it in parts]
    relations += [
        {
            "spdxElementId": part["SPDXID"],
            "relationshipType": "STATIC_LINK",
            "relatedSpdxElement": package["SPDXID"],
        }
        for part in parts
        for package in linked
    ]
    seen = hashlib.sha256("".join(sha256(path) for path in files).encode()).hexdigest()
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"tmplgen-{version()}",
        "documentNamespace": f"https://spdx.org/spdxdocs/tmplgen-{version()}-{seen}",
        "creationInfo": {
            "created": stamp(epoch()),
            "creators": ["Organization: The tmplgen maintainers", f"Tool: tmplgen-{version()}"],
        },
        "packages": parts + linked,
        "relationships": relations,
    }


def provenance(files):
    """Who built it, and of what. Without CI it names no builder that anybody could trust."""
    run = os.environ.get("GITHUB_RUN_ID")
    tools = (TOP / "tools/portable/requirements.txt").read_text().splitlines()
    source = {"name": "source", "digest": {"gitCommit": git("rev-parse", "HEAD")}}
    if repository():
        source["uri"] = f"git+{repository()}@refs/tags/v{version()}"
    materials = [source]
    materials += [
        {
            "name": file,
            "uri": purl(name, number),
            "digest": {"sha256": sum_},
        }
        for name, number, file, sum_, _ in sources()
    ]
    materials += [
        {"uri": "pkg:pypi/{}@{}".format(*line.split("=="))}
        for line in tools
        if line and not line.startswith("#")
    ]
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": path.name, "digest": {"sha256": sha256(path)}} for path in files],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "urn:tmplgen:make-release:1",
                "externalParameters": {"command": "make release", "tag": f"v{version()}"},
                "resolvedDependencies": materials,
            },
            "runDetails": {
                "builder": {
                    "id": f"{repository()}/actions/runs/{run}" if run else "urn:tmplgen:by-hand"
                },
            },
        },
    }


def record(folder):
    made = {SBOM, PROVENANCE, SUMS}
    files = sorted(it for it in folder.iterdir() if it.is_file() and it.name not in made)
    holding = [it for it in files if it.name.endswith(("-linux", ".whl"))]
    documents = {SBOM: sbom(holding), PROVENANCE: provenance(files)}
    for name, document in documents.items():
        (folder / name).write_text(json.dumps(document, indent=2) + "\n")
    listed = sorted([*files, *(folder / name for name in documents)])
    (folder / SUMS).write_text("".join(f"{sha256(it)}  {it.name}\n" for it in listed))


if __name__ == "__main__":
    if sys.argv[1:2] == ["check"]:
        found = [f"release: {it}" for it in faults()]
        sys.exit("\n".join(found) if found else 0)
    record(Path(sys.argv[2]))
