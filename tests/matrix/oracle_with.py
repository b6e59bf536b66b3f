"""What lives in one environment (`--with`) once more, written from the design and not from the C.

Main release and build, partner frameworks, packages: in the order of preference, every set whose
members get along is tried with every image and Python. Slow and dull on purpose.
"""

import itertools
from functools import cache, cmp_to_key, partial

from . import oracle
from .oracle import Version, meets, minor, words


class World:
    """All frameworks and packages of a folder."""

    def __init__(self, folder):
        names = sorted(p.stem for p in (folder / "frameworks").glob("*.yml"))
        data = {name: oracle.load(folder, name) for name in names}
        self.frameworks = {
            n: oracle.Matrix(d) for n, d in data.items() if "on" not in d["framework"]
        }
        files = sorted((folder / "packages").glob("*.yml"))
        packages = [oracle.read(path) for path in files]
        packages += [d["framework"] for d in data.values() if "on" in d["framework"]]
        packages = [p for p in packages if p["on"] in self.frameworks]
        self.packages = {name_of(p): self.complete(p) for p in packages}
        self.required = {n: required_by(p) - {n} for n, p in self.packages.items()}

    def complete(self, package):
        """Without rows of its own, a package's releases are what its framework names."""
        for build in package.get("builds", []):
            build.setdefault("supply", package.get("supply", "wheel"))
        if "releases" not in package:
            named = [
                r["companions"][name_of(package)]
                for r in self.frameworks[package["on"]].framework["releases"]
                if name_of(package) in r.get("companions", {})
            ]
            package["releases"] = [{"version": v} for v in dict.fromkeys(named)]
            package["by_companions"] = True
        return package

    def framework_called(self, name):
        for matrix in self.frameworks.values():
            if name in [matrix.name, *words(matrix.framework.get("packages"))]:
                return matrix
        return None


def name_of(data):
    return data.get("package") or data["framework"]


def required_by(package):
    """The names that any release requires."""
    texts = [words(r.get("requires")) for r in package["releases"]]
    return {split(text)[0] for text in itertools.chain.from_iterable(texts)}


@cache
def split(text):
    """NAME and SPEC of a requirement."""
    name = "".join(itertools.takewhile(lambda c: c.isalnum() or c in "-_.", text))
    return name.lower().replace("_", "-"), text[len(name) :]


class Part:
    """A member of the environment: a framework's or package's release, with its build if any."""

    def __init__(self, data, request, release, build, runs=None):
        self.data, self.request, self.release, self.build = data, request, release, build
        self.version = release["version"]
        self.is_framework = "on" not in data
        self.names = [name_of(data), *words(data.get("packages"))]
        self.cuda = (build or {}).get("cuda")
        self.runs = dict(runs or [])
        required = [*words(release.get("requires")), *words(release.get("pins"))]
        self.requires = [split(word) for word in required]
        self.requires += [(n, f"=={v}") for n, v in release.get("companions", {}).items()]

    def key(self):
        build = self.build or {}
        default = build.get("variant") == self.release.get("default")
        return Version(self.version), default, Version(self.cuda or "0")

    def asks(self):
        return id(self.build), self.release.get("glibc"), tuple(self.runs.items())

    def index(self):
        url = (self.build or {}).get("index_url") or self.data.get("index_url")
        return url and url.replace("{variant}", self.build["variant"])


