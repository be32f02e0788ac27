// What Irrlicht shows of nodes that are made by calls, as the scenes of a folder have them: scene nodes, and joints with the vertices
// that a skinned mesh moves.
//
// g++ -std=c++17 -O1 drivers/irrlicht/driver.cpp -I/usr/include/irrlicht -lIrrlicht -o ask-irrlicht
// ./ask-irrlicht scenes irrlicht.jsonl

#include <irrlicht.h>

#include "../answers.hpp"

using answers::Json;
namespace core = irr::core;
namespace scene = irr::scene;

// Its matrices are for row vectors, row by row, which is the same sixteen numbers.
core::matrix4 matrix(const std::array<double, 16>& in_file) {
    core::matrix4 matrix;
    for (std::size_t entry = 0; entry < in_file.size(); entry++) matrix[entry] = in_file[entry];
    return matrix;
}

Json world(const core::matrix4& matrix) { return answers::numbers(std::vector(matrix.pointer(), matrix.pointer() + 16)); }

// A node has an angle about each axis; here those that the engine finds in the matrix of its own quaternion. What the angles are of
// a quaternion that is not 1 long depends on who asks for them, and how, so that is no answer.
core::vector3df angles(const std::array<double, 4>& r) {
    const double length = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    if (std::abs(length - 1) > 1e-5) {
        throw std::runtime_error("a rotation that is " + std::to_string(length) + " long: Irrlicht takes angles alone");
    }
    return core::quaternion(r[0], r[1], r[2], r[3]).getMatrix().getRotationDegrees();
}

// Nodes below the top of an empty scene, with their worlds.
std::vector<scene::ISceneNode*> made(const std::vector<answers::Node>& in_file, scene::ISceneManager& manager) {
    manager.clear();
    std::vector<scene::ISceneNode*> made;
    for (const auto& [path, parent, t, r, s, in_matrix] : in_file) {
        if (in_matrix) {
            scene::IDummyTransformationSceneNode* node = manager.addDummyTransformationSceneNode();
            node->getRelativeTransformationMatrix() = matrix(*in_matrix);
            made.push_back(node);
            continue;
        }
        scene::ISceneNode* node = manager.addEmptySceneNode();
        node->setPosition(core::vector3df(t[0], t[1], t[2]));
        node->setRotation(angles(r));
        node->setScale(core::vector3df(s[0], s[1], s[2]));
        made.push_back(node);
    }
    for (std::size_t index = 0; index < made.size(); index++) {
        if (in_file[index].parent) made[index]->setParent(made[*in_file[index].parent]);
    }
    // What it does before it draws, from the top down.
    manager.getRootSceneNode()->OnAnimate(0);
    return made;
}

Json answer(const scene::ISceneNode& node) {
    const core::matrix4& matrix = node.getAbsoluteTransformation();
    const core::vector3df p = node.getAbsolutePosition(), s = matrix.getScale();
    const core::quaternion r(matrix.getRotationDegrees() * core::DEGTORAD);
    Json answer;
    answer["world"] = world(matrix);
    answer["getters"]["position"] = answers::numbers(std::array{p.X, p.Y, p.Z});
    answer["getters"]["rotation"] = answers::numbers(std::array{r.X, r.Y, r.Z, r.W});
    answer["getters"]["scale"] = answers::numbers(std::array{s.X, s.Y, s.Z});
    return answer;
}

Json as_scene_nodes(const std::vector<answers::Node>& in_file, scene::ISceneManager& manager) {
    const auto nodes = made(in_file, manager);
    Json found = Json::object();
    for (std::size_t index = 0; index < nodes.size(); index++) found[in_file[index].path] = answer(*nodes[index]);
    return found;
}

