#include "engine/accel/instance_match.h"

#include <algorithm>

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

}  // namespace weft::accel
