#include "scheduler/command/vocabulary.h"

#include "scheduler/base/ensure.h"

namespace weft::command {

namespace {

void check(const StateShape& shape, const std::vector<RoutineShape>& routines) {
    ENSURE(routines.size(), <=, std::size_t{0xffff});
    for (const RoutineShape& routine : routines) {
        ENSURE(routine.operand_count, <=, kMaxOperands);
        for (const SlotName need : routine.needs) {
            ENSURE(shape.has(need), ==, true);
        }
    }
}

}  // namespace

Vocabulary::Vocabulary(StateShape state_shape,
                       std::vector<RoutineShape> draw_routines,
                       std::vector<RoutineShape> patch_routines)
    : shape(std::move(state_shape)),
      draws(std::move(draw_routines)),
      patches(std::move(patch_routines)) {
    ENSURE(shape.row_count(), <=, 0xffffU);
    check(shape, draws);
    check(shape, patches);
}

}  // namespace weft::command
