// mitsuba_scene.cpp — walks the objects of a Mitsuba scene.
#include "engine/scene/mitsuba/mitsuba_scene.h"

#include <algorithm>
#include <array>

namespace weft::scene::mitsuba {

namespace {

// Refs to refs.
constexpr std::size_t kMostRefs = 16;

// Objects that say how Mitsuba renders, or that others refer to.
constexpr std::array<std::string_view, 16> kQuiet = {"bsdf",
                                                     "texture",
                                                     "integrator",
                                                     "sampler",
                                                     "medium",
                                                     "phase",
                                                     "film",
                                                     "rfilter",
                                                     "string",
                                                     "float",
                                                     "integer",
                                                     "boolean",
                                                     "spectrum",
                                                     "volume",
                                                     "ref",
                                                     "rgb"};

}  // namespace

MitsubaScene::MitsubaScene(const std::string& path, const ImportConfig& config, Scene& scene)
    : path_(path),
      config_(config),
      scene_(scene),
      roots_(path, config.asset_roots),
      size_(path),
      document_(roots_, size_),
      pictures_(path_, config_, scene_, roots_, size_) {}

base::Status MitsubaScene::read() {
    WEFT_TRY(document_.read(path_));
    const Element& root = document_.scene();
    for (const Element& item : root.children) {
        if (item.tag == "sensor") {
            WEFT_TRY(sensor(item));
        }
    }
    for (const Element& item : root.children) {
        if (is_given_up(config_)) {
            return cancelled_error(path_);
        }
        WEFT_TRY(read_item(item));
    }
    return base::Done{};
}

base::Status MitsubaScene::read_item(const Element& item) {
    if (item.tag == "shape") {
        return shape(item, nullptr);
    }
    if (item.tag == "emitter") {
        return emitter(item);
    }
    const bool is_quiet = std::find(kQuiet.begin(), kQuiet.end(), item.tag) != kQuiet.end();
    if (!is_quiet && item.tag != "sensor") {
        return error_at(
            item.place,
            "has " + item.text() + "; expected an object of Mitsuba 3, such as <shape> or <bsdf>.");
    }
    return base::Done{};
}

base::Result<const Element*> MitsubaScene::resolved(const Element& element) const {
    const Element* found = &element;
    for (std::size_t step = 0; found->tag == "ref"; ++step) {
        const Element* const next = document_.find(found->id());
        if (!next || step >= kMostRefs) {
            return error_at(element.place,
                            "refers to \"" + element.id().substr(0, 60) +
                                "\"; expected the id of an object of the scene.");
        }
        found = next;
    }
    return found;
}

base::Result<const Element*> MitsubaScene::child_of(const Element& object,
                                                    std::string_view tag) const {
    for (const Element& child : object.children) {
        const base::Result<const Element*> found = resolved(child);
        WEFT_TRY(found);
        if (found.value()->tag == tag) {
            child.is_used = true;
            return found;
        }
    }
    return static_cast<const Element*>(nullptr);
}

base::Result<const Element*> MitsubaScene::field_of(const Fields& fields,
                                                    std::string_view name) const {
    const Element* const found = fields.find(name);
    return found ? resolved(*found) : base::Result<const Element*>(found);
}

void MitsubaScene::note(Note::Kind kind, const std::string& sentence) {
    if (noted_.insert(sentence).second) {
        scene_.notes.push_back({kind, path_ + ": " + sentence});
    }
}

void MitsubaScene::note_unused(const std::string& what, const Fields& fields) {
    for (const Element* const element : fields.unused()) {
        // The note calls an object without a name by its tag.
        const std::string& name = element->name().empty() ? element->tag : element->name();
        if (noted_.insert(what + "/" + name).second) {
            scene_.notes.push_back({Note::Kind::Ignored,
                                    path_ + ": " + what + ": \"" + name.substr(0, 60) +
                                        "\" is ignored (first at " + element->place.text() + ")"});
        }
    }
}

math::Affine MitsubaScene::world_matrix(const math::DAffine& to_world) const {
    return math::to_float(math::compose(base_, to_world));
}

}  // namespace weft::scene::mitsuba

namespace weft::scene {

base::Status import_mitsuba(const std::string& path, const ImportConfig& config, Scene& scene) {
    return mitsuba::MitsubaScene(path, config, scene).read();
}

}  // namespace weft::scene
