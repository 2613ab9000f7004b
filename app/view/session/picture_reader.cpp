#include "app/view/session/picture_reader.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "engine/scene/import.h"
#include "engine/scene/model/texture.h"
#include "scheduler/base/clock.h"

namespace weft::app {

namespace {

// Another name of the same file.
std::string next_name(const std::string& file) {
    const std::filesystem::path path = file;
    return (path.parent_path() / "." / path.filename()).string();
}

bool is_same(const scene::Environment& a, const scene::Environment& b) {
    return a.width == b.width && a.height == b.height &&
           std::equal(a.pixels.begin(), a.pixels.end(), b.pixels.begin(), b.pixels.end());
}

// Whether a texture has the texels of the last one, whose words are the last of the scene.
bool is_same_as_last(const scene::Scene& scene, u32 texture) {
    const shaders::TextureRecord& record = scene.textures[texture].record;
    const shaders::TextureRecord& last = scene.textures[scene.textures.size() - 1].record;
    const u32* const words = scene.texels.data() + last.mip_offset[0];
    return record.width == last.width && record.height == last.height &&
           record.format == last.format && record.mip_count == last.mip_count &&
           std::equal(words, scene.texels.end(), scene.texels.data() + record.mip_offset[0]);
}

base::Result<ReadPicture> read_map(PictureWish wish) {
    base::Result<scene::Environment> map = scene::read_environment(wish.file, wish.colours.get());
    WEFT_TRY(map);
    std::string name = map.value().name;
    const auto is_other = [&](const scene::Environment& known) {
        return known.name == name && !is_same(known, map.value());
    };
    while (std::any_of(wish.maps.begin(), wish.maps.end(), is_other)) {
        name = next_name(name);
    }
    map.value().name = name;
    return ReadPicture{std::move(wish), std::move(map.value()), std::move(name)};
}

base::Result<ReadPicture> read_texture(PictureWish wish) {
    // A scene of pictures only, so that this thread makes the copy that appending needs.
    scene::Scene scene;
    scene.texels = wish.beside.texels;
    scene.textures = wish.beside.textures;
    const base::Result<u32> texture =
        scene::append_file(scene, wish.file, wish.meaning, wish.colours.get());
    WEFT_TRY(texture);
    std::string name = wish.file;
    for (;;) {
        const std::optional<u32> known = scene::find_texture(scene, name, wish.meaning);
        if (!known || *known == texture.value()) {
            scene.textures[texture.value()].name = name;
            return ReadPicture{std::move(wish),
                               Pictures{std::move(scene.texels), std::move(scene.textures)},
                               name};
        }
        if (is_same_as_last(scene, *known)) {
            const Pictures before = wish.beside;
            return ReadPicture{std::move(wish), before, name};
        }
        name = next_name(name);
    }
}

}  // namespace

void PictureReader::start(PictureWish wish) {
    wish_ = wish;
    begin_ = base::Clock::now();
    reading_.start([wish = std::move(wish)]() mutable {
        return wish.is_map() ? read_map(std::move(wish)) : read_texture(std::move(wish));
    });
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
