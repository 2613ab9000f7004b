// edit_parts.h — the families of objects that edits change, and the table of fields of one family.
//
// edit.cpp finds the Family of a path and calls it. One edit_*.cpp defines each family; the two
// whose objects are added and deleted as a whole have edit_whole_*.cpp besides. All of it runs on
// the caller's thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/scene/edit/edit.h"
#include "engine/scene/edit/edit_path.h"
#include "engine/scene/edit/edit_value.h"

namespace weft::scene::edits {

// The member that says where a new light, node or material goes among those that exist.
inline constexpr const char* kInsertAt = "insert_at";
// Names of fields and members that several families have.
inline constexpr const char* kTransform = "transform";
inline constexpr const char* kVisible = "visible";
inline constexpr const char* kGroup = "group";
inline constexpr const char* kName = "name";

// The names of fields in one line, for sentences.
std::string field_names(const std::vector<EditField>& fields);

// A family of objects with paths "NAME/...". `read`, `apply` and `inverse` take an address of this
// family, with or without a field. `apply` checks everything before it changes anything.
struct Family {
    std::string_view name;
    // Whether the scene has the addressed object. Null: the family is one object without a name.
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
    // The edit that undoes setting the address to `text`, which is JSON. Null: it sets the address
    // to its present value.
    base::Result<Edit> (*maybe_inverse)(const Scene& scene,
                                        const EditContext& context,
                                        const Address& address,
                                        const std::string& text);
};

extern const Family kMaterialFamily;
extern const Family kNodeFamily;
extern const Family kGroupFamily;
extern const Family kLightFamily;
extern const Family kFileCameraFamily;
extern const Family kCollectionFamily;
extern const Family kEnvironmentFamily;
extern const Family kCameraFamily;
extern const Family kFrameFamily;
extern const Family kViewFamily;

// The family of this name, or null.
const Family* find_family(std::string_view name);

// The edit that sets `path` to the value that was read there.
base::Result<Edit> present_value(const std::string& path, base::Result<std::string> value);

// Error: the scene has no such object.
base::Status find_object(const Scene& scene, const EditContext& context, const Address& address);

// One field of an `Object`: its row in the viewer, its value as JSON, and its setter, which changes
// nothing where the value is wrong.
template <typename Object>
struct FieldRow {
    EditField field;
    std::string (*read)(const Object& object);
    base::Status (*set)(Object& object, const std::string& place, const Json& value);
    u32 effect = kEffectNone;
};

template <typename Object>
using FieldRows = std::span<const FieldRow<Object>>;

// The functions below take rows of any type with an EditField `field`.

// The row of this name, or null.
template <typename Row>
const Row* find_row(std::span<const Row> rows, std::string_view name) {
    for (const Row& row : rows) {
        if (row.field.path == name) {
            return &row;
        }
    }
    return nullptr;
}

template <typename Row>
std::vector<EditField> fields_of(std::span<const Row> rows) {
    std::vector<EditField> fields;
    for (const Row& row : rows) {
        fields.push_back(row.field);
    }
    return fields;
}

// The row of the addressed field. Error: none has its name.
template <typename Row>
base::Result<const Row*> row_at(std::span<const Row> rows, const Address& address) {
    const Row* const row = find_row(rows, address.field);
    return row ? base::Result<const Row*>(row)
               : no_such_field(address, field_names(fields_of(rows)));
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

// Family::read and Family::apply of one addressed field.
template <typename Object>
base::Result<std::string> read_row(FieldRows<Object> rows,
                                   const Object& object,
                                   const Address& address) {
    const base::Result<const FieldRow<Object>*> row = row_at(rows, address);
    WEFT_TRY(row);
    return row.value()->read(object);
}

template <typename Object>
base::Result<u32> apply_row(FieldRows<Object> rows,
                            Object& object,
                            const Address& address,
                            const Json& value) {
    const base::Result<const FieldRow<Object>*> row = row_at(rows, address);
    WEFT_TRY(row);
    WEFT_TRY(row.value()->set(object, address.path, value));
    return row.value()->effect;
}

base::Result<std::string> read_material(const Scene& scene,
                                        const EditContext& context,
                                        const Address& address);
// Sets one field of this material; the address gives the name of the field alone.
base::Result<u32> set_material_field(Scene& scene,
                                     const EditContext& context,
                                     u32 material,
                                     const Address& address,
                                     const Json& value);
std::vector<EditField> material_fields();
// The index of the material whose path is the value of an edit.
base::Result<u32> read_material_path(const Scene& scene,
                                     const EditContext& context,
                                     const std::string& place,
                                     const Json& value);

// An existing material as the value that restores it.
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

// The texture fields of an existing material; `field` must be is_texture_field().
std::vector<EditField> texture_fields();
bool is_texture_field(const std::string& name);
std::string read_texture(const Scene& scene, u32 material, const std::string& field);
base::Result<u32> apply_texture(Scene& scene,
                                const EditContext& context,
                                u32 material,
                                const Address& address,
                                const Json& value);

// Numbers of matrices lie within it.
inline constexpr double kReach = 1e18;  // m and m per unit

// Reads an invertible matrix; changes `matrix` on success alone.
base::Status read_matrix(const std::string& place, const Json& value, math::Affine& matrix);

// Where something is put: a matrix, which a hold in its group may give.
struct Stance {
    math::Affine matrix{};
    std::optional<Hold> hold;
};

// 12 numbers, or {"put": 12 numbers, "group": 12 numbers} for what stands in `group`: it was put
// there while the group was there. Inverses have the second form.
base::Result<Stance> read_stance(const Scene& scene,
                                 const std::string& place,
                                 const Json& value,
                                 u32 group);
base::Result<Hold> read_held(const std::string& place, const Json& value, u32 group);
std::string stance_text(const Scene& scene, const math::Affine& matrix, u32 group, u32 hold);
std::string hold_text(const Hold& hold);
// Appends it to the scene's; kNone where there is none.
u32 keep_hold(Scene& scene, const std::optional<Hold>& hold);

// A matrix of 12 numbers "transform" that read_matrix() reads, a flag "visible", and a given name.
EditField transform_field();
EditField visible_field(const char* label);
EditField name_field();

// Reads the name that is given to something which the file calls `own`; empty: none is, by null or
// by its own name.
base::Result<std::string> read_given_name(const std::string& place,
                                          const Json& value,
                                          const std::string& own);
// The value that gives it again.
std::string given_name_text(const std::string& given_name);
// Appends it to the scene's; kNone where it is empty.
u32 keep_given_name(Scene& scene, std::string name);

// By a name of EditContext::hidden. set_hidden() returns whether it was hidden before.
bool is_hidden(const EditContext& context, const std::string& name);
bool set_hidden(EditContext& context, const std::string& name, bool is_hidden);

// An existing node as the value that restores it.
std::string read_whole_node(const Scene& scene, const EditContext& context, const Address& address);
base::Result<u32> apply_whole_node(Scene& scene,
                                   EditContext& context,
                                   const Address& address,
                                   const Json& value);
// The inverse of an edit that can be applied.
Edit inverse_of_whole_node(const Scene& scene,
                           const EditContext& context,
                           const Address& address,
                           const Json& value);

// The path of a file that an edit names: `file`, or context.folder / `file` where that is relative.
std::string path_in(const EditContext& context, const std::string& file);
// Error: the edit at `place` may not open `path`.
base::Status check_file(const EditContext& context,
                        const std::string& place,
                        const std::string& path);

// A field of one number with the range of its slider, which is also its accepted range.
EditField number_field(
    const char* name, const char* label, const char* unit, double low, double high);

}  // namespace weft::scene::edits
