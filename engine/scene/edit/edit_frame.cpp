// edit_frame.cpp — how large the picture is.
//
// Lives in the EditContext, beside the scene.
#include "engine/scene/edit/edit_parts.h"

namespace weft::scene::edits {

namespace {

constexpr double kMostSide = 32768;
constexpr Range kPercents = {1, 400};

base::Result<u32> set_size(EditContext& context, const Address& address, const Json& value) {
    if (value.is_null()) {
        context.frame_size = {};
        return u32{kEffectCamera};
    }
    const bool is_pair = value.is_array() && value.size() == 2 && value[0].is_number_integer() &&
                         value[1].is_number_integer();
    std::array<float, 2> sides{};
    WEFT_TRY(is_pair
                 ? read_floats(address.path, value, {1, kMostSide}, sides)
                 : base::Status(wrong_value(
                       address.path, value, "[width, height], whole numbers of pixels, or null")));
    context.frame_size = {static_cast<u32>(sides[0]), static_cast<u32>(sides[1])};
    return u32{kEffectCamera};
}

}  // namespace

std::vector<EditField> frame_fields() {
    EditField size = number_field("size", "Size", "pixels", 1, kMostSide);
    size.kind = EditKind::Vector;
    size.count = 2;
    EditField percent = number_field("percent", "Percentage", "%", 10, 200);
    percent.least = kPercents.least;
    percent.most = kPercents.most;
    return {size, percent};
}

base::Result<std::string> read_frame(const EditContext& context, const Address& address) {
    if (address.field == "size") {
        return context.frame_size[0] == 0 ? std::string("null")
                                          : "[" + std::to_string(context.frame_size[0]) + ", " +
                                                std::to_string(context.frame_size[1]) + "]";
    }
    if (address.field == "percent") {
        return float_text(context.frame_percent);
    }
    return no_such_field(address, field_names(frame_fields()));
}

base::Result<u32> apply_frame(EditContext& context, const Address& address, const Json& value) {
    if (address.field == "size") {
        return set_size(context, address, value);
    }
    if (address.field != "percent") {
        return no_such_field(address, field_names(frame_fields()));
    }
    float percent = 0;
    WEFT_TRY(read_floats(address.path, value, kPercents, {&percent, 1}));
    context.frame_percent = percent;
    return u32{kEffectCamera};
}

}  // namespace weft::scene::edits
