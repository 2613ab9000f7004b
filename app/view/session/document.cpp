#include "app/view/session/document.h"

#include <algorithm>
#include <utility>

#include "app/view/session/edit_list.h"
#include "scheduler/base/ensure.h"

namespace weft::app {

namespace {

// Effects that change the context only: the scene object stays the same.
constexpr u32 kBesideScene = scene::kEffectView | scene::kEffectCamera | scene::kEffectLook;

}  // namespace

void Document::open(std::shared_ptr<const scene::Scene> scene, scene::EditContext context) {
    scene_ = std::move(scene);
    opened_ = scene_;
    context_ = std::move(context);
    opened_context_ = context_;
    done_.clear();
    undone_.clear();
    saved_number_ = 0;
    saved_edits_.clear();
    compared_number_ = 0;
    differs_ = false;
    effect_ = scene::kEffectAll;
}

base::Status Document::reopen(std::shared_ptr<const scene::Scene> scene,
                              scene::EditContext context) {
    const scene::Camera camera = context_.camera;
    const std::vector<Step> steps = std::exchange(done_, {});
    context.environments = std::move(context_.environments);  // reuse maps that were read before
    scene_ = std::move(scene);
    opened_ = scene_;
    opened_context_ = context;
    context_ = std::move(context);
    base::Status all = base::Done{};
    for (Step step : steps) {
        step.inverses.clear();
        const base::Status made = apply(step.edits, &step.inverses);
        if (made.is_ok()) {
            done_.push_back(std::move(step));
        } else if (all.is_ok()) {
            all = made;
        }
    }
    context_.camera = camera;
    effect_ = scene::kEffectAll;
    return all;
}

void Document::take(std::shared_ptr<const scene::Scene> scene,
                    scene::EditContext context,
                    u32 effect) {
    if ((effect & ~kBesideScene) != 0) {
        scene_ = std::move(scene);
    }
    context_ = std::move(context);
    effect_ |= effect;
}

base::Status Document::apply(std::span<const scene::Edit> edits,
                             std::vector<scene::Edit>* maybe_inverses) {
    auto changed = std::make_shared<scene::Scene>(*scene_);
    scene::EditContext context = context_;
    scene::EditsMade made = scene::apply_edits(
        *changed, context, edits, scene::OnFault::Stop, maybe_inverses != nullptr);
    if (!made.faults.empty()) {
        return made.faults.front().error;
    }
    take(std::move(changed), std::move(context), made.effect);
    if (maybe_inverses != nullptr) {
        maybe_inverses->insert(maybe_inverses->end(), made.inverses.begin(), made.inverses.end());
    }
    return base::Done{};
}

std::vector<scene::EditsMade::Fault> Document::edit_fitting(
    std::span<const scene::Edit> edits, std::function<bool(const std::string& path)> may_open) {
    auto changed = std::make_shared<scene::Scene>(*scene_);
    scene::EditContext context = context_;
    context.may_open = std::move(may_open);
    scene::EditsMade made =
        scene::apply_edits(*changed, context, edits, scene::OnFault::Skip, true);
    context.may_open = context_.may_open;
    take(std::move(changed), std::move(context), made.effect);
    Step step;
    auto fault = made.faults.begin();
    for (std::size_t i = 0; i < edits.size(); ++i) {
        if (fault != made.faults.end() && fault->index == i) {
            ++fault;
        } else {
            step.edits.push_back(edits[i]);
        }
    }
    step.inverses = std::move(made.inverses);
    if (!step.edits.empty()) {
        undone_.clear();
        step.number = ++last_number_;
        done_.push_back(std::move(step));
    }
    return std::move(made.faults);
}

base::Status Document::edit(const scene::Edit& edit, bool continues) {
    const bool goes_on = continues && !done_.empty() && done_.back().gesture == 0;
    // If the inverses restore more than this field (as with the two angles of a cone), a drag
    // restarts from there each time, so that intermediate values leave no trace.
    std::vector<scene::Edit> edits;
    if (goes_on && done_.back().edits.back().path == edit.path &&
        done_.back().inverses.back().path != edit.path) {
        edits.push_back(done_.back().inverses.back());
    }
    edits.push_back(edit);
    std::vector<scene::Edit> inverses;
    base::Status applied = apply(edits, &inverses);
    WEFT_TRY(applied);
    undone_.clear();
    if (!goes_on) {
        done_.push_back({{edit}, std::move(inverses), ++last_number_});
        return base::Done{};
    }
    Step& step = done_.back();
    step.number = ++last_number_;
    if (step.edits.back().path == edit.path) {
        step.edits.back() = edit;  // the first edit's inverse undoes all of them
    } else {
        step.edits.push_back(edit);
        step.inverses.push_back(std::move(inverses.front()));
    }
    return base::Done{};
}

void Document::offer_environment(scene::Environment map) {
    std::erase_if(context_.environments,
                  [&](const scene::Environment& known) { return known.name == map.name; });
    context_.environments.push_back(std::move(map));
}

bool Document::take_pictures(const Pictures& before, Pictures now) {
    if (!scene_->texels.shares_with(before.texels) ||
        !scene_->textures.shares_with(before.textures)) {
        return false;
    }
    if (now.texels.shares_with(before.texels) && now.textures.shares_with(before.textures)) {
        return true;
    }
    auto changed = std::make_shared<scene::Scene>(*scene_);
    changed->texels = std::move(now.texels);
    changed->textures = std::move(now.textures);
    scene_ = std::move(changed);
    effect_ |= scene::kEffectTextures;
    return true;
}

base::Status Document::edit_all(std::span<const scene::Edit> edits, bool continues) {
    const bool goes_on = continues && !done_.empty() && done_.back().gesture == 0 &&
                         std::equal(edits.begin(),
                                    edits.end(),
                                    done_.back().edits.begin(),
                                    done_.back().edits.end(),
                                    [](const auto& a, const auto& b) { return a.path == b.path; });
    Step step;
    step.edits.assign(edits.begin(), edits.end());
    base::Status applied = apply(edits, &step.inverses);
    if (!applied.is_ok() || edits.empty()) {
        return applied;
    }
    undone_.clear();
    step.number = ++last_number_;
    if (goes_on) {
        step.inverses = std::move(done_.back().inverses);  // the first ones undo all of them
        done_.pop_back();
    }
    done_.push_back(std::move(step));
    return base::Done{};
}

void Document::move_camera(const scene::Camera& camera, u64 gesture) {
    const auto text = [this] {
        const auto value = scene::read_value(*scene_, context_, "camera");
        ENSURE(value.is_ok(), ==, true);
        return scene::Edit{"camera", value.value()};
    };
    if (!undone_.empty()) {
        context_.camera = camera;
        return;
    }
    const bool continues = gesture != 0 && !done_.empty() && done_.back().gesture == gesture;
    if (!continues) {
        done_.push_back({{}, {text()}, ++last_number_, gesture});
    }
    context_.camera = camera;
    done_.back().edits = {text()};
}

base::Status Document::replace_camera(const scene::Camera& camera) {
    scene::EditContext changed = context_;
    changed.camera = camera;
    const auto replaced = camera_edit({*scene_, context_}, {*scene_, changed});
    return replaced ? edit(*replaced) : base::Status(base::Done{});
}

bool Document::is_changed() const {
    const u64 now = state_number();
    if (now == saved_number_) {
        return false;
    }
    if (now != compared_number_) {
        compared_number_ = now;
        differs_ = edits_without_moves() != saved_edits_;
    }
    return differs_;
}

void Document::mark_saved() {
    saved_number_ = state_number();
    saved_edits_ = edits_without_moves();
    compared_number_ = saved_number_;
    differs_ = false;
}

u64 Document::state_number() const {
    const auto last = std::find_if(
        done_.rbegin(), done_.rend(), [](const Step& step) { return step.gesture == 0; });
    return last == done_.rend() ? 0 : last->number;
}

bool Document::undo() {
    if (done_.empty()) {
        return false;
    }
    Step step = std::move(done_.back());
    done_.pop_back();
    const std::vector<scene::Edit> back(step.inverses.rbegin(), step.inverses.rend());
    const base::Status applied = apply(back, nullptr);
    ENSURE(applied.is_ok(), ==, true);
    undone_.push_back(std::move(step));
    return true;
}

bool Document::redo() {
    if (undone_.empty()) {
        return false;
    }
    Step step = std::move(undone_.back());
    undone_.pop_back();
    // Compute the inverses again: they differ in a scene that was read again, and the file of an
    // edit may be missing.
    step.inverses.clear();
    if (!apply(step.edits, &step.inverses).is_ok()) {
        undone_.clear();
        return false;
    }
    done_.push_back(std::move(step));
    return true;
}

std::optional<std::string> Document::original_value(const std::string& path) const {
    const auto then = scene::read_value(*opened_, opened_context_, path);
    const auto now = scene::read_value(*scene_, context_, path);
    if (!then.is_ok() || !now.is_ok() || then.value() == now.value()) {
        return std::nullopt;
    }
    return then.value();
}

std::vector<scene::Edit> Document::edits() const {
    return edits_to(context_);
}

std::vector<scene::Edit> Document::edits_without_moves() const {
    scene::EditContext at_rest = context_;
    const scene::Camera& first = opened_context_.camera;
    at_rest.camera.to_world = first.to_world;
    at_rest.camera.xmag = first.xmag;
    at_rest.camera.ymag = first.ymag;
    return edits_to(at_rest);
}

std::vector<scene::Edit> Document::edits_to(const scene::EditContext& context) const {
    EditTrail trail;
    for (const Step& step : done_) {
        for (const scene::Edit& edit : step.edits) {
            const std::string path = edit.path.substr(edit.path.starts_with('/') ? 1 : 0);
            const bool is_whole = (path.starts_with("nodes/") || path.starts_with("materials/")) &&
                                  std::count(path.begin(), path.end(), '/') == 1;
            if (is_whole) {
                trail.wholes.push_back({path, edit.value});
            } else {
                trail.touched.insert(path);
            }
        }
    }
    return least_edits({*opened_, opened_context_}, {*scene_, context}, trail);
}

u32 Document::take_effect() {
    return std::exchange(effect_, u32{scene::kEffectNone});
}

}  // namespace weft::app
