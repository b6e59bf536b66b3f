"""How Sphinx makes the documentation: `make docs`."""

import pytorch_library

project = "pytorch-library"
version = release = pytorch_library.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
autodoc_typehints = "description"
html_theme = "furo"
exclude_patterns = ["_build"]