class Environment:
    """A request, and the members that it names."""

    def __init__(self, world, request):
        self.world, self.said = world, request
        self.pending, self.unknown, self.known = {}, [], {}
        name, spec = split(request["framework"])
        if name in world.packages:
            self.pending[name] = spec
            name, spec = world.packages[name]["on"], ""
        self.main = (name, spec)
        for word in request.get("with", []):
            self.name(*split(word))
        for package in [p for p in self.pending if p in world.packages]:
            on = world.packages[package]["on"]
            if on != self.main[0]:
                self.pending.setdefault(on, "")

    def name(self, name, spec):
        matrix = self.world.framework_called(name)
        if matrix and matrix.name == self.main[0]:
            self.main = (matrix.name, joined(self.main[1], spec))
        elif matrix or name in self.world.packages:
            key = matrix.name if matrix else name
            self.pending[key] = joined(self.pending.get(key, ""), spec)
        else:
            self.unknown.append((name, spec))

    def parts_of(self, name, spec, main=False):
        """What may be taken of one member, best first."""
        own = {"framework": name + spec}
        keep = ["with", "framework"] if main else ["with", "framework", "variant", "cuda"]
        said = {k: v for k, v in self.said.items() if k not in keep} | own
        if name in self.world.frameworks:
            matrix = self.world.frameworks[name]
            request = oracle.Request(matrix, said)
            parts = [
                Part(matrix.framework, request, *candidate)
                for candidate in oracle.candidates(matrix, request)
            ]
            parts = [p for p in parts if p.runs]
        else:
            parts = self.parts_of_package(name, spec, said)
        parts = filter(self.meets_unknown, parts)
        return sorted(parts, key=Part.key, reverse=True)

    def parts_of_package(self, name, spec, said):
        data = self.world.packages[name]
        on = self.world.frameworks[data["on"]]
        request = oracle.Request(on, said | {"framework": on.name})
        request.release, request.exact = spec, bool(spec) and oracle.is_exact(spec)
        for release in data["releases"]:
            if not oracle.release_fits(request, release):
                continue
            if "processors" in release and request.arch not in words(release["processors"]):
                continue
            if "builds" not in data:
                yield Part(data, request, release, None)
            for build in builds_that_fit(data, request, release):
                runs = [(d, how(request, build, d)) for d in request.drivers]
                yield Part(data, request, release, build, [(d, h) for d, h in runs if h])

    def sets(self, parts, pending, python):
        """Sets of members that get along on a Python, the preferred first."""
        if not pending:
            yield parts
            return
        name = self.next_of(pending)
        for part in self.options(name, pending[name]):
            here = [*parts, part]
            if not has(part, python) or not all(get_along(part, other) for other in parts):
                continue
            rest = {k: v for k, v in pending.items() if k != name}
            for other in self.brought(here):
                rest.setdefault(other, "")
            yield from self.sets(here, rest, python)

    def options(self, name, spec):
        if (name, spec) not in self.known:
            self.known[name, spec] = self.parts_of(name, spec)
        return self.known[name, spec]

    def brought(self, parts):
        """What a package requires and is beside the framework, on its own index."""
        names = {name for part in parts for name in part.names}
        for part in parts:
            for name, _ in [] if part.is_framework else part.requires:
                package = self.world.packages.get(name, {})
                if package.get("index") == "framework" and name not in names:
                    yield name

    def next_of(self, pending):
        """Frameworks first; then those that require others before these; then by name."""
        frameworks = sorted(n for n in pending if n in self.world.frameworks)
        if frameworks:
            return frameworks[0]
        required = {other for name in pending for other in self.world.required[name]}
        return min(pending, key=lambda n: (n in required, n))

    def solve(self):
        """The preferred solution, or None: members come after all that is preferred otherwise."""
        mains = self.parts_of(*self.main, main=True)
        for eol, forward in itertools.product([False, True], [False, True]):
            for main in mains:
                found = next(self.completed(main, eol, forward), None)
                if found:
                    return told(*found)
        return None

    def completed(self, main, eol, forward):
        """Members, image and Python, the preferred first."""
        rows = list(self.rows(main, eol))
        sets = {python: Remembered(self.kinds(main, python)) for *_, python in rows}
        first = {python: next(iter(kinds), None) for python, kinds in sets.items()}
        rows = [row for row in rows if first[row[2]]]
        compare = partial(prefer, first)
        for _, image, python in sorted(rows, key=cmp_to_key(compare), reverse=True):
            for parts in sets[python]:
                if forward in drives(parts, image):
                    yield parts, image, python
                    break

    def rows(self, main, eol):
        """Images and Pythons of the main member, with what is preferred of them."""
        for image in oracle.candidate_images(main.request, main.build):
            if is_eol(image) != eol or not drives([main], image):
                continue
            for python in oracle.pythons_of(main.request, main.release):
                key = oracle.key_of(main.request, main.release, main.build, image, python, [])
                yield key, image, python

    def kinds(self, main, python):
        """Of sets that ask the same of the image, the preferred one."""
        if any(self.too_new(*unknown, python) for unknown in self.unknown):
            return
        seen = set()
        for parts in self.sets([main], self.pending, python):
            asked = tuple(p.asks() for p in parts)
            if asked not in seen:
                seen.add(asked)
                yield parts

    def too_new(self, name, spec, python):
        """A framework that consists of the package tells which Pythons its releases are for."""
        for matrix in self.world.frameworks.values():
            if split(matrix.framework.get("requirements", ""))[0] == name:
                rows = [r for r in matrix.framework["releases"] if meets(spec, r["version"])]
                kinds = ("pythons", "experimental")
                known = [Version(p) for r in rows for kind in kinds for p in words(r.get(kind))]
                return bool(rows) and Version(python) > max(known, default=Version("0"))
        return False

    def meets_unknown(self, part):
        """What no row knows may be pinned by one."""
        return all(
            some_meets(spec, said)
            for name, said in self.unknown
            for other, spec in part.requires
            if other == name
        )


