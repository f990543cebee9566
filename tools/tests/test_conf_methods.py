from __future__ import annotations

from typing import TYPE_CHECKING

from conf_methods import COMMAND, FOLDER, formatted, stale

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_methods_of_a_conf_agree_with_the_option_table() -> None:
    assert stale() == [], f"run {COMMAND}"


def test_a_changed_file_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("conf_methods.FOLDER", tmp_path)

    assert stale() == ["__init__.py", "conf.py", "connection.py", "read.py", "write.py"]
    assert formatted("x=1\n") == "x = 1\n"
    assert FOLDER.is_dir()
