"""Questions that layers bring: asked of whoever takes the layer, in an order of its own."""

import pytest

from .world import git

TYPE = "description: d\nstack: none\nlayers:\n{layers}\nquestions:\n{questions}\n"
LAYER = "description: {name}\nquestions:\n{questions}\n"


@pytest.fixture
def world(catalog):
    """Layers by their questions, and a type that takes them; every question is read somewhere."""

    def make(layers, own="  []", uses=None, more=""):
        catalog.file("hello.txt.j2", "{{ name }} " + more)
        for name, questions in layers.items():
            names = [q.split("name: ")[1].split(",")[0].rstrip("}") for q in questions]
            text = "\n".join(f"  - {q}" for q in questions)
            read = " ".join(f"{{{{ {n} }}}}" for n in names)
            manifest = LAYER.format(name=name, questions=text)
            catalog.layer(name, manifest, {f"{name}.txt.j2": read + "\n"})
        uses = uses or [f"{{name: {name}}}" for name in layers]
        catalog.template(TYPE.format(layers="\n".join(f"  - {use}" for use in uses), questions=own))
        return catalog

    return make


def answers(done):
    assert done.code == 0, done.err
    return done.json["answers"]


def test_a_layer_asks_whoever_takes_it(new, work, world, catalog):
    world({"legal": ["{name: license, default: MIT}"]})
    catalog.template(TYPE.format(layers="  - {name: legal}", questions="  []"), name="other").write(
        "templates/other/files/x", "x"
    )
    assert answers(new("a", "--set", "license=ISC", "--json"))["license"] == "ISC"
    assert (work / "a/legal.txt").read_text() == "ISC\n"
    other = new("b", "--json", "--set", "type=other")
    assert answers(other) == {"name": "b", "license": "MIT"}


def test_own_questions_come_first_then_those_of_layers_in_their_order(new, world):
    own = "  - {name: z, default: z}\n  - {name: b, default: '{{ z }}b'}"
    world(
        {"one": ["{name: y, default: y}"], "two": ["{name: x, default: '{{ y }}{{ b }}'}"]},
        own,
        more="{{ z }}{{ b }}",
    )
    assert list(answers(new("it", "--json")).items()) == [
        ("name", "it"),
        ("z", "z"),
        ("b", "zb"),
        ("y", "y"),
        ("x", "yzb"),
    ]


def test_a_type_says_where_those_of_a_layer_are_asked(new, world):
    own = "  - {name: a, default: a}\n  - layer: two\n  - {name: z, default: 'after {{ x }}'}"
    world(
        {"one": ["{name: y, default: y}"], "two": ["{name: x, default: x}"]},
        own,
        more="{{ a }}{{ z }}",
    )
    assert list(answers(new("it", "--json"))) == ["name", "a", "x", "z", "y"]


def test_a_question_is_there_only_where_its_layer_is(new, work, world):
    own = "  - {name: docs, type: bool, default: false}"
    world(
        {"docs": ["{name: theme, default: plain}"]},
        own,
        ["{name: docs, when: docs}"],
        "{{ theme | default('no theme') }}",
    )
    assert list(answers(new("a", "--json"))) == ["name", "docs"]
    assert (work / "a/hello.txt").read_text() == "a no theme"
    assert answers(new("b", "--json", "--set", "docs=true"))["theme"] == "plain"
    assert (work / "b/hello.txt").read_text() == "b plain"
    done = new("c", "--set", "theme=dark")
    assert done.code == 2
    assert (
        "'theme' makes no difference here: the layer 'docs', which asks it, is not taken"
        in done.err
    )


def test_the_name_of_the_layer_may_be_an_answer(new, work, world):
    own = "  - {name: ui, type: choice, choices: [web, text], default: web}"
    world(
        {
            "ui-web": ["{name: port, type: int, default: 80}"],
            "ui-text": ["{name: width, default: w}"],
        },
        own,
        ["{name: 'ui-{{ ui }}'}"],
    )
    assert list(answers(new("a", "--json"))) == ["name", "ui", "port"]
    assert list(answers(new("b", "--json", "--set", "ui=text"))) == ["name", "ui", "width"]


def test_two_layers_may_ask_the_same_and_it_is_asked_once(new, world):
    same = "{name: owner, default: us}"
    world({"one": [same], "two": [same]})
    assert answers(new("it", "--json")) == {"name": "it", "owner": "us"}


def test_the_same_question_is_there_if_one_of_its_layers_is(new, world):
    same = "{name: owner, default: us}"
    own = "  - {name: a, type: bool, default: false}\n  - {name: b, type: bool, default: false}"
    uses = ["{name: one, when: a}", "{name: two, when: b}"]
    world({"one": [same], "two": [same]}, own, uses)
    assert "owner" not in answers(new("x", "--json"))
    assert "owner" in answers(new("y", "--json", "--set", "a=true"))
    assert "owner" in answers(new("z", "--json", "--set", "b=true"))


def test_two_layers_that_ask_differently_are_refused_unless_the_type_asks(new, world):
    layers = {"one": ["{name: owner, default: us}"], "two": ["{name: owner, default: them}"]}
    world(layers)
    done = new("it")
    assert done.code == 2
    assert "templates/_layers/two/layer.yml:3:5: " in done.err
    assert "the layers 'one' and 'two' both ask 'owner', and not the same" in done.err
    world(layers, "  - {name: owner, default: me}")
    assert answers(new("it", "--json"))["owner"] == "me"