def prefer(first, a, b):
    """Newer packages come before the Python, but for an experimental one, within a class of images.

    `first` has of each Python the members that are preferred, whatever the image.
    """
    (key, _, python), (other_key, _, other) = a, b
    head, other_head = key[: oracle.PYTHON_AT], other_key[: oracle.PYTHON_AT]
    if head != other_head:
        return 1 if head > other_head else -1
    versions = {name_of(p.data): Version(p.version) for p in first[other][1:]}
    for part in first[python][1:]:
        version, beside = Version(part.version), versions.get(name_of(part.data))
        if beside is not None and version != beside:
            return 1 if version > beside else -1
    return (key > other_key) - (key < other_key)


class Remembered:
    """What a generator gives, again and again."""

    def __init__(self, rest):
        self.rest, self.had = rest, []

    def __iter__(self):
        yield from self.had
        for one in self.rest:
            self.had.append(one)
            yield one


def joined(one, other):
    return ",".join(s for s in (one, other) if s)


def has(part, python):
    """A package that is known by the framework's rows alone has what these have."""
    release = part.release
    known = words(release.get("pythons")) + words(release.get("experimental"))
    return not known or python in known


def is_eol(image):
    return image["flavour"] is not None and image["row"]["state"] == "eol"


def how(request, build, driver):
    return oracle.driver_fits(request, build, driver)


def builds_that_fit(data, request, release):
    """Builds of a package: a processor, kernels for every GPU."""
    for build in oracle.builds_of(data, release):
        if oracle.low(build) and not request.exact:
            continue
        if not oracle.host_fits(request, build):
            continue
        covered = [oracle.cubin_of(request, build, gpu) for gpu in request.gpus]
        if None in covered:
            continue
        makes = [
            "cuda" not in build or oracle.toolkit_makes(request.matrix, build["cuda"], gpu)
            for gpu in request.gpus
        ]
        if all(makes):
            yield build


