// What assimp reads of the scenes of a folder, glTF and FBX.
//
// g++ -std=c++17 -O1 drivers/assimp/driver.cpp $(pkg-config --cflags --libs assimp) -o ask-assimp
// ./ask-assimp scenes assimp.jsonl

#include <map>

#include <assimp/Importer.hpp>
#include <assimp/config.h>
#include <assimp/scene.h>
#include <assimp/version.h>

#include "../answers.hpp"

using answers::Json;

// The names of nodes in a glTF file by those that assimp gives them; FBX files are read by assimp alone, so there are none of these.
using Names = std::optional<std::map<std::string, std::string>>;

// The name of a node in the file, unless assimp added the node.
std::optional<std::string> name_in_file(const aiNode& node, const Names& names) {
    const std::string name = node.mName.C_Str();
    if (!names) {
        // Above a node of the file assimp may put some of these, one for each of its transforms.
        return name.find("_$AssimpFbx$_") == std::string::npos ? std::optional(name) : std::nullopt;
    }
    const auto found = names->find(name);
    return found == names->end() ? std::nullopt : std::optional(found->second);
}

// Answers of a node and all below it: the product of matrices from the root down.
void visit(const aiNode& node, const aiMatrix4x4& above, const std::string& path_above, const Names& names, bool is_added, Json& found) {
    const aiMatrix4x4 world = above * node.mTransformation;
    std::string path = path_above;
    const auto name = name_in_file(node, names);
    if (name && !is_added) {
        path += (path.empty() ? "" : "/") + *name;
        std::vector<ai_real> columns;
        for (unsigned column = 0; column < 4; column++) {
            for (unsigned row = 0; row < 4; row++) columns.push_back(world[row][column]);
        }
        found[path] = {{"world", answers::numbers(columns)}};
    }
    for (unsigned child = 0; child < node.mNumChildren; child++) visit(*node.mChildren[child], world, path, names, false, found);
}

Json imported(const std::filesystem::path& file, const Names& names, bool is_root_added) {
    Assimp::Importer importer;
    importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
    const aiScene* scene = importer.ReadFile(file.string(), 0);
    if (!scene) throw std::runtime_error(importer.GetErrorString());
    Json found = Json::object();
    visit(*scene->mRootNode, aiMatrix4x4(), "", names, is_root_added, found);
    return found;
}

Json of_gltf(const std::filesystem::path& file) {
    const Json gltf = answers::gltf(file);
    Names names{std::in_place};
    const std::size_t count = gltf.value("nodes", Json::array()).size();
    for (std::size_t node = 0; node < count; node++) {
        const std::string name = answers::name(gltf, node);
        const std::string of_assimp = name == "#" + std::to_string(node) ? "nodes[" + std::to_string(node) + "]" : name;
        names->emplace(of_assimp, name);
    }
    // One root is assimp's root as well; above several it adds one, ROOT, which a node of the file may be named too.
    const Json shown = gltf.value("scenes", Json::array());
    const std::size_t first = gltf.value("scene", 0);
    const bool is_root_added = first < shown.size() && shown[first].value("nodes", Json::array()).size() != 1;
    return imported(file, names, is_root_added);
}

int main(int count, char** arguments) {
    const auto [scenes, file_of_answers] = answers::places(count, arguments);
    const std::string version = "assimp " + std::to_string(aiGetVersionMajor()) + "." + std::to_string(aiGetVersionMinor()) + "." +
                                std::to_string(aiGetVersionPatch());
    const std::string how = "Importer::ReadFile without post-processing, products of mTransformation";
    answers::Run gltf("assimp/gltf", "assimp", version, "gltf", how);
    for (const auto& file : answers::files(scenes, {".gltf", ".glb"})) {
        gltf.ask(file, [&] { return of_gltf(file); });
    }
    answers::Run fbx("assimp", "assimp", version, "fbx", how + ", IMPORT_FBX_PRESERVE_PIVOTS false");
    for (const auto& file : answers::files(scenes, {".fbx"})) {
        fbx.ask(file, [&] { return imported(file, std::nullopt, true); });
    }
    answers::write(file_of_answers, {gltf, fbx});
}
