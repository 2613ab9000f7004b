// edit_parts.h — the families of objects that edits change, and the table of fields of one family.
//
// edit.cpp finds the Family of a path and calls it. One edit_*.cpp defines each family; the two
// whose objects are added and deleted as a whole have edit_whole_*.cpp besides. All of it runs on
// the caller's thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/scene/edit/edit.h"
#include "engine/scene/edit/edit_path.h"
#include "engine/scene/edit/edit_value.h"

namespace weft::scene::edits {

// The names of fields in one line, for sentences.
std::string field_names(const std::vector<EditField>& fields);

// A family of objects: the paths "NAME/..." and what is done with them. `read`, `apply` and
// `inverse` take an address of this family, with or without a field; `apply` checks everything
// before it changes anything.
struct Family {
    std::string_view name;
    // Whether the scene has the addressed object. Null: a family of one object, which has no name.
    bool (*maybe_has_object)(const Scene& scene,
                             const EditContext& context,
                             const Address& address);
    std::vector<EditField> (*fields)(const EditContext& context);
    // The present value as JSON.
    base::Result<std::string> (*read)(const Scene& scene,
                                      const EditContext& context,
                                      const Address& address);
    // The effect of the edit, as bits of Effect.
    base::Result<u32> (*apply)(Scene& scene,
                               EditContext& context,
                               const Address& address,
                               const Json& value);
    // The edit that undoes setting the address to `text`, which is JSON.
    base::Result<Edit> (*inverse)(const Scene& scene,
                                  const EditContext& context,
                                  const Address& address,
                                  const std::string& text);
};

extern const Family kMaterialFamily;
extern const Family kNodeFamily;
extern const Family kLightFamily;
extern const Family kEnvironmentFamily;
extern const Family kCameraFamily;
extern const Family kFrameFamily;
extern const Family kViewFamily;

// The family of this name, or null.
const Family* find_family(std::string_view name);

// The edit that sets `path` to the value that was read there.
base::Result<Edit> present_value(const std::string& path, base::Result<std::string> value);

// The object of a family is there, or the sentence that it is not.
base::Status find_object(const Scene& scene, const EditContext& context, const Address& address);

// One field of an `Object`: what the viewer shows of it, its value as JSON, and how it is set.
// `set` changes nothing where the value is wrong.
template <typename Object>
struct FieldRow {
    EditField field;
    std::string (*read)(const Object& object);
    base::Status (*set)(Object& object, const std::string& place, const Json& value);
    u32 effect = kEffectNone;
};

template <typename Object>
using FieldRows = std::span<const FieldRow<Object>>;

// The row of this name, or null.
template <typename Object>
const FieldRow<Object>* find_row(FieldRows<Object> rows, std::string_view name) {
    for (const FieldRow<Object>& row : rows) {
        if (row.field.path == name) {
            return &row;
        }
    }
    return nullptr;
}

template <typename Object>
std::vector<EditField> fields_of(FieldRows<Object> rows) {
    std::vector<EditField> fields;
    for (const FieldRow<Object>& row : rows) {
        fields.push_back(row.field);
    }
    return fields;
}

// All rows as one JSON object.
template <typename Object>
std::string object_text(FieldRows<Object> rows, const Object& object) {
    std::string text;
    for (const FieldRow<Object>& row : rows) {
        text += (text.empty() ? "{\"" : ", \"") + row.field.path + "\": " + row.read(object);
    }
    return text + "}";
}

// Family::read, apply and inverse of one addressed field.
template <typename Object>
base::Result<std::string> read_row(FieldRows<Object> rows,
                                   const Object& object,
                                   const Address& address) {
    const FieldRow<Object>* const row = find_row(rows, address.field);
    return row ? base::Result<std::string>(row->read(object))
               : no_such_field(address, field_names(fields_of(rows)));
}

template <typename Object>
base::Result<u32> apply_row(FieldRows<Object> rows,
                            Object& object,
                            const Address& address,
                            const Json& value) {
    const FieldRow<Object>* const row = find_row(rows, address.field);
    if (row == nullptr) {
        return no_such_field(address, field_names(fields_of(rows)));
    }
    WEFT_TRY(row->set(object, address.path, value));
    return row->effect;
}

base::Result<std::string> read_material(const Scene& scene,
                                        const EditContext& context,
                                        const Address& address);
// One field of the material of this number; the address says its name alone.
base::Result<u32> set_material_field(Scene& scene,
                                     const EditContext& context,
                                     u32 material,
                                     const Address& address,
                                     const Json& value);
std::vector<EditField> material_fields();
// The number of the material that a path in an edit's value names.
base::Result<u32> read_material_path(const Scene& scene,
                                     const EditContext& context,
                                     const std::string& place,
                                     const Json& value);

// A material that there is, as the value that brings it back.
std::string read_whole_material(const Scene& scene,
                                const EditContext& context,
                                const Address& address);
base::Result<u32> apply_whole_material(Scene& scene,
                                       const EditContext& context,
                                       const Address& address,
                                       const Json& value);
base::Result<Edit> inverse_of_whole_material(const Scene& scene,
                                             const EditContext& context,
                                             const Address& address,
                                             const Json& value);

// Of a material that there is, and a field that is_texture_field().
std::vector<EditField> texture_fields();
bool is_texture_field(const std::string& name);
std::string read_texture(const Scene& scene, u32 material, const std::string& field);
base::Result<u32> apply_texture(Scene& scene,
                                const EditContext& context,
                                u32 material,
                                const Address& address,
                                const Json& value);

// A matrix that can be inverted; `matrix` is not touched where it is none.
base::Status read_matrix(const std::string& place, const Json& value, Affine& matrix);
bool is_hidden(const EditContext& context, const std::string& node);
// Whether it was hidden before.
bool set_hidden(EditContext& context, const std::string& node, bool is_hidden);

// A node that there is, as the value that brings it back.
std::string read_whole_node(const Scene& scene, const EditContext& context, const Address& address);
base::Result<u32> apply_whole_node(Scene& scene,
                                   EditContext& context,
                                   const Address& address,
                                   const Json& value);
// Of an edit that can be applied.
Edit inverse_of_whole_node(const Scene& scene,
                           const EditContext& context,
                           const Address& address,
                           const Json& value);

// The path of a file that an edit names: `file`, or context.folder / `file` where that is relative.
std::string path_in(const EditContext& context, const std::string& file);
// Whether the edit at `place` may open it.
base::Status check_file(const EditContext& context,
                        const std::string& place,
                        const std::string& path);

// Fields for the tables: what most have in common.
EditField number_field(
    const char* name, const char* label, const char* unit, double low, double high);

}  // namespace weft::scene::edits
