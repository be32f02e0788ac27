"""Audits many files."""

from __future__ import annotations

import importlib
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, cast, overload

from . import _native
from ._source import Source, engine_names, resolved, several
from ._types import Grade

if TYPE_CHECKING:
    import pandas
    import polars

Table = Literal["assets", "nodes"]


class Limits(TypedDict, total=False):
    """The limits of a file, named like the options of `xform audit`."""

    max_skew: float
    """The largest difference of skew from the reference, in degrees."""
    max_displacement: float
    """The largest displacement, in percent of the scene's diagonal."""
    fail_on: Literal["negligible", "visible", "severe"]
    """The mildest grade that is not allowed."""
    allow_unknown: bool
    """Whether anything that could not be judged counts as within the limits. False by default."""


class AssetRow(TypedDict):
    """The results for a file: the columns of `assets.parquet`, which docs/report-format.md describes."""

    source: str
    error: str | None
    """The reason why it could not be audited. In this case all members below are `None`."""
    ignored: None
    grade: Grade | None
    nodes: int | None
    max_depth: int | None
    skewed_nodes: int | None
    differing_nodes: int | None
    diagonal: float | None
    max_skew_degrees: float | None
    max_skew_difference_degrees: float | None
    max_displacement: float | None
    max_displacement_percent: float | None
    warnings: int | None
    exceeded: int | None
    """The number of rules that it breaks, if there are limits."""
    motion_animations: int | None
    motion_not_sampled: int | None
    motion_differing_nodes: int | None
    motion_max_skew_difference_degrees: float | None
    motion_max_displacement: float | None
    motion_max_displacement_percent: float | None
    collider_grade: Grade | None
    colliders: int | None
    differing_colliders: int | None
    verdict: str | None
    """The engines in which it looks different, and those in which it looks the same."""
    different_in: str | None
    """The ids of the engines with a visible difference, separated by commas."""
    unknown_in: str | None
    """The ids of the engines for which this is unknown."""
    causes: str | None
    """The kinds of causes of the visible differences, separated by commas, such as `non-uniform-scale`."""
    exceeded_limits: str | None
    """The limits that it exceeds, one line for each rule."""


class _Written:
    """The tables of a run in another process."""

    def __init__(self, tables: list[bytes]) -> None:
        self._tables = tables

    def tables(self) -> list[bytes]:
        return self._tables


class Audits(Sequence[AssetRow]):
    """The results for many files: one row for each file, in the given order."""

    def __init__(self, rows: list[AssetRow], run: _native.Run | _Written, has_nodes: bool) -> None:
        self._rows = rows
        self._run = run
        self._has_nodes = has_nodes

    def __reduce__(self) -> tuple[type[Audits], tuple[list[AssetRow], _Written, bool]]:
        return type(self), (self._rows, _Written(self._run.tables()), self._has_nodes)

    @property
    def failed(self) -> list[AssetRow]:
        """The rows of files that could not be audited or that exceed a limit."""
        return [row for row in self._rows if row["error"] is not None or row["exceeded"]]

    def to_arrow(self, table: Table = "assets") -> Any:
        """Returns a `pyarrow.Table` with one row for each file, or for each node if nodes were requested."""
        content = self._parquet(table)
        return _needed("pyarrow.parquet", "arrow").read_table(content)

    def to_pandas(self, table: Table = "assets") -> pandas.DataFrame:
        """Returns a pandas data frame. Integer columns with missing values stay integers (`Int64`)."""
        _needed("pandas", "pandas")
        _needed("pyarrow.parquet", "pandas")
        whole = {_needed("pyarrow", "pandas").int64(): _needed("pandas", "pandas").Int64Dtype()}
        frame: pandas.DataFrame = self.to_arrow(table).to_pandas(types_mapper=whole.get)
        return frame

    def to_polars(self, table: Table = "assets") -> polars.DataFrame:
        """Returns a Polars data frame."""
        content = self._parquet(table)
        frame: polars.DataFrame = _needed("polars", "polars").read_parquet(content)
        return frame

    def _parquet(self, table: Table) -> io.BytesIO:
        if table not in ("assets", "nodes"):
            raise ValueError(f'table must be "assets" or "nodes", not {table!r}')
        if table == "nodes" and not self._has_nodes:
            raise ValueError("there are no nodes: call audit_many with nodes=True")
        return io.BytesIO(self._run.tables()[0 if table == "assets" else 1])

    @overload
    def __getitem__(self, place: int) -> AssetRow: ...
    @overload
    def __getitem__(self, place: slice) -> list[AssetRow]: ...
    def __getitem__(self, place: int | slice) -> AssetRow | list[AssetRow]:
        return self._rows[place]

    def __iter__(self) -> Iterator[AssetRow]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        grades = Counter[str](row["grade"] or "not audited" for row in self._rows)
        kinds = ("severe", "visible", "negligible", "identical", "not audited")
        told = ", ".join(f"{grades[kind]} {kind}" for kind in kinds if grades[kind])
        return f"<Audits of {len(self)} files: {told or 'none'}>"


def audit_many(
    files: Iterable[Source],
    *,
    engines: str | Iterable[str] | None = None,
    reference: str | None = None,
    motion: bool = True,
    physics: str | Iterable[str] = (),
    collider: str | None = None,
    limits: Limits | None = None,
    nodes: bool = False,
    progress: Callable[[int, int, str], object] | None = None,
) -> Audits:
    """Audits many files on all cores.

    Each file has a row: a dictionary with the columns of `xform audit --format parquet`. `engines`, `reference`,
    `motion`, `physics` and `collider` are as in `audit`. With `limits`, such as `{"fail_on": "visible"}`, the columns
    `exceeded` and `exceeded_limits` contain the number of rules that the file breaks, and the details. `xform.toml` is
    not read. A bad file gets a row whose `error` states the reason, and does not stop the others. With `nodes`,
    `to_arrow("nodes")` and the other table methods return one row for each node.

    `progress` is called after each file, with the number of files done, the total, and the name of the file. Ctrl-C
    ends the call at once. Files that are being audited at that moment are finished on other threads without being
    waited for.

    Raises `ValueError` for an unknown engine, grade or limit, and `TypeError` for anything that is not a scene.
    `to_arrow()`, `to_pandas()` and `to_polars()` need the extras of these names: `pip install "xform-audit[polars]"`.
    """
    if isinstance(files, (str, bytes, bytearray, memoryview, Mapping)):
        raise TypeError("files must be several files, not one")
    sources = [resolved(source) for source in files]
    asked = dict(limits or {})
    known = Limits.__annotations__.keys()
    if unknown := sorted(asked.keys() - known):
        raise ValueError(f"no limit {unknown[0]!r}; there are: {', '.join(known)}")
    run = _native.Run(
        sources,
        engine_names(engines),
        reference,
        motion,
        several(physics),
        collider,
        nodes,
        cast("float | None", asked.get("max_skew")),
        cast("float | None", asked.get("max_displacement")),
        cast("str | None", asked.get("fail_on")),
        bool(asked.get("allow_unknown", False)),
    )
    rows: list[AssetRow | None] = [None] * len(sources)
    try:
        for done in range(1, len(sources) + 1):
            place, text = run.next()
            row = cast(AssetRow, json.loads(text))
            rows[place] = row
            if progress is not None:
                progress(done, len(sources), row["source"])
    except BaseException:
        # Otherwise the run would go on, because the traceback keeps it alive.
        run.stop()
        raise
    return Audits(cast("list[AssetRow]", rows), run, nodes)


def _needed(module: str, extra: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f'{package} is not installed: pip install "xform-audit[{extra}]"', name=package
        ) from error