@pytest.mark.parametrize(
    ("own", "words"),
    [
        ("  - layer: tow", ["'layers' does not name 'tow'", "did you mean 'two'?"]),
        ("  - {layer: two, when: x}", ["'when'"]),
        ("  - {name: late, default: '{{ x }}'}", ["'x' is undefined"]),
    ],
)
def test_a_place_for_a_layer_that_is_none_is_told(new, world, own, words):
    world({"two": ["{name: x, default: x}"]}, own, more="{{ late | default('') }}")
    done = new("it")
    assert done.code == 2
    assert all(word in done.err for word in [*words, "templates/thing/template.yml:"]), done.err


def test_a_condition_of_a_layer_that_reads_what_is_asked_later_is_told(new, world):
    uses = ["{name: one, when: x}", "{name: two}"]
    world({"one": ["{name: y, default: y}"], "two": ["{name: x, default: x}"]}, uses=uses)
    done = new("it")
    assert done.code == 2
    assert "whether the layer 'one', which asks 'y', is taken: 'x' is undefined" in done.err


def test_a_layer_does_not_ask_for_the_name(new, world):
    world({"one": ["{name: name}"]})
    done = new("it")
    assert done.code == 2
    assert "'name' is a question of types alone" in done.err


def test_a_question_of_a_layer_that_nothing_reads_is_an_error_there(new, catalog, world):
    world({"one": ["{name: used, default: u}", "{name: idle, default: i}"]})
    catalog.write("templates/_layers/one/files/one.txt.j2", "{{ used }}")
    done = new("it")
    assert done.code == 2
    assert "templates/_layers/one/layer.yml:4:5: no template reads the answer to 'idle'" in done.err


def test_a_file_named_like_a_manifest_is_no_layer(new, catalog, world):
    world({"one": ["{name: y, default: y}"]}, uses=["{name: '{{ \"one\" }}'}"])
    catalog.write("templates/_layers/one/files/layer.yml", "not: a layer\n")
    assert new("it").code == 0


def test_moving_a_question_into_a_layer_is_no_change_for_a_child(tmplgen, work, catalog):
    """An update over such a release keeps the answer, and finds nothing to do."""
    repository = catalog.folder
    question = "  - {name: owner, default: us}"
    catalog.template(TYPE.format(layers="  - {name: one}", questions=question))
    catalog.layer("one", "description: one\n", {"one.txt.j2": "{{ owner }}\n"})
    catalog.file("hello.txt.j2", "hello\n")
    release(repository, "1.0.0")
    said = ("--type", "thing", "--catalog", f"file://{repository}", "--set", "owner=me")
    made = tmplgen("new", "it", *said, cwd=work)
    assert made.code == 0, made.err
    catalog.template(TYPE.format(layers="  - {name: one}", questions="  []"))
    catalog.write("templates/_layers/one/layer.yml", LAYER.format(name="one", questions=question))
    release(repository, "1.1.0")
    done = tmplgen("update", "it", "--json", cwd=work)
    assert done.code == 0, done.err
    assert done.json["counts"] == dict.fromkeys(done.json["counts"], 0)
    assert (work / "it/one.txt").read_text() == "me\n"
    assert "  owner: me\n" in (work / "it/.tmplgen.yml").read_text()


def release(folder, version):
    (folder / "catalog.yml").write_text(f"name: test\nversion: {version}\n")
    if not (folder / ".git").exists():
        git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", version)
    git(folder, "tag", f"v{version}")


# ---------------------------------------------------------------- what a layer refuses

REFUSING = """description: d
questions:
  - {name: way, default: fast}
refuse:
  - {when: "way == 'slow'", because: "'{{ way }}' is no way"}
  - {when: "way == 'far'", because: "no row has '{{ way }}'", exit: 4}
"""


@pytest.fixture
def refusing(catalog):
    """A layer that refuses, taken where `travel` says so."""
    catalog.file("hello.txt.j2", "{{ name }}")
    catalog.layer("ways", REFUSING, {"way.txt.j2": "{{ way }}"})
    catalog.template(
        "description: d\nstack: none\nlayers:\n  - {name: ways, when: travel}\n"
        "questions:\n  - {name: travel, type: bool, default: true}\n"
    )
    return catalog


@pytest.mark.parametrize(
    "way, code, word, says",
    [
        ("slow", 2, "invalid-answer", "'slow' is no way"),
        ("far", 4, "unsatisfiable", "no row has 'far'"),
    ],
)
def test_a_layer_refuses_answers_of_whoever_takes_it(new, work, refusing, way, code, word, says):
    done = new("it", "--set", f"way={way}", "--json")
    assert done.code == code and done.json["error"]["code"] == word
    assert done.json["error"]["message"] == says
    assert not (work / "it").exists()
    assert answers(new("good", "--set", "way=near", "--json"))["way"] == "near"


def test_a_layer_that_is_not_taken_refuses_nothing(new, refusing):
    refusing.template(
        "description: d\nstack: none\nlayers:\n  - {name: ways, when: travel}\n"
        "questions:\n  - {name: travel, type: bool, default: false}\n"
        "  - {name: way, default: slow}\n"
    )
    refusing.file("hello.txt.j2", "{{ way }}")
    assert answers(new("it", "--json"))["way"] == "slow"
    assert new("not", "--set", "travel=yes").code == 2


def test_a_refusal_exits_with_2_or_4(new, refusing):
    refusing.layer("ways", REFUSING.replace("exit: 4", "exit: 3"), {"way.txt.j2": "{{ way }}"})
    done = new("it")
    assert done.code == 2 and "exit code" in done.err and "layer.yml:6" in done.err
