from __future__ import annotations

import pytest

from site_links import ROOT, repository_links

ADDRESS = "https://code.example/project"


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("../README.md", f"{ADDRESS}/blob/main/README.md"),
        ("../CONTRIBUTING.md#tests", f"{ADDRESS}/blob/main/CONTRIBUTING.md#tests"),
        ("../examples", f"{ADDRESS}/tree/main/examples"),
        ("options.md#values", "options.md#values"),  # a page of the site
        ("../missing.md", "../missing.md"),  # mkdocs refuses it
        ("#tests", "#tests"),
        ("https://other.example/a.md", "https://other.example/a.md"),
    ],
)
def test_a_link_out_of_the_site_leads_to_the_repository(link: str, shown: str) -> None:
    page = ROOT / "docs" / "tuning.md"
    assert repository_links(f"See [this]({link}).", page, ADDRESS) == f"See [this]({shown})."
