#include "engine/scene/mitsuba/mitsuba_fields.h"

#include <algorithm>
#include <array>

#include "engine/scene/parts/placement.h"
#include "engine/scene/parts/text_words.h"

namespace weft::scene::mitsuba {

namespace {

using math::DAffine;
using math::DVec3;

base::Error wrong_form(const Element& element, std::string_view attribute, const char* expected) {
    return error_at(element.place,
                    element.text() + " has " + std::string(attribute) + "=\"" +
                        element.attribute(attribute).substr(0, 60) + "\"; expected " + expected +
                        ".");
}

// The number of an attribute; `otherwise` where there is none.
base::Result<double> attribute_number(const Element& element,
                                      std::string_view name,
                                      double otherwise) {
    if (!element.has(name)) {
        return otherwise;
    }
    const auto numbers = numbers_of(element.attribute(name));
    return numbers && numbers->size() == 1 ? base::Result<double>((*numbers)[0])
                                           : wrong_form(element, name, "a finite number");
}

base::Result<DVec3> attribute_vector(const Element& element, std::string_view name) {
    const auto numbers = numbers_of(element.attribute(name));
    return numbers && numbers->size() == 3
               ? base::Result<DVec3>(DVec3((*numbers)[0], (*numbers)[1], (*numbers)[2]))
               : wrong_form(element, name, "three finite numbers");
}

// x, y and z, or a value with one number or three.
base::Result<DVec3> vector_of_element(const Element& element, double otherwise) {
    if (element.has("value")) {
        const auto numbers = numbers_of(element.attribute("value"));
        if (!numbers || (numbers->size() != 1 && numbers->size() != 3)) {
            return wrong_form(element, "value", "one or three finite numbers");
        }
        return numbers->size() == 1 ? DVec3((*numbers)[0])
                                    : DVec3((*numbers)[0], (*numbers)[1], (*numbers)[2]);
    }
    DVec3 vector{};
    const std::array<std::string_view, 3> axes = {"x", "y", "z"};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const base::Result<double> number = attribute_number(element, axes[axis], otherwise);
        WEFT_TRY(number);
        vector[static_cast<glm::length_t>(axis)] = number.value();
    }
    return vector;
}

base::Result<DAffine> matrix_of(const Element& element) {
    const auto m = numbers_of(element.attribute("value"));
    if (m && m->size() == 9) {
        return DAffine{(*m)[0],
                       (*m)[1],
                       (*m)[2],
                       0,
                       (*m)[3],
                       (*m)[4],
                       (*m)[5],
                       0,
                       (*m)[6],
                       (*m)[7],
                       (*m)[8],
                       0};
    }
    if (!m || m->size() != 16) {
        return wrong_form(element, "value", "16 finite numbers");
    }
    if ((*m)[12] != 0 || (*m)[13] != 0 || (*m)[14] != 0 || (*m)[15] == 0) {
        return wrong_form(element, "value", "a matrix with 0 0 0 1 as its last row");
    }
    DAffine affine;
    for (std::size_t k = 0; k < affine.size(); ++k) {
        affine[k] = (*m)[k] / (*m)[15];
    }
    return affine;
}

base::Result<DAffine> look_at(const Element& element) {
    const base::Result<DVec3> origin = attribute_vector(element, "origin");
    WEFT_TRY(origin);
    const base::Result<DVec3> target = attribute_vector(element, "target");
    WEFT_TRY(target);
    const DVec3 ahead = math::normalize(target.value() - origin.value());
    DVec3 up = std::abs(ahead.y) < 0.999 ? DVec3{0, 1, 0} : DVec3{0, 0, 1};
    if (element.has("up")) {
        const base::Result<DVec3> said = attribute_vector(element, "up");
        WEFT_TRY(said);
        up = said.value();
    }
    const DVec3 left = math::normalize(cross(up, ahead));
    if (ahead == DVec3{} || left == DVec3{}) {
        return error_at(element.place,
                        "<lookat> looks nowhere, or along its up vector; expected a target apart "
                        "from the origin and another direction.");
    }
    return math::from_columns(left, cross(ahead, left), ahead, origin.value());
}

base::Result<DAffine> step_of(const Element& element) {
    if (element.tag == "translate") {
        const base::Result<DVec3> by = vector_of_element(element, 0);
        WEFT_TRY(by);
        const DVec3& v = by.value();
        return DAffine{1, 0, 0, v.x, 0, 1, 0, v.y, 0, 0, 1, v.z};
    }
    if (element.tag == "scale") {
        const base::Result<DVec3> by = vector_of_element(element, 1);
        WEFT_TRY(by);
        const DVec3& v = by.value();
        return DAffine{v.x, 0, 0, 0, 0, v.y, 0, 0, 0, 0, v.z, 0};
    }
    if (element.tag == "rotate") {
        const base::Result<DVec3> axis = vector_of_element(element, 0);
        WEFT_TRY(axis);
        const base::Result<double> degrees = attribute_number(element, "angle", 0);
        WEFT_TRY(degrees);
        if (math::normalize(axis.value()) == DVec3{} || std::abs(degrees.value()) > 1e6) {
            return error_at(element.place,
                            "<rotate> has no axis, or an angle beyond 10^6 degrees; expected x, y "
                            "or z and an angle.");
        }
        return rotation(degrees.value(), axis.value());
    }
    if (element.tag == "lookat") {
        return look_at(element);
    }
    if (element.tag == "matrix") {
        return matrix_of(element);
    }
    return error_at(element.place,
                    element.text() +
                        " stands in a transform; expected translate, rotate, scale, lookat or "
                        "matrix.");
}

}  // namespace

