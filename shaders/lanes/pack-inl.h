// pack-inl.h — packs the lanes that a mask names to the front of a register.
//
// hn::Compress, but for AVX2: there Highway 1.0 as GCC 12 compiles it copies its table of 1 KiB to
// the stack at each call, which took a fifth of the time of sets (tests/bench/notebook/rays.md).
// One Packing serves several registers. Included by traversal kernels; pure.
#if defined(WEFT_SHADERS_PACK_INL_H_) == defined(HWY_TARGET_TOGGLE)
#    ifdef WEFT_SHADERS_PACK_INL_H_
#        undef WEFT_SHADERS_PACK_INL_H_
#    else
#        define WEFT_SHADERS_PACK_INL_H_
#    endif

// clang-format off
#include <bit>

#include <hwy/highway.h>

#include "shaders/lanes/pack_table.h"
#include "shaders/lanes/width.h"
// clang-format on

HWY_BEFORE_NAMESPACE();

namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// `D`: a tag of u32, of at most eight lanes for AVX2.
template <typename D>
class Packing {
public:
    using Words = hn::VFromD<D>;
    using Kept = decltype(hn::FirstN(D(), 1));

#    if HWY_TARGET == HWY_AVX2
    HWY_INLINE Packing(D d, Kept kept) : bits_(0) {
        u8 bytes[8];
        hn::StoreMaskBits(d, kept, bytes);
        bits_ = bytes[0];
        const hn::Rebind<u8, D> d8;
        places_ = hn::PromoteTo(d, hn::LoadU(d8, kPackTable.lanes[bits_].data()));
    }

    [[nodiscard]] HWY_INLINE u32 count() const { return static_cast<u32>(std::popcount(bits_)); }

    // Lanes behind the kept ones hold anything.
    [[nodiscard]] HWY_INLINE Words packed(Words words) const {
        const D d;
        return hn::TableLookupLanes(words, hn::IndicesFromVec(d, places_));
    }

private:
    u32 bits_;
    Words places_;
#    else
    HWY_INLINE Packing(D /*d*/, Kept kept) : kept_(kept) {}

    [[nodiscard]] HWY_INLINE u32 count() const {
        return static_cast<u32>(hn::CountTrue(D(), kept_));
    }

    // Lanes behind the kept ones hold anything.
    [[nodiscard]] HWY_INLINE Words packed(Words words) const { return hn::Compress(words, kept_); }

private:
    Kept kept_;
#    endif
};

}  // namespace weft::shaders::WEFT_WIDTH::HWY_NAMESPACE

HWY_AFTER_NAMESPACE();

#endif  // per-target guard
