// pbrt_directives.cpp — reads a pbrt file directive by directive: state, transforms, objects.
#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/scene/pbrt/pbrt_scene.h"

namespace weft::scene::pbrt {

namespace {

using math::DAffine;
using math::DVec3;

// Blocks that may lie within each other.
constexpr std::size_t kMostBlocks = 4096;

// pbrt writes 4×4 matrices column by column.
std::optional<DAffine> affine_of(const std::vector<double>& m) {
    if (m[3] != 0 || m[7] != 0 || m[11] != 0 || m[15] == 0) {
        return std::nullopt;
    }
    DAffine affine;
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 4; ++column) {
            affine[4 * row + column] = m[4 * column + row] / m[15];
        }
    }
    return affine;
}

}  // namespace

PbrtScene::PbrtScene(const std::string& path, const ImportConfig& config, Scene& scene)
    : path_(path),
      config_(config),
      scene_(scene),
      roots_(path, config.asset_roots),
      size_(path),
      tokens_(roots_, size_),
      pictures_(path_, config_, scene_, roots_, size_) {}

base::Status PbrtScene::read() {
    WEFT_TRY(tokens_.open(path_));
    WEFT_TRY(read_directives(tokens_.depth()));
    WEFT_TRY(finish_curves());
    WEFT_TRY(check_blocks());
    if (!is_in_world_) {
        note(Note::Kind::Found, "has no WorldBegin: it is read as what such a scene includes");
    }
    return base::Done{};
}

base::Status PbrtScene::read_directives(std::size_t depth) {
    for (;;) {
        const base::Result<Token> ahead = tokens_.peek();
        WEFT_TRY(ahead);
        if (tokens_.depth() < depth) {
            return base::Done{};
        }
        // A search that began in an imported file goes on behind it.
        while (is_searching_ && !imports_.empty() && tokens_.depth() < imports_.back().depth) {
            end_import();
        }
        if (is_given_up(config_)) {
            return cancelled_error(path_);
        }
        const base::Result<Token> token = tokens_.next();
        WEFT_TRY(token);
        if (token.value().kind != Token::Kind::Word) {
            return error_at(token.value().place,
                            "has \"" + std::string(token.value().text.substr(0, 40)) +
                                "\" where a directive was expected, such as Shape.");
        }
        WEFT_TRY(read_directive(token.value()));
    }
}

const std::map<std::string_view, PbrtScene::Handler>& PbrtScene::handlers() {
    static const std::map<std::string_view, Handler> table = {
        {"WorldBegin", &PbrtScene::world_begin},
        {"WorldEnd", &PbrtScene::read_nothing},
        {"AttributeBegin", &PbrtScene::attribute_begin},
        {"TransformBegin", &PbrtScene::attribute_begin},
        {"AttributeEnd", &PbrtScene::attribute_end},
        {"TransformEnd", &PbrtScene::attribute_end},
        {"Identity", &PbrtScene::transform},
        {"Translate", &PbrtScene::transform},
        {"Scale", &PbrtScene::transform},
        {"Rotate", &PbrtScene::transform},
        {"Transform", &PbrtScene::transform},
        {"ConcatTransform", &PbrtScene::transform},
        {"LookAt", &PbrtScene::look_at},
        {"CoordinateSystem", &PbrtScene::coordinate_system},
        {"CoordSysTransform", &PbrtScene::coordinate_system},
        {"ActiveTransform", &PbrtScene::active_transform},
        {"TransformTimes", &PbrtScene::active_transform},
        {"ReverseOrientation", &PbrtScene::reverse_orientation},
        {"Attribute", &PbrtScene::attribute},
        {"Include", &PbrtScene::include},
        {"Import", &PbrtScene::import_file},
        {"ObjectBegin", &PbrtScene::object_begin},
        {"ObjectEnd", &PbrtScene::object_end},
        {"ObjectInstance", &PbrtScene::object_instance},
        {"MediumInterface", &PbrtScene::medium_interface},
        {"MakeNamedMedium", &PbrtScene::make_named_medium},
        {"ColorSpace", &PbrtScene::skip_typed},
        {"Option", &PbrtScene::skip_option},
        {"Sampler", &PbrtScene::skip_typed},
        {"Integrator", &PbrtScene::skip_typed},
        {"PixelFilter", &PbrtScene::skip_typed},
        {"Accelerator", &PbrtScene::skip_typed},
        {"Film", &PbrtScene::film},
        {"Camera", &PbrtScene::camera},
        {"LightSource", &PbrtScene::light},
        {"AreaLightSource", &PbrtScene::area_light},
        {"Texture", &PbrtScene::texture},
        {"Material", &PbrtScene::material},
        {"MakeNamedMaterial", &PbrtScene::make_named_material},
        {"NamedMaterial", &PbrtScene::named_material},
        {"Shape", &PbrtScene::shape},
    };
    return table;
}

