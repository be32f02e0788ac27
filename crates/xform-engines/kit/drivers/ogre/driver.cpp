// What OGRE shows of nodes that are made by calls, as the scenes of a folder have them: scene nodes and bones, with what they
// inherit by default and with switches set; and what it skins.
//
// g++ -std=c++17 -O1 drivers/ogre/driver.cpp $(pkg-config --cflags --libs OGRE) -o ask-ogre
// ./ask-ogre scenes ogre.jsonl

#include <cmath>
#include <cstring>
#include <map>

#include <OgreBone.h>
#include <OgreDefaultHardwareBufferManager.h>
#include <OgreLogManager.h>
#include <OgreMesh.h>
#include <OgreRoot.h>
#include <OgreSceneManager.h>
#include <OgreSceneNode.h>
#include <OgreSkeleton.h>
#include <OgreSkeletonManager.h>
#include <OgreVertexIndexData.h>

#include "../answers.hpp"

using answers::Json;

struct Way {
    std::string run;
    bool are_bones, inherits_scale, inherits_orientation;

    bool has_switch() const { return !inherits_scale || !inherits_orientation; }

    std::string how() const {
        std::string how = are_bones ? "Bone of a Skeleton" : "SceneNode";
        if (!inherits_scale) how += ", setInheritScale(false)";
        if (!inherits_orientation) how += ", setInheritOrientation(false)";
        return how + (has_switch() ? " on nodes 1, 3, 5, …" : "");
    }
};

// Gives nodes their parents and poses, and every other one the switch.
void set(const std::vector<answers::Node>& in_file, const std::vector<Ogre::Node*>& made, Ogre::Node* top, const Way& way) {
    for (std::size_t index = 0; index < made.size(); index++) {
        const auto& [path, parent, t, r, s, matrix] = in_file[index];
        if (matrix) throw std::runtime_error("a node has no matrix");
        Ogre::Node* above = parent ? made[*parent] : top;
        if (above) above->addChild(made[index]);
        made[index]->setPosition(t[0], t[1], t[2]);
        made[index]->setOrientation(r[3], r[0], r[1], r[2]);
        made[index]->setScale(s[0], s[1], s[2]);
        if (index % 2 == 1) {
            made[index]->setInheritScale(way.inherits_scale);
            made[index]->setInheritOrientation(way.inherits_orientation);
        }
    }
}

Json answer(const Ogre::Node& node) {
    const Ogre::Affine3& matrix = node._getFullTransform();
    std::vector<Ogre::Real> world;
    for (int column = 0; column < 4; column++) {
        for (int row = 0; row < 4; row++) world.push_back(matrix[row][column]);
    }
    const Ogre::Vector3& p = node._getDerivedPosition();
    const Ogre::Quaternion& r = node._getDerivedOrientation();
    const Ogre::Vector3& s = node._getDerivedScale();
    Json answer;
    answer["world"] = answers::numbers(world);
    answer["getters"]["position"] = answers::numbers(std::array{p.x, p.y, p.z});
    answer["getters"]["rotation"] = answers::numbers(std::array{r.x, r.y, r.z, r.w});
    answer["getters"]["scale"] = answers::numbers(std::array{s.x, s.y, s.z});
    return answer;
}

Json answer(const std::vector<answers::Node>& in_file, const std::vector<Ogre::Node*>& made) {
    Json found = Json::object();
    for (std::size_t index = 0; index < made.size(); index++) found[in_file[index].path] = answer(*made[index]);
    return found;
}

Json as_scene_nodes(const std::vector<answers::Node>& in_file, const Way& way) {
    // A manager of its own, with the nodes, lives as long as the Root.
    Ogre::SceneManager& manager = *Ogre::Root::getSingleton().createSceneManager();
    std::vector<Ogre::Node*> made;
    for (std::size_t index = 0; index < in_file.size(); index++) made.push_back(manager.createSceneNode());
    set(in_file, made, manager.getRootSceneNode(), way);
    return answer(in_file, made);
}

Json as_bones(const std::vector<answers::Node>& in_file, const Way& way, const std::string& file) {
    // Made by hand, not loaded; the name has to be its own.
    const auto skeleton = Ogre::SkeletonManager::getSingleton().create(way.run + " " + file, Ogre::RGN_DEFAULT, true);
    std::vector<Ogre::Node*> made;
    for (std::size_t index = 0; index < in_file.size(); index++) made.push_back(skeleton->createBone(std::to_string(index), index));
    set(in_file, made, nullptr, way);
    return answer(in_file, made);
}

