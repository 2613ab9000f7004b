#include "app/view/panels.h"

#include <array>

namespace weft::app {

namespace {

constexpr std::array<Panel, 0> kPanels = {};

}  // namespace

std::span<const Panel> panels() {
    return kPanels;
}

}  // namespace weft::app
