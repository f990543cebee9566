"""Extends PySpark, without importing it."""
