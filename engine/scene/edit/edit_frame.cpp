// edit_frame.cpp — the size of the picture.
//
// Lives in the EditContext, beside the scene.
#include "engine/scene/edit/edit_parts.h"

namespace weft::scene::edits {

namespace {

constexpr double kMostSide = 32768;
constexpr Range kPercents = {1, 400};

base::Status set_size(EditContext& context, const std::string& place, const Json& value) {
    if (is_null(value)) {
        context.frame_size = {};
        return base::Done{};
    }
    const bool is_pair = is_list(value) && size_of(value) == 2 && is_whole(item(value, 0)) &&
                         is_whole(item(value, 1));
    if (!is_pair) {
        return wrong_value(place, value, "[width, height], whole numbers of pixels, or null");
    }
    std::array<float, 2> sides{};
    WEFT_TRY(read_floats(place, value, {1, kMostSide}, sides));
    context.frame_size = {static_cast<u32>(sides[0]), static_cast<u32>(sides[1])};
    return base::Done{};
}

std::string size_text(const EditContext& context) {
    const auto& [width, height] = context.frame_size;
    return width == 0 ? "null" : "[" + std::to_string(width) + ", " + std::to_string(height) + "]";
}

std::vector<FieldRow<EditContext>> make_frame_rows() {
    EditField size = number_field("size", "Size", "pixels", 1, kMostSide);
    size.kind = EditKind::Vector;
    size.count = 2;
    EditField percent = number_field("percent", "Percentage", "%", 10, 200);
    percent.least = kPercents.least;
    percent.most = kPercents.most;
    return {{size, size_text, set_size, kEffectCamera},
            {percent,
             [](const EditContext& context) { return float_text(context.frame_percent); },
             [](EditContext& context, const std::string& place, const Json& value) {
                 return read_floats(place, value, kPercents, {&context.frame_percent, 1});
             },
             kEffectCamera}};
}

FieldRows<EditContext> frame_rows() {
    static const std::vector<FieldRow<EditContext>> rows = make_frame_rows();
    return rows;
}

std::vector<EditField> frame_fields(const EditContext& /*context*/) {
    return fields_of(frame_rows());
}

base::Result<std::string> read_frame(const Scene& /*scene*/,
                                     const EditContext& context,
                                     const Address& address) {
    return read_row(frame_rows(), context, address);
}

base::Result<u32> apply_frame(Scene& /*scene*/,
                              EditContext& context,
                              const Address& address,
                              const Json& value) {
    return apply_row(frame_rows(), context, address, value);
}

}  // namespace

constinit const Family kFrameFamily = {
    "frame", nullptr, frame_fields, read_frame, apply_frame, nullptr};

}  // namespace weft::scene::edits
