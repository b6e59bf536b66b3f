"""Catalogs out of templates of cookiecutter and copier, held to those tools themselves."""
