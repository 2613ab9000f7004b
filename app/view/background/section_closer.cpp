#include "app/view/background/section_closer.h"

#include <algorithm>
#include <new>
#include <utility>

#include "engine/scene/model/section_caps.h"

namespace weft::app {

namespace {

bool is_same_plane(const shaders::ClipPlane& a, const shaders::ClipPlane& b) {
    return std::equal(std::begin(a.normal), std::end(a.normal), std::begin(b.normal)) &&
           a.offset == b.offset;
}

// Whether section planes treat both materials alike: both are cut, or neither is.
bool is_alike_cut(const scene::Material& a, const scene::Material& b) {
    return ((a.record.flags ^ b.record.flags) & shaders::kMaterialWhole) == 0;
}

}  // namespace

bool SectionCloser::has_same_shapes(const scene::Scene& a, const scene::Scene& b) {
    return a.meshes.shares_with(b.meshes) && a.indices.shares_with(b.indices) &&
           a.positions.shares_with(b.positions);
}

bool SectionCloser::is_same_cut(const Cut& a, const Cut& b) {
    if (!a.scene || !b.scene || !has_same_shapes(*a.scene, *b.scene)) {
        return false;
    }
    const scene::Scene& x = *a.scene;
    const scene::Scene& y = *b.scene;
    return x.instances.shares_with(y.instances) &&
           std::equal(x.materials.begin(),
                      x.materials.end(),
                      y.materials.begin(),
                      y.materials.end(),
                      is_alike_cut) &&
           std::equal(
               a.planes.begin(), a.planes.end(), b.planes.begin(), b.planes.end(), is_same_plane);
}

base::Result<SectionCloser::Closed> SectionCloser::close(Cut cut) {
    try {
        auto scene = std::make_shared<scene::Scene>(*cut.scene);
        scene::append_caps(*scene, cut.planes);
        return Closed{std::move(cut), std::move(scene)};
    } catch (const std::bad_alloc&) {
        return base::Error{base::ErrorKind::Memory,
                           "the section cannot be closed: its caps do not fit into memory"};
    }
}

SectionCloser::Shared SectionCloser::closed(const Shared& scene, const Planes& planes) {
    if (!made_ || !is_same_cut(made_->cut, {scene, planes})) {
        return nullptr;
    }
    if (asked_ != scene) {
        // Everything but the geometry may have changed meanwhile: take the rest from the new scene.
        auto answer = std::make_shared<scene::Scene>(*scene);
        answer->meshes = made_->scene->meshes;
        answer->indices = made_->scene->indices;
        answer->positions = made_->scene->positions;
        answer->instances = made_->scene->instances;
        asked_ = scene;
        answer_ = std::move(answer);
    }
    return answer_;
}

void SectionCloser::begin(const Shared& scene, const Planes& planes) {
    Cut wish = {scene, planes};
    if (is_busy() && is_same_cut(wish_, wish)) {
        return;
    }
    wish_ = wish;
    closing_.start([wish = std::move(wish)]() mutable { return close(std::move(wish)); });
}

void SectionCloser::forget() {
    closing_.cancel();
    wish_ = {};
}

void SectionCloser::clear() {
    forget();
    made_.reset();
    asked_.reset();
    answer_.reset();
}

base::Status SectionCloser::poll() {
    std::optional<base::Result<Closed>> made = closing_.poll();
    if (!made) {
        return base::Done{};
    }
    wish_ = {};
    WEFT_TRY(*made);
    made_ = std::move(made->value());
    asked_.reset();
    answer_.reset();
    return base::Done{};
}

}  // namespace weft::app
