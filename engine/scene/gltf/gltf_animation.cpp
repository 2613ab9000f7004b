// gltf_animation.cpp — chooses an animation, reads its keys, interpolates, writes the JSON.
//
// A channel of a node is a pointer, too: "/nodes/3/translation". The table of gltf_rules.h decides
// what a pointer may name: numbers, lists of numbers and flags that the importer reads.
#include "engine/scene/gltf/gltf_animation.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "engine/math/quaternion.h"
#include "engine/scene/gltf/gltf_accessor.h"
#include "engine/scene/gltf/gltf_check.h"
#include "engine/scene/gltf/gltf_moving_light.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::gltf {

namespace {

using base::Done;
using base::Result;
using base::Status;

enum class Interpolation { Linear, Step, CubicSpline };

// The keys of one channel. A key has `width` numbers, or three times as many with CubicSpline:
// in-tangent, value, out-tangent.
struct Track {
    std::string target;  // JSON pointer
    Kind kind = Kind::Number;
    bool is_rotation = false;
    Interpolation interpolation = Interpolation::Linear;
    std::size_t width = 1;
    std::vector<float> times;
    std::vector<float> values;

    // Number `part` of a key: 0 in-tangent, 1 value, 2 out-tangent.
    [[nodiscard]] double at(std::size_t key, std::size_t part, std::size_t number) const {
        const std::size_t parts = interpolation == Interpolation::CubicSpline ? 3 : 1;
        return static_cast<double>(
            values[(key * parts + (parts == 3 ? part : 0)) * width + number]);
    }

    [[nodiscard]] std::vector<double> key_value(std::size_t key) const {
        std::vector<double> value(width);
        for (std::size_t i = 0; i < width; ++i) {
            value[i] = at(key, 1, i);
        }
        return value;
    }

    // Those of all keys.
    [[nodiscard]] std::vector<double> key_values() const {
        std::vector<double> all;
        for (std::size_t key = 0; key < times.size(); ++key) {
            const std::vector<double> value = key_value(key);
            all.insert(all.end(), value.begin(), value.end());
        }
        return all;
    }
};

// A place in the document, for sentences.
std::string channel_place(std::size_t animation, std::size_t channel) {
    return "/animations/" + std::to_string(animation) + "/channels/" + std::to_string(channel);
}

const Json& list_in(const Json& object, const char* name) {
    static const Json kNone = Json::array();
    const Json* list = find(object, name);
    return list != nullptr && is_list(*list) ? *list : kNone;
}

std::string text_in(const Json& object, const char* name) {
    const Json* text = find(object, name);
    return text != nullptr && is_text(*text) ? text_of(*text) : "";
}

// The animation's name, or its number.
std::string animation_name(const Json& animations, std::size_t index) {
    const std::string name = text_in(item(animations, index), "name");
    return name.empty() ? std::to_string(index) : name;
}

// The element that `place`/`name` counts in `list`; none with an error.
Result<std::size_t> index_at(const Document& document,
                             const Json& object,
                             const char* name,
                             std::size_t size,
                             const std::string& place) {
    const Json* value = find(object, name);
    if (value == nullptr || !is_count(*value) || count_of(*value) >= size) {
        return scene_error(document.path(),
                           place + "/" + name,
                           (value == nullptr ? "is missing" : "is " + json_to_text(*value)) +
                               ", a whole number below " + std::to_string(size) + " expected");
    }
    return static_cast<std::size_t>(count_of(*value));
}

// A number below `size`, written in digits; else none.
std::optional<std::size_t> index_in(const std::string& text, std::size_t size) {
    const bool is_number = !text.empty() && text.size() < 10 &&
                           text.find_first_not_of("0123456789") == std::string::npos;
    return is_number && std::stoul(text) < size ? std::optional(std::stoul(text)) : std::nullopt;
}

// Indices of the animations that the pose asks for.
Result<std::vector<std::size_t>> choose_animations(const Document& document, const Pose& pose) {
    const Json& animations = list_in(document.json(), "animations");
    const std::size_t count = size_of(animations);
    if (count == 0 || pose.animation.empty()) {
        return std::vector<std::size_t>(count == 0 ? 0 : 1, 0);
    }
    std::vector<std::size_t> chosen;
    std::string names;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string name = text_in(item(animations, i), "name");
        if (pose.animation == "all" || (!name.empty() && pose.animation == name)) {
            chosen.push_back(i);
        }
        names += (names.empty() ? "" : ", ") + animation_name(animations, i);
    }
    // A number counts where no animation has it as its name.
    const std::optional<std::size_t> number = index_in(pose.animation, count);
    if (chosen.empty() && number) {
        chosen.push_back(*number);
    }
    if (chosen.empty()) {
        return base::Error{base::ErrorKind::Usage,
                           "--animation " + pose.animation + ": " + document.path() + " has " +
                               names + "; expected one of these or all"};
    }
    return chosen;
}

// The element of `list` ("/nodes/") that a pointer leads into; none where it leads elsewhere.
std::optional<std::size_t> element_of(const std::string& pointer,
                                      std::string_view list,
                                      std::size_t size) {
    const std::size_t end = pointer.find('/', list.size());
    return pointer.starts_with(list)
               ? index_in(pointer.substr(list.size(), end - list.size()), size)
               : std::nullopt;
}

// The rule of the property that a pointer names; null where it is none that can be animated.
const Rule* rule_of(const Json& root, const std::string& pointer) {
    for (const Rule& rule : rules()) {
        if (rule.kind != Kind::Number && rule.kind != Kind::Numbers && rule.kind != Kind::Flag) {
            continue;
        }
        std::string_view path = rule.path;
        std::string_view rest = pointer;
        const Json* parent = &root;
        // Step by step: "*" matches the index of an element that exists.
        while (!path.empty() && !rest.empty()) {
            const std::string_view step = path.substr(1, path.find('/', 1) - 1);
            const std::string name(rest.substr(1, rest.find('/', 1) - 1));
            path.remove_prefix(std::min(path.size(), step.size() + 1));
            rest.remove_prefix(std::min(rest.size(), name.size() + 1));
            if (step == "*") {
                const bool is_in_list = parent != nullptr && is_list(*parent);
                const auto index = index_in(name, is_in_list ? size_of(*parent) : 0);
                parent = index ? &item(*parent, *index) : nullptr;
                if (parent == nullptr) {
                    break;
                }
            } else if (step != name) {
                break;
            } else {
                parent = parent == nullptr ? nullptr : find(*parent, name.c_str());
            }
            if (path.empty() && rest.empty()) {
                return &rule;
            }
        }
    }
    return nullptr;
}

// The property that a channel moves, or why it is left out.
struct Target {
    std::string pointer;
    std::string fault;
};

// The pointer of a channel; empty: its target names no node.
Result<std::string> pointer_of(const Document& document,
                               const Json& channel,
                               const std::string& place) {
    const Json* target = find(channel, "target");
    const std::string path = target == nullptr ? "" : text_in(*target, "path");
    if (path.empty()) {
        return scene_error(document.path(), place + "/target/path", "is missing, a text expected");
    }
    if (path == "pointer") {
        const Json* extension = find_extension(*target, "KHR_animation_pointer");
        const std::string pointer = extension == nullptr ? "" : text_in(*extension, "pointer");
        return pointer.starts_with('/')
                   ? Result<std::string>(pointer)
                   : scene_error(document.path(),
                                 place + "/target/extensions/KHR_animation_pointer/pointer",
                                 "is no JSON pointer");
    }
    if (find(*target, "node") == nullptr) {
        return std::string();
    }
    const Result<std::size_t> node =
        index_at(document, *target, "node", document.model.nodes.size(), place + "/target");
    WEFT_TRY(node);
    return "/nodes/" + std::to_string(node.value()) + "/" + path;
}

