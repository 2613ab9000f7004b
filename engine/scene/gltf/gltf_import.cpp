// gltf_import.cpp — a .gltf or .glb appended to the scene, step by step.
//
// Checks the whole document first (gltf_check). Then materials collect their textures, and shown
// nodes place meshes, cameras and lights. Pictures are decoded last, in parallel. After an error
// the scene may hold a part of the file and is of no use.
#include <exception>
#include <new>

#include "engine/scene/gltf/gltf_animation.h"
#include "engine/scene/gltf/gltf_check.h"
#include "engine/scene/gltf/gltf_document.h"
#include "engine/scene/gltf/gltf_groups.h"
#include "engine/scene/gltf/gltf_instances.h"
#include "engine/scene/gltf/gltf_material.h"
#include "engine/scene/gltf/gltf_nodes.h"
#include "engine/scene/gltf/gltf_punctual.h"
#include "engine/scene/gltf/gltf_textures.h"
#include "engine/scene/gltf/gltf_variants.h"
#include "engine/scene/import.h"

namespace weft::scene {

namespace {

using namespace gltf;
using base::Status;

void note_rest(const Json& json, Notes& notes) {
    const Json* used = find(json, "extensionsUsed");
    for (std::size_t i = 0; used != nullptr && i < size_of(*used); ++i) {
        const std::string& name = text_of(item(*used, i));
        if (!is_known_extension(name)) {
            notes.add(Note::Kind::Ignored, "extension " + name + " is not understood and ignored");
        }
    }
}

void note_animations(const Document& document, const ImportConfig& config, Notes& notes) {
    const std::string list = animation_list(document);
    if (!list.empty()) {
        notes.add(Note::Kind::Found,
                  list + (config.pose ? "" : ": shown at rest, --frames renders them"));
    }
}

Status import_document(const Document& document,
                       const ImportConfig& config,
                       Scene& scene,
                       Notes& notes) {
    note_rest(document.json(), notes);
    note_animations(document, config, notes);
    SizeRule rule(document.path());
    rule.add_read(document.read_bytes);
    TextureSlots slots(document, config, scene, notes);
    const std::vector<u32> materials = append_materials(document, slots, scene, notes);
    std::vector<PlacedNode> nodes = flatten_nodes(document, notes);
    WEFT_TRY(append_groups(document, rule, nodes, scene));
    WEFT_TRY(append_instances(document, config, nodes, materials, rule, scene, notes));
    append_cameras(document, nodes, scene, notes);
    WEFT_TRY(append_lights(document, nodes, scene, notes));
    return slots.decode(rule);
}

}  // namespace

Status import_gltf(const std::string& path, const ImportConfig& config, Scene& scene) {
    try {
        if (scene.materials.empty()) {
            scene.materials.push_back({"default", default_material()});
        }
        base::Result<Document> document = open_document(
            path, AssetRoots(path, config.asset_roots), scene.indices.allocator().maybe_file());
        WEFT_TRY(document);
        if (is_given_up(config)) {
            return cancelled_error(path);
        }
        Notes notes;
        WEFT_TRY(choose_variant(config.variant, document.value(), notes));
        if (config.pose) {
            const base::Result<bool> posed = pose_document(document.value(), *config.pose, notes);
            WEFT_TRY(posed);
            scene.has_moving_light = scene.has_moving_light || posed.value();
        }
        drop_empty_skins(document.value(), notes);
        Status status = import_document(document.value(), config, scene, notes);
        notes.write(path, scene);
        return status;
    } catch (const std::bad_alloc&) {
        return no_memory_error(path, scene);
    } catch (const std::exception& error) {
        return base::Error{base::ErrorKind::Scene,
                           path + ": cannot be imported (" + error.what() + ")"};
    }
}

}  // namespace weft::scene
