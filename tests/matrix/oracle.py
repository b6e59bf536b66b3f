"""The rules and preferences of the matrix once more, written from the design and not from the C.

Plain data in, brute force over every release, build, Python and image. Slow and dull on purpose.
"""

import itertools
from functools import cache
from pathlib import Path

import yaml
from packaging.specifiers import SpecifierSet
from packaging.version import Version as PlainVersion

SHARED = ["cuda", "drivers", "gpus", "platforms", "images"]
FLAVOURS = ["base", "runtime", "cudnn-runtime", "devel", "cudnn-devel"]
LAST = 999999
THOR = 7  # the JetPack from which on the wheels for servers (SBSA) count


def load(folder, framework):
    """The files of matrices/, all scalars as texts."""
    folder = Path(folder)
    files = {name: folder / f"{name}.yml" for name in SHARED}
    files["framework"] = folder / "frameworks" / f"{framework}.yml"
    data = {n: read(p) for n, p in files.items()}
    for build in data["framework"].get("builds", []):
        build.setdefault("supply", data["framework"]["supply"])
    return data


def read(path):
    """A file without what spares writing: rows `like` others, notes that are names of `texts`."""
    file = yaml.load(path.read_text(), yaml.CBaseLoader)  # noqa: S506
    texts = file.pop("texts", {})
    for rows in [v for v in file.values() if isinstance(v, list)]:
        rows[:] = [in_full(row, rows) for row in rows]
        for row in rows:
            if "note" in row:
                row["note"] = texts.get(row["note"], row["note"])
    return file


def in_full(row, rows):
    if "like" not in row:
        return dict(row)
    key = next(iter(row))  # the first: version, or releases (with the same variant)
    same = [r for r in rows if row["like"] in words(r[key]) or row["like"] == r[key]]
    base = next(r for r in same if r is not row and r.get("variant") == row.get("variant"))
    own = ("source", "as_of", "confidence", "note", "like")
    inherited = {k: v for k, v in in_full(base, rows).items() if k not in own}
    return inherited | {k: v for k, v in row.items() if k != "like"}


@cache
def Version(text):  # noqa: N802
    return PlainVersion(text)


def words(text):
    return text.split() if text else []


@cache
def spec(text):
    """A SPEC: a bare number means everything that begins with it."""
    parts = []
    for part in (text or "").split(","):
        part = part.strip()
        if part and part[0].isdigit():
            part = f"=={part}.*" if part.replace(".", "").isdigit() else f"=={part}"
        parts.append(part)
    return SpecifierSet(",".join(parts))


@cache
def meets(text, version):
    made = spec(text)
    names_pre = any(Version(s.version.removesuffix(".*")).is_prerelease for s in made)
    if Version(version).is_prerelease and not names_pre:
        return False
    return made.contains(version, prereleases=True)


def is_exact(text):
    return any(s.operator == "==" and not s.version.endswith(".*") for s in spec(text))


@cache
def minor(version):
    return (*Version(version).release, 0, 0)[:2]


def cc_number(text):
    major, small = text.split(".")
    return int(major) * 10 + int(small)


def driver_version(text):
    return (int(text), LAST) if text.isdigit() else Version(text).release


def padded(release):
    return (*release, 0, 0, 0)[:4]


def low(row):
    return row.get("confidence") == "low"