def get_along(a, b):
    """Pins of both, one CUDA major, cuDNN and NCCL, libraries for both, one index beside pip's."""
    if not (pins_meet(a, b) and pins_meet(b, a) and lives_on(a, b) and lives_on(b, a)):
        return False
    pairs = itertools.product(a.requires, b.requires)
    if not all(some_meets(one, other) for (n, one), (m, other) in pairs if n == m):
        return False
    if a.cuda and b.cuda:
        if minor(a.cuda)[0] != minor(b.cuda)[0]:
            return False
        nccls = [part.build["nccl"] for part in (a, b) if "nccl" in part.build]
        if len(nccls) == 2 and not some_meets(*nccls):
            return False
        if not cudnn_meets(a.build, b.build) or not libraries_meet(a, b):
            return False
    if a.is_framework and b.is_framework and a.index() and b.index():
        return a.index() == b.index()
    return True


def pins_meet(a, b):
    return all(meets(spec, b.version) for name, spec in a.requires if name in b.names)


@cache
def some_meets(one, other):
    """Whether a version can meet both: one that is named, or just above, or the oldest."""
    named = [s.version.removesuffix(".*") for t in (one, other) for s in oracle.spec(t)]
    points = ["0", *named, *(f"{v}.0.0.1" for v in named if v.replace(".", "").isdigit())]
    return any(meets(one, p) and meets(other, p) for p in points)


def lives_on(package, framework):
    """A package's wheels are for some builds of its framework, or for the release that names it."""
    if package.is_framework or not framework.is_framework:
        return True
    if package.data["on"] != framework.data["framework"]:
        return True
    if "by_companions" in package.data:
        companions = framework.release.get("companions", {})
        return companions.get(name_of(package.data)) == package.version
    variants = package.release.get("variants")
    return not variants or framework.build["variant"] in words(variants)


def cudnn_meets(a, b):
    """Wheels pin theirs; one that lies in the image has its major only."""
    one, other = a.get("cudnn"), b.get("cudnn")
    if not one or not other:
        return True
    if "image" in (a["supply"], b["supply"]):
        return major_of(one) == major_of(other)
    if one[0].isdigit() and other[0].isdigit():
        return one == other
    if one[0].isdigit():
        return meets(other, one)
    if other[0].isdigit():
        return meets(one, other)
    return oracle.overlap(one, other)


def major_of(cudnn):
    return cudnn.lstrip("<>=~!").split(".")[0]


MINORS = [f"{major}.{small}" for major in range(9, 15) for small in range(10)]


def libraries_meet(a, b):
    """Two wheels whose requirements have no minor of CUDA in common cannot be installed."""
    specs = [libraries_of(part) for part in (a, b)]
    return any(all(not s or meets(s, m) for s in specs) for m in MINORS)


def libraries_of(part):
    if not part.is_framework or part.build["supply"] != "wheel":
        return None
    own = part.build.get("libraries") or part.data.get("libraries")
    return "=={}.{}".format(*minor(part.cuda)) if own == "exact" else own


def drives(parts, image):
    """Whether some driver runs all of it in that image with (True) and without forward packages."""
    main, cuda = parts[0], [p for p in parts if p.cuda]
    if not all(lies_in(part, image, part is main) for part in parts):
        return set()
    found = set() if cuda else {False}
    for driver in main.runs if cuda else []:
        hows = [(p, p.runs.get(driver)) for p in cuda]
        lies = all(h != "forward" or oracle.forward_lies_in(p.build, image) for p, h in hows)
        if all(h for _, h in hows) and lies and oracle.starts(main.request, image, driver):
            found.add(any(h == "forward" for _, h in hows))
    return found


def lies_in(part, image, is_main):
    """Of other members, those alone mind the image's CUDA that find their libraries in it."""
    if is_main or (part.is_framework and part.build["supply"] != "wheel"):
        return oracle.image_fits(part.request, part.release, part.build, image)
    return oracle.system_fits(part.request, part.release, part.build or {}, image)


def told(parts, image, python):
    main = parts[0]
    return {
        "version": main.version,
        "variant": main.build["variant"],
        "python": python,
        "tag": image["tag"],
        "members": {name_of(p.data): p.version for p in parts[1:]},
    }


def best(world, request):
    return Environment(world, request).solve()
