"""A training and batch inference job."""

__version__ = "0.1.0"
