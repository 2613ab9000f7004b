// edit_fields.cpp — helpers that the families share; see edit_parts.h.
#include <filesystem>
#include <system_error>

#include "engine/scene/edit/edit_parts.h"
#include "engine/scene/files/asset_root.h"

namespace weft::scene::edits {

EditField number_field(
    const char* name, const char* label, const char* unit, double low, double high) {
    EditField field;
    field.path = name;
    field.label = label;
    field.unit = unit;
    field.low = field.least = low;
    field.high = field.most = high;
    return field;
}

std::string field_names(const std::vector<EditField>& fields) {
    std::string names;
    for (const EditField& field : fields) {
        names += (names.empty() ? "" : ", ") + field.path;
    }
    return names;
}

base::Result<Edit> present_value(const std::string& path, base::Result<std::string> value) {
    WEFT_TRY(value);
    return Edit{path, std::move(value.value())};
}

std::string path_in(const EditContext& context, const std::string& file) {
    const std::filesystem::path path(file);
    return context.folder.empty() || path.is_absolute()
               ? file
               : (std::filesystem::path(context.folder) / path).lexically_normal().string();
}

base::Status check_file(const EditContext& context,
                        const std::string& place,
                        const std::string& path) {
    if (!context.may_open || context.may_open(path)) {
        return base::Done{};
    }
    std::error_code problem;
    return outside_error(place,
                         std::filesystem::absolute(path, problem).lexically_normal().string());
}

}  // namespace weft::scene::edits
