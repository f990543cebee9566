"""Runs the conformance suite of an official SDK against the packaged local hub: `run_conformance.py js|go`.

The suites are in localhub/conformance. They read the hub's ports and certificate from their environment. The JUnit
report is target/conformance-reports/<suite>/report.xml.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from go_junit import write_report
from spark_eventhubs import LocalHub
from spark_eventhubs.local_hub import LocalAuthority

ROOT = Path(__file__).resolve().parent.parent
SUITES = ROOT / "localhub" / "conformance"
REPORTS = ROOT / "target" / "conformance-reports"


def environment(hub: LocalHub, certificate: Path) -> dict[str, str]:
    """The hub's addresses and its certificate, in the environment variables of Node and Go."""
    return os.environ | {
        "LOCALHUB_AMQP_PORT": str(hub.amqp_port),
        "LOCALHUB_TLS_PORT": str(hub.tls_port),
        "LOCALHUB_HTTP_URL": hub.http_url,
        "NODE_EXTRA_CA_CERTS": str(certificate),
        "SSL_CERT_FILE": str(certificate),
    }


def run_js(env: dict[str, str]) -> int:
    """Installs the packages of package-lock.json, if they changed, and runs node:test."""
    folder = SUITES / "js"
    installed = folder / "node_modules" / ".package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < (folder / "package-lock.json").stat().st_mtime:
        install = ["npm", "ci", "--no-audit", "--no-fund"]
        # Retry once, because of network errors.
        if subprocess.run(install, cwd=folder, check=False).returncode != 0:
            subprocess.run(install, cwd=folder, check=True)
    report = REPORTS / "js" / "report.xml"
    reporters = ["--test-reporter=spec", "--test-reporter-destination=stdout"]
    reporters += ["--test-reporter=junit", f"--test-reporter-destination={report}"]
    tests = sorted(str(path) for path in folder.glob("*.test.js"))
    return subprocess.run(["node", "--test", *reporters, *tests], cwd=folder, env=env, check=False).returncode


def run_go(env: dict[str, str]) -> int:
    """Runs `go test` with the modules of go.sum, and converts its JSON to a JUnit report."""
    command = ["go", "test", "-count=1", "-json", "./..."]
    with subprocess.Popen(command, cwd=SUITES / "go", env=env, stdout=subprocess.PIPE, text=True) as tests:
        write_report(tests.stdout or [], REPORTS / "go" / "report.xml")
    return tests.returncode


RUNNERS = {"js": run_js, "go": run_go}


def main() -> int:
    """Runs the suite and returns its exit code."""
    runner = RUNNERS[sys.argv[1]]
    (REPORTS / sys.argv[1]).mkdir(parents=True, exist_ok=True)
    policies = {"sender": ["Send"], "listener": ["Listen"]}
    with (
        LocalHub(tls_port=0, policies=policies) as hub,
        LocalAuthority(hub),
        tempfile.TemporaryDirectory() as folder,
    ):
        certificate = Path(folder) / "localhub.pem"
        certificate.write_text(hub.certificate_pem(), encoding="utf-8")
        return runner(environment(hub, certificate))


if __name__ == "__main__":
    sys.exit(main())
