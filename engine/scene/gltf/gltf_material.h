// gltf_material.h — glTF materials and their extensions as MaterialRecords (shaders/bsdf.md section
// 4 says what they mean).
//
// One call per file, on the importer thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/scene/gltf/gltf_document.h"
#include "engine/scene/gltf/gltf_notes.h"
#include "engine/scene/gltf/gltf_textures.h"
#include "engine/scene/model/scene.h"

namespace weft::scene::gltf {

// Appends every material; element i of the result is the scene's index of /materials/i.
std::vector<u32> append_materials(const Document& document,
                                  TextureSlots& slots,
                                  Scene& scene,
                                  Notes& notes);

// Applies the extensions of one material to its record; `pointer` is "/materials/3".
void read_material_extensions(const Json& material,
                              const std::string& pointer,
                              TextureSlots& slots,
                              shaders::MaterialRecord& record,
                              Notes& notes);

// A factor clamped to [low, high], with a note where that changes it.
float read_factor(const Json& object,
                  const char* key,
                  float stand_in,
                  double low,
                  double high,
                  const std::string& pointer,
                  Notes& notes);
// A number among an object's "extras"; `stand_in` without one, clamped to [low, high] with a note.
float read_extra(const Json& object,
                 const char* key,
                 float stand_in,
                 double low,
                 double high,
                 const std::string& pointer,
                 Notes& notes);
void read_color(const Json& object,
                const char* key,
                std::span<float> color,
                double high,
                const std::string& pointer,
                Notes& notes);

// The slot of object/KEY, or kNone.
u32 read_slot(const Json& object,
              const char* key,
              SlotUse use,
              const std::string& pointer,
              TextureSlots& slots);

// The uv set that tangents are needed for; empty where no slot of the material needs them.
std::optional<u32> tangent_uv_set(const Scene& scene, const shaders::MaterialRecord& record);

}  // namespace weft::scene::gltf
