// option_names.h — the names of the values that options choose from.
//
// One table per option serves the parser, the help text, `--stats` and the viewer's copied command.
// Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/command/messages.h"
#include "app/command/render_options.h"

namespace weft::app {

template <typename Value>
struct Named {
    std::string_view name;
    Value value;
};

template <typename Value>
using Names = std::vector<Named<Value>>;

// Returns the name of a value, which must be in the table.
template <typename Value>
std::string_view name_in(const Names<Value>& names, const Value& value) {
    for (const Named<Value>& named : names) {
        if (named.value == value) {
            return named.name;
        }
    }
    UNREACHABLE("every value of an option has a name");
}

const Names<film::Aov>& aov_names();
const Names<scene::MissingFile>& missing_file_names();
const Names<trace::LightChoice>& light_choice_names();
const Names<frame::Guiding>& guiding_names();
const Names<trace::PixelFilter>& filter_names();
const Names<std::optional<shaders::Isa>>& isa_names();  // none: auto
const Names<bool>& jit_names();  // whether a shading kernel is built for the scene
const Names<DeviceChoice>& device_names();
const Names<trace::SchedulerMode>& scheduler_names();
const Names<TraversalChoice>& traversal_names();
const Names<fibre::Policy>& policy_names();
const Names<RoutinePolicy>& routine_names();
const Names<film::ViewTransform>& view_transform_names();
const Names<bool>& exr_type_names();  // whether colours are half
const Names<film::ExrCompression>& exr_compression_names();
const Names<std::optional<ProgressStyle>>& progress_names();  // none: auto
const Names<Level>& level_names();

// Returns "depth_first", or "shade=depth_first" for the policy of one routine.
std::string policy_text(const PolicyChoice& choice);

}  // namespace weft::app
