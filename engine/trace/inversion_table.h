// inversion_table.h — draws one of n cells by the inverse of their cumulative distribution, with
// exactly known probabilities.
//
// A number on the sampler's grid of 2⁻²⁴ draws the last cell that begins at it or before
// (EnvironmentCell). The map from numbers to cells rises, so stratified numbers draw stratified
// cells, which an alias table would shuffle. Cells begin on the grid: the probability of a cell is
// the number of its steps, rounding included. A guide for each interval of numbers says where the
// search begins, and how far it goes at most (Chen and Asau 1974); over all numbers these ways have
// one cell in the mean, whatever the weights. Built by one thread.
#pragma once

#include <span>

#include "shaders/host/scene_view.h"

namespace weft::trace {

// Sets begin, steps and guide of all cells; weights are finite and not negative. Weight 0 gets no
// steps and is never drawn. Each other weight gets one step, and of the other steps its share; but
// no step in advance where more than 2²³ weights are positive, so that some may get none. Without a
// positive weight all steps are 0, and numbers draw cell 0.
void invert_weights(std::span<const double> weights, std::span<shaders::EnvironmentCell> cells);

}  // namespace weft::trace