// Whether a pointer names a part of a transform that a matrix stands for.
bool is_held_by_matrix(const Document& document, const std::string& pointer) {
    const auto node = element_of(pointer, "/nodes/", document.model.nodes.size());
    const std::string above = node ? "/nodes/" + std::to_string(*node) + "/" : "";
    return node && find(element(document, "nodes", *node), "matrix") != nullptr &&
           (pointer == above + "translation" || pointer == above + "rotation" ||
            pointer == above + "scale");
}

Result<Target> target_of(const Document& document, const Json& channel, const std::string& place) {
    const Result<std::string> pointer = pointer_of(document, channel, place);
    WEFT_TRY(pointer);
    if (pointer.value().empty()) {
        return Target{"", "names no node"};
    }
    if (is_held_by_matrix(document, pointer.value())) {
        return Target{"", "moves a node that is placed by a matrix"};
    }
    return Target{pointer.value(), ""};
}

// A pointer to one weight ("/nodes/3/weights/0") names an element of a list that the file may leave
// out: a node has the weights of its mesh then, and a mesh zeros.
void write_out_weights(Document& document, const std::string& pointer) {
    if (pointer.find("/weights/") == std::string::npos) {
        return;
    }
    Json& root = *document.container.json;
    const std::vector<tinygltf::Mesh>& meshes = document.model.meshes;
    const auto node = element_of(pointer, "/nodes/", document.model.nodes.size());
    const int shown = node ? document.model.nodes[*node].mesh : -1;
    const auto mesh = node ? (shown < 0 ? std::nullopt : std::optional<std::size_t>(shown))
                           : element_of(pointer, "/meshes/", meshes.size());
    if (!mesh || meshes[*mesh].primitives.empty()) {
        return;
    }
    Json& owner = node ? root["nodes"][*node] : root["meshes"][*mesh];
    if (!owner.contains("weights")) {
        const std::vector<double> zeros(meshes[*mesh].primitives[0].targets.size());
        owner["weights"] = meshes[*mesh].weights.empty() ? zeros : meshes[*mesh].weights;
    }
}

Status check_times(const Document& document, const Track& track, const std::string& place) {
    for (std::size_t i = 0; i < track.times.size(); ++i) {
        if (!std::isfinite(track.times[i]) || (i > 0 && track.times[i] < track.times[i - 1])) {
            return scene_error(document.path(),
                               place + "/input",
                               "goes to " + std::to_string(track.times[i]) + " s at key " +
                                   std::to_string(i) + ", times that do not decrease expected");
        }
    }
    return Done{};
}

// Reads the keys of a sampler into `track`.
Status read_keys(const Document& document,
                 const Json& sampler,
                 const std::string& place,
                 Track& track) {
    const std::size_t accessors = document.model.accessors.size();
    const Result<std::size_t> input = index_at(document, sampler, "input", accessors, place);
    WEFT_TRY(input);
    const Result<std::size_t> output = index_at(document, sampler, "output", accessors, place);
    WEFT_TRY(output);
    const std::string interpolation = text_in(sampler, "interpolation");
    if (interpolation == "STEP") {
        track.interpolation = Interpolation::Step;
    } else if (interpolation == "CUBICSPLINE") {
        track.interpolation = Interpolation::CubicSpline;
    } else if (!interpolation.empty() && interpolation != "LINEAR") {
        return scene_error(document.path(),
                           place + "/interpolation",
                           "is \"" + interpolation + "\", LINEAR, STEP or CUBICSPLINE expected");
    }
    Result<FloatArray> times = read_floats(document, static_cast<int>(input.value()));
    WEFT_TRY(times);
    Result<FloatArray> values = read_floats(document, static_cast<int>(output.value()));
    WEFT_TRY(values);
    track.times = std::move(times.value().values);
    track.values = std::move(values.value().values);
    WEFT_TRY(check_times(document, track, place));
    const std::size_t parts = track.interpolation == Interpolation::CubicSpline ? 3 : 1;
    const std::size_t rows = track.times.size() * parts;
    const std::size_t wanted = track.width * rows;
    if (rows == 0 || track.values.empty() || track.values.size() % rows != 0 ||
        (track.width != 0 && track.values.size() != wanted)) {
        return scene_error(document.path(),
                           place + "/output",
                           "has " + std::to_string(track.values.size()) + " numbers for " +
                               std::to_string(track.times.size()) + " keys, " +
                               (track.width == 0 ? "a multiple of " + std::to_string(rows)
                                                 : std::to_string(wanted)) +
                               " expected");
    }
    track.width = track.values.size() / rows;
    const auto is_finite_value = [](float value) { return std::isfinite(value); };
    if (!std::all_of(track.values.begin(), track.values.end(), is_finite_value)) {
        return scene_error(document.path(), place + "/output", "holds a number that is not finite");
    }
    return Done{};
}

