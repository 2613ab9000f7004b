// obj_objects.cpp — see obj_objects.h.
#include "engine/scene/parts/obj_objects.h"

#include <algorithm>

namespace weft::scene {

void ObjObjects::begin_object(const std::string& name) {
    if (!name.empty()) {
        said_ = name;
        object_ = present_ = unused(name);
        groups_.clear();
    }
}

void ObjObjects::begin_group(const std::string& name) {
    if (name.empty() || name == said_) {
        present_ = object_;
        return;
    }
    const auto [known, is_new] = groups_.try_emplace(name);
    if (is_new) {
        known->second = unused(name);
    }
    present_ = known->second;
}

const std::string& ObjObjects::take_name() {
    taken_.insert(present_);
    return present_;
}

std::string ObjObjects::unused(const std::string& name) {
    std::string own = name;
    for (u64& number = numbers_[name]; taken_.contains(own);) {
        number = std::max<u64>(number + 1, 2);
        own = name + ' ' + std::to_string(number);
    }
    return own;
}

}  // namespace weft::scene
