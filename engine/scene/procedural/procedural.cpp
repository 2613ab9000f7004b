// procedural.cpp — reads the name of a procedural scene and calls its maker; see procedural.h.
#include "engine/scene/procedural/procedural.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "scheduler/base/memory_limit.h"

namespace weft::scene {
namespace {

constexpr std::string_view kPrefix = "procedural:";

// Three indices, and half a vertex with position, normal and uv.
constexpr u64 kBytesOfTriangle = 12 + (12 + 12 + 8) / 2;

struct KindName {
    std::string_view name;
    ProceduralKind kind;
};

constexpr std::array<KindName, 4> kKinds = {{{"rubble", ProceduralKind::Rubble},
                                             {"terrain", ProceduralKind::Terrain},
                                             {"spheres", ProceduralKind::Spheres},
                                             {"forest", ProceduralKind::Forest}}};

// A number with an optional K, M or G; −1 for any other text.
double parse_count(std::string_view text) {
    double scale = 1;
    if (!text.empty()) {
        switch (text.back()) {
            case 'k':
            case 'K':
                scale = 1e3;
                break;
            case 'm':
            case 'M':
                scale = 1e6;
                break;
            case 'g':
            case 'G':
                scale = 1e9;
                break;
            default:
                break;
        }
        if (scale > 1) {
            text.remove_suffix(1);
        }
    }
    double number = 0;
    const auto [end, problem] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    const bool is_number = problem == std::errc{} && end == text.data() + text.size();
    return is_number && std::isfinite(number) ? number * scale : -1;
}

base::Status make_forest(const std::string& name,
                         u64 placements,
                         const ImportConfig& config,
                         Scene& scene) {
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(placements * sizeof(Instance),
                           name + ": a scene of " + std::to_string(placements) + " placements");
    WEFT_TRY(claim);
    try {
        append_forest(placements, config, scene);
    } catch (const std::bad_alloc&) {
        return no_memory_error(name, scene);
    }
    return is_given_up(config) ? base::Status(cancelled_error(name)) : base::Done{};
}

}  // namespace

base::Result<ProceduralRequest> parse_procedural(const std::string& name) {
    std::string_view rest = name;
    if (rest.starts_with(kPrefix)) {
        rest.remove_prefix(kPrefix.size());
    }
    const std::size_t colon = rest.find(':');
    const std::string_view kind = rest.substr(0, colon);
    ProceduralRequest request;
    bool is_known = false;
    for (const KindName& candidate : kKinds) {
        if (candidate.name == kind) {
            request.kind = candidate.kind;
            is_known = true;
        }
    }
    if (!is_known) {
        return base::Error{base::ErrorKind::Scene,
                           name + ": no procedural scene is called \"" + std::string(kind) +
                               "\"; expected rubble, terrain, spheres or forest."};
    }
    if (colon != std::string_view::npos) {
        const std::string_view count = rest.substr(colon + 1);
        const double number = parse_count(count);
        const bool is_forest = request.kind == ProceduralKind::Forest;
        const u64 most = is_forest ? kMaxProceduralPlacements : kMaxProceduralTriangles;
        if (number < 1 || number > static_cast<double>(most)) {
            return base::Error{base::ErrorKind::Scene,
                               name + ": \"" + std::string(count) +
                                   (is_forest ? "\" is no count of placements; expected a number "
                                                "from 1 to 10M such as 200K."
                                              : "\" is no triangle count; expected a number from 1 "
                                                "to 1G such as 250K or 10M.")};
        }
        request.count = static_cast<u64>(number);
    }
    return request;
}

base::Status make_procedural(const std::string& name, const ImportConfig& config, Scene& scene) {
    const auto request = parse_procedural(name);
    WEFT_TRY(request);
    if (scene.materials.empty()) {
        scene.materials.push_back({"default", default_material()});
    }
    const u64 count = request.value().count;
    if (request.value().kind == ProceduralKind::Forest) {
        return make_forest(name, count, config, scene);
    }
    const u64 triangles = count;
    // There are about half as many vertices; their floats need 32-bit offsets as well.
    if (scene.indices.size() + 3 * triangles >= kNone) {
        return base::Error{base::ErrorKind::Scene,
                           name + ": the scene would have more than " + std::to_string(kNone / 3) +
                               " triangles; expected fewer."};
    }
    // Triangles beyond a budget lie in a file, which takes its room itself.
    const bool is_in_file = scene.indices.allocator().maybe_file() != nullptr;
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(is_in_file ? 0 : triangles * kBytesOfTriangle,
                           name + ": a scene of " + std::to_string(triangles) + " triangles");
    WEFT_TRY(claim);
    try {
        switch (request.value().kind) {
            case ProceduralKind::Rubble:
                append_rubble(triangles, config, scene);
                break;
            case ProceduralKind::Terrain:
                WEFT_TRY(append_terrain(triangles, config, scene));
                break;
            case ProceduralKind::Spheres:
                append_spheres(triangles, config, scene);
                break;
            case ProceduralKind::Forest:
                UNREACHABLE("a forest counts placements");
        }
    } catch (const std::bad_alloc&) {
        return no_memory_error(name, scene);
    }
    return is_given_up(config) ? base::Status(cancelled_error(name)) : base::Done{};
}

}  // namespace weft::scene
