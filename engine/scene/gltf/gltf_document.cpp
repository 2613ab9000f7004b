// gltf_document.cpp — resolves and unpacks all bytes, then gives the structure to tinygltf.
//
// Checks every offset and length with arithmetic that cannot overflow; a View never reaches past
// its buffer.
#include "engine/scene/gltf/gltf_document.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/scene/gltf/gltf_check.h"
#include "engine/scene/gltf/gltf_uri.h"
#include "engine/scene/gltf/meshopt_decode.h"
#include "engine/scene/model/size_rule.h"

namespace weft::scene::gltf {

namespace {

using base::Done;
using base::Error;
using base::Result;
using base::Status;

u64 count_at(const Json& object, const char* key) {
    const Json* value = find(object, key);
    return value == nullptr ? 0 : value->get<u64>();
}

const Json& array_at(const Json& root, const char* key) {
    static const Json empty = Json::array();
    const Json* value = find(root, key);
    return value == nullptr ? empty : *value;
}

std::span<const u8> keep(Document& document, std::vector<u8>&& bytes) {
    document.storage.push_back(std::move(bytes));
    return document.storage.back();
}

Status load_buffer(Document& document,
                   const AssetRoots& roots,
                   const std::shared_ptr<GeometryFile>& maybe_file,
                   std::size_t index) {
    const Json& buffer = document.json()["buffers"][index];
    const std::string pointer = "/buffers/" + std::to_string(index);
    const std::string uri = text_at(buffer, "uri");
    const u64 length = count_at(buffer, "byteLength");
    std::span<const u8>& bytes = document.buffers[index];
    // Find the bytes: in the URI, in a file, or in the binary chunk of a .glb.
    if (is_data_uri(uri)) {
        DataBytes data = decode_data_uri(uri, DataUse::Buffer);
        if (!data.fault.empty()) {
            return scene_error(document.path(), pointer + "/uri", "is " + data.fault);
        }
        bytes = keep(document, std::move(data.bytes));
    } else if (!uri.empty() && has_scheme(uri)) {
        return scene_error(document.path(),
                           pointer + "/uri",
                           "is \"" + shorten(uri) + "\", a relative file name expected");
    } else if (!uri.empty()) {
        const std::optional<std::string> path = roots.find(decode_percent(uri));
        if (!path) {
            return outside_error(document.path() + ": " + pointer + "/uri", uri);
        }
        // Buffers that name one file share its bytes.
        const auto [known, is_new] = document.files.try_emplace(*path);
        if (is_new) {
            Result<Bytes> file = read_bytes(*path, "the bytes of a buffer", maybe_file);
            if (!file.is_ok() && file.error().kind == base::ErrorKind::TooLarge) {
                return file.error();
            }
            if (!file.is_ok()) {
                return scene_error(
                    document.path(), pointer + "/uri", "cannot be read: " + file.error().sentence);
            }
            document.read_bytes += file.value().size();
            document.buffer_files.push_back(std::move(file.value()));
            known->second = document.buffer_files.back();
        }
        bytes = known->second;
    } else if (index == 0 && !document.container.binary.empty()) {
        bytes = document.container.binary;
    }
    if (uri.empty() && bytes.empty()) {
        // The fallback buffer of compressed views has no bytes; cut() refuses views that need some.
        return Done{};
    }
    // Check their length.
    if (bytes.size() < length) {
        return scene_error(document.path(),
                           pointer + "/byteLength",
                           "is " + std::to_string(length) + ", but there are " +
                               std::to_string(bytes.size()) + " bytes");
    }
    bytes = bytes.first(length);
    return Done{};
}

// [offset, offset + length) of a buffer.
Result<std::span<const u8>> cut(const Document& document,
                                const Json& object,
                                const std::string& pointer) {
    const u64 index = count_at(object, "buffer");
    const u64 offset = count_at(object, "byteOffset");
    const u64 length = count_at(object, "byteLength");
    const std::span<const u8> buffer = document.buffers[index];
    if (offset > buffer.size() || length > buffer.size() - offset) {
        return scene_error(document.path(),
                           pointer,
                           "covers bytes " + std::to_string(offset) + " + " +
                               std::to_string(length) + " of buffer " + std::to_string(index) +
                               ", which has " + std::to_string(buffer.size()));
    }
    return buffer.subspan(offset, length);
}

Result<View> unpack_view(Document& document,
                         SizeRule& rule,
                         const Json& extension,
                         const std::string& pointer) {
    const Result<std::span<const u8>> packed = cut(document, extension, pointer);
    WEFT_TRY(packed);
    const MeshoptView view{packed.value(),
                           count_at(extension, "count"),
                           count_at(extension, "byteStride"),
                           text_at(extension, "mode"),
                           text_at(extension, "filter")};
    // Many views may unpack the same bytes.
    WEFT_TRY(
        rule.add_made(std::min(view.count, u64{kNone}) * view.stride, "unpacked buffer views"));
    Result<std::vector<u8>> bytes = decode_meshopt(view, document.path() + ": " + pointer);
    WEFT_TRY(bytes);
    return View{
        keep(document, std::move(bytes.value())), view.mode == "ATTRIBUTES" ? view.stride : 0, {}};
}

void resolve_views(Document& document) {
    const Json& views = array_at(document.json(), "bufferViews");
    SizeRule rule(document.path());
    rule.add_read(document.read_bytes);
    for (std::size_t i = 0; i < views.size(); ++i) {
        const std::string pointer = "/bufferViews/" + std::to_string(i);
        const Json* extension = find_extension(views[i], "EXT_meshopt_compression");
        Result<View> view = View{};
        if (extension != nullptr) {
            view = unpack_view(
                document, rule, *extension, pointer + "/extensions/EXT_meshopt_compression");
        } else {
            const Result<std::span<const u8>> bytes = cut(document, views[i], pointer);
            view = bytes.is_ok()
                       ? Result<View>(View{bytes.value(), count_at(views[i], "byteStride"), {}})
                       : Result<View>(bytes.error());
        }
        document.views.push_back(view.is_ok() ? view.value() : View{{}, 0, view.error().sentence});
    }
}

ImageSource find_image(Document& document,
                       const AssetRoots& roots,
                       const Json& image,
                       const std::string& pointer) {
    ImageSource source;
    source.name = document.path() + ": " + pointer;
    const Json* view = find(image, "bufferView");
    const std::string uri = text_at(image, "uri");
    if (view != nullptr) {
        source.bytes = document.views[view->get<u64>()].bytes;
        source.fault = document.views[view->get<u64>()].fault;
    } else if (is_data_uri(uri)) {
        DataBytes data = decode_data_uri(uri, DataUse::Picture);
        if (data.fault.empty()) {
            source.bytes = keep(document, std::move(data.bytes));
        } else {
            source.fault = source.name + "/uri is " + data.fault;
        }
    } else if (uri.empty()) {
        source.fault = source.name + " has neither uri nor bufferView";
    } else if (has_scheme(uri)) {
        source.fault =
            source.name + " has the uri \"" + shorten(uri) + "\", a relative file name expected";
    } else if (const auto file = roots.find(decode_percent(uri))) {
        source.file = *file;
        source.name = *file;
    } else {
        source.fault = outside_error(source.name + "/uri", uri).sentence;
    }
    return source;
}

// Whether the accessor of the indices has no bufferView: they are zeros, or come from its sparse
// part.
bool has_implied_indices(const Document& document, const Json& primitive) {
    const Json* indices = find(primitive, "indices");
    return indices != nullptr &&
           find(element(document, "accessors", indices->get<u64>()), "bufferView") == nullptr;
}

// The document without the parts that tinygltf must not read: bytes (resolved above), properties
// that the importer ignores, and properties that it takes from the JSON itself.
Json structure_of(const Document& document) {
    Json structure = Json::object();
    for (const char* key : {"asset",
                            "scene",
                            "scenes",
                            "nodes",
                            "meshes",
                            "skins",
                            "cameras",
                            "accessors",
                            "bufferViews",
                            "textures",
                            "samplers"}) {
        if (const Json* member = find(document.json(), key); member != nullptr) {
            structure[key] = *member;
        }
    }
    if (structure.contains("bufferViews")) {
        for (Json& view : structure["bufferViews"]) {
            view.erase("byteStride");
            view.erase("extensions");
        }
    }
    // tinygltf would refuse indices without bytes: those that only exist compressed, which
    // gltf_attributes reads from the extension, and those that are all zeros, which
    // restore_indices() puts back.
    if (structure.contains("meshes")) {
        for (Json& mesh : structure["meshes"]) {
            for (Json& primitive : mesh["primitives"]) {
                if (find_extension(primitive, "KHR_draco_mesh_compression") != nullptr ||
                    has_implied_indices(document, primitive)) {
                    primitive.erase("indices");
                }
            }
        }
    }
    return structure;
}

Status parse_structure(Document& document) {
    document.model = {};
    const std::string text = json_to_text(structure_of(document));
    if (text.size() > std::numeric_limits<unsigned int>::max()) {
        return scene_error(document.path(), "/", "is JSON of more than 4 GiB");
    }
    std::string error;
    std::string warning;
    try {
        tinygltf::TinyGLTF reader;
        if (reader.LoadASCIIFromString(&document.model,
                                       &error,
                                       &warning,
                                       text.data(),
                                       static_cast<unsigned int>(text.size()),
                                       document.container.folder,
                                       tinygltf::NO_REQUIRE)) {
            return Done{};
        }
    } catch (const std::exception& exception) {
        error = exception.what();
    }
    for (char& c : error) {
        c = c == '\n' ? ' ' : c;
    }
    return scene_error(document.path(), "/", "cannot be read as glTF: " + error);
}

// tinygltf skips elements that it cannot read, which would shift the indices of all later ones.
Status check_lengths(Document& document) {
    const tinygltf::Model& model = document.model;
    const std::pair<const char*, std::size_t> lengths[] = {{"nodes", model.nodes.size()},
                                                           {"meshes", model.meshes.size()},
                                                           {"skins", model.skins.size()},
                                                           {"cameras", model.cameras.size()},
                                                           {"scenes", model.scenes.size()},
                                                           {"accessors", model.accessors.size()},
                                                           {"textures", model.textures.size()},
                                                           {"samplers", model.samplers.size()}};
    for (const auto& [key, length] : lengths) {
        if (array_at(document.json(), key).size() != length) {
            return scene_error(
                document.path(), std::string("/") + key, "holds an element that cannot be read");
        }
    }
    for (std::size_t m = 0; m < model.meshes.size(); ++m) {
        if (element(document, "meshes", m)["primitives"].size() !=
            model.meshes[m].primitives.size()) {
            return scene_error(document.path(),
                               "/meshes/" + std::to_string(m) + "/primitives",
                               "holds an element that cannot be read");
        }
    }
    return Done{};
}

// Gives primitives back the indices that structure_of() took away, except Draco's.
Status restore_indices(Document& document) {
    const Json& meshes = array_at(document.json(), "meshes");
    for (std::size_t m = 0; m < meshes.size(); ++m) {
        const Json& primitives = meshes[m]["primitives"];
        for (std::size_t p = 0; p < primitives.size(); ++p) {
            if (has_implied_indices(document, primitives[p]) &&
                find_extension(primitives[p], "KHR_draco_mesh_compression") == nullptr) {
                document.model.meshes[m].primitives[p].indices =
                    static_cast<int>(primitives[p]["indices"].get<u64>());
            }
        }
    }
    return Done{};
}

}  // namespace

const Json& element(const Document& document, const char* array, std::size_t index) {
    return document.json().at(array).at(index);
}

const Json& primitive_json(const Document& document, std::size_t mesh, std::size_t primitive) {
    return element(document, "meshes", mesh).at("primitives").at(primitive);
}

Status read_structure(Document& document) {
    for (const auto step : {parse_structure, check_lengths, restore_indices}) {
        WEFT_TRY(step(document));
    }
    return Done{};
}

Result<Document> open_document(const std::string& path,
                               const AssetRoots& roots,
                               const std::shared_ptr<GeometryFile>& maybe_file) {
    Result<Container> container = read_container(path, maybe_file);
    WEFT_TRY(container);
    Document document;
    document.container = std::move(container.value());
    document.read_bytes = document.container.file.size();
    WEFT_TRY(check_json(*document.container.json, path));
    const std::size_t buffer_count = array_at(document.json(), "buffers").size();
    document.buffers.resize(buffer_count);
    for (std::size_t i = 0; i < buffer_count; ++i) {
        WEFT_TRY(load_buffer(document, roots, maybe_file, i));
    }
    resolve_views(document);
    WEFT_TRY(read_structure(document));
    const Json& images = array_at(document.json(), "images");
    for (std::size_t i = 0; i < images.size(); ++i) {
        ImageSource image = find_image(document, roots, images[i], "/images/" + std::to_string(i));
        const Json* const name = find(images[i], "name");
        image.label = name != nullptr && image.file.empty() ? name->get<std::string>() : "";
        document.images.push_back(std::move(image));
    }
    return document;
}

}  // namespace weft::scene::gltf
