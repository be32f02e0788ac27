// What every driver in C++ needs: the scenes of a folder, and a file of answers (../answers.schema.json).
// Takes nlohmann/json, which is nlohmann-json3-dev in Debian.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
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

// The bytes of a data URI, which the scenes have their buffers in.
inline std::string data(const std::string& uri) {
    const std::size_t comma = uri.find(";base64,");
    if (uri.compare(0, 5, "data:") != 0 || comma == std::string::npos) throw std::runtime_error("a buffer that is no data URI");
    static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char digit : uri.substr(comma + 8)) {
        if (digit == '=') break;
        const std::size_t value = digits.find(digit);
        if (value == std::string::npos) throw std::runtime_error("a data URI that is not base64");
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes.push_back(static_cast<char>(bits >> count & 0xff));
    }
    return bytes;
}

// The elements of an accessor, of so many components each: `f32`, or bytes and shorts, which stand for 0 to 1 if normalized.
inline std::vector<std::vector<double>> elements(const Json& gltf, std::size_t accessor, std::size_t width) {
    const Json& entry = gltf.at("accessors").at(accessor);
    const Json& view = gltf.at("bufferViews").at(entry.at("bufferView").get<std::size_t>());
    const std::string bytes = data(gltf.at("buffers").at(view.at("buffer").get<std::size_t>()).value("uri", ""));
    const int type = entry.at("componentType");
    const std::size_t size = type == 5121 ? 1 : type == 5123 ? 2 : 4;
    const std::size_t start = view.value("byteOffset", 0) + entry.value("byteOffset", 0);
    const std::size_t stride = view.value("byteStride", width * size);
    const auto number = [&](std::size_t place) -> double {
        std::uint32_t bits = 0;
        for (std::size_t byte = size; byte-- > 0;) bits = bits << 8 | static_cast<unsigned char>(bytes.at(place + byte));
        if (type != 5126) return entry.value("normalized", false) ? bits / (size == 1 ? 255.0 : 65535.0) : bits;
        float read;
        std::memcpy(&read, &bits, sizeof read);
        return read;
    };
    std::vector<std::vector<double>> elements(entry.at("count"), std::vector<double>(width));
    for (std::size_t index = 0; index < elements.size(); index++) {
        for (std::size_t part = 0; part < width; part++) elements[index][part] = number(start + index * stride + part * size);
    }
    return elements;
}

// A vertex of a skinned mesh; what it follows by the joint's place in the skin's list, with a weight that is not 0.
struct Vertex {
    std::array<double, 3> position;
    std::vector<std::pair<std::size_t, double>> followed;
};

// What a node with a skin shows.
struct Skinned {
    std::size_t node;
    std::vector<std::size_t> joints;
    std::vector<std::array<double, 16>> inverse_binds;
    std::vector<Vertex> vertices;  // of all primitives
};

// The skinned meshes of a glTF file.
inline std::vector<Skinned> skinned(const Json& gltf) {
    std::vector<Skinned> found;
    const Json nodes = gltf.value("nodes", Json::array());
    for (std::size_t node = 0; node < nodes.size(); node++) {
        if (!nodes[node].contains("skin")) continue;
        const Json& skin = gltf.at("skins").at(nodes[node]["skin"].get<std::size_t>());
        Skinned& mesh = found.emplace_back();
        mesh.node = node;
        mesh.joints = skin.at("joints").get<std::vector<std::size_t>>();
        mesh.inverse_binds.assign(mesh.joints.size(), {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
        if (skin.contains("inverseBindMatrices")) {
            const auto binds = elements(gltf, skin["inverseBindMatrices"], 16);
            for (std::size_t joint = 0; joint < mesh.joints.size(); joint++) {
                std::copy_n(binds.at(joint).begin(), 16, mesh.inverse_binds[joint].begin());
            }
        }
        for (const Json& primitive : gltf.at("meshes").at(nodes[node].at("mesh").get<std::size_t>()).at("primitives")) {
            const Json& attributes = primitive.at("attributes");
            const auto positions = elements(gltf, attributes.at("POSITION"), 3);
            const auto followed = elements(gltf, attributes.at("JOINTS_0"), 4);
            const auto weights = elements(gltf, attributes.at("WEIGHTS_0"), 4);
            for (std::size_t index = 0; index < positions.size(); index++) {
                Vertex& vertex = mesh.vertices.emplace_back();
                std::copy_n(positions[index].begin(), 3, vertex.position.begin());
                for (std::size_t part = 0; part < 4; part++) {
                    const auto joint = static_cast<std::size_t>(followed.at(index)[part]);
                    const double weight = weights.at(index)[part];
                    if (weight != 0 && joint < mesh.joints.size()) vertex.followed.emplace_back(joint, weight);
                }
            }
        }
    }
    return found;
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
        ask_moment(file, [&] { return Json{{"nodes", nodes()}}; });
    }

    // The same with all that a moment has but its time; null where there is nothing to ask about.
    template <class Moment>
    void ask_moment(const std::filesystem::path& file, Moment moment) {
        const std::string scene = file.stem().string();
        try {
            const Json answered = moment();
            if (answered.is_null()) return;
            Json asked = {{"seconds", nullptr}};
            asked.update(answered);
            document["scenes"][scene] = Json::array({asked});
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