class Matrix:
    """One framework's matrix."""

    def __init__(self, data):
        self.__dict__.update({k: data[k] for k in SHARED})
        self.framework = data["framework"]
        self.name = self.framework["framework"]
        self.architectures = {a["cc"]: a for a in self.gpus["architectures"]}
        self.models = {}
        for gpu in self.gpus["gpus"]:
            for name in [gpu["gpu"], *(gpu.get("names") or "").split(",")]:
                if name.strip():
                    self.models[name.strip()] = gpu
        self.distributions = {d["os"]: d for d in self.images["distributions"]}
        self.rank = {os: i for i, os in enumerate(self.distributions)}
        self.gates = {row["cuda"]: self.gate_of(row) for row in self.images["images"]}
        self.tags = list(self.images_of())

    def images_of(self):
        """Every tag of the lists, with its row."""
        for row in self.images["images"]:
            for flavours, systems in row["tags"].items():
                for flavour, os in itertools.product(words(flavours), words(systems)):
                    yield row, flavour, os, self.tag(row["cuda"], flavour, os)

    def images_named(self, tag):
        """What a tag of the lists is, or one that a row known by sightings alone may have."""
        for row in self.images["images"]:
            seen = {
                (f, o)
                for flavours, systems in row["tags"].items()
                for f, o in itertools.product(words(flavours), words(systems))
            }
            unseen = set()
            if row["state"] == "observed":
                systems = [o for o in self.distributions if self.has_images(o, row["cuda"])]
                unseen = set(itertools.product(FLAVOURS, systems))
            for flavour, os in seen | unseen:
                if self.tag(row["cuda"], flavour, os) == tag:
                    yield row, flavour, os

    def has_images(self, os, cuda):
        system = self.distributions[os]
        first, last = system.get("first"), system.get("last")
        return not (first and Version(cuda) < Version(first)) and not (
            last and Version(cuda) > Version(last)
        )

    def tag(self, cuda, flavour, os):
        word = next(
            (w["word"] for w in self.images["cudnn_words"] if meets(w["cuda"], cuda)), "cudnn"
        )
        return f"{cuda}-{flavour.replace('cudnn', word)}-{os}"

    def listed_of_minor(self, row):
        """The newest patch of the row's minor that is in the lists."""
        same = [
            r
            for r in self.images["images"]
            if minor(r["cuda"]) == minor(row["cuda"]) and "gate" in r
        ]
        return max(same, key=lambda r: Version(r["cuda"]), default={})

    def gate(self, row):
        return self.gates[row["cuda"]]

    def gate_of(self, row):
        return row.get("gate") or self.listed_of_minor(row).get("gate")

    def cudnn_of(self, row):
        return row.get("cudnn") or self.listed_of_minor(row).get("cudnn")

    def native(self, cuda):
        """The first driver with every function of that CUDA."""
        for row in self.cuda["toolkits"]:
            if minor(row["cuda"]) == minor(cuda):
                return driver_floor(row["driver"])
        return None

    def floor(self, cuda):
        for row in self.cuda["minor_version"]:
            if int(row["major"]) == minor(cuda)[0]:
                return driver_floor(row["driver"])
        return None

    @cache  # noqa: B019 (a few matrices in a run)
    def branch_cuda(self, driver):
        """What the driver's branch brings; an unknown branch counts as the one before it."""
        known = [b for b in self.drivers["branches"] if int(b["branch"]) <= driver[0]]
        return max(known, key=lambda b: int(b["branch"]))["cuda"] if known else None


@cache
def driver_floor(text):
    return padded(Version(text).release)


class Gpu:
    def __init__(self, matrix, name):
        self.model = matrix.models.get(name)
        cc = self.model["cc"] if self.model else f"{name[3:-1]}.{name[-1]}"
        self.cc = cc_number(cc)
        self.architecture = matrix.architectures[cc]
        self.kind = self.model["class"] if self.model else None
        self.host = self.model.get("host") if self.model else None
        self.boards = jetpacks(matrix, self.model, cc)
        self.platforms = set((self.model or {}).get("on", {}))
        if self.boards:
            self.platforms.add("jetson")

    def jetpack_decides(self):
        """Boards before Thor: the wheels for servers do not run on them, whatever they hold."""
        return bool(self.boards) and max(self.boards) < THOR

    def driven_by(self, matrix, driver):
        last = self.architecture.get("last_branch")
        if last and driver[0] > int(last):
            return False
        return self.known_to(matrix, driver)

    def known_to(self, matrix, driver):
        first = self.architecture.get("first_cuda")
        brings = matrix.branch_cuda(driver)
        return not first or (brings is not None and minor(brings) >= minor(first))