std::optional<std::vector<double>> numbers_of(std::string_view text) {
    std::vector<double> numbers;
    for (;;) {
        const std::string_view word = next_word(text, " \t\r\n,");
        if (word.empty()) {
            return numbers;
        }
        const std::optional<double> number = number_of<double>(word);
        if (!number) {
            return std::nullopt;
        }
        numbers.push_back(*number);
    }
}

std::string in_lower_case(std::string text) {
    for (char& letter : text) {
        letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    return text;
}

base::Result<double> number_of_element(const Element& element) {
    const auto numbers = numbers_of(element.attribute("value"));
    return numbers && numbers->size() == 1 ? base::Result<double>((*numbers)[0])
                                           : wrong_form(element, "value", "a finite number");
}

base::Result<math::DAffine> transform_of(const Element& element) {
    DAffine product = math::kDIdentity;
    for (const Element& step : element.children) {
        const base::Result<DAffine> matrix = step_of(step);
        WEFT_TRY(matrix);
        product = math::compose(matrix.value(), product);
    }
    return product;
}

const Element* Fields::find(std::string_view name) const {
    for (const Element& child : object_.children) {
        if (child.name() == name) {
            child.is_used = true;
            return &child;
        }
    }
    return nullptr;
}

const Element* Fields::child(std::string_view tag) const {
    for (const Element& child : object_.children) {
        if (child.tag == tag) {
            child.is_used = true;
            return &child;
        }
    }
    return nullptr;
}

base::Result<double> Fields::number(std::string_view name, double otherwise) const {
    const Element* const found = find(name);
    return found ? number_of_element(*found) : base::Result<double>(otherwise);
}

base::Result<bool> Fields::boolean(std::string_view name, bool otherwise) const {
    const Element* const found = find(name);
    if (!found) {
        return otherwise;
    }
    const std::string value = in_lower_case(found->attribute("value"));
    if (value != "true" && value != "false") {
        return wrong_form(*found, "value", "true or false");
    }
    return value == "true";
}

base::Result<std::string> Fields::string(std::string_view name,
                                         const std::string& otherwise) const {
    const Element* const found = find(name);
    return found ? found->attribute("value") : otherwise;
}

base::Result<DVec3> Fields::vector(std::string_view name, const DVec3& otherwise) const {
    const Element* const found = find(name);
    return found ? vector_of_element(*found, 0) : base::Result<DVec3>(otherwise);
}

base::Result<math::DAffine> Fields::transform(std::string_view name) const {
    const Element* const found = find(name);
    return found ? transform_of(*found) : base::Result<DAffine>(math::kDIdentity);
}

std::vector<const Element*> Fields::unused() const {
    std::vector<const Element*> list;
    for (const Element& child : object_.children) {
        if (!child.is_used) {
            list.push_back(&child);
        }
    }
    return list;
}

}  // namespace weft::scene::mitsuba
