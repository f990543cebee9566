"""Checks of what a release publishes. Each check returns one line per fault, and none when all is well."""
