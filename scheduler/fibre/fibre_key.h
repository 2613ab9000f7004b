// fibre_key.h — the data or branch that a fibre uses next (F6).
#pragma once

#include "scheduler/base/ids.h"

namespace weft::fibre {

// `value` names the data (a node, a material); `tag` tells apart what may not share a packet (an
// octant).
struct Key {
    u32 value = 0;
    u32 tag = 0;
    friend bool operator==(const Key&, const Key&) = default;
};

}  // namespace weft::fibre
