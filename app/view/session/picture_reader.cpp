#include "app/view/session/picture_reader.h"

#include <utility>

#include "engine/scene/import.h"
#include "engine/scene/model/texture.h"
#include "scheduler/base/clock.h"

namespace weft::app {

namespace {

base::Result<ReadPicture> read(PictureWish wish) {
    if (wish.is_map()) {
        base::Result<scene::Environment> map =
            scene::read_environment(wish.file, wish.colours.get());
        WEFT_TRY(map);
        return ReadPicture{std::move(wish), std::move(map.value())};
    }
    // A scene of pictures only, so that this thread makes the copy that appending needs.
    scene::Scene scene;
    scene.texels = wish.beside.texels;
    scene.textures = wish.beside.textures;
    const base::Result<u32> texture =
        scene::append_file(scene, wish.file, wish.meaning, wish.colours.get());
    WEFT_TRY(texture);
    return ReadPicture{std::move(wish),
                       Pictures{std::move(scene.texels), std::move(scene.textures)}};
}

}  // namespace

void PictureReader::start(PictureWish wish) {
    wish_ = wish;
    begin_ = base::Clock::now();
    reading_.start([wish = std::move(wish)]() mutable { return read(std::move(wish)); });
}

void PictureReader::forget() {
    reading_.cancel();
    wish_ = {};
}

double PictureReader::elapsed_s() const {
    return base::seconds_since(begin_);
}

std::optional<base::Result<ReadPicture>> PictureReader::poll() {
    std::optional<base::Result<ReadPicture>> read = reading_.poll();
    if (read) {
        wish_ = {};
    }
    return read;
}

}  // namespace weft::app
