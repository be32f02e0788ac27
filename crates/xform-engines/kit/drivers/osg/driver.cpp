// What OpenSceneGraph shows of nodes that are made by calls, as the scenes of a folder have them: transforms, and bones with the
// vertices that osgAnimation moves.
//
// g++ -std=c++17 -O1 drivers/osg/driver.cpp $(pkg-config --cflags --libs openscenegraph-osgAnimation) -o ask-osg
// ./ask-osg scenes osg.jsonl

#include <osg/MatrixTransform>
#include <osg/PositionAttitudeTransform>
#include <osg/Version>
#include <osgAnimation/Bone>
#include <osgAnimation/RigGeometry>
#include <osgAnimation/Skeleton>
#include <osgAnimation/StackedMatrixElement>
#include <osgAnimation/StackedQuaternionElement>
#include <osgAnimation/StackedScaleElement>
#include <osgAnimation/StackedTranslateElement>
#include <osgAnimation/UpdateBone>
#include <osgUtil/UpdateVisitor>

#include "../answers.hpp"

using answers::Json;

// Its matrices are for row vectors, row by row, which is the same sixteen numbers.
Json world(const osg::Matrixd& matrix) { return answers::numbers(std::vector(matrix.ptr(), matrix.ptr() + 16)); }

Json answer(const osg::Node& node) {
    const osg::Matrixd matrix = node.getWorldMatrices().at(0);
    const osg::Vec3d p = matrix.getTrans(), s = matrix.getScale();
    const osg::Quat r = matrix.getRotate();
    Json answer;
    answer["world"] = world(matrix);
    answer["getters"]["position"] = answers::numbers(std::array{p.x(), p.y(), p.z()});
    answer["getters"]["rotation"] = answers::numbers(std::array{r.x(), r.y(), r.z(), r.w()});
    answer["getters"]["scale"] = answers::numbers(std::array{s.x(), s.y(), s.z()});
    return answer;
}

Json as_transforms(const std::vector<answers::Node>& in_file) {
    const osg::ref_ptr<osg::Group> top = new osg::Group;
    std::vector<osg::ref_ptr<osg::Transform>> made;
    for (const auto& [path, parent, t, r, s, matrix] : in_file) {
        if (matrix) {
            made.push_back(new osg::MatrixTransform(osg::Matrixd(matrix->data())));
            continue;
        }
        const osg::ref_ptr<osg::PositionAttitudeTransform> node = new osg::PositionAttitudeTransform;
        node->setPosition({t[0], t[1], t[2]});
        node->setAttitude({r[0], r[1], r[2], r[3]});
        node->setScale({s[0], s[1], s[2]});
        made.push_back(node);
    }
    for (std::size_t index = 0; index < made.size(); index++) {
        const auto parent = in_file[index].parent;
        (parent ? made[*parent].get() : top.get())->addChild(made[index]);
    }
    Json found = Json::object();
    for (std::size_t index = 0; index < made.size(); index++) found[in_file[index].path] = answer(*made[index]);
    return found;
}

osg::ref_ptr<osgAnimation::Bone> bone(const answers::Node& in_file) {
    const auto& [path, parent, t, r, s, matrix] = in_file;
    // Vertices find their bones by name, so each needs its own.
    const osg::ref_ptr<osgAnimation::Bone> bone = new osgAnimation::Bone(path);
    const osg::ref_ptr<osgAnimation::UpdateBone> update = new osgAnimation::UpdateBone(path);
    auto& stack = update->getStackedTransforms();
    if (matrix) {
        stack.push_back(new osgAnimation::StackedMatrixElement(osg::Matrixd(matrix->data())));
    } else {
        stack.push_back(new osgAnimation::StackedTranslateElement(osg::Vec3(t[0], t[1], t[2])));
        stack.push_back(new osgAnimation::StackedQuaternionElement(osg::Quat(r[0], r[1], r[2], r[3])));
        stack.push_back(new osgAnimation::StackedScaleElement(osg::Vec3(s[0], s[1], s[2])));
    }
    bone->setUpdateCallback(update);
    return bone;
}

