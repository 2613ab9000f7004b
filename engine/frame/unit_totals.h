// unit_totals.h — the figures of a frame's units, summed over those that a change of scene
// replaced.
//
// An exposure shows one scene after another. A device holds a copy of the scene, so that each one
// has units of its own (Renderer::change_scene); the frame's figures count all of them. Pure.
#pragma once

#include "engine/frame/renderer.h"

namespace weft::frame {

// Adds `former` to the devices, units and workers of `figures`, then sets what is a sum over
// devices. Means and states (attached, memory of the device) stay those of the units that work.
void add_up_units(FrameFigures& figures, const FrameFigures& former);

}  // namespace weft::frame
