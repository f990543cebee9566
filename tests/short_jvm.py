"""Surroundings for a JVM that lives for seconds: what it would compile well, it would hardly run any more."""

from __future__ import annotations

import os

QUICK_START = {**os.environ, "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