// The keys of one channel; none, with a note, where the importer cannot follow it.
Result<std::optional<Track>> read_track(Document& document,
                                        std::size_t animation,
                                        std::size_t channel,
                                        Notes& notes) {
    const Json& from = element(document, "animations", animation);
    const Json& entry = item(list_in(from, "channels"), channel);
    const std::string place = channel_place(animation, channel);
    Result<Target> target = target_of(document, entry, place);
    WEFT_TRY(target);
    write_out_weights(document, target.value().pointer);
    const Rule* rule =
        target.value().fault.empty() ? rule_of(document.json(), target.value().pointer) : nullptr;
    if (rule == nullptr) {
        notes.add(Note::Kind::Ignored,
                  place + " " +
                      (target.value().fault.empty()
                           ? "moves " + target.value().pointer + ", which cannot be animated"
                           : target.value().fault) +
                      ", it is left out");
        return std::optional<Track>();
    }
    const Json& samplers = list_in(from, "samplers");
    const Result<std::size_t> sampler =
        index_at(document, entry, "sampler", size_of(samplers), place);
    WEFT_TRY(sampler);
    Track track;
    track.target = target.value().pointer;
    track.kind = rule->kind;
    track.is_rotation = std::string_view(rule->path) == "/nodes/*/rotation";
    track.width = rule->kind == Kind::Numbers ? static_cast<std::size_t>(rule->limit) : 1;
    WEFT_TRY(read_keys(
        document,
        item(samplers, sampler.value()),
        "/animations/" + std::to_string(animation) + "/samplers/" + std::to_string(sampler.value()),
        track));
    return std::optional<Track>(std::move(track));
}

// Spherical linear interpolation along the shorter arc.
std::vector<double> slerp(const std::vector<double>& a, const std::vector<double>& b, double s) {
    const math::DQuat from = math::normalize(math::DQuat(a[3], a[0], a[1], a[2]));
    const math::DQuat to = math::normalize(math::DQuat(b[3], b[0], b[1], b[2]));
    const double along = from.x * to.x + from.y * to.y + from.z * to.z + from.w * to.w;
    const double sign = along < 0 ? -1 : 1;
    double weight_from = 1 - s;
    double weight_to = sign * s;
    // Where both are almost the same, the arc is a line.
    constexpr double kSame = 1 - 1e-9;
    if (std::fabs(along) < kSame) {
        const double angle = shaders::acos_of(std::fabs(along));
        const double scale = 1 / shaders::sin_of(angle);
        weight_from = shaders::sin_of((1 - s) * angle) * scale;
        weight_to = sign * shaders::sin_of(s * angle) * scale;
    }
    return {weight_from * from.x + weight_to * to.x,
            weight_from * from.y + weight_to * to.y,
            weight_from * from.z + weight_to * to.z,
            weight_from * from.w + weight_to * to.w};
}