def jetpacks(matrix, model, cc):
    """The JetPacks of a board, or of the boards that alone have a compute capability."""
    same = [model] if model else [g for g in matrix.gpus["gpus"] if g["cc"] == cc]
    if not same or any(g["class"] != "jetson" for g in same):
        return []
    return [int(g["on"]["jetson"].split()[1]) for g in same]


class Request:
    def __init__(self, matrix, request):
        self.matrix = matrix
        self.said = request
        framework = request["framework"]
        self.release = framework[len(matrix.name) :]
        self.exact = bool(self.release) and is_exact(self.release)
        self.gpus = [Gpu(matrix, g) for g in request.get("gpu", [])]
        self.cdi = request.get("runtime") == "cdi"
        self.platform = next(
            (p for p in matrix.platforms["platforms"] if p["platform"] == request.get("platform")),
            None,
        )
        self.arch = request.get("arch") or self.arch_unasked()
        driver = request.get("driver") or self.platform_driver()
        if driver:
            self.drivers = [padded(driver_version(driver))]
        else:
            branches = [b["branch"] for b in matrix.drivers["branches"]]
            self.drivers = [padded((int(b), LAST)) for b in branches]
        self.driver_named = bool(driver)

    def arch_unasked(self):
        """That which a GPU comes with, else the platform's only one."""
        hosts = [g.host for g in self.gpus if g.host]
        hosts += words((self.platform or {}).get("processors"))
        return hosts[0] if hosts else "x86_64"

    def platform_driver(self):
        """What the platform installs: for GPUs that it does not know, the first later one."""
        usual = (self.platform or {}).get("driver")
        branches = [usual, *words(self.platform.get("latest"))] if usual else []
        for branch in branches:
            driver = padded(driver_version(branch))
            if all(gpu.known_to(self.matrix, driver) for gpu in self.gpus):
                return branch
        return usual

    def datacenter(self):
        return bool(self.gpus) and all(g.kind == "datacenter" for g in self.gpus)


def reliance(request, build, cuda, driver):
    """native, minor-version, forward or None."""
    matrix = request.matrix
    own = "driver" not in build or driver >= driver_floor(build["driver"])
    native, floor = matrix.native(cuda), matrix.floor(cuda)
    if own and native and driver >= native:
        return "native"
    if own and floor and driver >= floor:
        return "minor-version"
    # a package helps only a branch that the matrix knows
    known = any(int(b["branch"]) == driver[0] for b in matrix.drivers["branches"])
    if (request.platform or {}).get("no_forward") == "true":
        return None
    if known and request.driver_named and request.datacenter():
        for row in matrix.drivers["forward"]:
            if minor(row["cuda"]) == minor(cuda) and str(driver[0]) in words(row["branches"]):
                return "forward"
    return None


def cubin_of(request, build, gpu):
    """The cubin that covers the GPU, "ptx", "wheel", or None."""
    low_cc, high_cc = build.get("cc_min"), build.get("cc_max")
    if (low_cc and gpu.cc < cc_number(low_cc)) or (high_cc and gpu.cc > cc_number(high_cc)):
        return None
    if gpu.cc in map(cc_number, words(build.get("not_covered"))) or gpu.jetpack_decides():
        return None
    if "x86_64" not in build and "aarch64" not in build:
        return "wheel"
    fits = [
        c
        for c in map(cc_number, words(build.get(request.arch)))
        if c // 10 == gpu.cc // 10 and c <= gpu.cc
    ]
    if fits:
        return max(fits)
    if "ptx" in build and gpu.cc >= cc_number(build["ptx"]):
        return "ptx"
    return None


def toolkit_makes(matrix, cuda, gpu):
    for row in matrix.cuda.get("capabilities", []):
        if meets(row["cuda"], cuda):
            return gpu.cc in map(cc_number, words(row["cc"]))
    return True


