#include "engine/scene/gltf/gltf_variants.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "engine/scene/gltf/gltf_check.h"

namespace weft::scene::gltf {

namespace {

constexpr const char* kExtension = "KHR_materials_variants";

// The list in the extension of an object; null where there is none.
const Json* variant_list(const Json& object, const char* name) {
    const Json* const extension = find_extension(object, kExtension);
    const Json* const list = extension != nullptr ? find(*extension, name) : nullptr;
    return list != nullptr && is_list(*list) ? list : nullptr;
}

std::vector<std::string> variant_names(const Json& variants) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < size_of(variants); ++i) {
        const std::string name = text_at(item(variants, i), "name");
        names.push_back(name.empty() ? std::to_string(i) : name);
    }
    return names;
}

std::string name_list(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : ", ") + name;
    }
    return text;
}

std::optional<std::size_t> index_of_variant(const std::vector<std::string>& names,
                                            const std::string& variant) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] == variant) {
            return i;
        }
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (std::to_string(i) == variant) {
            return i;
        }
    }
    return std::nullopt;
}

bool names_variant(const Json& mapping, std::size_t variant) {
    const Json* const variants = find(mapping, "variants");
    for (std::size_t i = 0; variants != nullptr && is_list(*variants) && i < size_of(*variants);
         ++i) {
        const Json& one = item(*variants, i);
        if (is_count(one) && count_of(one) == variant) {
            return true;
        }
    }
    return false;
}

// The material of a primitive in the variant; none where no mapping names it.
base::Result<std::optional<std::size_t>> mapped_material(const Document& document,
                                                         const Json& primitive,
                                                         const std::string& place,
                                                         std::size_t variant) {
    const Json* const mappings = variant_list(primitive, "mappings");
    const Json* const list = find(document.json(), "materials");
    const std::size_t materials = list != nullptr ? size_of(*list) : 0;
    for (std::size_t k = 0; mappings != nullptr && k < size_of(*mappings); ++k) {
        if (!names_variant(item(*mappings, k), variant)) {
            continue;
        }
        const Json* const material = find(item(*mappings, k), "material");
        if (material == nullptr || !is_count(*material) || count_of(*material) >= materials) {
            return scene_error(
                document.path(),
                place + "/extensions/" + kExtension + "/mappings/" + std::to_string(k) +
                    "/material",
                (material == nullptr ? "is missing" : "is " + json_to_text(*material)) +
                    ", a whole number below " + std::to_string(materials) + " expected");
        }
        return std::optional(static_cast<std::size_t>(count_of(*material)));
    }
    return std::optional<std::size_t>();
}

// In the structure, and in the JSON from which the structure is read again for a pose.
base::Status give_materials(std::size_t variant, Document& document) {
    for (std::size_t m = 0; m < document.model.meshes.size(); ++m) {
        std::vector<tinygltf::Primitive>& primitives = document.model.meshes[m].primitives;
        for (std::size_t p = 0; p < primitives.size(); ++p) {
            Json& primitive = (*document.container.json)["meshes"][m]["primitives"][p];
            const std::string place =
                "/meshes/" + std::to_string(m) + "/primitives/" + std::to_string(p);
            const base::Result<std::optional<std::size_t>> material =
                mapped_material(document, primitive, place, variant);
            WEFT_TRY(material);
            if (material.value()) {
                primitive["material"] = *material.value();
                primitives[p].material = static_cast<int>(*material.value());
            }
        }
    }
    return base::Done{};
}

}  // namespace

base::Status choose_variant(const std::string& variant, Document& document, Notes& notes) {
    const Json* const variants = variant_list(document.json(), "variants");
    const std::vector<std::string> names =
        variants != nullptr ? variant_names(*variants) : std::vector<std::string>();
    if (names.empty()) {
        if (!variant.empty()) {
            notes.add(Note::Kind::Ignored,
                      "has no material variants, so that --variant changes nothing in it");
        }
        return base::Done{};
    }
    const std::string found =
        std::to_string(names.size()) + " material variants (" + name_list(names) + "): ";
    if (variant.empty()) {
        notes.add(Note::Kind::Found,
                  found + "the default materials are shown, --variant shows others");
        return base::Done{};
    }
    const std::optional<std::size_t> chosen = index_of_variant(names, variant);
    if (!chosen) {
        return base::Error{base::ErrorKind::Usage,
                           "--variant " + variant + ": " + document.path() + " has " +
                               name_list(names) + "; expected one of these"};
    }
    notes.add(Note::Kind::Found, found + names[*chosen] + " is shown");
    return give_materials(*chosen, document);
}

}  // namespace weft::scene::gltf
