#include "engine/accel/instance_match.h"

#include <algorithm>

namespace weft::accel {

namespace {

bool is_same(const scene::Instance& a, const scene::Instance& b) {
    return a.mesh == b.mesh && a.node == b.node;
}

}  // namespace

std::vector<u32> match_instances(const scene::Arena<scene::Instance>& former,
                                 const scene::Arena<scene::Instance>& now) {
    std::vector<u32> number(former.size(), kNone);
    const std::size_t shorter = std::min(former.size(), now.size());
    std::size_t head = 0;
    while (head < shorter && is_same(former[head], now[head])) {
        number[head] = static_cast<u32>(head);
        ++head;
    }
    std::size_t tail = 0;
    while (tail < shorter - head &&
           is_same(former[former.size() - 1 - tail], now[now.size() - 1 - tail])) {
        ++tail;
        number[former.size() - tail] = static_cast<u32>(now.size() - tail);
    }
    if (former.size() == now.size()) {
        for (std::size_t k = head; k < former.size() - tail; ++k) {
            number[k] = is_same(former[k], now[k]) ? static_cast<u32>(k) : kNone;
        }
    }
    return number;
}

}  // namespace weft::accel
