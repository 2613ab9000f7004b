#include "engine/frame/bias.h"

#include <array>
#include <fmt/format.h>

namespace weft::frame {

namespace {

constexpr const char* kDirectClamp = "clamp of direct light";
constexpr const char* kIndirectClamp = "clamp of indirect light";
constexpr const char* kRegularisation = "roughness of regularisation";
constexpr const char* kOff = "inf";  // of a clamp

// An entry, and the words before its value.
struct Phrase {
    const char* name;
    const char* words;
};

constexpr std::array<Phrase, 3> kPhrases = {{{kRegularisation, "paths regularised to roughness "},
                                             {kDirectClamp, "direct light clamped at "},
                                             {kIndirectClamp, "indirect light clamped at "}}};

}  // namespace

OriginEntries bias_origin(const RenderSettings& settings) {
    OriginEntries entries = {{kDirectClamp, fmt::format("{}", settings.clamp_direct)},
                             {kIndirectClamp, fmt::format("{}", settings.clamp_indirect)}};
    // Films from before there was regularisation have no entry.
    if (is_regularized(settings)) {
        entries.emplace_back(kRegularisation, fmt::format("{}", settings.regularized_roughness));
    }
    return entries;
}

std::string bias_text(const OriginEntries& origin) {
    std::string text;
    for (const Phrase& phrase : kPhrases) {
        for (const auto& [name, value] : origin) {
            if (name == phrase.name && value != kOff) {
                text += (text.empty() ? "" : ", ") + (phrase.words + value);
            }
        }
    }
    return text;
}

}  // namespace weft::frame
