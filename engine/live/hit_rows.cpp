#include "engine/live/hit_rows.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/frame/renderer.h"
#include "engine/trace/scene_tables.h"

namespace weft::live {

namespace {

constexpr u32 kRowsPerTurn = 4;

}  // namespace

HitRequest hit_request(const frame::PreparedScene& scene, const LiveJob& job) {
    const frame::RenderSettings& settings = job.settings;
    return {.scene = scene,
            .camera = trace::make_camera(job.camera, settings.width, settings.height),
            .size = {settings.width, settings.height},
            .has_backface_culling = settings.has_backface_culling,
            .thread_count = settings.thread_count};
}

HitRows::HitRows(HitRequest request) : request_(std::move(request)) {
    const frame::UnitScene scene = frame::unit_scene(request_.scene);
    // Readers of pages are counted: one thread does for those.
    const u32 threads = scene.acceleration->store ? 1 : std::max(1U, request_.thread_count);
    for (u32 thread = 0; thread < threads; ++thread) {
        hits_.push_back(std::make_unique<frame::CameraHits>(
            scene, request_.camera, request_.size, request_.has_backface_culling));
    }
}

bool HitRows::is_allocated() const {
    return std::all_of(
        hits_.begin(), hits_.end(), [](const auto& hits) { return hits->is_allocated(); });
}

bool HitRows::run(u32 first,
                  u32 end,
                  const std::function<void(frame::CameraHits& hits, u32 y)>& row,
                  const std::function<bool()>& should_stop) {
    // Relaxed: rows are independent, and joining orders their results before the return.
    std::atomic<u32> next{first};
    std::atomic<bool> is_stopped{false};
    const auto work = [&](frame::CameraHits* hits) {
        while (!is_stopped.load(std::memory_order_relaxed)) {
            const u32 begin = next.fetch_add(kRowsPerTurn, std::memory_order_relaxed);
            if (begin >= end) {
                return;
            }
            for (u32 y = begin; y < std::min(end, begin + kRowsPerTurn); ++y) {
                row(*hits, y);
            }
            if (should_stop()) {
                is_stopped.store(true, std::memory_order_relaxed);
            }
        }
    };
    std::vector<std::jthread> others;
    try {
        for (std::size_t thread = 1; thread < hits_.size(); ++thread) {
            others.emplace_back(work, hits_[thread].get());
        }
    } catch (const std::system_error&) {
        // The threads that did start do all rows.
    }
    work(hits_[0].get());
    others.clear();
    return !is_stopped.load(std::memory_order_relaxed);
}

}  // namespace weft::live
