__all__ = ["version"]

version = "0.1.0rc1"
"""The version in pyproject.toml; a test compares both."""
