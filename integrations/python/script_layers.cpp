// script_layers.cpp — the layers of a ScriptFrame as planes in memory, without copies but for
// mattes and numbers.
#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "engine/film/aov_facts.h"
#include "engine/film/cryptomatte.h"
#include "engine/film/light_groups.h"
#include "engine/frame/surface_ids.h"
#include "integrations/python/script_frame.h"

namespace weft::python {

namespace {

using base::Error;
using base::ErrorKind;

constexpr u32 kMatteValues = 4;  // of one part of a layer: id, coverage, id, coverage

u32 matte_part_count(const app::Plan& plan) {
    return (plan.options.cryptomatte_ranks + 1) / 2;
}

}  // namespace

std::array<u32, 6> ScriptFrame::window() const {
    const film::Film& film = renderer_->film();
    const film::Region crop = film.crop();
    return {crop.x0, crop.y0, crop.x1, crop.y1, film.width(), film.height()};
}

Plane ScriptFrame::plane_of(const void* pixels, u32 channels, bool is_whole) const {
    const film::Region crop = renderer_->film().crop();
    return {shared_from_this(), pixels, crop.height(), crop.width(), channels, is_whole};
}

Plane ScriptFrame::beauty() const {
    return plane_of(renderer_->picture().beauty_row(0), film::kFilmChannels, false);
}

Plane ScriptFrame::denoised() const {
    return denoised_ ? plane_of(denoised_->pixels.data(), denoised_->channels, false) : Plane{};
}

std::vector<std::string> ScriptFrame::layers() const {
    const std::vector<std::string> groups = film::light_layer_names(plan_->options.light_groups);
    std::vector<std::string> names;
    for (const film::FilmLayer& layer : renderer_->film().aovs()) {
        const auto group =
            static_cast<std::size_t>(layer.aov) - static_cast<std::size_t>(film::Aov::Light0);
        names.push_back(film::is_light_group(layer.aov) ? groups.at(group)
                                                        : film::aov_name(layer.aov));
    }
    return names;
}

base::Result<u32> ScriptFrame::index_of(const std::string& name) const {
    const std::vector<std::string> names = layers();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) {
        return static_cast<u32>(found - names.begin());
    }
    std::string known = "beauty";
    for (const std::string& one : names) {
        known += ", " + one;
    }
    return Error{ErrorKind::Usage,
                 "'" + name + "': no layer of this picture; expected one of " + known +
                     " (aov= of the render asks for more)"};
}

base::Result<Plane> ScriptFrame::layer(const std::string& name) const {
    const base::Result<u32> index = index_of(name);
    WEFT_TRY(index);
    const film::Film& film = renderer_->film();
    const film::FilmLayer& layer = film.aovs()[index.value()];
    if (film::is_matte_aov(layer.aov)) {
        return matte_plane(index.value());
    }
    if (film::is_number_aov(layer.aov)) {
        return number_plane(index.value());
    }
    if (layer.aov == film::Aov::Samples) {
        return plane_of(film.sample_counts().data(), 1, true);
    }
    return plane_of(
        renderer_->picture().aov_row(index.value(), 0), film::aov_values(layer.aov), false);
}

// The numbers that an EXR has: the film keeps each one higher.
Plane ScriptFrame::number_plane(u32 layer) const {
    const film::Film& film = renderer_->film();
    const film::Region crop = film.crop();
    const auto values = std::make_shared<std::vector<u32>>();
    values->reserve(std::size_t{crop.width()} * crop.height());
    for (u32 y = crop.y0; y < crop.y1; ++y) {
        for (u32 x = crop.x0; x < crop.x1; ++x) {
            const film::ResolvedFilm::Place place = renderer_->picture().shown_pixel(x, y);
            values->push_back(film.number(layer, place.x, place.y));
        }
    }
    return {values, values->data(), crop.height(), crop.width(), 1, true};
}

// Ids and coverages, as the parts of an EXR have them side by side.
Plane ScriptFrame::matte_plane(u32 layer) const {
    const film::Film& film = renderer_->film();
    const film::Region crop = film.crop();
    const u32 parts = matte_part_count(*plan_);
    const auto values = std::make_shared<std::vector<float>>(std::size_t{crop.width()} *
                                                             crop.height() * parts * kMatteValues);
    float* value = values->data();
    std::vector<film::MatteCount> list;
    for (u32 y = crop.y0; y < crop.y1; ++y) {
        for (u32 x = crop.x0; x < crop.x1; ++x) {
            const film::ResolvedFilm::Place place = renderer_->picture().shown_pixel(x, y);
            film.matte_list(layer, place.x, place.y, list);
            for (u32 part = 0; part < parts; ++part, value += kMatteValues) {
                film::matte_ranks(list, film.sample_count(place.x, place.y), part, value);
            }
        }
    }
    return {values, values->data(), crop.height(), crop.width(), parts * kMatteValues, false};
}

base::Result<std::string> ScriptFrame::facts_json(const std::string& name) const {
    const base::Result<u32> index = index_of(name);
    WEFT_TRY(index);
    const film::Aov aov = renderer_->film().aovs()[index.value()].aov;
    const film::AovFacts facts = film::aov_facts(aov, name);
    nlohmann::json json = {
        {"channels", facts.channels}, {"unit", facts.unit}, {"meaning", facts.meaning}};
    if (film::is_matte_aov(aov)) {
        nlohmann::json ids = nlohmann::json::object();
        const film::MatteNames all = frame::matte_names(plan_->scene, plan_->settings.aovs);
        for (const film::MatteName& shown : film::shown_names(renderer_->film(), all)) {
            if (shown.layer == aov) {
                ids[shown.name] = film::matte_id(shown.name);
            }
        }
        json["ids"] = std::move(ids);
    }
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace weft::python