def cudnn_has_kernels(row, gpu):
    first, *_, last = words(row["cc"])
    return cc_number(first) <= gpu.cc <= cc_number(last) and gpu.cc not in map(
        cc_number, words(row.get("without"))
    )


def cudnn_serves(request, cudnn, cuda):
    """Whether a cuDNN, or one of a window of them, has kernels for every GPU."""
    matrix = request.matrix
    rows = [r for r in matrix.cuda["cudnn"] if meets(r["cuda"], cuda)]
    if cudnn[0].isdigit():
        hits = [r for r in rows if meets(r["cudnn"], cudnn)]
        return all(cudnn_has_kernels(r, g) for r in hits for g in request.gpus)
    hits = [r for r in rows if overlap(r["cudnn"], cudnn)]
    return not hits or any(all(cudnn_has_kernels(r, g) for g in request.gpus) for r in hits)


@cache
def overlap(a, b):
    points = [
        s.version.removesuffix(".*") for s in [*spec(a), *spec(b)] if s.operator in ("==", ">=")
    ]
    return any(meets(a, p) and meets(b, p) for p in points)


def release_fits(request, release):
    if request.release:
        if not meets(request.release, release["version"]):
            return False
    elif Version(release["version"]).is_prerelease:
        return False
    return not low(release) or request.exact


def variant_fits(request, release, build):
    variant = request.said.get("variant")
    if variant == "pypi" and build["variant"] != "pypi":
        if release.get("pypi") != build["variant"]:
            return False
    elif variant and variant != build["variant"]:
        return False
    if not variant and "cuda" not in build:
        return False
    return not low(build) or low(release) or bool(request.exact and variant)


def cuda_fits(request, build):
    wanted = request.said.get("cuda")
    if not wanted or ("cuda" in build and "images" in build):
        return True
    return "cuda" in build and meets(wanted, build["cuda"])


def host_fits(request, build):
    if request.arch not in build and request.arch not in words(build.get("processors")):
        return False
    if any(g.host not in (None, request.arch) for g in request.gpus):
        return False
    return not request.platform or platform_fits(request, build, request.platform)


def platform_fits(request, build, platform):
    has = words(platform.get("processors"))
    if has and request.arch not in has:
        return False
    if "cc_min" in platform and any(g.cc < cc_number(platform["cc_min"]) for g in request.gpus):
        return False
    if platform["gpus"] == "any":
        return True
    if platform["gpus"] == "named" and "cuda" in build and not request.gpus:
        return False
    known = [g for g in request.gpus if g.model or platform["gpus"] == "named"]
    return all(platform["platform"] in g.platforms for g in known)


def gpus_fit(request, build):
    for gpu in request.gpus:
        how = cubin_of(request, build, gpu)
        if how is None:
            return False
        seen = how != "wheel" or "images" in build
        if not seen and not toolkit_makes(request.matrix, build["cuda"], gpu):
            return False
    return True


def build_fits(request, release, build):
    """Everything but the driver, the Python and the image."""
    if not (
        release_fits(request, release)
        and variant_fits(request, release, build)
        and cuda_fits(request, build)
        and host_fits(request, build)
    ):
        return False
    if "cuda" not in build:
        return not request.gpus
    supply = build["supply"]
    if build.get("cudnn") and supply != "image":
        if not cudnn_serves(request, build["cudnn"], build["cuda"]):
            return False
    return gpus_fit(request, build)


def system_fits(request, release, build, image):
    said, os = request.said, image["os"]
    distributions = request.matrix.distributions
    if "os" in said:
        if os != said["os"] and not ("image" in said and os is None):
            return False
    elif "image" not in said and distributions[os]["family"] != "ubuntu":
        return False
    glibc = distributions.get(os, {}).get("glibc")
    want = build.get(f"glibc_{request.arch}") or release.get("glibc")
    return not (glibc and want) or Version(glibc) >= Version(want)


