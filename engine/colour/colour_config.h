// colour_config.h — an OpenColorIO config: how pictures are shown, and what the files of textures
// hold.
//
// A config names colour spaces and how to get from one to another. Three of its parts count here:
// the working space (role `rendering`, else `scene_linear`), in which the renderer adds light;
// displays with their views and looks, which turn it into bytes; and file rules, which give a
// picture's file the space of its values. OpenColorIO computes with libm and for the machine that
// it was built for, so what it returns is the same on machines with the same package, and not the
// same bits everywhere as what the renderer computes itself. Throws nothing. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scheduler/base/result.h"

namespace weft::colour {

using Rgb = std::array<float, 3>;

// From one colour space to another. Any thread; many at once.
class Transform {
public:
    Transform() = default;
    Transform(const Transform&) = delete;
    Transform& operator=(const Transform&) = delete;
    virtual ~Transform() = default;

    [[nodiscard]] virtual Rgb operator()(Rgb rgb) const = 0;
    // The same for a row of RGBA, in place; alpha stays. The same bits.
    virtual void apply_row(float* rgba, std::size_t pixels) const = 0;
};

// Choices of ViewChoice::look that are no look of a config.
inline constexpr const char* kLookOfView = "as the view";
inline constexpr const char* kNoLook = "none";

// By the names of a config.
struct ViewChoice {
    std::string display;             // empty: the config's default
    std::string view;                // empty: the display's default
    std::string look = kLookOfView;  // in place of those that the view has

    bool operator==(const ViewChoice&) const = default;
};

// x and y of red, green, blue and white (CIE 1931).
using Primaries = std::array<float, 8>;

// The primaries of ITU-R BT.709-6, section 1, with its white D65.
inline constexpr Primaries kRec709 = {0.64F, 0.33F, 0.3F, 0.6F, 0.15F, 0.06F, 0.3127F, 0.329F};

class ColourConfig {
public:
    // Error of kind Scene: the file cannot be read, is no config, refers to itself, or has no
    // working space. The sentence begins with the path.
    static base::Result<std::shared_ptr<const ColourConfig>> read(const std::string& path);

    virtual ~ColourConfig() = default;
    ColourConfig(const ColourConfig&) = delete;
    ColourConfig& operator=(const ColourConfig&) = delete;

    [[nodiscard]] virtual const std::string& path() const = 0;
    // The name of the colour space in which the renderer works.
    [[nodiscard]] virtual const std::string& working_space() const = 0;
    // Of the working space, if the config has the role `aces_interchange`, which tells.
    [[nodiscard]] virtual const std::optional<Primaries>& primaries() const = 0;

    // Names, in the config's order. The default display is the first choice of the config, which
    // may be another than the first name; no view if the config has no such display.
    [[nodiscard]] virtual std::vector<std::string> displays() const = 0;
    [[nodiscard]] virtual std::vector<std::string> views(const std::string& display) const = 0;
    [[nodiscard]] virtual std::vector<std::string> looks() const = 0;
    [[nodiscard]] virtual std::string default_display() const = 0;
    [[nodiscard]] virtual std::string default_view(const std::string& display) const = 0;

    // From the working space to display values, mostly in [0, 1]. Equal choices give the same
    // object. Error of kind Usage: the config has no display, view or look of this name; of kind
    // Scene: it has, but a file that it needs is missing or broken, or it refers to itself.
    [[nodiscard]] virtual base::Result<std::shared_ptr<const Transform>> view(
        const ViewChoice& choice) const = 0;

    // From the values that the file of a picture holds to the working space, where a file rule of
    // the config other than the last, which fits every file, fits its path; null where none does.
    // Error of kind Scene: as of view(); the sentence begins with the path of the picture.
    [[nodiscard]] virtual base::Result<std::shared_ptr<const Transform>> input(
        const std::string& picture) const = 0;

protected:
    ColourConfig() = default;
};

}  // namespace weft::colour
