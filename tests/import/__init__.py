"""For the importer in Python: templates, and a comparison with what their own tools make of them.

No suite: nothing here is run before there is that importer, which turns a template of cookiecutter
or copier into a catalog.
"""
