// local_words-inl.h — words of texels in lanes: from memory, or on the emulated GPU from the local
// memory of the cluster.
//
// Included by textures and the environment. Reads only.
#if defined(WEFT_SHADERS_LOCAL_WORDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_LOCAL_WORDS_INL_H_
#        undef WEFT_SHADERS_LOCAL_WORDS_INL_H_
#    else
#        define WEFT_SHADERS_LOCAL_WORDS_INL_H_
#    endif

#    include "shaders/host/local_texels.h"
#    include "shaders/lanes/lanes-inl.h"

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

// Words of `arena`. On the device, where `local` is not null, through local memory, lane by lane; 0
// in lanes that do not read.
#    ifdef WEFT_WIDE_LANES
HWY_NOINLINE inline Uint read_words(LocalTexels* local, const u32* arena, Uint word) {
    if (local == nullptr) {
        return gather(arena, word);
    }
    u32 at[kLanes];
    u32 words[kLanes] = {};
    store(word, at);
    for (u32 lanes = decisions.reading; lanes != 0; lanes &= lanes - 1) {
        const u32 k = static_cast<u32>(std::countr_zero(lanes));
        words[k] = local->word(at[k]);
    }
    return load(words);
}
#    else
HWY_INLINE Uint read_words(LocalTexels* /*local*/, const u32* arena, Uint word) {
    return gather(arena, word);
}
#    endif

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif
