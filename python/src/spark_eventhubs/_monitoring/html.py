"""HTML for notebooks, without scripts and outer resources. Every text is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_CELL: Final = "padding:2px 10px;white-space:nowrap"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], *, last_is_total: bool = False) -> str:
    """A table of texts. The first column and the headings over it are left-aligned, the others right-aligned."""
    body = [list(row) for row in rows]
    head = "".join(_cell("th", heading, index, "font-weight:600") for index, heading in enumerate(headings))
    lines = []
    for number, row in enumerate(body, 1):
        style = "border-top:1px solid #8888;font-weight:600" if last_is_total and number == len(body) else ""
        lines.append("<tr>" + "".join(_cell("td", each, index, style) for index, each in enumerate(row)) + "</tr>")
    return (
        '<table style="border-collapse:collapse;font-variant-numeric:tabular-nums;margin:4px 0">'
        f'<thead style="border-bottom:1px solid #8888"><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table>'
    )


def bar(fraction: float, text: str) -> str:
    """A progress bar with a text to its right."""
    percent = max(0.0, min(1.0, fraction)) * 100
    return (
        '<div style="display:flex;align-items:center;gap:10px;margin:4px 0">'
        '<div style="width:240px;height:8px;background:#8884;border-radius:4px">'
        f'<div style="width:{percent:.1f}%;height:8px;background:#0f7b6c;border-radius:4px"></div></div>'
        f"<span>{escape(text)}</span></div>"
    )


def heading(title: str, state: str = "", colour: str = "inherit") -> str:
    """A bold title, and a state in its colour."""
    shown = f' <span style="color:{colour};font-weight:600">{escape(state)}</span>' if state else ""
    return f'<div style="margin:4px 0"><b>{escape(title)}</b>{shown}</div>'


def paragraph(text: str, colour: str = "inherit") -> str:
    """A line of text."""
    return f'<div style="margin:4px 0;color:{colour}">{escape(text)}</div>'


def conf_html(name: str, options: Iterable[tuple[str, str]]) -> str:
    """The options of an `EventHubsConf`. The caller replaces secrets with ***."""
    title = heading(f"EventHubsConf of {name}" if name else "EventHubsConf")
    return title + _left(["option", "value"], options)


def local_hub_html(http_url: str, hubs: Mapping[str, int] | None) -> str:
    """The hubs of a `LocalHub` with their partitions, and links to its Data Explorer. None if it has ended."""
    if hubs is None:
        return heading("LocalHub", "ended")
    link = f'<a href="{escape(http_url)}/" target="_blank">Data Explorer</a>'
    rows = "".join(
        f'<tr><td style="{_CELL}"><a href="{escape(http_url)}/#{quote(name)}" target="_blank">{escape(name)}</a></td>'
        f'<td style="{_CELL};text-align:right">{partitions}</td></tr>'
        for name, partitions in sorted(hubs.items())
    )
    head = f'<tr><th style="{_CELL};text-align:left">hub</th><th style="{_CELL}">partitions</th></tr>'
    return (
        f'<div style="margin:4px 0"><b>LocalHub</b> {link}</div>'
        f'<table style="border-collapse:collapse"><thead>{head}</thead><tbody>{rows}</tbody></table>'
    )


def _left(headings: Sequence[str], rows: Iterable[tuple[str, str]]) -> str:
    left = f"{_CELL};text-align:left"
    head = "".join(f'<th style="{left}">{escape(each)}</th>' for each in headings)
    body = "".join(
        "<tr>" + "".join(f'<td style="{left}">{escape(each)}</td>' for each in row) + "</tr>" for row in rows
    )
    return f'<table style="border-collapse:collapse"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def _cell(tag: str, text: str, column: int, style: str) -> str:
    side = "left" if column == 0 else "right"
    return f'<{tag} style="{_CELL};text-align:{side};{style}">{escape(text)}</{tag}>'