// Appendix C of the specification, between keys `key` and `key` + 1 at the share `s` of the way.
std::vector<double> interpolate(const Track& track, std::size_t key, double s) {
    const double length =
        static_cast<double>(track.times[key + 1]) - static_cast<double>(track.times[key]);
    if (track.interpolation == Interpolation::Linear && track.is_rotation) {
        return slerp(track.key_value(key), track.key_value(key + 1), s);
    }
    std::vector<double> value(track.width);
    for (std::size_t i = 0; i < track.width; ++i) {
        const double a = track.at(key, 1, i);
        const double b = track.at(key + 1, 1, i);
        value[i] = (1 - s) * a + s * b;
        if (track.interpolation == Interpolation::CubicSpline) {
            // Hermite's cubic; tangents are per second.
            value[i] = ((2 * s - 3) * s * s + 1) * a +
                       length * (((s - 2) * s + 1) * s) * track.at(key, 2, i) +
                       ((3 - 2 * s) * s * s) * b +
                       length * ((s - 1) * s * s) * track.at(key + 1, 0, i);
        }
    }
    return value;
}

std::vector<double> value_at(const Track& track, double time_s) {
    const auto later = std::upper_bound(
        track.times.begin(), track.times.end(), time_s, [](double time, float key_time) {
            return time < static_cast<double>(key_time);
        });
    if (later == track.times.begin()) {
        return track.key_value(0);
    }
    const auto key = static_cast<std::size_t>(later - track.times.begin()) - 1;
    if (later == track.times.end() || track.interpolation == Interpolation::Step) {
        return track.key_value(key);
    }
    const auto begin = static_cast<double>(track.times[key]);
    return interpolate(track, key, (time_s - begin) / (static_cast<double>(*later) - begin));
}

void write_value(Json& root, const Track& track, const std::vector<double>& value) {
    Json& property = root[Json::json_pointer(track.target)];
    if (track.kind == Kind::Flag) {
        property = value[0] >= 0.5;
    } else if (track.kind == Kind::Number) {
        property = value[0];
    } else {
        property = value;
    }
}

}  // namespace

Result<bool> pose_document(Document& document, const Pose& pose, Notes& notes) {
    const Result<std::vector<std::size_t>> chosen = choose_animations(document, pose);
    WEFT_TRY(chosen);
    std::vector<Track> tracks;
    for (const std::size_t animation : chosen.value()) {
        const Json& channels = list_in(element(document, "animations", animation), "channels");
        for (std::size_t channel = 0; channel < size_of(channels); ++channel) {
            Result<std::optional<Track>> track = read_track(document, animation, channel, notes);
            WEFT_TRY(track);
            if (track.value()) {
                tracks.push_back(std::move(*track.value()));
            }
        }
    }
    if (tracks.empty()) {
        return false;
    }
    const bool has_moving_light =
        std::any_of(tracks.begin(), tracks.end(), [&](const Track& track) {
            return moves_light(document, track.target, track.key_values());
        });
    for (const Track& track : tracks) {
        write_value(*document.container.json, track, value_at(track, pose.time_s));
    }
    // A pointer may have made an object that lacks what it needs.
    WEFT_TRY(check_json(*document.container.json, document.path()));
    WEFT_TRY(read_structure(document));
    return has_moving_light;
}

std::string animation_list(const Document& document) {
    const Json& animations = list_in(document.json(), "animations");
    std::string names;
    for (std::size_t i = 0; i < size_of(animations); ++i) {
        names += (names.empty() ? "" : "; ") + animation_name(animations, i);
        double end_s = 0;
        for (std::size_t s = 0; s < size_of(list_in(item(animations, i), "samplers")); ++s) {
            const Json* input = find(item(list_in(item(animations, i), "samplers"), s), "input");
            const bool is_accessor = input != nullptr && is_count(*input) &&
                                     count_of(*input) < document.model.accessors.size();
            const Json* last = is_accessor
                                   ? find(element(document, "accessors", count_of(*input)), "max")
                                   : nullptr;
            if (last != nullptr && size_of(*last) == 1) {
                end_s = std::max(end_s, number_of(item(*last, 0)));
            }
        }
        names += end_s > 0 ? ", " + number_to_text(end_s) + " s" : "";
    }
    const std::size_t count = size_of(animations);
    return count == 0 ? ""
                      : std::to_string(count) + (count == 1 ? " animation (" : " animations (") +
                            names + ")";
}

}  // namespace weft::scene::gltf
