// What every driver in C++ needs: the scenes of a folder, and a file of answers (../answers.schema.json).
// Takes nlohmann/json, which is nlohmann-json3-dev in Debian.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace answers {

// Keeps the order that entries are written in, as drivers in other languages do.
using Json = nlohmann::ordered_json;

struct Places {
    std::filesystem::path scenes, answers;
};

// The folder of scenes and the file of answers that the command line names.
inline Places places(int count, char** arguments) {
    if (count != 3) {
        std::cerr << "usage: " << arguments[0] << " SCENES ANSWERS.jsonl\n";
        std::exit(2);
    }
    if (!std::filesystem::is_directory(arguments[1])) {
        std::cerr << arguments[1] << " is no folder\n";
        std::exit(2);
    }
    return {arguments[1], arguments[2]};
}

// The files of a folder with one of these endings, by name.
inline std::vector<std::filesystem::path> files(const std::filesystem::path& folder, const std::vector<std::string>& endings) {
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string ending = entry.path().extension().string();
        if (std::find(endings.begin(), endings.end(), ending) != endings.end()) found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

// Numbers as JSON has them: what is not finite is null.
template <class Numbers>
Json numbers(const Numbers& list) {
    Json written = Json::array();
    for (const double number : list) written.push_back(std::isfinite(number) ? Json(number) : Json());
    return written;
}

// The JSON of a glTF file, which a .glb file has in its first chunk.
inline Json gltf(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (bytes.compare(0, 4, "glTF") != 0) return Json::parse(bytes);
    if (bytes.size() < 20) throw std::runtime_error("the .glb file ends early");
    // Least byte first, whatever the machine has.
    std::uint32_t length = 0;
    for (int byte = 3; byte >= 0; byte--) length = length << 8 | static_cast<unsigned char>(bytes[12 + byte]);
    return Json::parse(bytes.substr(20, length));
}

// A node as a glTF file has it.
struct Node {
    std::string path;
    std::optional<std::size_t> parent;
    std::array<double, 3> translation{0, 0, 0};
    std::array<double, 4> rotation{0, 0, 0, 1};  // x y z w
    std::array<double, 3> scale{1, 1, 1};
    std::optional<std::array<double, 16>> matrix;
};

// The name of a node, or its number as xform writes it, `#3`.
inline std::string name(const Json& gltf, std::size_t node) {
    const std::string name = gltf.at("nodes").at(node).value("name", "");
    return name.empty() ? "#" + std::to_string(node) : name;
}

// The nodes of a glTF file, in its order.
inline std::vector<Node> nodes(const Json& gltf) {
    const Json in_file = gltf.value("nodes", Json::array());
    std::vector<Node> nodes(in_file.size());
    for (std::size_t index = 0; index < nodes.size(); index++) {
        const Json& entry = in_file[index];
        Node& node = nodes[index];
        node.translation = entry.value("translation", node.translation);
        node.rotation = entry.value("rotation", node.rotation);
        node.scale = entry.value("scale", node.scale);
        if (entry.contains("matrix")) node.matrix = entry["matrix"].get<std::array<double, 16>>();
        for (const std::size_t child : entry.value("children", std::vector<std::size_t>())) nodes.at(child).parent = index;
    }
    for (std::size_t index = 0; index < nodes.size(); index++) {
        std::size_t levels = 0;
        for (std::optional<std::size_t> above = index; above; above = nodes[*above].parent) {
            if (++levels > nodes.size()) throw std::runtime_error("a node is below itself");
            nodes[index].path = name(gltf, *above) + (levels > 1 ? "/" : "") + nodes[index].path;
        }
    }
    return nodes;
}

// One way of asking an engine, of any number of scenes.
class Run {
public:
    // The axes are glTF's: of the engines asked in C++ none changes them.
    Run(const std::string& run, const std::string& engine, const std::string& version, const std::string& asked, const std::string& how) {
        const std::time_t now = std::time(nullptr);
        char date[11];
        std::strftime(date, sizeof date, "%Y-%m-%d", std::localtime(&now));
#ifdef __clang__
        const std::string by = "clang " __clang_version__;
#else
        const std::string by = "g++ " __VERSION__;
#endif
        const Json identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
        document["schema"] = "xform-answers/1";
        document["run"] = run;
        document["engine"] = engine;
        document["version"] = version;
        document["date"] = date;
        document["by"] = by;
        document["asked"] = asked;
        document["how"] = how;
        document["axes"] = {{"from_gltf", identity}, {"of_every_node", false}, {"units_per_metre", 1}};
        document["scenes"] = Json::object();
        document["failed"] = Json::object();
    }

    // Asks for the nodes of a scene as it is imported; where that fails, the reason is kept.
    template <class Nodes>
    void ask(const std::filesystem::path& file, Nodes nodes) {
        const std::string scene = file.stem().string();
        try {
            Json moment;
            moment["seconds"] = nullptr;
            moment["nodes"] = nodes();
            document["scenes"][scene] = Json::array({moment});
        } catch (const std::exception& error) {
            document["failed"][scene] = std::string(error.what()).substr(0, 300);
        }
    }

    Json document;
};

// Writes runs, a line each.
inline void write(const std::filesystem::path& file, const std::vector<Run>& runs) {
    std::ofstream out(file, std::ios::binary);
    for (const auto& [document] : runs) {
        // Names and reasons need not be UTF-8.
        out << document.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
        std::cout << document["run"].get<std::string>() << ", " << document["version"].get<std::string>() << ": "
                  << document["scenes"].size() << " scenes\n";
        for (const auto& [scene, reason] : document["failed"].items()) {
            std::cout << "  " << scene << ": " << reason.get<std::string>() << '\n';
        }
    }
    if (!out.flush()) {
        std::cerr << "cannot write " << file << '\n';
        std::exit(1);
    }
}

}  // namespace answers
