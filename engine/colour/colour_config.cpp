// colour_config.cpp — the config by OpenColorIO, whose exceptions end here as sentences.
#include "engine/colour/colour_config.h"

#include <OpenColorIO/OpenColorIO.h>
#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>

#include "engine/colour/config_check.h"
#include "scheduler/base/input_file.h"

namespace weft::colour {

namespace {

namespace OCIO = OCIO_NAMESPACE;

using base::Error;
using base::ErrorKind;
using Made = base::Result<std::shared_ptr<const Transform>>;

constexpr const char* kExpected = "an OpenColorIO config (.ocio)";

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    while (!text.empty() && (text.back() == ' ' || text.back() == '.')) {
        text.pop_back();
    }
    return text;
}

// "a, b or c"
std::string either_of(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    }
    return text.empty() ? "none: the config has none" : text;
}

bool has_name(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

class OcioTransform final : public Transform {
public:
    explicit OcioTransform(const OCIO::ConstProcessorRcPtr& processor)
        : cpu_(processor->getDefaultCPUProcessor()) {}

    [[nodiscard]] Rgb operator()(Rgb rgb) const override {
        cpu_->applyRGB(rgb.data());
        return rgb;
    }

    void apply_row(float* rgba, std::size_t pixels) const override {
        for (std::size_t i = 0; i < pixels; ++i) {
            cpu_->applyRGB(rgba + 4 * i);
        }
    }

private:
    OCIO::ConstCPUProcessorRcPtr cpu_;
};

OCIO::ConstTransformRcPtr between(const char* from, const char* to) {
    const auto transform = OCIO::ColorSpaceTransform::Create();
    transform->setSrc(from);
    transform->setDst(to);
    return transform;
}

// From ACES2065-1 to CIE XYZ with the white of ACES (SMPTE ST 2065-1, annex C).
constexpr std::array<double, 9> kAcesToXyz = {
    0.9525523959, 0, 0.0000936786, 0.3439664498, 0.7281660966, -0.0721325464, 0, 0, 1.0088251844};

// Those of Rec. 709 after the adaptation of its white to that of ACES.
constexpr Primaries kRec709InAces = {
    0.6425F, 0.3304F, 0.3057F, 0.6F, 0.1514F, 0.0615F, 0.32168F, 0.33767F};

std::array<float, 2> chromaticity(Rgb aces) {
    std::array<double, 3> xyz{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t c = 0; c < 3; ++c) {
            xyz[row] += kAcesToXyz[3 * row + c] * double{aces[c]};
        }
    }
    const double sum = xyz[0] + xyz[1] + xyz[2];
    return {static_cast<float>(xyz[0] / sum), static_cast<float>(xyz[1] / sum)};
}

bool is_near(float a, float b, float distance) {
    return a - b < distance && b - a < distance;
}

bool is_near(const Primaries& a, const Primaries& b) {
    constexpr float kRounding = 0.002F;
    return std::equal(a.begin(), a.end(), b.begin(), [](float one, float other) {
        return is_near(one, other, kRounding);
    });
}

// Twice the light is twice the value, and colours add up.
bool is_linear(const Transform& transform) {
    const Rgb one = transform({0.25F, 0.5F, 0.125F});
    const Rgb two = transform({0.5F, 1, 0.25F});
    const Rgb red = transform({0.25F, 0, 0});
    const Rgb rest = transform({0, 0.5F, 0.125F});
    for (std::size_t c = 0; c < 3; ++c) {
        if (!is_near(2 * one[c], two[c], 1e-4F) || !is_near(red[c] + rest[c], one[c], 1e-4F)) {
            return false;
        }
    }
    return true;
}

Primaries primaries_of(const Transform& to_aces) {
    Primaries all{};
    const std::array<Rgb, 4> colours = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}};
    for (std::size_t i = 0; i < colours.size(); ++i) {
        const std::array<float, 2> xy = chromaticity(to_aces(colours[i]));
        all[2 * i] = xy[0];
        all[2 * i + 1] = xy[1];
    }
    return is_near(all, kRec709InAces) ? kRec709 : all;
}