std::string from_base64(const std::string& text) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    std::uint32_t bits = 0;
    int pending = 0;
    for (const char digit : text) {
        const std::size_t value = digits.find(digit);
        if (value == std::string::npos) break;
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        pending += 6;
        if (pending >= 8) bytes += static_cast<char>(bits >> (pending -= 8));
    }
    return bytes;
}

// The numbers of an accessor, one after another.
template <class Number>
std::vector<Number> accessor(const Json& gltf, std::size_t index) {
    const std::map<std::string, std::size_t> widths = {{"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
    const Json& accessor = gltf.at("accessors").at(index);
    if (accessor.at("componentType") != (sizeof(Number) == 1 ? 5121 : 5126)) throw std::runtime_error("numbers of another type");
    const Json& view = gltf.at("bufferViews").at(accessor.at("bufferView").get<std::size_t>());
    const std::string uri = gltf.at("buffers").at(view.at("buffer").get<std::size_t>()).value("uri", "");
    const std::size_t comma = uri.find(',');
    if (uri.compare(0, 5, "data:") != 0 || comma == std::string::npos) throw std::runtime_error("a buffer that is not in the file");
    const std::string bytes = from_base64(uri.substr(comma + 1));
    const std::size_t width = widths.at(accessor.at("type")), size = width * sizeof(Number);
    const std::size_t start = view.value("byteOffset", 0) + accessor.value("byteOffset", 0), stride = view.value("byteStride", size);
    std::vector<Number> numbers(accessor.at("count").get<std::size_t>() * width);
    for (std::size_t from = start, to = 0; to < numbers.size(); from += stride, to += width) {
        if (from + size > bytes.size()) throw std::runtime_error("a buffer that ends early");
        std::memcpy(&numbers[to], &bytes[from], size);
    }
    return numbers;
}

// Binds a bone, which has no parent yet, where the inverse bind matrix says. OGRE takes a binding pose from the bone's own pose alone.
void bind(Ogre::Bone& bone, const float* inverse) {
    Ogre::Affine3 matrix, again;
    for (int cell = 0; cell < 12; cell++) matrix[cell / 4][cell % 4] = inverse[cell % 4 * 4 + cell / 4];
    matrix = matrix.inverse();
    Ogre::Vector3 position, scale;
    Ogre::Quaternion orientation;
    matrix.decomposition(position, scale, orientation);
    again.makeTransform(position, scale, orientation);
    for (int cell = 0; cell < 12; cell++) {
        if (std::abs(again[cell / 4][cell % 4] - matrix[cell / 4][cell % 4]) > 1e-4) throw std::runtime_error("a binding pose has no shear");
    }
    bone.setPosition(position);
    bone.setOrientation(orientation);
    bone.setScale(scale);
    bone.setBindingPose();
}

// Adds numbers to vertices, in a buffer of their own.
template <class Number>
Ogre::HardwareVertexBufferSharedPtr add(Ogre::VertexData& data, Ogre::VertexElementType type, Ogre::VertexElementSemantic of,
                                        const std::vector<Number>& numbers) {
    const std::size_t size = Ogre::VertexElement::getTypeSize(type);
    const unsigned short source = data.vertexBufferBinding->getNextIndex();
    data.vertexCount = numbers.size() * sizeof(Number) / size;
    data.vertexDeclaration->addElement(source, 0, type, of);
    auto& buffers = Ogre::HardwareBufferManager::getSingleton();
    const auto buffer = buffers.createVertexBuffer(size, data.vertexCount, Ogre::HardwareBuffer::HBU_DYNAMIC);
    buffer->writeData(0, buffer->getSizeInBytes(), numbers.data());
    data.vertexBufferBinding->setBinding(source, buffer);
    return buffer;
}

// The vertices of a skinned node. Every node is a bone, of a skeleton that stands in the world as it is; so its vertices are in the
// world. OGRE's own importer makes bones of the nodes above joints as well.
Json vertices(const Json& gltf, const Json& node, const std::vector<answers::Node>& in_file, const std::string& name) {
    const Json& skin = gltf.at("skins").at(node.at("skin").get<std::size_t>());
    const Json& primitives = gltf.at("meshes").at(node.at("mesh").get<std::size_t>()).at("primitives");
    if (primitives.size() != 1) throw std::runtime_error("a mesh of several primitives");
    const auto joints = skin.at("joints").get<std::vector<unsigned short>>();
    const auto binds = accessor<float>(gltf, skin.at("inverseBindMatrices"));

    const auto skeleton = Ogre::SkeletonManager::getSingleton().create(name, Ogre::RGN_DEFAULT, true);
    std::vector<Ogre::Node*> made;
    for (std::size_t index = 0; index < in_file.size(); index++) made.push_back(skeleton->createBone(std::to_string(index), index));
    for (std::size_t index = 0; index < joints.size(); index++) bind(*skeleton->getBone(joints[index]), &binds.at(index * 16));
    set(in_file, made, nullptr, {name, true, true, true});
    std::vector<Ogre::Affine3> offsets(made.size());
    skeleton->_getBoneMatrices(offsets.data());
    std::vector<const Ogre::Affine3*> blended(joints.size());
    Ogre::Mesh::prepareMatricesForVertexBlend(blended.data(), offsets.data(), joints);

    const auto of = [&](const char* name) { return primitives[0].at("attributes").at(name).get<std::size_t>(); };
    auto positions = accessor<float>(gltf, of("POSITION"));
    Ogre::VertexData rest, shown;
    add(rest, Ogre::VET_FLOAT3, Ogre::VES_POSITION, positions);
    add(rest, Ogre::VET_UBYTE4, Ogre::VES_BLEND_INDICES, accessor<unsigned char>(gltf, of("JOINTS_0")));
    add(rest, Ogre::VET_FLOAT4, Ogre::VES_BLEND_WEIGHTS, accessor<float>(gltf, of("WEIGHTS_0")));
    const auto moved = add(shown, Ogre::VET_FLOAT3, Ogre::VES_POSITION, positions);
    Ogre::Mesh::softwareVertexBlend(&rest, &shown, blended.data(), blended.size(), false);
    moved->readData(0, moved->getSizeInBytes(), positions.data());
    Json vertices = Json::array();
    for (std::size_t at = 0; at < positions.size(); at += 3) {
        vertices.push_back(answers::numbers(std::array{positions[at], positions[at + 1], positions[at + 2]}));
    }
    return vertices;
}

Json skinned(const Json& gltf, const std::string& name) {
    const auto in_file = answers::nodes(gltf);
    Json found = Json::object();
    for (std::size_t index = 0; index < in_file.size(); index++) {
        const Json& node = gltf.at("nodes").at(index);
        const std::string& path = in_file[index].path;
        if (node.contains("skin")) found[path] = vertices(gltf, node, in_file, name + " " + path);
    }
    return found;
}

int main(int count, char** arguments) {
    const auto [scenes, file_of_answers] = answers::places(count, arguments);
    // Neither files of settings nor a log, and no renderer: nodes need none.
    Ogre::LogManager log;
    log.createLog("", true, false, true);
    const Ogre::Root root("", "", "");
    const Ogre::DefaultHardwareBufferManager buffers;
    const std::string version = "OGRE " + std::to_string(OGRE_VERSION_MAJOR) + "." + std::to_string(OGRE_VERSION_MINOR) + "." +
                                std::to_string(OGRE_VERSION_PATCH);
    const std::vector<Way> ways = {
        {"ogre/default", false, true, true},  {"ogre/no_scale", false, false, true}, {"ogre/no_orientation", false, true, false},
        {"ogre/neither", false, false, false}, {"ogre/bones", true, true, true},      {"ogre/bones_no_scale", true, false, true},
    };
    std::vector<answers::Run> runs;
    for (const Way& way : ways) {
        answers::Run& run = runs.emplace_back(way.run, "ogre", version, way.has_switch() ? "inherit" : "trs", way.how());
        for (const auto& file : answers::files(scenes, {".gltf", ".glb"})) {
            run.ask(file, [&] {
                const auto in_file = answers::nodes(answers::gltf(file));
                return way.are_bones ? as_bones(in_file, way, file.string()) : as_scene_nodes(in_file, way);
            });
        }
    }
    const std::string how = "Bone::setBindingPose, Skeleton::_getBoneMatrices, Mesh::softwareVertexBlend, vertices alone";
    answers::Run& skin = runs.emplace_back("ogre/skin", "ogre", version, "skin", how);
    for (const auto& file : answers::files(scenes, {".gltf", ".glb"})) {
        Json vertices, &answered = skin.document["scenes"];
        skin.ask(file, [&] {
            vertices = skinned(answers::gltf(file), "ogre/skin " + file.string());
            return Json::object();
        });
        // Where nothing is skinned, nothing was asked.
        const std::string scene = file.stem().string();
        if (vertices.empty()) answered.erase(scene);
        else answered[scene][0]["vertices"] = vertices;
    }
    answers::write(file_of_answers, runs);
}
