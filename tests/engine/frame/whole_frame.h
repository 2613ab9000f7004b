// whole_frame.h — frames made ready and rendered in one call, for tests that look at the result.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "engine/frame/renderer.h"
#include "engine/scene/model/scene.h"

namespace weft::tests {

// A frame of the scene's first camera that has no sample yet.
inline std::unique_ptr<frame::Renderer> prepared(const scene::Scene& scene,
                                                 const frame::RenderSettings& settings,
                                                 const std::vector<std::string>& hidden = {}) {
    auto renderer = frame::Renderer::prepare(scene, scene.cameras.front(), settings, hidden);
    REQUIRE_MESSAGE(renderer.is_ok(), renderer.error().sentence);
    return std::move(renderer.value());
}

// The same frame with all of its samples.
inline std::unique_ptr<frame::Renderer> rendered(const scene::Scene& scene,
                                                 const frame::RenderSettings& settings,
                                                 const std::vector<std::string>& hidden = {}) {
    auto renderer = prepared(scene, settings, hidden);
    const base::Status status = renderer->render({});
    REQUIRE_MESSAGE(status.is_ok(), status.error().sentence);
    return renderer;
}

inline std::string film_hash_of(const scene::Scene& scene,
                                const frame::RenderSettings& settings,
                                const std::vector<std::string>& hidden = {}) {
    return rendered(scene, settings, hidden)->film().film_hash();
}

// What is left of a frame that has been rendered.
struct RenderedFrame {
    std::string film_hash;
    frame::FrameFigures figures;
};

inline RenderedFrame rendered_frame(const scene::Scene& scene,
                                    const frame::RenderSettings& settings) {
    const auto renderer = rendered(scene, settings);
    return {renderer->film().film_hash(), renderer->figures()};
}

// The hash of the film, then that of every layer.
inline std::string all_hashes(const film::Film& film) {
    std::string hashes = film.film_hash();
    for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
        hashes += ' ' + film.aov_hash(layer);
    }
    return hashes;
}

// The film's layer of this kind.
inline u32 layer_of(const film::Film& film, film::Aov aov) {
    for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
        if (film.aovs()[layer].aov == aov) {
            return layer;
        }
    }
    FAIL("the film lacks a layer");
    return 0;
}

}  // namespace weft::tests
