// fuzz_pictures.cpp — picture files of every format: as textures, as an environment, and as one of
// two pictures to compare.
#include "engine/film/image_file.h"
#include "engine/scene/import.h"
#include "engine/scene/model/texture.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const weft::u8* bytes, std::size_t size_bytes) {
    using namespace weft;
    fuzz::decode_on_one_thread();
    const std::string path = fuzz::scratch().write("picture", {bytes, size_bytes});
    for (const scene::TexelMeaning meaning :
         {scene::TexelMeaning::Color, scene::TexelMeaning::Linear}) {
        const base::Result<scene::DecodedImage> image =
            scene::decode_image_memory({bytes, size_bytes}, "picture", meaning);
        if (image.is_ok()) {
            scene::build_mip_chain(image.value(), meaning);
        } else {
            fuzz::check_sentence(image.error(), "picture");
        }
    }
    const base::Result<scene::Environment> environment = scene::read_environment(path);
    if (!environment.is_ok()) {
        fuzz::check_sentence(environment.error(), path);
    }
    const base::Result<film::Picture> picture = film::read_picture(path);
    if (!picture.is_ok()) {
        fuzz::check_sentence(picture.error(), path);
    }
    return 0;
}