base::Status PbrtScene::read_directive(const Token& directive) {
    const auto found = handlers().find(directive.text);
    if (found == handlers().end()) {
        return error_at(directive.place,
                        "has the directive " + std::string(directive.text.substr(0, 40)) +
                            "; expected one of pbrt-v4, such as Shape or AttributeBegin.");
    }
    const auto other = search_handlers().find(directive.text);
    const bool is_other = is_searching_ && other != search_handlers().end();
    return (this->*(is_other ? other->second : found->second))(directive);
}

base::Result<std::string> PbrtScene::read_string(const Token& directive) {
    const base::Result<Token> token = tokens_.next();
    WEFT_TRY(token);
    if (token.value().kind != Token::Kind::String) {
        return error_at(directive.place,
                        std::string(directive.text) +
                            " has no name or type behind it; expected one in quotes.");
    }
    return std::string(token.value().text);
}

base::Result<Parameters> PbrtScene::read_parameters(const std::string& target) {
    base::Result<Parameters> parameters = Parameters::read(tokens_);
    WEFT_TRY(parameters);
    if (const auto found = state_.defaults.find(target); found != state_.defaults.end()) {
        parameters.value().add(found->second);
    }
    return parameters;
}

base::Result<std::vector<double>> PbrtScene::read_numbers(const Token& directive,
                                                          std::size_t count) {
    std::vector<double> numbers;
    bool is_bracketed = false;
    while (numbers.size() < count || is_bracketed) {
        const base::Result<Token> token = tokens_.next();
        WEFT_TRY(token);
        const Token::Kind kind = token.value().kind;
        if (kind == Token::Kind::Open && numbers.empty() && !is_bracketed) {
            is_bracketed = true;
        } else if (kind == Token::Kind::Close && is_bracketed && numbers.size() == count) {
            is_bracketed = false;
        } else if (kind == Token::Kind::Number && numbers.size() < count) {
            numbers.push_back(token.value().number);
        } else {
            return error_at(directive.place,
                            std::string(directive.text) + " has other than " +
                                std::to_string(count) + " numbers; expected these.");
        }
    }
    return numbers;
}

void PbrtScene::note(Note::Kind kind, const std::string& sentence) {
    if (noted_.insert(sentence).second) {
        scene_.notes.push_back({kind, path_ + ": " + sentence});
    }
}

void PbrtScene::note_unused(const std::string& what, const Parameters& parameters) {
    for (const Parameter* const parameter : parameters.unused()) {
        note(Note::Kind::Ignored,
             what + ": the parameter \"" + parameter->name + "\" is ignored (first at line " +
                 std::to_string(parameter->place.line) + " of " + *parameter->place.file + ")");
        noted_.insert(what + parameter->name);
    }
}

math::Affine PbrtScene::world_matrix(const DAffine& to_world) const {
    return math::to_float(math::compose(base_, to_world));
}

base::Status PbrtScene::read_nothing(const Token& /*directive*/) {
    return base::Done{};
}

// Option has a name and a value at once, and pbrt gives the name no type.
base::Status PbrtScene::skip_option(const Token& /*directive*/) {
    WEFT_TRY(Parameters::read(tokens_, Parameters::Heads::AnyName));
    return base::Done{};
}

// Directives that say how pbrt renders: a type, and parameters.
base::Status PbrtScene::skip_typed(const Token& directive) {
    WEFT_TRY(read_string(directive));
    WEFT_TRY(Parameters::read(tokens_));
    if (directive.text == "ColorSpace") {
        note(Note::Kind::Ignored, "ColorSpace is ignored, colours are taken as Rec. 709");
    }
    return base::Done{};
}

base::Status PbrtScene::world_begin(const Token& /*directive*/) {
    is_in_world_ = true;
    state_.to_world = math::kDIdentity;
    systems_["world"] = math::kDIdentity;
    return base::Done{};
}

