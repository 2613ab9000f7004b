#include "app/command/option_names.h"

#include <fmt/format.h>

namespace weft::app {

namespace {

// Makes the table of values that another library names.
template <typename Value, typename NameOf, typename Values = std::initializer_list<Value>>
Names<Value> named_by(NameOf name_of, const Values& values) {
    Names<Value> names;
    for (const Value value : values) {
        names.push_back({name_of(value), value});
    }
    return names;
}

}  // namespace

const Names<film::Aov>& aov_names() {
    static const Names<film::Aov> names = named_by<film::Aov>(film::aov_name, film::kAovs);
    return names;
}

const Names<scene::MissingFile>& missing_file_names() {
    static const Names<scene::MissingFile> names = {{"error", scene::MissingFile::Error},
                                                    {"black", scene::MissingFile::Black},
                                                    {"checker", scene::MissingFile::Checker}};
    return names;
}

const Names<trace::LightChoice>& light_choice_names() {
    static const Names<trace::LightChoice> names = {{"tree", trace::LightChoice::Tree},
                                                    {"power", trace::LightChoice::Power}};
    return names;
}

const Names<frame::Guiding>& guiding_names() {
    static const Names<frame::Guiding> names = {
        {frame::guiding_name(frame::Guiding::Off), frame::Guiding::Off},
        {frame::guiding_name(frame::Guiding::On), frame::Guiding::On},
        {frame::guiding_name(frame::Guiding::Auto), frame::Guiding::Auto}};
    return names;
}

const Names<trace::PixelFilter>& filter_names() {
    static const Names<trace::PixelFilter> names = {
        {"box", trace::PixelFilter::Box},
        {"blackman-harris", trace::PixelFilter::BlackmanHarris},
        {"gaussian", trace::PixelFilter::Gaussian}};
    return names;
}

const Names<std::optional<shaders::Isa>>& isa_names() {
    using Isa = std::optional<shaders::Isa>;
    static const Names<Isa> names = named_by<Isa>(
        [](Isa isa) { return std::string_view(isa ? shaders::isa_name(*isa) : "auto"); },
        {std::nullopt, shaders::Isa::Sse4, shaders::Isa::Avx2, shaders::Isa::Avx512});
    return names;
}

const Names<bool>& jit_names() {
    static const Names<bool> names = {{"auto", true}, {"off", false}};
    return names;
}

const Names<DeviceChoice>& device_names() {
    static const Names<DeviceChoice> names = {{"auto", DeviceChoice::Auto},
                                              {"cpu", DeviceChoice::Cpu},
                                              {"egpu", DeviceChoice::Egpu},
                                              {"cpu+egpu", DeviceChoice::CpuAndEgpu}};
    return names;
}

const Names<trace::SchedulerMode>& scheduler_names() {
    static const Names<trace::SchedulerMode> names = {{"keyed", trace::SchedulerMode::Keyed},
                                                      {"unkeyed", trace::SchedulerMode::Unkeyed},
                                                      {"embree", trace::SchedulerMode::Embree}};
    return names;
}

const Names<TraversalChoice>& traversal_names() {
    static const Names<TraversalChoice> names = {{"auto", TraversalChoice::Auto},
                                                 {"sets", TraversalChoice::Sets},
                                                 {"nodes", TraversalChoice::Nodes},
                                                 {"pages", TraversalChoice::Pages}};
    return names;
}

const Names<fibre::Policy>& policy_names() {
    using fibre::Policy;
    static const Names<Policy> names = named_by<Policy>(
        fibre::policy_name,
        {Policy::DepthFirst, Policy::Fullest, Policy::Oldest, Policy::Priority, Policy::Balanced});
    return names;
}

const Names<RoutinePolicy>& routine_names() {
    using trace::RoutinePolicies;
    static const Names<RoutinePolicy> names = {{"path", &RoutinePolicies::path},
                                               {"closest", &RoutinePolicies::closest},
                                               {"shadow", &RoutinePolicies::shadow},
                                               {"shade", &RoutinePolicies::shade},
                                               {"miss", &RoutinePolicies::miss}};
    return names;
}

const Names<film::ViewTransform>& view_transform_names() {
    using film::ViewTransform;
    static const Names<ViewTransform> names = named_by<ViewTransform>(
        film::view_transform_name,
        {ViewTransform::Standard, ViewTransform::Filmic, ViewTransform::Aces, ViewTransform::Raw});
    return names;
}

const Names<bool>& exr_type_names() {
    static const Names<bool> names = {{"half", true}, {"float", false}};
    return names;
}

const Names<film::ExrCompression>& exr_compression_names() {
    using film::ExrCompression;
    static const Names<ExrCompression> names =
        named_by<ExrCompression>(film::exr_compression_name, film::kExrCompressions);
    return names;
}

const Names<std::optional<ProgressStyle>>& progress_names() {
    static const Names<std::optional<ProgressStyle>> names = {{"auto", std::nullopt},
                                                              {"bar", ProgressStyle::Bar},
                                                              {"lines", ProgressStyle::Lines},
                                                              {"json", ProgressStyle::Json},
                                                              {"openjd", ProgressStyle::OpenJd},
                                                              {"none", ProgressStyle::None}};
    return names;
}

const Names<Level>& level_names() {
    static const Names<Level> names =
        named_by<Level>(level_name, {Level::Error, Level::Warning, Level::Info, Level::Debug});
    return names;
}

std::string policy_text(const PolicyChoice& choice) {
    const std::string_view policy = fibre::policy_name(choice.policy);
    return choice.routine ? fmt::format("{}={}", name_in(routine_names(), choice.routine), policy)
                          : std::string(policy);
}

}  // namespace weft::app
