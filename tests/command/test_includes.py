"""Where `{% include %}` looks: in the layer or type that the name begins with, then for all."""

import pytest

PLACES = {
    "a layer": "templates/_layers/part/includes/{}",
    "a type": "templates/part/includes/{}",
    "the catalog": "templates/_includes/part/{}",
}


@pytest.fixture
def included(new, catalog, work):
    """What a template that includes the name renders to."""

    def run(name, *said, more=""):
        catalog.file("hello.txt.j2", f"{{% include {name!r} {more} %}}{{{{ greeting }}}}")
        done = new("child", *said, "--no-git")
        assert done.code == 0, done.err
        return (work / "child/hello.txt").read_text()

    return run


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", ["text.md", "deep/text.md"])
def test_a_name_finds_the_file_of_its_owner(included, catalog, place, name):
    catalog.write(PLACES[place].format(name), f"{place} {{{{ name }}}} ")
    assert included(f"part/{name}") == f"{place} child hello"


def test_the_first_of_layer_type_and_catalog_is_taken(included, catalog, work):
    for place in reversed(PLACES):
        catalog.write(PLACES[place].format("text"), place + " ")
        assert included("part/text") == f"{place} hello"
        (work / "child").rename(work / place)


def test_a_layer_need_not_be_in_use_to_be_included_from(included, catalog):
    catalog.layer("other", "description: o\n", {"o.txt": "o"})
    catalog.write("templates/_layers/other/includes/text", "{% include 'other/more' %}")
    catalog.write("templates/_layers/other/includes/more", "more ")
    assert included("other/text") == "more hello"


def test_an_owner_without_such_a_file_leaves_room_for_the_catalogs(included, catalog):
    catalog.write("templates/_layers/part/includes/else", "x")
    catalog.write("templates/_includes/part/text", "shared ")
    assert included("part/text") == "shared hello"


def test_a_name_without_an_owner_is_the_catalogs(included, catalog):
    catalog.write("templates/_includes/text", "shared ")
    catalog.write("templates/_layers/text/includes", "a file, no folder")
    assert included("text") == "shared hello"


def test_an_include_is_no_file_of_the_project(new, catalog, work):
    catalog.template("description: d\nstack: none\nlayers: [{name: one}]\n")
    catalog.file("hello.txt.j2", "x")
    catalog.layer("one", "description: 1\n", {"a.txt": "a"})
    catalog.write("templates/_layers/one/includes/b.txt", "b")
    catalog.write("templates/thing/includes/c.txt", "c")
    assert new("child", "--no-git").code == 0
    made = {path.name for path in (work / "child").iterdir()}
    assert made == {".gitattributes", ".tmplgen.yml", "a.txt", "hello.txt"}


@pytest.mark.parametrize(
    "name",
    ["part/nothing", "part", "part/", "/text", "../part/text", "part/../part/text", "part//text"],
)
def test_a_name_that_is_no_file_is_refused(new, catalog, name):
    for place in PLACES.values():
        catalog.write(place.format("text"), "x")
    catalog.file("hello.txt.j2", f"{{% include {name!r} %}}{{{{ greeting }}}}")
    done = new("child")
    assert done.code == 2
    assert "hello.txt.j2:1" in done.err and name in done.err


def test_ignore_missing_finds_what_is_there(included, catalog, work):
    assert included("part/text", more="ignore missing") == "hello"
    (work / "child").rename(work / "one")
    catalog.write(PLACES["a type"].format("text"), "there ")
    assert included("part/text", more="ignore missing") == "there hello"


def test_a_question_that_only_an_include_of_a_layer_reads_is_used(new, catalog):
    catalog.write("templates/_layers/part/includes/text", "{{ greeting }}")
    catalog.file("hello.txt.j2", "{% include 'part/text' %}")
    assert new("child").code == 0


def test_an_error_in_an_include_of_a_layer_shows_the_way_there(new, catalog):
    catalog.write("templates/_layers/part/includes/text.md", "a\n{{ greeting.x.y }}\n")
    catalog.file("hello.txt.j2", "{% include 'part/text.md' %}\n{{ greeting }}\n")
    done = new("child")
    assert done.code == 2
    assert "templates/_layers/part/includes/text.md:2:13: " in done.err
    assert "included from templates/thing/files/hello.txt.j2:1:12\n" in done.err