// TransformBegin and TransformEnd are old names, which restore as much.
base::Status PbrtScene::attribute_begin(const Token& directive) {
    return begin_block(directive, false);
}

base::Status PbrtScene::attribute_end(const Token& directive) {
    return end_block(directive, false);
}

base::Status PbrtScene::begin_block(const Token& directive, bool is_object) {
    if (blocks_.size() >= kMostBlocks) {
        return error_at(directive.place,
                        "begins the " + std::to_string(kMostBlocks + 1) +
                            "th attribute block within another; expected fewer.");
    }
    blocks_.push_back({state_, directive.place, is_object});
    return base::Done{};
}

base::Status PbrtScene::end_block(const Token& directive, bool is_object) {
    if (blocks_.size() <= first_block_) {
        return error_at(directive.place,
                        std::string(directive.text) + " ends what was never begun.");
    }
    const Block& block = blocks_.back();
    if (block.is_object != is_object) {
        return error_at(directive.place,
                        std::string(directive.text) + " ends what begins at " + block.place.text() +
                            "; expected " + (is_object ? "AttributeEnd" : "ObjectEnd") +
                            " before.");
    }
    state_ = std::move(blocks_.back().before);
    blocks_.pop_back();
    return base::Done{};
}

base::Status PbrtScene::check_blocks() const {
    return blocks_.size() > first_block_
               ? error_at(blocks_.back().place, "begins what the file never ends.")
               : base::Status(base::Done{});
}

base::Status PbrtScene::transform(const Token& directive) {
    const std::string_view name = directive.text;
    const std::size_t count = name == "Identity"                       ? 0
                              : name == "Rotate"                       ? 4
                              : name == "Translate" || name == "Scale" ? 3
                                                                       : 16;
    const base::Result<std::vector<double>> read = read_numbers(directive, count);
    WEFT_TRY(read);
    const std::vector<double>& n = read.value();
    if (count == 0) {
        state_.to_world = math::kDIdentity;
        return base::Done{};
    }
    std::optional<DAffine> by;
    if (name == "Translate") {
        by = DAffine{1, 0, 0, n[0], 0, 1, 0, n[1], 0, 0, 1, n[2]};
    } else if (name == "Scale") {
        by = DAffine{n[0], 0, 0, 0, 0, n[1], 0, 0, 0, 0, n[2], 0};
    } else if (name == "Rotate") {
        by = rotation(n[0], {n[1], n[2], n[3]});
    } else {
        by = affine_of(n);
    }
    if (!by) {
        return error_at(
            directive.place,
            std::string(name) + " has a perspective matrix; expected 0 0 0 1 as its last row.");
    }
    state_.to_world = name == "Transform" ? *by : math::compose(state_.to_world, *by);
    return base::Done{};
}

base::Status PbrtScene::look_at(const Token& directive) {
    const base::Result<std::vector<double>> read = read_numbers(directive, 9);
    WEFT_TRY(read);
    const std::vector<double>& n = read.value();
    const DVec3 eye{n[0], n[1], n[2]};
    const DVec3 ahead = math::normalize(DVec3{n[3], n[4], n[5]} - eye);
    const DVec3 right = math::normalize(cross(math::normalize(DVec3{n[6], n[7], n[8]}), ahead));
    if (ahead == DVec3{} || right == DVec3{}) {
        return error_at(directive.place,
                        "LookAt looks nowhere, or along its up vector; expected a point apart from "
                        "the eye and another direction.");
    }
    const std::optional<math::Affine> to_camera =
        math::inverse(math::to_float(math::from_columns(right, cross(ahead, right), ahead, eye)));
    if (!to_camera) {
        return error_at(directive.place, "LookAt has numbers too large for a camera.");
    }
    state_.to_world = math::compose(state_.to_world, math::to_double(*to_camera));
    return base::Done{};
}

base::Status PbrtScene::coordinate_system(const Token& directive) {
    const base::Result<std::string> name = read_string(directive);
    WEFT_TRY(name);
    if (directive.text == "CoordinateSystem") {
        systems_[name.value()] = state_.to_world;
        return base::Done{};
    }
    const auto found = systems_.find(name.value());
    if (found == systems_.end()) {
        return error_at(directive.place,
                        "CoordSysTransform names \"" + name.value() +
                            "\"; expected a coordinate system that was named before.");
    }
    state_.to_world = found->second;
    return base::Done{};
}

