"""The exception for bad files."""

from __future__ import annotations

import json
from typing import NamedTuple


class Defect(NamedTuple):
    """A defect of a file."""

    code: str
    """The kind of defect, as a stable name listed in docs/defects.md."""
    pointer: str
    """The place in the file, as a JSON pointer (RFC 6901). Empty for the whole file."""
    message: str
    """A one-line message for people, including the name of the file."""


class XformError(ValueError):
    """Raised if a file cannot be audited or repaired. Its text is the first defect, in one line."""

    source: str
    """The file."""
    defects: tuple[Defect, ...]
    """The defects, at most a hundred. Never empty."""
    more: int
    """The number of further defects, as far as they were counted."""

    def __init__(self, source: str, defects: tuple[Defect, ...], more: int = 0) -> None:
        others = len(defects) - 1 + more
        told = f" (and {others} more, in `defects`)" if others else ""
        super().__init__(defects[0].message + told)
        self.source = source
        self.defects = defects
        self.more = more

    @property
    def code(self) -> str:
        """The kind of the first defect."""
        return self.defects[0].code

    @property
    def pointer(self) -> str:
        """The place of the first defect."""
        return self.defects[0].pointer

    def __reduce__(self) -> tuple[type[XformError], tuple[str, tuple[Defect, ...], int]]:
        return type(self), (self.source, self.defects, self.more)

    @classmethod
    def _of_json(cls, text: str) -> XformError:
        problem = json.loads(text)
        all_defects = (problem, *problem["others"])
        defects = tuple(Defect(one["code"], one["pointer"], one["error"]) for one in all_defects)
        return cls(problem["source"], defects, problem["more"])
