from __future__ import annotations

from typing import TYPE_CHECKING

from conf_keywords import COMMAND, is_current

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_keywords_of_a_conf_agree_with_the_option_table() -> None:
    assert is_current(), f"run {COMMAND}"


def test_a_changed_file_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    changed = tmp_path / "conf_options.py"
    monkeypatch.setattr("conf_keywords.FILE", changed)

    assert not is_current()
    changed.write_text("# another", encoding="utf-8")
    assert not is_current()
