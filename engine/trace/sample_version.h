// sample_version.h — which samples a seed gives, as a number that a film's origin records
// (engine/frame/film_origin.h). Films of another number are neither continued nor merged: their
// mean may be right, but their bits are not those of one render.
#pragma once

#include "scheduler/base/ids.h"

namespace weft::trace {

// Raise it by one in every commit after which some scene has another film hash with the same
// settings and seed: other random numbers or another use of them, another choice of lights or
// directions, another order of operations in a kernel or a table. Commits that land one after the
// other raise it once each; after a rebase take the number on main plus one.
// tests/engine/frame/test_sample_version.cpp fails if the bits change and the number does not, and
// says which hashes belong beside the new number. It sees one small scene: raise the number as well
// for a change that this scene does not show. Films from before it was recorded have none.
inline constexpr u32 kSampleVersion = 11;

}  // namespace weft::trace
