"""wfgate: the regression gate for generated workflows."""

__version__ = "0.1.0"
