"""Checks of what a release publishes. Each check returns one line for each fault."""
