from __future__ import annotations

import re
from urllib.request import urlopen

from spark_eventhubs import LocalHub


def test_a_notebook_shows_the_hubs_with_links_to_the_data_explorer() -> None:
    with LocalHub(hubs={"telemetry": 4, "alerts": 2}) as hub:
        hub.create_hub("coming", partitions=3)
        shown = hub._repr_html_()

        rows = re.findall(r'<a href="([^"]+)"[^>]*>(\w+)</a></td><td[^>]*>(\d+)</td>', shown)
        assert rows == [
            (f"{hub.http_url}/#alerts", "alerts", "2"),
            (f"{hub.http_url}/#coming", "coming", "3"),
            (f"{hub.http_url}/#telemetry", "telemetry", "4"),
        ]
        with urlopen(f"{hub.http_url}/", timeout=30) as page:  # noqa: S310 - our own http address
            assert "<html" in page.read().decode()

    assert "ended" in hub._repr_html_()
