"""Fixtures that the end-to-end tests have, too."""

from ..e2e.conftest import node_modules
from ..e2e.test_workflow import parser

__all__ = ["node_modules", "parser"]
