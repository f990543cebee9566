"""Both engines pass the tests of this folder."""

from engines import engine, pytest_generate_tests

__all__ = ["engine", "pytest_generate_tests"]
