// ray_arm.h — one way to trace a list of rays, with a clock around it.
//
// An arm takes a chunk of rays in (untimed: path slots are where rays are anyway, and Embree's own
// records are packed before its clock starts), traces it (timed, by the thread's processor time,
// with everything that gathering costs) and gives the hits back (untimed). All arms of a comparison
// get the same chunks in the same order. One thread owns an arm.
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

// What is counted while an arm runs; zero where it cannot be known (Embree).
struct ArmCounts {
    shaders::TraceCounters trace;
    u64 scheduler_bytes = 0;  // entries of lists and collections, written once and read once
};

class RayArm {
public:
    RayArm(std::string name, std::string variant)
        : name_(std::move(name)), variant_(std::move(variant)) {}

    virtual ~RayArm() = default;
    RayArm(const RayArm&) = delete;
    RayArm& operator=(const RayArm&) = delete;

    // "U1", ... and what tells arms of one name apart: "coherent", "incoherent", or empty.
    [[nodiscard]] const std::string& name() const { return name_; }

    [[nodiscard]] const std::string& variant() const { return variant_; }

    // At most the chunk's capacity. Returns the seconds that tracing took; `hits` (as many, or
    // empty) gets the rays as they are afterwards: Embree's hits in our terms.
    virtual double trace(std::span<const shaders::TraceRay> rays,
                         std::span<shaders::TraceRay> hits) = 0;

    // Since the arm was made.
    [[nodiscard]] virtual ArmCounts counts() const { return {}; }

    // Of an arm that chooses while it runs: the way that its rays go at present.
    [[nodiscard]] virtual std::string way() const { return {}; }

private:
    std::string name_;
    std::string variant_;
};

// Processor time of the calling thread.
double thread_seconds();

// U1, U2, K1, KS and K2 for rays of a class; `chunk` rays in flight. The scene must outlive them.
// Empty where memory could not be had.
std::vector<std::unique_ptr<RayArm>> make_own_arms(const BenchScene& scene,
                                                   RayClass ray_class,
                                                   u32 chunk);

// E1, and E16 and ES, for closest hits both with Embree's coherent and its incoherent traversal.
std::vector<std::unique_ptr<RayArm>> make_embree_arms(const accel::EmbreeReference& embree,
                                                      RayClass ray_class,
                                                      u32 chunk);

}  // namespace weft::bench
