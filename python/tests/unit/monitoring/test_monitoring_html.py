from __future__ import annotations

import subprocess
import sys

from spark_eventhubs import EventHubsConf
from spark_eventhubs._monitoring import html

SECRET = "c2VjcmV0"


def test_a_conf_is_a_table_in_a_notebook_without_its_secret() -> None:
    string = f"Endpoint=sb://contoso.servicebus.windows.net;SharedAccessKeyName=n;SharedAccessKey={SECRET}"
    conf = EventHubsConf.from_connection_string(f"{string};EntityPath=telemetry").replace(consumer_group="<b>$Default")

    shown = conf._repr_html_()

    assert "EventHubsConf of telemetry" in shown
    assert ">eventhubs.connectionString</td>" in shown
    assert ">***</td>" in shown
    assert "&lt;b&gt;$Default" in shown
    assert SECRET not in shown


def test_a_password_in_an_option_is_not_shown() -> None:
    conf = EventHubsConf.from_options({"eventhubs.proxy.address": "host:8080", "eventhubs.proxy.password": SECRET})
    assert SECRET not in conf._repr_html_()


def test_texts_in_tables_are_escaped_and_the_total_is_bold() -> None:
    shown = html.table(["partition", "behind"], [["<0>", "1"], ["total", "1"]], last_is_total=True)

    assert "&lt;0&gt;" in shown
    assert shown.index("font-weight:600", shown.index("&lt;0&gt;")) < shown.index(">total<")


def test_a_hub_that_has_ended_says_so() -> None:
    assert "ended" in html.local_hub_html("http://127.0.0.1:1", None)


def test_the_package_imports_nothing_heavy() -> None:
    """Executors and small scripts import it too."""
    program = "import sys, spark_eventhubs; print({'pyspark', 'rich', 'matplotlib', 'IPython'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=60)
    assert done.stdout == "set()\n"
