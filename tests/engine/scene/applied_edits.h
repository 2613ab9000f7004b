// applied_edits.h — edits that must succeed, and edits that must be refused.
#pragma once

#include <string>

#include <doctest/doctest.h>

#include "engine/scene/edit/edit.h"

namespace weft::scene::testing {

// What the edit changed: kEffect… bits.
inline u32 applied(Scene& scene, EditContext& context, const Edit& edit) {
    const base::Result<u32> effect = apply_edit(scene, context, edit);
    REQUIRE_MESSAGE(effect.is_ok(), effect.error().sentence);
    return effect.value();
}

// The sentence of an edit that is refused.
inline std::string refusal(Scene& scene, EditContext& context, const Edit& edit) {
    const base::Result<u32> effect = apply_edit(scene, context, edit);
    REQUIRE(!effect.is_ok());
    return effect.error().sentence;
}

}  // namespace weft::scene::testing
