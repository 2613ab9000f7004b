#include "engine/scene/files/picture_channels.h"

#include <algorithm>
#include <array>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace weft::scene {

namespace {

using base::Error;
using base::ErrorKind;
using Places = std::vector<i32>;
using Letters = std::map<std::string, i32>;  // the place of each channel of a layer

constexpr std::size_t kShownNames = 8;

// A layer that may be the picture.
struct Candidate {
    u32 part = 0;
    std::string layer;       // empty: that of a file with one part and no layer's name
    bool has_layer = false;  // the channels name it, not the part
    bool has_chroma = false;
    Places places;
};

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    return text;
}

// What stands behind the last dot.
std::string last_word(const std::string& name) {
    return lower(name.substr(name.rfind('.') + 1));
}

std::string layer_of(const std::string& channel) {
    const std::size_t dot = channel.rfind('.');
    return dot == std::string::npos ? std::string() : channel.substr(0, dot);
}

// "r" of LAYER.R and of LAYER.red.
std::string letter_of(const std::string& channel) {
    const std::string word = last_word(channel);
    constexpr std::array<std::string_view, 4> kWords = {"red", "green", "blue", "alpha"};
    return std::find(kWords.begin(), kWords.end(), word) == kWords.end() ? word : word.substr(0, 1);
}

bool is_main(const std::string& layer) {
    constexpr std::array<std::string_view, 3> kNames = {"combined", "beauty", "rgba"};
    return std::find(kNames.begin(), kNames.end(), last_word(layer)) != kNames.end();
}

// The places of these channels, and of alpha if there is one; empty if one of them is missing.
Places places_of(const Letters& letters, std::initializer_list<const char*> wanted) {
    Places places;
    for (const char* letter : wanted) {
        const auto found = letters.find(letter);
        if (found == letters.end()) {
            return {};
        }
        places.push_back(found->second);
    }
    if (const auto alpha = letters.find("a"); alpha != letters.end()) {
        places.push_back(alpha->second);
    }
    return places;
}

std::map<std::string, Letters> layers_of(const image::Part& part) {
    std::map<std::string, Letters> layers;
    for (std::size_t k = 0; k < part.channel_names.size(); ++k) {
        const std::string& name = part.channel_names[k];
        layers[layer_of(name)].emplace(letter_of(name), static_cast<i32>(k));
    }
    return layers;
}

// The layers of the current part that hold colours or grey. Y beside X or Z is no grey.
void add_candidates(const image::ImageReader& reader, u32 part, std::vector<Candidate>& all) {
    if (reader.part().is_deep) {
        return;
    }
    for (const auto& [layer, letters] : layers_of(reader.part())) {
        Candidate candidate{part, layer, !layer.empty(), false, {}};
        if (layer.empty()) {
            candidate.layer = reader.text("oiio:subimagename");
        }
        candidate.places = places_of(letters, {"r", "g", "b"});
        if (candidate.places.empty() && !letters.contains("x") && !letters.contains("z")) {
            candidate.places = places_of(letters, {"y"});
            candidate.has_chroma = letters.contains("ry") || letters.contains("by");
        }
        if (!candidate.places.empty()) {
            all.push_back(std::move(candidate));
        }
    }
}

Error unclear(const PictureInput& input, const std::vector<Candidate>& candidates) {
    std::string names;
    for (std::size_t k = 0; k < std::min(candidates.size(), kShownNames); ++k) {
        names += (names.empty() ? "" : ", ") + candidates[k].layer;
    }
    return {ErrorKind::Scene,
            input.name + ": holds " + std::to_string(candidates.size()) +
                " layers that may be the picture (" + names +
                (candidates.size() > kShownNames ? ", …" : "") +
                "); expected R, G and B without a layer, or one layer called Combined, beauty or "
                "rgba"};
}

Error without_colours(const PictureInput& input) {
    const std::vector<std::string>& channels = input.part().channel_names;
    std::string names;
    for (std::size_t k = 0; k < std::min(channels.size(), kShownNames); ++k) {
        names += (names.empty() ? "" : ", ") + channels[k];
    }
    return {ErrorKind::Scene,
            input.name + ": has no colours among its channels (" + names +
                (channels.size() > kShownNames ? ", …" : "") + "); expected R, G and B, or Y"};
}

base::Result<Candidate> chosen(const PictureInput& input, const std::vector<Candidate>& all) {
    std::vector<Candidate> plain;  // no layer is named
    std::vector<Candidate> main;   // by its channels
    for (const Candidate& candidate : all) {
        if (!candidate.has_layer && (candidate.layer.empty() || is_main(candidate.layer))) {
            plain.push_back(candidate);
        } else if (candidate.has_layer && is_main(candidate.layer)) {
            main.push_back(candidate);
        }
    }
    const std::vector<Candidate>& best = !plain.empty() ? plain : !main.empty() ? main : all;
    if (best.size() > 1) {
        return unclear(input, best);
    }
    if (best.front().has_chroma) {
        return Error{ErrorKind::Scene,
                     input.name +
                         ": its colours are luminance and chroma (Y, RY, BY); expected "
                         "R, G and B"};
    }
    return best.front();
}

// A part without colours: a single channel of any name as grey, or the three of a vector.
Places plain_values(const image::Part& part) {
    Places values;
    Places alpha;
    for (std::size_t k = 0; k < part.channel_names.size(); ++k) {
        (letter_of(part.channel_names[k]) == "a" ? alpha : values).push_back(static_cast<i32>(k));
    }
    if (values.empty() || (values.size() == 1 && alpha.size() < 2)) {
        values.insert(values.end(), alpha.begin(), alpha.end());
        return values.size() <= 2 ? values : Places();
    }
    const std::map<std::string, Letters> layers = layers_of(part);
    return layers.size() == 1 && values.size() == 3 && alpha.empty()
               ? places_of(layers.begin()->second, {"x", "y", "z"})
               : Places();
}

base::Status seek(PictureInput& input, u32 part) {
    return input.reader->seek_part(part)
               ? check_part(input)
               : base::Status(unreadable_picture(input.name, input.reader->error()));
}

base::Result<Places> choose_by_name(PictureInput& input) {
    std::vector<Candidate> all;
    u32 parts = 0;
    for (; input.reader->seek_part(parts); ++parts) {
        add_candidates(*input.reader, parts, all);
    }
    if (const std::string& why = input.reader->error(); !why.empty()) {
        return unreadable_picture(input.name, why);
    }
    if (parts == 1) {
        for (Candidate& candidate : all) {
            candidate.layer = candidate.has_layer ? candidate.layer : std::string();
        }
    }
    if (all.empty()) {
        WEFT_TRY(seek(input, 0));
        Places values = plain_values(input.part());
        return values.empty() ? base::Result<Places>(without_colours(input))
                              : base::Result<Places>(std::move(values));
    }
    base::Result<Candidate> one = chosen(input, all);
    WEFT_TRY(one);
    WEFT_TRY(seek(input, one.value().part));
    return std::move(one.value().places);
}

}  // namespace

base::Result<std::vector<i32>> choose_colours(PictureInput& input) {
    if (input.format == "openexr") {
        return choose_by_name(input);
    }
    Places first;
    for (i32 k = 0; k < std::min(input.part().channel_count, 4); ++k) {
        first.push_back(k);
    }
    return first;
}

base::Status read_picture_channels(PictureInput& input,
                                   const std::vector<i32>& channels,
                                   const std::function<void(u32 y, const float* row)>& take) {
    const auto [least, most] = std::minmax_element(channels.begin(), channels.end());
    const image::Channels range{*least, *most + 1};
    const auto width = static_cast<std::size_t>(input.part().width);
    const auto stride = static_cast<std::size_t>(range.end - range.begin);
    std::vector<std::size_t> places;
    for (const i32 channel : channels) {
        places.push_back(static_cast<std::size_t>(channel - range.begin));
    }
    std::vector<float> row;
    try {
        row.resize(width * places.size());
    } catch (const std::bad_alloc&) {
        return unreadable_picture(input.name, image::kNoMemory);
    }
    return read_picture_rows(input, range, image::ValueType::Float, [&](u32 y, const u8* decoded) {
        const auto* from = reinterpret_cast<const float*>(decoded);
        float* to = row.data();
        for (std::size_t x = 0; x < width; ++x, from += stride) {
            for (const std::size_t place : places) {
                *to++ = from[place];
            }
        }
        take(y, row.data());
    });
}

}  // namespace weft::scene
