// What OGRE shows of nodes that are made by calls, as the scenes of a folder have them: scene nodes and bones, with what they
// inherit by default and with switches set.
//
// g++ -std=c++17 -O1 drivers/ogre/driver.cpp $(pkg-config --cflags --libs OGRE) -o ask-ogre
// ./ask-ogre scenes ogre.jsonl

#include <OgreBone.h>
#include <OgreLogManager.h>
#include <OgreRoot.h>
#include <OgreSceneManager.h>
#include <OgreSceneNode.h>
#include <OgreSkeleton.h>
#include <OgreSkeletonManager.h>

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

int main(int count, char** arguments) {
    const auto [scenes, file_of_answers] = answers::places(count, arguments);
    // Neither files of settings nor a log, and no renderer: nodes need none.
    Ogre::LogManager log;
    log.createLog("", true, false, true);
    const Ogre::Root root("", "", "");
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
    answers::write(file_of_answers, runs);
}
