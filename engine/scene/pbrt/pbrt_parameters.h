// pbrt_parameters.h — the list of typed parameters behind a directive, such as
// "float fov" [ 65 ] "rgb reflectance" [ 0.8 0.8 0.8 ].
//
// Each look-up marks its parameter as used, so that the importer can name what it does not read.
// Private to the pbrt importer; one thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/math/vector.h"
#include "engine/scene/pbrt/pbrt_tokens.h"

namespace weft::scene::pbrt {

struct Parameter {
    std::string type;  // "float", "integer", "point3", "rgb", "spectrum", "texture", ...
    std::string name;
    std::vector<double> numbers;
    std::vector<std::string> strings;  // of strings, textures, named spectra; "true", "false"
    Place place;
    mutable bool is_used = false;
};

class Parameters {
public:
    // What stands in the quotes before a value: a type and a name, or a name alone will do.
    enum class Heads { Typed, AnyName };

    // Reads parameters until something else follows.
    static base::Result<Parameters> read(TokenReader& tokens, Heads heads = Heads::Typed);

    void add(const Parameters& defaults);

    // The parameter of this name; null: there is none.
    [[nodiscard]] const Parameter* find(std::string_view name) const;
    // The one that holds numbers of this many components each (0: any), or strings; a wrong form is
    // an error, and null stands for none.
    [[nodiscard]] base::Result<const Parameter*> numbers(std::string_view name,
                                                         std::size_t components) const;
    [[nodiscard]] base::Result<double> number(std::string_view name, double otherwise) const;
    [[nodiscard]] base::Result<math::DVec3> vector(std::string_view name,
                                                   math::DVec3 otherwise) const;
    [[nodiscard]] base::Result<std::string> string(std::string_view name,
                                                   const std::string& otherwise) const;
    [[nodiscard]] base::Result<bool> boolean(std::string_view name, bool otherwise) const;

    // Marks a parameter that needs no note.
    void expect(std::string_view name) const { static_cast<void>(find(name)); }

    // Marks all of them.
    void expect_all() const;
    // Those that nobody asked for.
    [[nodiscard]] std::vector<const Parameter*> unused() const;

private:
    std::vector<Parameter> list_;
};

}  // namespace weft::scene::pbrt
