"""Reads and changes the positions in the checkpoint of a streaming query."""
