// picture_reader.h — reads an environment map or a material's picture on its own thread.
//
// Decoding and filtering a large picture takes time; the interface must not wait. The newest
// request wins: the result of an earlier one is dropped. Owner: the interface thread.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/view/background/background.h"
#include "app/view/session/document.h"
#include "engine/colour/colour_config.h"
#include "engine/scene/model/scene.h"
#include "scheduler/base/result.h"

namespace weft::app {

struct PictureWish {
    std::string file;
    std::string field;  // field to set: "environment/file", "materials/NAME/FIELD"
    // For a material's picture, which is appended to the scene's pictures.
    scene::TexelMeaning meaning = scene::TexelMeaning::Linear;
    Pictures beside{};
    std::vector<scene::Environment> maps{};                 // the known ones, for a map
    std::shared_ptr<const colour::ColourConfig> colours{};  // as of scene::EditContext

    [[nodiscard]] bool is_map() const { return field == "environment/file"; }
};

struct ReadPicture {
    PictureWish wish;
    std::variant<scene::Environment, Pictures> made;  // a map, or all pictures of the scene
    // For the edit. Undo finds what it gives back by name, so a file that differs from what it was
    // when it was read before gets another one, which means the same file: "maps/./sky.hdr".
    std::string name;
};

class PictureReader {
public:
    void start(PictureWish wish);

    // Drops whatever is being read.
    void forget();

    [[nodiscard]] bool is_busy() const { return reading_.is_running(); }

    // While is_busy(): the request, and when it started.
    [[nodiscard]] const PictureWish& wish() const { return wish_; }

    [[nodiscard]] double elapsed_s() const;

    // The result of the last request, once.
    std::optional<base::Result<ReadPicture>> poll();

private:
    PictureWish wish_;
    std::chrono::steady_clock::time_point begin_;
    Background<base::Result<ReadPicture>> reading_;
};

}  // namespace weft::app
