#include "app/view/document.h"

#include <utility>

#include "scheduler/base/ensure.h"

namespace weft::app {

void Document::open(std::shared_ptr<const scene::Scene> scene, scene::EditContext context) {
    scene_ = std::move(scene);
    opened_ = scene_;
    context_ = std::move(context);
    opened_context_ = context_;
    done_.clear();
    undone_.clear();
    effect_ = scene::kEffectAll;
}

base::Status Document::apply(const std::vector<scene::Edit>& edits) {
    auto changed = std::make_shared<scene::Scene>(*scene_);
    scene::EditContext context = context_;
    u32 effect = scene::kEffectNone;
    for (const scene::Edit& edit : edits) {
        const base::Result<u32> applied = scene::apply_edit(*changed, context, edit);
        if (!applied.is_ok()) {
            return applied.error();
        }
        effect |= applied.value();
    }
    scene_ = std::move(changed);
    context_ = std::move(context);
    effect_ |= effect;
    return base::Done{};
}

base::Status Document::edit(const scene::Edit& edit, bool continues) {
    const base::Result<scene::Edit> inverse = scene::inverse_edit(*scene_, context_, edit);
    if (!inverse.is_ok()) {
        return inverse.error();
    }
    base::Status applied = apply({edit});
    if (!applied.is_ok()) {
        return applied;
    }
    undone_.clear();
    if (!continues || done_.empty()) {
        done_.push_back({{edit}, {inverse.value()}});
        return base::Done{};
    }
    Step& step = done_.back();
    if (step.edits.back().path == edit.path) {
        step.edits.back() = edit;  // the inverse of the first one leads back over all of them
    } else {
        step.edits.push_back(edit);
        step.inverses.push_back(inverse.value());
    }
    return base::Done{};
}

bool Document::undo() {
    if (done_.empty()) {
        return false;
    }
    Step step = std::move(done_.back());
    done_.pop_back();
    const base::Status applied = apply({step.inverses.rbegin(), step.inverses.rend()});
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
    const base::Status applied = apply(step.edits);
    ENSURE(applied.is_ok(), ==, true);
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

u32 Document::take_effect() {
    return std::exchange(effect_, u32{scene::kEffectNone});
}

}  // namespace weft::app
