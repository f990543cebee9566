"""A hook of mkdocs: links from pages to files outside docs/, such as examples, lead to the repository."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)\s#]+)(#[^)\s]*)?(?=\))")


def repository_links(markdown: str, page: Path, address: str) -> str:
    """The page's text; `address` is that of the repository. A link to a missing file stays, and mkdocs refuses it."""

    def leads_to(link: re.Match[str]) -> str:
        target = (page.parent / link[1]).resolve()
        if not target.exists() or target.is_relative_to(ROOT / "docs") or not target.is_relative_to(ROOT):
            return link[0]
        kind = "tree" if target.is_dir() else "blob"
        return f"{address}/{kind}/main/{target.relative_to(ROOT)}{link[2] or ''}"

    return LINK.sub(leads_to, markdown)


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Called by mkdocs for each page."""
    del files
    return repository_links(markdown, Path(str(page.file.abs_src_path)), str(config.repo_url))