// Moving shapes stand where they are first.
base::Status PbrtScene::active_transform(const Token& directive) {
    note(Note::Kind::Ignored, "motion is ignored: shapes and cameras stand at their start");
    if (directive.text == "TransformTimes") {
        WEFT_TRY(read_numbers(directive, 2));
        return base::Done{};
    }
    const base::Result<Token> which = tokens_.next();
    WEFT_TRY(which);
    // What follows an EndTime, up to All, moves the end alone.
    if (which.value().text == "EndTime") {
        const DAffine start = state_.to_world;
        for (;;) {
            const base::Result<Token> token = tokens_.next();
            WEFT_TRY(token);
            if (token.value().kind == Token::Kind::End) {
                return error_at(directive.place, "ActiveTransform EndTime has no All behind it.");
            }
            if (token.value().text == "ActiveTransform") {
                WEFT_TRY(tokens_.next());
                break;
            }
            if (token.value().kind != Token::Kind::Word) {
                return error_at(token.value().place, "has no directive behind ActiveTransform.");
            }
            WEFT_TRY(read_directive(token.value()));
        }
        state_.to_world = start;
    }
    return base::Done{};
}

base::Status PbrtScene::reverse_orientation(const Token& /*directive*/) {
    state_.is_reversed = !state_.is_reversed;
    return base::Done{};
}

base::Status PbrtScene::attribute(const Token& directive) {
    const base::Result<std::string> target = read_string(directive);
    WEFT_TRY(target);
    base::Result<Parameters> parameters = Parameters::read(tokens_);
    WEFT_TRY(parameters);
    // Newer defaults count before older ones.
    parameters.value().add(state_.defaults[target.value()]);
    state_.defaults[target.value()] = std::move(parameters.value());
    return base::Done{};
}

base::Status PbrtScene::include(const Token& directive) {
    const base::Result<std::string> name = read_string(directive);
    WEFT_TRY(name);
    return tokens_.include(name.value(), directive.place);
}

// What the file makes and names stays; its state, its blocks and its coordinate systems end with
// it.
base::Status PbrtScene::import_file(const Token& directive) {
    imports_.push_back({state_, systems_, std::exchange(first_block_, blocks_.size()), 0});
    WEFT_TRY(include(directive));
    imports_.back().depth = tokens_.depth();
    WEFT_TRY(read_directives(tokens_.depth()));
    WEFT_TRY(check_blocks());
    end_import();
    return base::Done{};
}

void PbrtScene::end_import() {
    first_block_ = imports_.back().first_block;
    state_ = std::move(imports_.back().before);
    systems_ = std::move(imports_.back().systems);
    imports_.pop_back();
}

base::Status PbrtScene::object_begin(const Token& directive) {
    const base::Result<std::string> name = read_string(directive);
    WEFT_TRY(name);
    if (open_object_) {
        return error_at(directive.place,
                        "ObjectBegin \"" + name.value() + "\" stands within \"" + *open_object_ +
                            "\"; expected ObjectEnd before.");
    }
    WEFT_TRY(finish_curves());
    WEFT_TRY(begin_block(directive, true));
    open_object_ = name.value();
    objects_[*open_object_] = {};
    return base::Done{};
}

base::Status PbrtScene::object_end(const Token& directive) {
    if (!open_object_) {
        return error_at(directive.place, "ObjectEnd ends no object.");
    }
    WEFT_TRY(finish_curves());
    WEFT_TRY(end_block(directive, true));
    open_object_.reset();
    return base::Done{};
}

base::Status PbrtScene::object_instance(const Token& directive) {
    const base::Result<std::string> name = read_string(directive);
    WEFT_TRY(name);
    const auto found = objects_.find(name.value());
    if (found == objects_.end() || open_object_) {
        return error_at(directive.place,
                        "ObjectInstance names \"" + name.value() +
                            "\"; expected an object that has ended before.");
    }
    WEFT_TRY(size_.add_made(object_bytes(found->second.size()), "its instances"));
    if (!place_object(scene_, base_, {name.value(), state_.to_world}, found->second)) {
        note_left_out();
    }
    return base::Done{};
}

}  // namespace weft::scene::pbrt

namespace weft::scene {

base::Status import_pbrt(const std::string& path, const ImportConfig& config, Scene& scene) {
    return pbrt::PbrtScene(path, config, scene).read();
}

}  // namespace weft::scene
