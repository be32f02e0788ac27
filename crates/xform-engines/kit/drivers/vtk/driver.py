"""What VTK shows of the scenes of a folder: actors of vtkGLTFImporter, and skinned and morphed vertices of vtkGLTFReader."""

import pathlib
import sys

from vtkmodules.vtkCommonCore import vtkVersion
from vtkmodules.vtkCommonDataModel import vtkCompositeDataSet
from vtkmodules.vtkIOGeometry import vtkGLTFReader
from vtkmodules.vtkIOImport import vtkGLTFImporter
from vtkmodules.vtkRenderingOpenGL2 import vtkGenericOpenGLRenderWindow

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from answers import TIMES, Run, Scene, files, numbers, places, write


def world(actor):
    """An actor is drawn with this matrix. The importer sets no position, orientation or scale, so their getters tell nothing."""
    matrix = actor.GetMatrix()
    return {"world": numbers(matrix.GetElement(row, column) for column in range(4) for row in range(4))}


def actors(importer):
    """Actors by path. One is made for each primitive of a mesh, so that nodes without a mesh have none: joints, cameras, lights."""
    tree, imported, found = importer.GetSceneHierarchy(), importer.GetImportedActors(), {}

    def visit(entry, above):
        actor = tree.GetAttributeOrDefault(entry, "flat_actor_id", -1)
        if actor >= 0:
            found.setdefault("/".join(above), imported.GetItemAsObject(actor))
        # Names of entries are made fit for XML; a node's own name is its label, which primitives have not.
        name = tree.GetAttributeOrDefault(entry, "label", "")
        for child in tree.GetChildNodes(entry, False):
            visit(child, [*above, name] if name else above)

    visit(tree.GetRootNode(), [])
    return found


def imported_moments(file):
    importer = vtkGLTFImporter()
    # The importer adds its actors to a window. Nothing is drawn, so it needs none of a display.
    importer.SetRenderWindow(vtkGenericOpenGLRenderWindow())
    importer.SetFileName(str(file))
    importer.Update()

    def moment(seconds):
        return {"seconds": seconds, "nodes": {path: world(actor) for path, actor in actors(importer).items()}}

    moments = [moment(None)]
    if importer.GetNumberOfAnimations():
        importer.EnableAnimation(0)
        for seconds in TIMES:
            importer.UpdateAtTimeValue(seconds)
            moments.append(moment(seconds))
    return moments


def points(block):
    if block.IsA("vtkMultiBlockDataSet"):
        return [point for index in range(block.GetNumberOfBlocks()) for point in points(block.GetBlock(index))]
    return [numbers(block.GetPoint(index)) for index in range(block.GetNumberOfPoints())]


def meshes(block, node=None):
    """The points of each mesh by the index of its node. Blocks of nodes are named by it, and have blocks of meshes and of child nodes."""
    for index in range(block.GetNumberOfBlocks()):
        kind, number = block.GetMetaData(index).Get(vtkCompositeDataSet.NAME()).split("_")
        if kind == "Node":
            yield from meshes(block.GetBlock(index), int(number))
        elif kind == "Mesh":
            yield node, points(block.GetBlock(index))


def read_moments(file):
    scene = Scene(file)
    reader = vtkGLTFReader()
    reader.SetFileName(str(file))
    reader.Update()

    def is_deformed(node):
        entry = scene.nodes[node]
        primitives = scene.document["meshes"][entry["mesh"]]["primitives"]
        return "skin" in entry or any("targets" in primitive for primitive in primitives)

    def moment(seconds):
        shown = meshes(reader.GetOutputDataObject(0))
        return {"seconds": seconds, "nodes": {}, "vertices": {scene.path(node): mesh for node, mesh in shown if is_deformed(node)}}

    moments = [moment(None)]
    if reader.GetNumberOfAnimations():
        reader.EnableAnimation(0)
        reader.UpdateInformation()
        for seconds in TIMES:
            reader.UpdateTimeStep(seconds)
            moments.append(moment(seconds))
    return moments


scenes, answers = places()
about = {"engine": "vtk", "version": f"vtk {vtkVersion.GetVTKVersion()}"}
imported = Run(**about, run="vtk/gltf", asked="gltf", how="vtkGLTFImporter, the matrices of its actors")
read = Run(**about, run="vtk/gltf-reader", asked="gltf", how="vtkGLTFReader, vertices alone: it moves them on the CPU, which the importer leaves to a shader")
for file in files(scenes, ".gltf", ".glb"):
    imported.ask(file.stem, lambda: imported_moments(file))
    read.ask(file.stem, lambda: read_moments(file))
write(answers, [imported, read])
