// ray_variant.h — one way to trace a list of rays, with a clock around it.
//
// A variant takes a chunk of rays in (untimed: path slots are where rays are anyway, and Embree's
// own records are packed before its clock starts), traces it (timed, by the thread's processor
// time, with everything that gathering costs) and gives the hits back (untimed). All variants of a
// comparison get the same chunks in the same order. One thread owns a variant.
//
//   U1   our step, one ray at a time            K1   keyed lists, short ones one set at a time
//   U2   the product's unkeyed mode             K2   the product's keyed mode
//                                               KS   the same, sets interleaved
//   E1   rtcIntersect1, rtcOccluded1            E16  packets of 16    ES   streams of a chunk
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/bench/bench_scene.h"
#include "engine/bench/ray_record.h"
#include "engine/trace/ray_fibre.h"

namespace weft::bench {

// What is counted while a variant runs; zero where it cannot be known (Embree).
struct VariantCounts {
    shaders::TraceCounters trace;
    u64 scheduler_bytes = 0;  // entries of lists and collections, written once and read once
};

class RayVariant {
public:
    RayVariant(std::string name, std::string traversal)
        : name_(std::move(name)), traversal_(std::move(traversal)) {}

    virtual ~RayVariant() = default;
    RayVariant(const RayVariant&) = delete;
    RayVariant& operator=(const RayVariant&) = delete;

    // "U1", ... and what tells variants of one name apart: "coherent", "incoherent", or empty.
    [[nodiscard]] const std::string& name() const { return name_; }

    [[nodiscard]] const std::string& traversal() const { return traversal_; }

    // At most the chunk's capacity. Returns the seconds that tracing took; `hits` (as many, or
    // empty) gets the rays as they are afterwards: Embree's hits in our terms.
    virtual double trace(std::span<const shaders::TraceRay> rays,
                         std::span<shaders::TraceRay> hits) = 0;

    // Since the variant was made.
    [[nodiscard]] virtual VariantCounts counts() const { return {}; }

    // Of a variant that chooses while it runs: the way that its rays go at present.
    [[nodiscard]] virtual std::string way() const { return {}; }

private:
    std::string name_;
    std::string traversal_;
};

// Processor time of the calling thread.
double thread_seconds();

// U1, U2, K1, KS and K2 for rays of a class; `chunk` rays in flight. The scene must outlive them.
// Empty where memory could not be had.
std::vector<std::unique_ptr<RayVariant>> make_own_variants(const BenchScene& scene,
                                                           RayClass ray_class,
                                                           u32 chunk);

// E1, and E16 and ES, for closest hits both with Embree's coherent and its incoherent traversal.
std::vector<std::unique_ptr<RayVariant>> make_embree_variants(const accel::EmbreeReference& embree,
                                                              RayClass ray_class,
                                                              u32 chunk);

}  // namespace weft::bench
