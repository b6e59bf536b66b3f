"""A catalog with base images for every framework of every type, in a folder of its own."""

import shutil

import yaml

from .program import ROOT

IMAGES = {"none": "cuda-runtime"}
REGISTRY = "registry.example.org:5000/team/ml"


def image_of(framework):
    return IMAGES.get(framework, framework)


def types_of_frameworks():
    """The types that have a stack, each with its frameworks."""
    found = {}
    for path in sorted(ROOT.glob("templates/*/template.yml")):
        manifest = yaml.safe_load(path.read_text())
        if "frameworks" in manifest:
            found[path.parent.name] = manifest["frameworks"]
    return found


def catalog(folder, version="1.0.0"):
    """The built-in catalog's templates and matrices, with images that serve them."""
    for name in ("templates", "matrices"):
        shutil.copytree(ROOT / name, folder / name)
    types = types_of_frameworks()
    (folder / "catalog.yml").write_text(f"name: team\nversion: {version}\n")
    for framework in sorted(set().union(*types.values())):
        target = folder / "base-images" / image_of(framework)
        target.mkdir(parents=True)
        manifest = {
            "description": f"for tests of {framework}",
            "framework": framework,
            "serves": {"types": list(types), "frameworks": [framework]},
        }
        (target / "image.yml").write_text(yaml.safe_dump(manifest))
        (target / "Dockerfile.j2").write_text("FROM scratch\n")
    return folder


def team_image(child):
    """What the record of a child says of its team's image, or None."""
    record = yaml.safe_load((child / ".tmplgen.yml").read_text())
    return record["resolution"].get("team_image")


def reference(child):
    image = team_image(child)
    return f"{image['repository']}:{image['tag']}"
