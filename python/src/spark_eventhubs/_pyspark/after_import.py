"""Runs code after the import of a module, now or later.

So `import spark_eventhubs` neither needs PySpark nor waits for its import, and the order of imports does not matter.
"""

from __future__ import annotations

import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

    Patch = Callable[[ModuleType], None]


def after_import(name: str, patch: Patch) -> None:
    """Calls `patch` with the module: at once if it is imported, and whenever it is imported or reloaded."""
    module = sys.modules.get(name)
    if module is not None:
        patch(module)
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    _FINDER.waiting[name] = patch


class _Finder(MetaPathFinder):
    def __init__(self) -> None:
        self.waiting: dict[str, Patch] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        patch = self.waiting.get(fullname)
        if patch is None:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _PatchingLoader(spec.loader, patch)
        return spec


class _PatchingLoader(Loader):
    def __init__(self, loader: Loader, patch: Patch) -> None:
        self._loader = loader
        self._patch = patch

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        self._patch(module)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the real loader has, such as get_source
        if name == "_loader":  # of a copy that is not complete yet
            raise AttributeError(name)
        return getattr(self._loader, name)


_FINDER = _Finder()
