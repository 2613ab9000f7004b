// seeded.h — random numbers of 32 bits for tests; the same ones in every run.
#pragma once

#include <random>

#include "scheduler/base/ids.h"

namespace weft::fibre {

class Seeded {
public:
    explicit Seeded(u32 seed) : engine_(seed) {}

    u32 operator()() { return static_cast<u32>(engine_()); }

private:
    std::mt19937 engine_;
};

}  // namespace weft::fibre