def range_fits(request, build, row):
    """A build that takes its CUDA from the image, within a range."""
    if not meets(build["images"], row["cuda"]):
        return False
    if request.said.get("cuda") and not meets(request.said["cuda"], row["cuda"]):
        return False
    return all(
        cubin_of(request, build, gpu) != "wheel" or toolkit_makes(request.matrix, row["cuda"], gpu)
        for gpu in request.gpus
    )


def libraries_fit(request, build, image):
    """The libraries of an image that a build must find there."""
    row, matrix = image["row"], request.matrix
    if image["flavour"] == "base":
        return False
    if not build.get("cudnn"):
        return True
    have = matrix.cudnn_of(row)
    return (
        image["flavour"].startswith("cudnn")
        and bool(have)
        and Version(have).major == Version(build["cudnn"]).major
        and minor(have) >= minor(build["cudnn"])
        and cudnn_serves(request, have, row["cuda"])
    )


def image_fits(request, release, build, image):
    """The image against the build, whatever the driver."""
    named, row = "image" in request.said, image["row"]
    if not system_fits(request, release, build, image) or (not named and low(row)):
        return False
    if "cuda" not in build or row is None:
        return True
    supply = build["supply"]
    if image["flavour"] is None:
        return supply == "wheel"
    if "images" in build:
        fits = range_fits(request, build, row)
    elif minor(row["cuda"]) != minor(build["cuda"]):
        fits = other_minor_fits(request, build, row, supply)
    else:
        fits = True
    return fits and (supply != "image" or libraries_fit(request, build, image))


def other_minor_fits(request, build, row, supply):
    """An image of another CUDA: one that is named, or of the same major and known to start."""
    if "image" in request.said:
        return supply != "image"
    known = request.cdi or request.matrix.gate(row)
    same = Version(row["cuda"]).major == Version(build["cuda"]).major
    return supply == "wheel" and same and bool(known)


def forward_lies_in(build, image):
    """A forward-compatibility package lies in the images of its CUDA; others are taken as given."""
    if image["row"] is None:
        return True
    return image["flavour"] is not None and minor(image["row"]["cuda"]) == minor(build["cuda"])


def starts(request, image, driver):
    """The start gate."""
    if request.cdi or image["row"] is None or image["flavour"] is None:
        return True
    gate = request.matrix.gate(image["row"])
    if not gate:
        return True
    brings = request.matrix.branch_cuda(driver)
    if brings and minor(brings) >= minor(gate["cuda"]):
        return True
    if gate["geforce"] == "false" and any(g.kind == "geforce" for g in request.gpus):
        return False
    return str(driver[0]) in words(gate.get("branches"))


def driver_fits(request, build, driver):
    """How the driver runs the build, in whatever image; None where it does not."""
    if "cuda" not in build:
        return "none"
    if not all(g.driven_by(request.matrix, driver) for g in request.gpus):
        return None
    how = reliance(request, build, build["cuda"], driver)
    needs_ptx = any(cubin_of(request, build, g) == "ptx" for g in request.gpus)
    return None if needs_ptx and how == "minor-version" else how


def runs_in(request, build, image, runs):
    """How the drivers that run the build, (driver, how), do so in that image."""
    if "cuda" not in build:
        return ["none"]
    return [
        how
        for driver, how in runs
        if (how != "forward" or forward_lies_in(build, image)) and starts(request, image, driver)
    ]


def candidate_images(request, build):
    matrix, said = request.matrix, request.said
    if "image" in said:
        repository, tag = said["image"].removeprefix("docker.io/").rsplit(":", 1)
        if repository in [matrix.images["repository"], *words(matrix.images.get("mirrors"))]:
            for row, flavour, os in matrix.images_named(tag):
                yield {"row": row, "flavour": flavour, "os": os, "tag": tag}
        else:
            yield {
                "row": None,
                "flavour": None,
                "os": system_of(matrix, repository, tag),
                "tag": tag,
            }
        return
    for row in matrix.images["plain"]:
        yield {"row": row, "flavour": None, "os": row["os"], "tag": row["tag"]}
    if "cuda" in build:
        for row, flavour, os, text in matrix.tags:
            yield {"row": row, "flavour": flavour, "os": os, "tag": text}