class OcioConfig final : public ColourConfig {
public:
    OcioConfig(std::string path, OCIO::ConstConfigRcPtr config, const char* working_role)
        : path_(std::move(path)),
          config_(std::move(config)),
          working_space_(config_->getColorSpace(working_role)->getName()) {
        find_primaries();
    }

    [[nodiscard]] const std::string& path() const override { return path_; }

    [[nodiscard]] const std::string& working_space() const override { return working_space_; }

    [[nodiscard]] const std::optional<Primaries>& primaries() const override { return primaries_; }

    [[nodiscard]] std::vector<std::string> displays() const override {
        std::vector<std::string> names;
        for (int i = 0; i < config_->getNumDisplays(); ++i) {
            names.emplace_back(config_->getDisplay(i));
        }
        return names;
    }

    [[nodiscard]] std::vector<std::string> views(const std::string& display) const override {
        std::vector<std::string> names;
        for (int i = 0; i < config_->getNumViews(display.c_str()); ++i) {
            names.emplace_back(config_->getView(display.c_str(), i));
        }
        return names;
    }

    [[nodiscard]] std::vector<std::string> looks() const override {
        std::vector<std::string> names;
        for (int i = 0; i < config_->getNumLooks(); ++i) {
            names.emplace_back(config_->getLookNameByIndex(i));
        }
        return names;
    }

    [[nodiscard]] std::string default_display() const override {
        return config_->getDefaultDisplay();
    }

    [[nodiscard]] std::string default_view(const std::string& display) const override {
        return config_->getDefaultView(display.c_str());
    }

    [[nodiscard]] Made view(const ViewChoice& choice) const override;
    [[nodiscard]] Made input(const std::string& picture) const override;

private:
    void find_primaries();
    [[nodiscard]] base::Status check_names(const ViewChoice& choice) const;
    [[nodiscard]] Made make_view(const ViewChoice& choice) const;
    [[nodiscard]] Made make(const OCIO::ConstTransformRcPtr& transform) const;

    std::string path_;
    OCIO::ConstConfigRcPtr config_;
    std::string working_space_;
    std::optional<Primaries> primaries_;
    mutable std::mutex mutex_;  // guards the tables of what was made
    mutable std::vector<std::pair<ViewChoice, std::shared_ptr<const Transform>>> views_;
    mutable std::map<std::string, std::shared_ptr<const Transform>> inputs_;
};

// The sentence of an error tells what is wrong, without the config's path.
Made OcioConfig::make(const OCIO::ConstTransformRcPtr& transform) const {
    WEFT_TRY(check_transform(config_, transform));
    try {
        const auto processor = config_->getProcessor(transform);
        return std::shared_ptr<const Transform>(std::make_shared<OcioTransform>(processor));
    } catch (const OCIO::Exception& failure) {
        return Error{ErrorKind::Scene,
                     one_line(failure.what()) + "; expected transforms that OpenColorIO can apply"};
    }
}

void OcioConfig::find_primaries() {
    constexpr const char* kAces = "aces_interchange";
    if (!config_->hasRole(kAces)) {
        return;
    }
    const Made to_aces = make(between(working_space_.c_str(), kAces));
    if (to_aces.is_ok() && is_linear(*to_aces.value())) {
        primaries_ = primaries_of(*to_aces.value());
    }
}

base::Status OcioConfig::check_names(const ViewChoice& choice) const {
    if (!has_name(displays(), choice.display)) {
        return Error{ErrorKind::Usage,
                     path_ + ": has no display \"" + choice.display + "\"; expected " +
                         either_of(displays())};
    }
    if (!has_name(views(choice.display), choice.view)) {
        return Error{ErrorKind::Usage,
                     path_ + ": display \"" + choice.display + "\" has no view \"" + choice.view +
                         "\"; expected " + either_of(views(choice.display))};
    }
    std::vector<std::string> known = looks();
    known.insert(known.end(), {kNoLook, kLookOfView});
    return has_name(known, choice.look) ? base::Status(base::Done{})
                                        : Error{ErrorKind::Usage,
                                                path_ + ": has no look \"" + choice.look +
                                                    "\"; expected " + either_of(known)};
}

