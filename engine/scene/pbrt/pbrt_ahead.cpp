// pbrt_ahead.cpp — materials that are used before they are made: the rest of the file is searched
// for them once.
//
// pbrt looks names of materials up when it has read all of a scene; shapes here need their material
// at once. The search goes through the directives that follow, keeps what makes named materials and
// textures, changes nothing else, and returns to where it began.
#include <utility>

#include "engine/scene/pbrt/pbrt_scene.h"

namespace weft::scene::pbrt {

namespace {

// Mixes of materials that are made later, within each other.
constexpr u32 kMostMixes = 64;

}  // namespace

const std::map<std::string_view, PbrtScene::Handler>& PbrtScene::search_handlers() {
    static const std::map<std::string_view, Handler> table = {
        {"MakeNamedMaterial", &PbrtScene::keep_material},
        {"ObjectBegin", &PbrtScene::search_object},
        {"ObjectEnd", &PbrtScene::search_object},
        {"WorldBegin", &PbrtScene::read_nothing},
        {"CoordinateSystem", &PbrtScene::skip_typed},
        {"CoordSysTransform", &PbrtScene::skip_typed},
        {"ObjectInstance", &PbrtScene::skip_typed},
        {"MakeNamedMedium", &PbrtScene::skip_typed},
        {"Film", &PbrtScene::skip_typed},
        {"Camera", &PbrtScene::skip_typed},
        {"LightSource", &PbrtScene::skip_typed},
        {"AreaLightSource", &PbrtScene::skip_typed},
        {"Material", &PbrtScene::skip_typed},
        {"NamedMaterial", &PbrtScene::skip_typed},
        {"Shape", &PbrtScene::skip_typed},
    };
    return table;
}

base::Status PbrtScene::keep_material(const Token& directive) {
    const base::Result<std::string> name = read_string(directive);
    WEFT_TRY(name);
    base::Result<Parameters> parameters = read_parameters("material");
    WEFT_TRY(parameters);
    later_materials_.try_emplace(name.value(),
                                 LaterMaterial{std::move(parameters.value()), directive.place});
    return base::Done{};
}

base::Status PbrtScene::search_object(const Token& directive) {
    if (directive.text == "ObjectEnd") {
        return end_block(directive, true);
    }
    WEFT_TRY(read_string(directive));
    return begin_block(directive, true);
}

base::Status PbrtScene::search_ahead() {
    const TokenReader::Cursor cursor = tokens_.cursor();
    const State state = state_;
    const std::vector<Block> blocks = blocks_;
    const std::vector<OpenImport> imports = imports_;
    const std::size_t first_block = first_block_;
    later_textures_ = textures_;
    is_searching_ = true;
    std::swap(textures_, later_textures_);
    const base::Status searched = read_directives(1);
    std::swap(textures_, later_textures_);
    is_searching_ = false;
    first_block_ = first_block;
    imports_ = imports;
    blocks_ = blocks;
    state_ = state;
    tokens_.go_to(cursor);
    return searched;
}

base::Result<bool> PbrtScene::find_material(const std::string& name, const Place& place) {
    if (materials_.contains(name)) {
        return true;
    }
    if (!std::exchange(has_searched_, true)) {
        WEFT_TRY(search_ahead());
    }
    const auto later = later_materials_.extract(name);
    if (later.empty()) {
        return false;
    }
    if (mixes_ >= kMostMixes) {
        return error_at(place,
                        "mixes more than " + std::to_string(kMostMixes) +
                            " materials within each other that are made later; expected fewer.");
    }
    early_materials_.insert(name);
    // Its textures may be defined as late as the material; those of a mix within are there already.
    const bool is_outermost = mixes_++ == 0;
    if (is_outermost) {
        std::swap(textures_, later_textures_);
    }
    const base::Status made = make_of_type(name, later.mapped().parameters, later.mapped().place);
    --mixes_;
    if (is_outermost) {
        std::swap(textures_, later_textures_);
    }
    WEFT_TRY(made);
    return true;
}

}  // namespace weft::scene::pbrt
