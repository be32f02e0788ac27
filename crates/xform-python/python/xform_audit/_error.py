"""What is raised where a file is bad."""

from __future__ import annotations

import json
from typing import NamedTuple


class Defect(NamedTuple):
    """One thing that is wrong with a file."""

    code: str
    """Its kind, by a stable name: docs/defects.md lists them."""
    pointer: str
    """Its place in the file, as a JSON pointer (RFC 6901); empty for the whole file."""
    message: str
    """One line for people, which names the file."""


class XformError(ValueError):
    """A file cannot be audited or repaired. As text it is the first defect, in one line."""

    source: str
    """The file."""
    defects: tuple[Defect, ...]
    """What is wrong with it, a hundred things at most; never empty."""
    more: int
    """How much more is wrong with it, as far as that was counted."""

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
