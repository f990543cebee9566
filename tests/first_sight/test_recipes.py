"""Each recipe needs the page's beginning only, not another recipe. test_pages.py runs them, one after the other."""

from __future__ import annotations

import ast
import builtins
from typing import Final

import pytest

from pages import DOCS

PAGE: Final = DOCS / "guides" / "recipes.md"
GIVEN: Final = {*dir(builtins), "spark", "connection_string", "other_connection_string"}
BEGINNING, *RECIPES = PAGE.read_text(encoding="utf-8").split("\n## ")


def program(section: str) -> ast.Module:
    """The Python of a section."""
    return ast.parse("\n".join(part.split("```")[0] for part in section.split("```python\n")[1:]))


def names(tree: ast.Module, context: type[ast.expr_context]) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, context)}


def made(tree: ast.Module) -> set[str]:
    """Names that a program assigns, imports, or defines."""
    found = names(tree, ast.Store)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.arg)):
            found.add(node.name if isinstance(node, ast.FunctionDef) else node.arg)
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {each.asname or each.name for each in node.names}
    return found


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda text: text.partition("\n")[0])
def test_a_recipe_uses_no_name_of_another_recipe(recipe: str) -> None:
    tree = program(recipe)

    assert names(tree, ast.Load) - made(tree) - made(program(BEGINNING)) - GIVEN == set()