osg::ref_ptr<osgAnimation::RigGeometry> rig(const answers::Skinned& mesh, const std::vector<answers::Node>& in_file) {
    const osg::ref_ptr<osg::Vec3Array> positions = new osg::Vec3Array;
    const osg::ref_ptr<osgAnimation::VertexInfluenceMap> followed = new osgAnimation::VertexInfluenceMap;
    for (const auto& [p, joints] : mesh.vertices) {
        for (const auto& [joint, weight] : joints) {
            const std::string& name = in_file[mesh.joints[joint]].path;
            (*followed)[name].setName(name);
            (*followed)[name].emplace_back(positions->size(), weight);
        }
        positions->push_back(osg::Vec3(p[0], p[1], p[2]));
    }
    const osg::ref_ptr<osg::Geometry> geometry = new osg::Geometry;
    geometry->setVertexArray(positions);
    const osg::ref_ptr<osgAnimation::RigGeometry> rig = new osgAnimation::RigGeometry;
    rig->setSourceGeometry(geometry);
    rig->setInfluenceMap(followed);
    return rig;
}

// A skeleton for each node with a skin, since a bone has one inverse bind matrix. All nodes are bones in it, those above the joints
// of the skin as well: a bone takes nothing from a parent that is no bone. An inverse bind matrix is from the skeleton's space
// here, not from the mesh's as in glTF. They are the same for a mesh right below the skeleton, where it may be, since glTF leaves
// out the place of its node; and the skeleton is at the world's origin. The mesh comes after the bones, because it is updated in
// that order.
Json as_skeletons(const std::vector<answers::Node>& in_file, const std::vector<answers::Skinned>& meshes) {
    Json moment;
    for (const answers::Skinned& mesh : meshes) {
        const osg::ref_ptr<osgAnimation::Skeleton> skeleton = new osgAnimation::Skeleton;
        skeleton->setDefaultUpdateCallback();
        std::vector<osg::ref_ptr<osgAnimation::Bone>> bones;
        for (const answers::Node& node : in_file) bones.push_back(bone(node));
        for (std::size_t index = 0; index < bones.size(); index++) {
            const auto parent = in_file[index].parent;
            (parent ? bones[*parent].get() : static_cast<osg::Group*>(skeleton))->addChild(bones[index]);
        }
        for (std::size_t joint = 0; joint < mesh.joints.size(); joint++) {
            bones.at(mesh.joints[joint])->setInvBindMatrixInSkeletonSpace(osg::Matrixd(mesh.inverse_binds[joint].data()));
        }
        const auto shown = rig(mesh, in_file);
        skeleton->addChild(shown);
        osgUtil::UpdateVisitor update;
        skeleton->accept(update);
        for (std::size_t index = 0; index < bones.size(); index++) {
            moment["nodes"][in_file[index].path]["world"] = world(bones[index]->getMatrixInSkeletonSpace());
        }
        Json& vertices = moment["vertices"][in_file[mesh.node].path] = Json::array();
        for (const osg::Vec3& vertex : dynamic_cast<const osg::Vec3Array&>(*shown->getVertexArray())) {
            vertices.push_back(answers::numbers(std::array{vertex.x(), vertex.y(), vertex.z()}));
        }
    }
    return moment;
}

int main(int count, char** arguments) {
    const auto [scenes, file_of_answers] = answers::places(count, arguments);
    const std::string version = std::string("osg ") + osgGetVersion();
    answers::Run api("osg/api", "osg", version, "api",
                     "PositionAttitudeTransform, MatrixTransform of a matrix; getWorldMatrices; getters: of that matrix getTrans, "
                     "getRotate and getScale");
    answers::Run skin("osg/skin", "osg", version, "skin",
                      "every node a Bone of a Skeleton, which has a RigGeometry; an UpdateVisitor, RigTransformSoftware");
    for (const auto& file : answers::files(scenes, {".gltf", ".glb"})) {
        api.ask(file, [&] { return as_transforms(answers::nodes(answers::gltf(file))); });
        skin.ask_moment(file, [&] {
            const Json gltf = answers::gltf(file);
            return as_skeletons(answers::nodes(gltf), answers::skinned(gltf));
        });
    }
    answers::write(file_of_answers, {api, skin});
}
