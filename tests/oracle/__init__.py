"""The template language, held to Jinja2."""
