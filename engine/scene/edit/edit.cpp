// edit.cpp — finds the family of a path in the table below and calls it.
#include "engine/scene/edit/edit.h"

#include <algorithm>

#include "engine/scene/edit/edit_names.h"
#include "engine/scene/edit/edit_parts.h"

namespace weft::scene {

namespace {

using edits::Address;

constexpr const edits::Family* kFamilies[] = {&edits::kMaterialFamily,
                                              &edits::kNodeFamily,
                                              &edits::kGroupFamily,
                                              &edits::kLightFamily,
                                              &edits::kFileCameraFamily,
                                              &edits::kCollectionFamily,
                                              &edits::kEnvironmentFamily,
                                              &edits::kCameraFamily,
                                              &edits::kFrameFamily,
                                              &edits::kViewFamily};

// parse_path() accepts no other family.
const edits::Family& family_of(const Address& address) {
    const edits::Family* const family = edits::find_family(address.family);
    ENSURE(family != nullptr, ==, true);
    return *family;
}

}  // namespace

namespace edits {

const Family* find_family(std::string_view name) {
    const auto* const found = std::find_if(std::begin(kFamilies),
                                           std::end(kFamilies),
                                           [&](const Family* each) { return each->name == name; });
    return found == std::end(kFamilies) ? nullptr : *found;
}

base::Status find_object(const Scene& scene, const EditContext& context, const Address& address) {
    const auto has_object = family_of(address).maybe_has_object;
    return !has_object || has_object(scene, context, address) ? base::Status(base::Done{})
                                                              : no_such_object(scene, address);
}

}  // namespace edits

std::vector<EditField> editable_fields(const Scene& scene,
                                       const EditContext& context,
                                       const std::string& object_path) {
    const base::Result<Address> address = edits::parse_path(object_path);
    if (!address.is_ok() || !edits::find_object(scene, context, address.value()).is_ok()) {
        return {};
    }
    std::vector<EditField> fields = family_of(address.value()).fields(context);
    for (EditField& field : fields) {
        field.path = object_path + "/" + field.path;
    }
    return fields;
}

base::Result<std::string> read_value(const Scene& scene,
                                     const EditContext& context,
                                     const std::string& path) {
    const base::Result<Address> address = edits::parse_path(path);
    WEFT_TRY(address);
    return family_of(address.value()).read(scene, context, address.value());
}

base::Result<Edit> inverse_edit(const Scene& scene, const EditContext& context, const Edit& edit) {
    const base::Result<Address> address = edits::parse_path(edit.path);
    WEFT_TRY(address);
    const edits::Family& family = family_of(address.value());
    return family.maybe_inverse
               ? family.maybe_inverse(scene, context, address.value(), edit.value)
               : edits::present_value(edit.path, family.read(scene, context, address.value()));
}

base::Result<u32> apply_edit(Scene& scene, EditContext& context, const Edit& edit) {
    const base::Result<Address> address = edits::parse_path(edit.path);
    WEFT_TRY(address);
    const auto value = edits::parse_value(edit.path, edit.value);
    WEFT_TRY(value);
    return family_of(address.value()).apply(scene, context, address.value(), *value.value());
}

EditsMade apply_edits(Scene& scene,
                      EditContext& context,
                      std::span<const Edit> edits,
                      OnFault on_fault,
                      bool has_inverses) {
    context.names = std::make_shared<edits::NameTables>();
    EditsMade made;
    for (std::size_t i = 0; i < edits.size(); ++i) {
        base::Result<Edit> inverse = Edit{};
        if (has_inverses) {
            inverse = inverse_edit(scene, context, edits[i]);
        }
        const base::Result<u32> applied = inverse.is_ok() ? apply_edit(scene, context, edits[i])
                                                          : base::Result<u32>(inverse.error());
        if (!applied.is_ok()) {
            made.faults.push_back({i, applied.error()});
            if (on_fault == OnFault::Stop) {
                break;
            }
            continue;
        }
        made.effect |= applied.value();
        if (has_inverses) {
            made.inverses.push_back(std::move(inverse.value()));
        }
    }
    context.names.reset();
    return made;
}

EditContext with_names(EditContext context) {
    context.names = std::make_shared<edits::NameTables>();
    return context;
}

}  // namespace weft::scene