def system_of(matrix, repository, tag):
    """The distribution of an image that is taken as given, where its name tells."""
    for row in matrix.images["plain"]:
        if (row["repository"], row["tag"]) == (repository, tag):
            return row["os"]
    return next((o for o in matrix.distributions if o in tag), None)


def builds_of(data, release):
    """The builds of a release."""
    for build in data.get("builds", []):
        if words(build["releases"]) == ["all"] or release["version"] in words(build["releases"]):
            yield build


def candidates(matrix, request):
    """The releases and builds that the request admits, with the drivers that run them."""
    for release in matrix.framework["releases"]:
        for build in builds_of(matrix.framework, release):
            if build_fits(request, release, build):
                runs = [(d, driver_fits(request, build, d)) for d in request.drivers]
                yield release, build, [(d, how) for d, how in runs if how]


def solutions(matrix, request_data):
    """Every candidate that no rule speaks against, with its key of preference (greater: better)."""
    request = Request(matrix, request_data)
    for release, build, runs in candidates(matrix, request):
        for image in candidate_images(request, build) if runs else []:
            if not image_fits(request, release, build, image):
                continue
            hows = runs_in(request, build, image, runs)
            for python in pythons_of(request, release) if hows else []:
                yield (
                    key_of(request, release, build, image, python, hows),
                    {
                        "version": release["version"],
                        "variant": build["variant"],
                        "python": python,
                        "tag": image["tag"],
                        "how": how_told(request, build, image, hows[0]),
                    },
                )


def pythons_of(request, release):
    wanted = request.said.get("python")
    pythons = words(release["pythons"]) + words(release.get("experimental"))
    return [p for p in pythons if not wanted or meets(wanted, p)]


def how_told(request, build, image, how):
    """Where the CUDA that runs is the image's, that is the one that the driver is held against."""
    if not request.driver_named or "cuda" not in build:
        return None
    if "images" in build and image["flavour"] is not None:
        return reliance(request, build, image["row"]["cuda"], request.drivers[0])
    return how


PYTHON_AT = 8  # in what key_of gives: behind the class of images, and whether it is stable


def key_of(request, release, build, image, python, hows):
    matrix = request.matrix
    row, os = image["row"], image["os"]
    is_cuda_row = row is not None and image["flavour"] is not None
    ships = matrix.distributions.get(os, {}).get("python")
    eol = is_cuda_row and row["state"] == "eol"
    cuda = Version(build["cuda"]) if "cuda" in build else Version("0")
    return (
        not eol,
        "forward" not in hows,
        Version(release["version"]),
        build["variant"] == release.get("default"),
        cuda,
        *class_of_image(request, build, row if is_cuda_row else None),
        python not in words(release.get("experimental")),
        ships is not None and minor(ships) == minor(python),
        Version(python),
        matrix.rank.get(os, -1),
        -FLAVOURS.index(image["flavour"]) if is_cuda_row else 0,
        Version(row["cuda"]) if is_cuda_row else Version("0"),
    )


def class_of_image(request, build, row):
    """Where the wheel brings CUDA: the build's minor, else the newest of its major, else plain."""
    supply = build["supply"]
    if "cuda" not in build or supply != "wheel":
        return 0, (0, 0)
    if row is None:
        return 0, (0, 0)
    if minor(row["cuda"]) == minor(build["cuda"]):
        return 2, (0, 0)
    return 1, minor(row["cuda"])


def dump(value):
    """Flow YAML that reads as it was: numbers and truth plain, what could be misread quoted."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{dump(k)}: {dump(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(dump(v) for v in value) + "]"
    if value.replace(".", "").replace("_", "").replace("-", "").isalnum():
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def best(matrix, request_data):
    """The preferred solution, or None."""
    found = max(solutions(matrix, request_data), key=lambda s: s[0], default=None)
    return found and found[1]
