"""The examples of docs/monitoring.md, and the notebooks, run as they are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import nbformat
import pytest
from nbclient import NotebookClient

from confs import from_earliest
from events import spread
from pages import ROOT
from spark_eventhubs import read
from streams import Target, read_available

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_eventhubs import LocalEventHub

PAGE = (ROOT / "docs" / "monitoring.md").read_text(encoding="utf-8")
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


def run_example(mark: str, **names: object) -> None:
    """Runs the code block after `<!-- tested: mark -->`."""
    found = re.search(rf"<!-- tested: {mark} -->\n```python\n(.*?)```", PAGE, re.DOTALL)
    assert found, f"docs/monitoring.md has no block with the mark 'tested: {mark}'"
    exec(found.group(1), dict(names))  # noqa: S102 - code of our own page


def test_the_page_s_view_and_plots_show_a_query(
    spark: SparkSession,
    event_hub: LocalEventHub,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spread(event_hub, range(100))
    query = read_available(spark, from_earliest(event_hub), Target(tmp_path))
    monkeypatch.chdir(tmp_path)

    run_example("watch", query=query)
    run_example("plot", query=query)

    assert "batch 0: 100 rows" in capsys.readouterr().out
    for name in ("lag.png", "throughput.png"):
        assert Path(name).read_bytes().startswith(b"\x89PNG")


def test_the_page_s_progress_bars_end_with_the_block(
    spark: SparkSession, event_hub: LocalEventHub, capsys: pytest.CaptureFixture[str]
) -> None:
    spread(event_hub, range(100))

    run_example("progress", spark=spark, events=read(spark, from_earliest(event_hub)))

    shown = capsys.readouterr().out
    assert re.search(r"^100$", shown, re.MULTILINE)
    assert "4/4" in shown


@pytest.mark.timeout(600)
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_notebook_runs_and_shows_its_live_view(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [path.stem for path in NOTEBOOKS] == ["monitoring", "quick_start"]
    # The session of this process has put its jars there.
    monkeypatch.delenv("PYSPARK_SUBMIT_ARGS", raising=False)
    monkeypatch.delenv("PYSPARK_GATEWAY_PORT", raising=False)
    content = nbformat.read(notebook, as_version=4)
    assert all(cell.get("outputs", []) == [] for cell in content.cells), "outputs are not committed"

    NotebookClient(content, timeout=400).execute()

    assert content.cells[-1].outputs == [], "it stops without a word"
    outputs = [output for cell in content.cells for output in cell.get("outputs", [])]
    pages = "\n".join(text_of(output, "text/html") for output in outputs)
    if notebook.stem == "quick_start":
        assert "readings</b> <span" in pages
        assert "100% done" in pages
        assert re.search(r"stage \d+: 2 of 2 tasks", pages)
        assert "EventHubsConf of telemetry" in pages
        assert "Data Explorer" in pages
        assert "SAS_KEY_VALUE" not in pages
        assert re.search(r"<td>1970-01-01( 00:\d\d:00)?</td>", pages)  # pandas leaves midnight out
    else:
        assert ">sender</td>" in pages
        assert "reader</b> <span" in pages
        assert len([output for output in outputs if text_of(output, "image/png")]) == 2


def text_of(output: Any, kind: str) -> str:  # noqa: ANN401 - a notebook's node
    text: str = output.get("data", {}).get(kind, "")
    return text
