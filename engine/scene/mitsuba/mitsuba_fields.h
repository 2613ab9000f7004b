// mitsuba_fields.h — the named values of one object of a Mitsuba scene.
//
// Each look-up marks its element as used, so that the importer can name what it does not read. A
// value of a wrong form is an error with its place. Private to the Mitsuba importer; one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/math/affine.h"
#include "engine/scene/mitsuba/mitsuba_document.h"

namespace weft::scene::mitsuba {

// The numbers of a value, separated by blanks or commas; none: another word is among them.
std::optional<std::vector<double>> numbers_of(std::string_view text);

// The text with small letters for A to Z: Mitsuba does so with words and names of media.
std::string in_lower_case(std::string text);

// The number of a <float> or <integer>.
base::Result<double> number_of_element(const Element& element);

// The product of the steps of a <transform>.
base::Result<math::DAffine> transform_of(const Element& element);

class Fields {
public:
    explicit Fields(const Element& object) : object_(object) {}

    [[nodiscard]] const Element& object() const { return object_; }

    // The child of this name; null: there is none.
    [[nodiscard]] const Element* find(std::string_view name) const;
    // The first child with this tag, such as "film"; null: none.
    [[nodiscard]] const Element* child(std::string_view tag) const;

    [[nodiscard]] base::Result<double> number(std::string_view name, double otherwise) const;
    [[nodiscard]] base::Result<bool> boolean(std::string_view name, bool otherwise) const;
    [[nodiscard]] base::Result<std::string> string(std::string_view name,
                                                   const std::string& otherwise) const;
    [[nodiscard]] base::Result<math::DVec3> vector(std::string_view name,
                                                   const math::DVec3& otherwise) const;
    // The identity where there is none.
    [[nodiscard]] base::Result<math::DAffine> transform(std::string_view name) const;

    // Marks a child that needs no note.
    void expect(std::string_view name) const { static_cast<void>(find(name)); }

    // Children that nobody asked for.
    [[nodiscard]] std::vector<const Element*> unused() const;

private:
    const Element& object_;
};

}  // namespace weft::scene::mitsuba
