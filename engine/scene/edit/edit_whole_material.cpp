// edit_whole_material.cpp — adds, copies, deletes and restores materials.
//
// A new material comes after all others unless it has "insert_at", so that no other index changes.
// Only unused materials can be deleted: every object has a material. The values of all fields
// restore a deleted material with the same bits.
#include <algorithm>
#include <utility>

#include "engine/scene/edit/edit_names.h"
#include "engine/scene/edit/edit_parts.h"

namespace weft::scene::edits {

namespace {

constexpr const char* kCopyOf = "copy_of";

// Error: a material has this name and ordinal already, or the ordinal is not the next one.
base::Status check_name(const Scene& scene, const EditContext& context, const Address& address) {
    const u32 namesakes =
        count_materials(scene, context, address.name, static_cast<u32>(scene.materials.size()));
    if (address.ordinal == namesakes + 1) {
        return base::Done{};
    }
    return base::Error{
        base::ErrorKind::Usage,
        address.path + (address.ordinal <= namesakes
                            ? ": the scene has this material already, expected another name"
                            : ": found a number that is not the next one, expected " +
                                  object_path("materials", address.name, namesakes + 1))};
}

// The index of the new material: "insert_at", or the end.
base::Result<u32> read_place(const Scene& scene,
                             const EditContext& context,
                             const Address& address,
                             const Json& value) {
    const std::size_t end = scene.materials.size();
    const Json* const member = find(value, kInsertAt);
    if (member == nullptr) {
        WEFT_TRY(check_name(scene, context, address));
        return static_cast<u32>(end);
    }
    // Index 0 is the default material, which cannot be deleted.
    if (!is_count(*member) || count_of(*member) < 1 || count_of(*member) > end) {
        return wrong_value(address.path + "/" + kInsertAt,
                           *member,
                           "a whole number from 1 to " + std::to_string(end));
    }
    return static_cast<u32>(count_of(*member));
}

void forget_names(const EditContext& context) {
    if (context.names != nullptr) {
        context.names->materials.forget();
    }
}

// Adds `change` to every reference to a material from index `first` on.
void renumber(Scene& scene, u32 first, i32 change) {
    const auto renumber_all = [&](auto& items) {
        const auto is_behind = [first](const auto& item) { return item.material >= first; };
        if (std::none_of(std::as_const(items).begin(), std::as_const(items).end(), is_behind)) {
            return;  // keeps the array shared with copies of the scene
        }
        for (auto& item : items.own()) {
            item.material += is_behind(item) ? static_cast<u32>(change) : 0U;
        }
    };
    renumber_all(scene.meshes);
    renumber_all(scene.instances);
}

void put_in(Scene& scene, const EditContext& context, u32 place, Material material) {
    if (place < scene.materials.size()) {
        renumber(scene, place, 1);
        forget_names(context);
    }
    std::vector<Material>& materials = scene.materials.own(1);
    materials.insert(materials.begin() + place, std::move(material));
}

base::Result<u32> add_material(Scene& scene,
                               const EditContext& context,
                               const Address& address,
                               const Json& value) {
    const base::Result<u32> place = read_place(scene, context, address, value);
    WEFT_TRY(place);
    Material made{address.name, default_material()};
    if (const Json* const other = find(value, kCopyOf)) {
        const base::Result<u32> source =
            read_material_path(scene, context, address.path + "/" + kCopyOf, *other);
        WEFT_TRY(source);
        made.record = std::as_const(scene).materials[source.value()].record;
    }
    // Set the fields in a scene of this material alone, so that an error changes nothing.
    Scene alone;
    alone.materials = {std::move(made)};
    alone.slots = scene.slots;
    alone.textures = scene.textures;
    alone.texels = scene.texels;
    Address field = address;
    u32 effect = kEffectShading;
    for (const auto& [name, member] : members(value)) {
        if (name == kCopyOf || name == kInsertAt) {
            continue;
        }
        if (name.empty()) {
            return no_such_field(field, field_names(material_fields()));
        }
        field.field = name;
        field.path = address.path + "/" + name;
        const base::Result<u32> applied = set_material_field(alone, context, 0, field, member);
        WEFT_TRY(applied);
        effect |= applied.value();
    }
    scene.slots = std::move(alone.slots);
    scene.textures = std::move(alone.textures);
    scene.texels = std::move(alone.texels);
    put_in(scene, context, place.value(), std::move(alone.materials[0]));
    return effect;
}

base::Result<u32> delete_material(Scene& scene,
                                  const EditContext& context,
                                  const Address& address) {
    const std::optional<u32> index = material_at(scene, context, address);
    if (!index) {
        return no_such_object(scene, address);
    }
    const auto is_of_it = [&](const auto& item) { return item.material == *index; };
    const Scene& before = scene;
    if (*index == 0 || std::any_of(before.meshes.begin(), before.meshes.end(), is_of_it) ||
        std::any_of(before.instances.begin(), before.instances.end(), is_of_it)) {
        return wrong_value(address.path, null_json(), "a material that nothing in the scene needs");
    }
    std::vector<Material>& materials = scene.materials.own();
    materials.erase(materials.begin() + *index);
    forget_names(context);
    renumber(scene, *index, -1);
    return u32{kEffectShading};
}

}  // namespace

std::string read_whole_material(const Scene& scene,
                                const EditContext& context,
                                const Address& address) {
    std::string text;
    Address field = address;
    for (const EditField& known : material_fields()) {
        field.field = known.path;
        text += (text.empty() ? "{\"" : ", \"") + known.path +
                "\": " + read_material(scene, context, field).value();
    }
    return text + "}";
}

base::Result<u32> apply_whole_material(Scene& scene,
                                       const EditContext& context,
                                       const Address& address,
                                       const Json& value) {
    if (is_null(value)) {
        return delete_material(scene, context, address);
    }
    if (!is_object(value)) {
        return wrong_value(
            address.path, value, "an object with copy_of or a material's fields, or null");
    }
    return add_material(scene, context, address, value);
}

base::Result<Edit> inverse_of_whole_material(const Scene& scene,
                                             const EditContext& context,
                                             const Address& address,
                                             const Json& value) {
    if (!is_null(value)) {
        const base::Result<u32> place = read_place(scene, context, address, value);
        WEFT_TRY(place);
        const u32 before = count_materials(scene, context, address.name, place.value());
        return Edit{object_path("materials", address.name, before + 1), "null"};
    }
    const std::optional<u32> index = material_at(scene, context, address);
    if (!index) {
        return no_such_object(scene, address);
    }
    std::string whole = read_whole_material(scene, context, address);
    whole.insert(1, "\"insert_at\": " + std::to_string(*index) + ", ");
    return Edit{object_path("materials", address.name, address.ordinal), whole};
}

}  // namespace weft::scene::edits
