#include "engine/accel/instance_match.h"

#include <algorithm>
#include <cstring>

namespace weft::accel {

namespace {

bool is_same(const scene::Instance& a, const scene::Instance& b) {
    return a.mesh == b.mesh && a.place == b.place && a.node == b.node;
}

}  // namespace

std::vector<u32> match_instances(const scene::Arena<scene::Instance>& former,
                                 const scene::Arena<scene::Instance>& now) {
    std::vector<u32> number(former.size(), kNone);
    const std::size_t shorter = std::min(former.size(), now.size());
    // Match the common head.
    std::size_t head = 0;
    while (head < shorter && is_same(former[head], now[head])) {
        number[head] = static_cast<u32>(head);
        ++head;
    }
    // Match the common tail.
    std::size_t tail = 0;
    while (tail < shorter - head &&
           is_same(former[former.size() - 1 - tail], now[now.size() - 1 - tail])) {
        ++tail;
        number[former.size() - tail] = static_cast<u32>(now.size() - tail);
    }
    // Match between them; where instances differ, skip one of the longer list, or one of each.
    std::size_t old = head;
    std::size_t next = head;
    while (old < former.size() - tail && next < now.size() - tail) {
        const bool is_match = is_same(former[old], now[next]);
        if (is_match) {
            number[old] = static_cast<u32>(next);
        }
        old += is_match || former.size() >= now.size() ? 1U : 0U;
        next += is_match || former.size() <= now.size() ? 1U : 0U;
    }
    return number;
}

std::vector<bool> find_deformed(const scene::Arena<scene::Mesh>& meshes,
                                const scene::GeometryArena<float>& former,
                                const scene::GeometryArena<float>& now) {
    std::vector<bool> is_deformed(meshes.size(), false);
    if (now.shares_with(former)) {
        return is_deformed;
    }
    // The vertices of a mesh end where those of another one begin.
    std::vector<u64> bounds = {now.size() / 3};
    for (const scene::Mesh& mesh : meshes) {
        bounds.push_back(mesh.record.first_position);
    }
    std::sort(bounds.begin(), bounds.end());
    bounds.erase(std::unique(bounds.begin(), bounds.end()), bounds.end());
    // Compare the bytes of each part; meshes over the same arrays share one.
    std::vector<bool> differs(bounds.size(), false);
    for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
        differs[k] = std::memcmp(former.data() + 3 * bounds[k],
                                 now.data() + 3 * bounds[k],
                                 3 * (bounds[k + 1] - bounds[k]) * sizeof(float)) != 0;
    }
    for (std::size_t mesh = 0; mesh < meshes.size(); ++mesh) {
        const auto part =
            std::lower_bound(bounds.begin(), bounds.end(), meshes[mesh].record.first_position);
        is_deformed[mesh] = differs[static_cast<std::size_t>(part - bounds.begin())];
    }
    return is_deformed;
}

}  // namespace weft::accel