// A mesh for each node with a skin. All nodes are joints in it, those above the joints of the skin as well: a mesh knows no nodes
// outside of it. A joint takes any matrix, so it is given that of a scene node with its pose, and the inverse bind matrix of the
// file, which need not be the inverse of anything; but if that is the identity, the engine takes it for none, and makes one from
// the joint's world.
Json as_meshes(const std::vector<answers::Node>& in_file, const std::vector<answers::Skinned>& meshes, scene::ISceneManager& manager) {
    Json moment;
    for (const answers::Skinned& in_skin : meshes) {
        const auto nodes = made(in_file, manager);
        scene::ISkinnedMesh* mesh = manager.createSkinnedMesh();
        std::vector<scene::ISkinnedMesh::SJoint*> joints;
        for (const scene::ISceneNode* node : nodes) {
            joints.push_back(mesh->addJoint());
            joints.back()->LocalMatrix = node->getRelativeTransformation();
        }
        for (std::size_t index = 0; index < joints.size(); index++) {
            if (in_file[index].parent) joints[*in_file[index].parent]->Children.push_back(joints[index]);
        }
        for (std::size_t joint = 0; joint < in_skin.joints.size(); joint++) {
            joints.at(in_skin.joints[joint])->GlobalInversedMatrix = matrix(in_skin.inverse_binds[joint]);
        }
        scene::SSkinMeshBuffer& buffer = *mesh->addMeshBuffer();
        for (const auto& [p, followed] : in_skin.vertices) {
            for (const auto& [joint, strength] : followed) {
                scene::ISkinnedMesh::SWeight& weight = *mesh->addWeight(joints[in_skin.joints[joint]]);
                weight.buffer_id = 0;
                weight.vertex_id = buffer.getVertexCount();
                weight.strength = strength;
            }
            irr::video::S3DVertex vertex;
            vertex.Pos = core::vector3df(p[0], p[1], p[2]);
            buffer.Vertices_Standard.push_back(vertex);
        }
        mesh->finalize();
        mesh->skinMesh();
        for (std::size_t index = 0; index < joints.size(); index++) {
            moment["nodes"][in_file[index].path]["world"] = world(joints[index]->GlobalAnimatedMatrix);
        }
        Json& vertices = moment["vertices"][in_file[in_skin.node].path] = Json::array();
        for (irr::u32 index = 0; index < buffer.getVertexCount(); index++) {
            const core::vector3df& vertex = buffer.getPosition(index);
            vertices.push_back(answers::numbers(std::array{vertex.X, vertex.Y, vertex.Z}));
        }
        mesh->drop();
    }
    return moment;
}

int main(int count, char** arguments) {
    const auto [scenes, file_of_answers] = answers::places(count, arguments);
    // Neither a window nor words on the console.
    irr::SIrrlichtCreationParameters parameters;
    parameters.DriverType = irr::video::EDT_NULL;
    parameters.LoggingLevel = irr::ELL_NONE;
    irr::IrrlichtDevice* device = irr::createDeviceEx(parameters);
    if (!device) {
        std::cerr << "no device\n";
        return 1;
    }
    scene::ISceneManager& manager = *device->getSceneManager();
    const std::string version = std::string("irrlicht ") + device->getVersion();
    answers::Run api("irrlicht/api", "irrlicht", version, "api",
                     "addEmptySceneNode, addDummyTransformationSceneNode of a matrix; getAbsoluteTransformation; getters: "
                     "getAbsolutePosition, and of that matrix getRotationDegrees and getScale");
    answers::Run skin("irrlicht/skin", "irrlicht", version, "skin",
                      "every node a joint of an ISkinnedMesh with the matrix of such a scene node, skinMesh()");
    for (const auto& file : answers::files(scenes, {".gltf", ".glb"})) {
        api.ask(file, [&] { return as_scene_nodes(answers::nodes(answers::gltf(file)), manager); });
        skin.ask_moment(file, [&] {
            const Json gltf = answers::gltf(file);
            return as_meshes(answers::nodes(gltf), answers::skinned(gltf), manager);
        });
    }
    answers::write(file_of_answers, {api, skin});
    device->drop();
}
