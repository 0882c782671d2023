__all__ = ["version"]

version = "0.1.0rc1"
"""As in pyproject.toml; a test says when it is not."""
