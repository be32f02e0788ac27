"""What trimesh has of the scenes of a folder, as its loader reads them."""

import pathlib
import sys

import trimesh

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from answers import Run, Scene, files, numbers, places, write

scenes, answers = places()
run = Run(run="trimesh/gltf", engine="trimesh", version=f"trimesh {trimesh.__version__}", asked="gltf", how="load_scene")
for file in files(scenes, ".gltf", ".glb"):

    def moments():
        scene, graph = Scene(file), trimesh.load_scene(file).graph
        worlds = {}
        for node in range(len(scene.nodes)):
            if scene.name(node) in graph.nodes:
                world = graph.get(scene.name(node))[0]
                worlds[scene.path(node)] = {"world": numbers(world.T.ravel())}
        return [{"seconds": None, "nodes": worlds}]

    run.ask(file.stem, moments)
write(answers, [run])