Made OcioConfig::make_view(const ViewChoice& choice) const {
    const auto transform = OCIO::DisplayViewTransform::Create();
    transform->setSrc(working_space_.c_str());
    transform->setDisplay(choice.display.c_str());
    transform->setView(choice.view.c_str());
    if (choice.look == kLookOfView) {
        return make(transform);
    }
    transform->setLooksBypass(true);
    if (choice.look == kNoLook) {
        return make(transform);
    }
    // A look that begins and ends in the working space, before a view without its own.
    const auto look = OCIO::LookTransform::Create();
    look->setSrc(working_space_.c_str());
    look->setDst(working_space_.c_str());
    look->setLooks(choice.look.c_str());
    const auto both = OCIO::GroupTransform::Create();
    both->appendTransform(look);
    both->appendTransform(transform);
    return make(both);
}

Made OcioConfig::view(const ViewChoice& choice) const {
    ViewChoice whole = choice;
    whole.display = whole.display.empty() ? default_display() : whole.display;
    whole.view = whole.view.empty() ? default_view(whole.display) : whole.view;
    WEFT_TRY(check_names(whole));
    const std::lock_guard lock(mutex_);
    for (const auto& [known, transform] : views_) {
        if (known == whole) {
            return transform;
        }
    }
    Made made = make_view(whole);
    if (!made.is_ok()) {
        return Error{made.error().kind,
                     path_ + ": view \"" + whole.view + "\" of display \"" + whole.display +
                         "\": " + made.error().sentence};
    }
    views_.emplace_back(whole, made.value());
    return made;
}

Made OcioConfig::input(const std::string& picture) const {
    std::size_t rule = 0;
    const std::string space = config_->getColorSpaceFromFilepath(picture.c_str(), rule);
    if (rule + 1 == config_->getFileRules()->getNumEntries()) {
        return std::shared_ptr<const Transform>();
    }
    const std::lock_guard lock(mutex_);
    if (const auto known = inputs_.find(space); known != inputs_.end()) {
        return known->second;
    }
    Made made = make(between(space.c_str(), working_space_.c_str()));
    if (!made.is_ok()) {
        return Error{made.error().kind,
                     picture + ": a file rule of " + path_ + " gives it the colour space \"" +
                         space + "\": " + made.error().sentence};
    }
    inputs_[space] = made.value();
    return made;
}

// Every message of the package would go to stderr.
void silence() {
    static const bool is_done = [] {
        OCIO::SetLoggingLevel(OCIO::LOGGING_LEVEL_NONE);
        return true;
    }();
    static_cast<void>(is_done);
}

const char* working_role(const OCIO::ConstConfigRcPtr& config) {
    for (const char* const role : {OCIO::ROLE_RENDERING, OCIO::ROLE_SCENE_LINEAR}) {
        if (config->hasRole(role) && config->getColorSpace(role)) {
            return role;
        }
    }
    return nullptr;
}

}  // namespace

base::Result<std::shared_ptr<const ColourConfig>> ColourConfig::read(const std::string& path) {
    silence();
    const base::Result<std::vector<u8>> bytes =
        base::read_input_file(path, kExpected, base::kMostTextBytes);
    WEFT_TRY(bytes);
    const std::string text(base::as_text(bytes.value()));
    if (const base::Status checked = check_text(text); !checked.is_ok()) {
        return Error{ErrorKind::Scene, path + ": " + checked.error().sentence};
    }
    try {
        std::istringstream stream(text);
        const OCIO::ConfigRcPtr config =
            OCIO::Config::CreateFromStream(stream)->createEditableCopy();
        std::error_code failed;
        const auto folder = std::filesystem::absolute(path, failed).parent_path();
        config->setWorkingDir(folder.c_str());
        const char* const role = working_role(config);
        if (role == nullptr) {
            return Error{ErrorKind::Scene,
                         path +
                             ": has no colour space of the role scene_linear or rendering; "
                             "expected one, in which light is added"};
        }
        return std::shared_ptr<const ColourConfig>(
            std::make_shared<OcioConfig>(path, config, role));
    } catch (const std::exception& failure) {
        return Error{ErrorKind::Scene,
                     path + ": " + one_line(failure.what()) + "; expected " + kExpected};
    }
}

}  // namespace weft::colour
