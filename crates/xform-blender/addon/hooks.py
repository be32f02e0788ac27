# SPDX-License-Identifier: GPL-3.0-or-later
"""Listens to Blender's glTF exporter: the object or bone of each node, and the source of its transform."""

# Names are neither unique nor kept, so the exporter itself reports the object of each node, by its documented hooks
# (`vtree_after_filter_hook`, `gather_scene_hook`). If a hook fails or is not called, the audit is an error: Blender
# only
# prints exceptions from hooks, and an audit of no nodes would look safe. The FBX exporter has no hooks; there the same
# tree is
# built from the objects, and nodes of the file are identified by their own names and those of all ancestors.

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import pi
from typing import Any

import bpy
from mathutils import Matrix

from . import tree as trees
from .tree import Node, Tree


def places_of(file: dict[str, Any]) -> dict[int, int]:
    """Returns the node of the tree for each node of a file that this add-on exported."""
    marks = (node.get("extras") or {} for node in file.get("nodes", []))
    return {index: extras[MARK] for index, extras in enumerate(marks) if MARK in extras}


MARK = "xform_node"


class glTF2ExportUserExtension:  # noqa: N801 - the name that Blender's exporter looks for
    """Records the object or bone of each node. Does nothing in other exports."""

    def vtree_after_filter_hook(self, vtree: Any, export_settings: dict[str, Any]) -> None:
        if _listener:
            with _listener.kept():
                _listener.take(vtree, export_settings)

    def gather_scene_hook(self, *_: Any) -> None:
        if _listener:
            with _listener.kept():
                _listener.mark()


class Listener:
    """Records the exporter's nodes during an export by this add-on."""

    def __init__(self) -> None:
        self._nodes: list[Node] = []
        self._entries: list[Any] = []
        self._failure: Exception | None = None
        self._inside: dict[str, set[bpy.types.Object]] = {}

    @contextmanager
    def kept(self) -> Iterator[None]:
        """Keeps an exception until the end, because the exporter only prints it."""
        try:
            yield
        except Exception as error:
            self._failure = error
            raise

    def tree(self) -> Tree:
        """Returns the nodes, or raises the exception that occurred."""
        if self._failure:
            raise self._failure
        return Tree(self._nodes, has_keys_from_rest=True)

    def take(self, vtree: Any, options: dict[str, Any]) -> None:
        """Records the nodes of a scene, parents first."""
        places: dict[str, int] = {}
        waiting = list(reversed(vtree.roots))
        while waiting:
            entry = vtree.nodes.get(waiting.pop())
            if entry is None:
                continue
            self._nodes.append(self._node(vtree, entry, places, options))
            self._entries.append(entry)
            places[entry.uuid] = len(self._nodes) - 1
            waiting.extend(reversed(entry.children))

    def _node(
        self, vtree: Any, entry: Any, places: dict[str, int], options: dict[str, Any]
    ) -> Node:
        shown, bone = entry.blender_object, entry.blender_bone
        is_object = isinstance(shown, bpy.types.Object) and entry.leaf_reference is None
        parent = places.get(entry.parent_uuid, -1)
        prefix, is_instanced = self._instance(vtree, entry, parent)
        node = Node(
            name=bone.name if bone else shown.name if shown else "instance",
            object=shown if is_object else None,
            bone=bone.name if bone else "",
            parent=parent,
            rest=entry.matrix_world.copy(),
            after=self._after(vtree, shown, bone, options),
            prefix=prefix,
            is_instanced=is_instanced,
        )
        vertices = getattr(entry.data, "vertices", None) if shown is None else None
        if vertices:
            node.box = trees.box_of(trees.coordinates(vertices))
        above = vtree.nodes.get(entry.parent_uuid)
        instancer = above.blender_object if above else None
        # An instancer on vertices or faces, or geometry nodes; its real children are not exported.
        node.is_fixed = (
            isinstance(instancer, bpy.types.Object)
            and not bone
            and instancer.is_instancer
            and above.blender_type != above.INST_COLLECTION
        )
        return node

    @staticmethod
    def _after(vtree: Any, shown: Any, bone: Any, options: dict[str, Any]) -> Matrix:
        kind = getattr(shown, "type", "")
        if bone:
            return vtree.axis_basis_change
        is_turned = (
            kind == "CAMERA"
            and options["gltf_cameras"]
            or kind == "LIGHT"
            and options["gltf_lights"]
        )
        is_turned = is_turned and options["gltf_yup"]
        return Matrix.Rotation(-pi / 2, 4, "X") if is_turned else trees.IDENTITY

    def _instance(self, vtree: Any, entry: Any, parent: int) -> tuple[int, bool]:
        """Returns the collection instance above a node, and whether the node is in the collection."""
        if parent < 0:
            return -1, False
        above = vtree.nodes[entry.parent_uuid]
        if above.blender_type == above.INST_COLLECTION:
            prefix = parent
        else:
            prefix = self._nodes[parent].prefix
        if prefix < 0:
            return -1, False
        shown = self._nodes[prefix].object
        collection = shown.instance_collection if shown else None
        if collection is None:
            return prefix, False
        if collection.name_full not in self._inside:
            self._inside[collection.name_full] = set(collection.all_objects)
        return prefix, entry.blender_object in self._inside[collection.name_full]

    def mark(self) -> None:
        """Called when the exporter has created all nodes of a scene."""
        for place, (node, entry) in enumerate(zip(self._nodes, self._entries)):
            if entry.node is not None:
                node.is_skinned = entry.skin is not None
                entry.node.extras = {**(entry.node.extras or {}), MARK: place}


_listener: Listener | None = None


@contextmanager
def listening() -> Iterator[Listener]:
    global _listener
    _listener = Listener()
    try:
        yield _listener
    finally:
        _listener = None


def is_ours() -> bool:
    """Whether the running export is one by this add-on."""
    return _listener is not None
