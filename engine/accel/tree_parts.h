// tree_parts.h — the steps that building a tree in memory (acceleration.cpp) and building one into
// pages (paged_build.cpp) have in common.
//
// Steps run on the TBB threads of the caller's arena.
#pragma once

#include <functional>
#include <vector>

#include "engine/accel/acceleration.h"
#include "engine/accel/split_tree.h"

namespace weft::accel {

SplitConfig split_config(const BuildConfig& config);

// Polls should_stop() between the steps of a build. Embree polls it within rtcBuildBVH.
base::Status go_on(const BuildConfig& config);

// Splits the drawable triangles of a shared mesh, in object space.
base::Result<SplitTree> split_mesh(const scene::Scene& scene, u32 mesh, const BuildConfig& config);

// By mesh: whether a placed instance of it needs the flag.
std::vector<bool> flagged_meshes(const scene::Scene& scene,
                                 const Placing& placing,
                                 const BuildConfig& config);

// The record of a placed instance: its matrix has an inverse.
shaders::Placement placement_of(const scene::Instance& instance,
                                u32 number,
                                const Box& world_box,
                                u32 root);

// Calls a build on at most the threads asked for, with a should_stop() that also ends it when the
// process exceeds its memory limit. An error says when memory ran out.
base::Status run_build(const BuildConfig& config,
                       const std::function<base::Status(const BuildConfig&)>& build);

}  // namespace weft::accel
