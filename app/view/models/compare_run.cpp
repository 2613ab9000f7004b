#include "app/view/models/compare_run.h"

#include <chrono>
#include <utility>

namespace weft::app {

namespace {

u64 rays_of(const frame::FrameFigures& figures) {
    const trace::IntegratorCounters& counted = figures.integrator;
    return counted.camera_rays + counted.bounce_rays + counted.shadow_rays;
}

std::string hash_of(live::LiveRender& live) {
    const base::Result<std::string> hash = live.film_hash();
    return hash.is_ok() ? hash.value() : hash.error().sentence;
}

}  // namespace

std::optional<u32> whose_turn(std::span<const TurnClaim> claims) {
    std::optional<u32> best;
    for (u32 k = 0; k < claims.size(); ++k) {
        if (!claims[k].is_done && (!best || claims[k].elapsed_s < claims[*best].elapsed_s)) {
            best = k;
        }
    }
    return best;
}

void CompareRun::begin(const live::LiveJob& job,
                       const live::LiveView& view,
                       u32 samples_per_pixel,
                       u32 thread_count) {
    forget();
    job_ = job;
    job_.effect = scene::kEffectAll;
    job_.settings.samples_per_pixel = samples_per_pixel;
    job_.settings.has_heat = false;
    set_view(view);
    thread_count_ = thread_count;
    variants_[0].name = "keyed";
    variants_[1].name = "unkeyed";
    variants_[1].mode = trace::SchedulerMode::Unkeyed;
    variants_[2].name = "embree";
    variants_[2].mode = trace::SchedulerMode::Embree;
    is_running_ = true;
}

void CompareRun::stop() {
    if (is_running_ && turn_) {
        variants_[*turn_].live->set_paused(true);
    }
    is_running_ = false;
    turn_.reset();
}

void CompareRun::set_view(const live::LiveView& view) {
    view_ = view;
    view_.display = live::LiveDisplay::Rendered;  // films are compared
    // The quality filter would take some of the time that the modes share.
    if (view_.denoise == live::LiveDenoise::Quality) {
        view_.denoise = live::LiveDenoise::Fast;
    }
    for (Variant& variant : variants_) {
        if (variant.live) {
            variant.live->set_view(view_);
        }
    }
}

void CompareRun::forget() {
    stop();
    // A renderer that prepares a large scene takes a while to end; do not wait for it here.
    std::erase_if(ending_, [](const std::future<void>& end) {
        return end.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    });
    auto old = std::make_shared<std::array<Variant, kComparedModes>>(std::move(variants_));
    ending_.push_back(std::async(std::launch::async, [old = std::move(old)]() mutable {
        for (Variant& variant : *old) {
            if (variant.asked_hash.valid()) {
                variant.asked_hash.wait();
            }
        }
        old.reset();
    }));
    variants_ = {};
    job_ = {};
}

void CompareRun::begin_turn(u32 index) {
    Variant& variant = variants_[index];
    turn_ = index;
    turn_began_s_ = -1;
    is_pausing_ = false;
    if (variant.live) {
        variant.live->set_paused(false);
        return;
    }
    variant.live = std::make_shared<live::LiveRender>(thread_count_);
    variant.live->set_view(view_);
    job_.settings.integrator.mode = variant.mode;
    variant.job = variant.live->show(job_);
}

// Takes the status and the picture of the mode's renderer.
void CompareRun::follow(Variant& variant) {
    variant.status = variant.live->status();
    variant.picture_version += variant.live->take_picture(variant.picture) ? 1U : 0U;
    if (variant.status.prepared_job == variant.job) {
        variant.elapsed_s = variant.status.elapsed_s;
        variant.rays = rays_of(variant.live->figures());
    }
    if (variant.status.state == live::LiveState::Failed) {
        variant.error = variant.status.error;
    }
    if (variant.status.state == live::LiveState::Done && !variant.asked_hash.valid()) {
        variant.asked_hash = std::async(std::launch::async, hash_of, std::ref(*variant.live));
    }
    if (variant.asked_hash.valid() &&
        variant.asked_hash.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
        variant.film_hash = variant.asked_hash.get();
    }
}

bool CompareRun::is_turn_over(Variant& variant, double now_s) {
    const live::LiveState state = variant.status.state;
    if (variant.is_done() || state == live::LiveState::Done) {
        return variant.is_done();  // the hash is requested within the turn
    }
    if (is_pausing_) {
        return state == live::LiveState::Paused;
    }
    if (state == live::LiveState::Rendering && turn_began_s_ < 0) {
        turn_began_s_ = now_s;
    }
    if (turn_began_s_ >= 0 && now_s - turn_began_s_ >= kTurn_s) {
        is_pausing_ = true;
        variant.live->set_paused(true);
    }
    return false;
}

void CompareRun::step(double now_s) {
    if (!is_running_) {
        return;
    }
    if (turn_) {
        Variant& variant = variants_[*turn_];
        follow(variant);
        if (!is_turn_over(variant, now_s)) {
            return;
        }
    }
    std::array<TurnClaim, kComparedModes> claims;
    for (u32 k = 0; k < kComparedModes; ++k) {
        claims[k] = {variants_[k].elapsed_s, variants_[k].is_done()};
    }
    if (const std::optional<u32> next = whose_turn(claims)) {
        begin_turn(*next);
    } else {
        stop();
    }
}

std::optional<bool> CompareRun::are_bits_same() const {
    if (variants_[0].film_hash.empty() || variants_[1].film_hash.empty()) {
        return std::nullopt;
    }
    return variants_[0].film_hash == variants_[1].film_hash;
}

}  // namespace weft::app
