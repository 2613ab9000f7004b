// ray_variant.h — a way to trace a list of rays, and its time.
//
// A variant copies a chunk of rays in (untimed: in a render, rays lie in path slots anyway, and
// Embree's records are packed before its clock starts), traces it (timed by the thread's processor
// time, including all costs of gathering) and copies the hits out (untimed). All variants of a
// comparison get the same chunks in the same order. One thread owns a variant.
//
//   U1   our kernels, one ray at a time         K1   keyed lists, short ones one set at a time
//   U2   the product's unkeyed mode             KS   keyed lists, short ones as interleaved sets
//                                               KR   sets from the root, in one kernel call
//                                               K2   the product's keyed mode
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

// Counts of a variant's run; zero for Embree, which has none.
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

    // "U1", ...
    [[nodiscard]] const std::string& name() const { return name_; }

    // Embree's traversal: "coherent", "incoherent", or empty.
    [[nodiscard]] const std::string& traversal() const { return traversal_; }

    // Traces at most a chunk of rays and returns the seconds that it took. `hits` (as many, or
    // empty) gets the rays with their hits, Embree's converted to ours.
    virtual double trace(std::span<const shaders::TraceRay> rays,
                         std::span<shaders::TraceRay> hits) = 0;

    // Since the variant was made.
    [[nodiscard]] virtual VariantCounts counts() const { return {}; }

    // The current traversal strategy of a variant that chooses while it runs; empty otherwise.
    [[nodiscard]] virtual std::string way() const { return {}; }

private:
    std::string name_;
    std::string traversal_;
};

// Processor time of the calling thread.
double thread_seconds();

// U1, U2, K1, KS, KR and K2 for rays of a class; `chunk` rays in flight. The scene must outlive
// them. Empty where there is no memory.
std::vector<std::unique_ptr<RayVariant>> make_own_variants(const BenchScene& scene,
                                                           RayClass ray_class,
                                                           u32 chunk);

// E1, E16 and ES; for closest hits E16 and ES with Embree's coherent and its incoherent traversal.
std::vector<std::unique_ptr<RayVariant>> make_embree_variants(const accel::EmbreeReference& embree,
                                                              RayClass ray_class,
                                                              u32 chunk);

}  // namespace weft::bench
