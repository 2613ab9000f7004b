// bias.h — the settings that make the mean of a picture another than that of the scene's light, and
// the words that label such a picture.
//
// Pure; any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/frame/render_settings.h"

namespace weft::frame {

// Names and values of settings, as a film keeps them (film_origin.h).
using OriginEntries = std::vector<std::pair<std::string, std::string>>;

// The entries of these settings: clamps always, the regularisation of paths where it is on.
OriginEntries bias_origin(const RenderSettings& settings);

// What biases a picture, from the entries of its film, others among them: such as "paths
// regularised to roughness 0.3". Empty: nothing does.
std::string bias_text(const OriginEntries& origin);

inline std::string bias_text(const RenderSettings& settings) {
    return bias_text(bias_origin(settings));
}

}  // namespace weft::frame
