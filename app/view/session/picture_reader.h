// picture_reader.h — reads an environment map or a picture of a material on a thread of its own.
//
// A picture of some thousand pixels takes its time to be decoded and filtered; the interface must
// not wait for it. The newest wish wins: what it overtakes is dropped, never shown. Owner: the
// interface thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <variant>

#include "app/view/background/background.h"
#include "app/view/session/document.h"
#include "engine/scene/model/scene.h"
#include "scheduler/base/result.h"

namespace weft::app {

struct PictureWish {
    std::string file;
    std::string field;  // that it is for: "environment/file", "materials/NAME/FIELD"
    // Of a picture of a material; it is put behind those that the scene has.
    scene::TexelMeaning meaning = scene::TexelMeaning::Linear;
    Pictures beside{};

    [[nodiscard]] bool is_map() const { return field == "environment/file"; }
};

struct ReadPicture {
    PictureWish wish;
    std::variant<scene::Environment, Pictures> made;  // a map, or all pictures of the scene
};

class PictureReader {
public:
    void start(PictureWish wish);

    // Nothing that is being read will be taken.
    void forget();

    [[nodiscard]] bool is_busy() const { return reading_.is_running(); }

    // While is_busy(): what is read, and since when.
    [[nodiscard]] const PictureWish& wish() const { return wish_; }

    [[nodiscard]] double elapsed_s() const;

    // The end of what was started last, once.
    std::optional<base::Result<ReadPicture>> poll();

private:
    PictureWish wish_;
    std::chrono::steady_clock::time_point begin_;
    Background<base::Result<ReadPicture>> reading_;
};

}  // namespace weft::app
