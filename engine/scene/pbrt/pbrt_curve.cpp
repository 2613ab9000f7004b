// pbrt_curve.cpp — curves as tubes and ribbons of triangles.
//
// Each piece of a curve is a Bézier curve of degree 2 or 3, in straight steps. Tubes have four
// sides with normals that point outwards, so that hair looks round; ribbons lie across their
// normals. Curves that follow each other with the same state become one mesh, because hair is
// written as one shape for each strand.
#include <algorithm>
#include <array>
#include <cmath>

#include "engine/scene/model/tangents.h"
#include "engine/scene/pbrt/pbrt_scene.h"
#include "shaders/host/scalar_math.h"

namespace weft::scene::pbrt {

namespace {

using math::DVec3;
using math::Vec3;

constexpr u32 kSteps = 6;  // of a piece
constexpr u32 kSides = 4;  // of a tube
// Vertices that one mesh of curves may have before the next one begins.
constexpr std::size_t kMostCurveVertices = std::size_t{1} << 22;

// Control points of one piece; of degree 2 the last one is not used.
using Piece = std::array<DVec3, 4>;

// The point of a Bézier curve and its direction (de Casteljau).
DVec3 point_on(Piece points, u32 degree, double t, DVec3& direction) {
    for (u32 level = degree; level > 0; --level) {
        if (level == 1) {
            direction = points[1] - points[0];
        }
        for (u32 k = 0; k < level; ++k) {
            points[k] += t * (points[k + 1] - points[k]);
        }
    }
    return points[0];
}

// The piece of a uniform B-spline that begins with its control point `first`.
Piece spline_piece(const std::vector<DVec3>& p, std::size_t first, u32 degree) {
    if (degree == 2) {
        return {(p[first] + p[first + 1]) / 2.0,
                p[first + 1],
                (p[first + 1] + p[first + 2]) / 2.0,
                DVec3{}};
    }
    const DVec3& a = p[first];
    const DVec3& b = p[first + 1];
    const DVec3& c = p[first + 2];
    const DVec3& d = p[first + 3];
    return {
        (a + 4.0 * b + c) / 6.0, (2.0 * b + c) / 3.0, (b + 2.0 * c) / 3.0, (b + 4.0 * c + d) / 6.0};
}

// A direction across `along` that is next to `wanted`.
DVec3 across_of(const DVec3& along, const DVec3& wanted) {
    const DVec3 across = math::normalize(wanted - along * math::dot(along, wanted));
    if (across != DVec3{}) {
        return across;
    }
    const Vec3 axis(along);
    Vec3 any{};
    any_tangent(&axis.x, &any.x);
    return DVec3(any);
}

// Control points, widths and, for ribbons, normals at the ends of pieces.
struct CurveShape {
    std::vector<Piece> pieces;
    u32 degree = 3;
    double widths[2] = {1, 1};
    std::vector<DVec3> normals;
};

std::vector<DVec3> points_of(const Parameter& parameter) {
    std::vector<DVec3> points;
    for (std::size_t k = 0; k + 2 < parameter.numbers.size(); k += 3) {
        points.emplace_back(
            parameter.numbers[k], parameter.numbers[k + 1], parameter.numbers[k + 2]);
    }
    return points;
}

base::Result<CurveShape> read_curve(const Parameters& parameters, const Place& place) {
    CurveShape curve;
    const base::Result<double> degree = parameters.number("degree", 3);
    WEFT_TRY(degree);
    const base::Result<std::string> basis = parameters.string("basis", "bezier");
    WEFT_TRY(basis);
    const base::Result<const Parameter*> found = parameters.numbers("P", 3);
    WEFT_TRY(found);
    const bool is_spline = basis.value() == "bspline";
    if (!found.value() || (degree.value() != 2 && degree.value() != 3) ||
        (!is_spline && basis.value() != "bezier")) {
        return error_at(place,
                        "is a curve without \"point3 P\", or of another kind than bezier or "
                        "bspline of degree 2 or 3.");
    }
    curve.degree = static_cast<u32>(degree.value());
    const std::vector<DVec3> points = points_of(*found.value());
    const bool fits = is_spline
                          ? points.size() > curve.degree
                          : points.size() > curve.degree && (points.size() - 1) % curve.degree == 0;
    if (!fits) {
        return error_at(found.value()->place,
                        "is a curve of " + std::to_string(points.size()) +
                            " control points; expected whole pieces of degree " +
                            std::to_string(curve.degree) + ".");
    }
    for (std::size_t first = 0; first + curve.degree < points.size();
         first += is_spline ? 1 : curve.degree) {
        Piece piece{};
        if (is_spline) {
            piece = spline_piece(points, first, curve.degree);
        } else {
            std::copy_n(points.begin() + static_cast<std::ptrdiff_t>(first),
                        curve.degree + 1,
                        piece.begin());
        }
        curve.pieces.push_back(piece);
    }
    const base::Result<double> width = parameters.number("width", 1);
    WEFT_TRY(width);
    const char* const names[2] = {"width0", "width1"};
    for (std::size_t k = 0; k < 2; ++k) {
        const base::Result<double> end = parameters.number(names[k], width.value());
        WEFT_TRY(end);
        curve.widths[k] = std::clamp(end.value(), 0.0, 1e30);
    }
    const base::Result<const Parameter*> normals = parameters.numbers("N", 3);
    WEFT_TRY(normals);
    if (normals.value()) {
        curve.normals = points_of(*normals.value());
    }
    return curve;
}

// Adds the vertices around one point of a curve.
void add_ring(
    MeshData& mesh, const DVec3& point, const DVec3& across, const DVec3& over, double v) {
    for (u32 side = 0; side <= kSides; ++side) {
        const double angle = 2 * shaders::kPi * side / kSides;
        const DVec3 out = shaders::cos_of(angle) * across + shaders::sin_of(angle) * over;
        mesh.add_vertex(point + out, math::normalize(out), static_cast<double>(side) / kSides, v);
    }
}

// A place on the centre line.
struct CurvePlace {
    DVec3 point, along;  // `along`: unit length
    double share;        // of the whole length, in parameters
    double radius;
};

// The place at the end of `row` of `rows` steps.
CurvePlace place_at(const CurveShape& curve, u32 row, u32 rows) {
    const u32 piece = std::min(row / kSteps, rows / kSteps - 1);
    const double t = static_cast<double>(row - piece * kSteps) / kSteps;
    DVec3 direction{};
    const DVec3 point = point_on(curve.pieces[piece], curve.degree, t, direction);
    const double share = static_cast<double>(row) / rows;
    const double width = curve.widths[0] + share * (curve.widths[1] - curve.widths[0]);
    return {point, math::normalize(direction, DVec3{0, 0, 1}), share, width / 2};
}

void add_tube(MeshData& mesh, const CurveShape& curve) {
    const auto first = static_cast<u32>(mesh.vertex_count());
    const auto rows = static_cast<u32>(curve.pieces.size()) * kSteps;
    DVec3 across{};
    for (u32 row = 0; row <= rows; ++row) {
        const auto [point, along, share, radius] = place_at(curve, row, rows);
        across = across_of(along, across);
        add_ring(mesh, point, radius * across, radius * math::cross(along, across), share);
    }
    mesh.add_grid(kSides, rows, first);
}

// The normal of a ribbon at a share of its whole length.
DVec3 ribbon_normal(const CurveShape& curve, double share) {
    const double place = share * static_cast<double>(curve.normals.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(place), curve.normals.size() - 1);
    const std::size_t above = std::min(below + 1, curve.normals.size() - 1);
    const double t = place - static_cast<double>(below);
    return math::normalize((1 - t) * curve.normals[below] + t * curve.normals[above]);
}

void add_ribbon(MeshData& mesh, const CurveShape& curve) {
    const auto first = static_cast<u32>(mesh.vertex_count());
    const auto rows = static_cast<u32>(curve.pieces.size()) * kSteps;
    for (u32 row = 0; row <= rows; ++row) {
        const auto [point, along, share, radius] = place_at(curve, row, rows);
        const DVec3 normal = across_of(along, ribbon_normal(curve, share));
        const DVec3 side = radius * math::cross(along, normal);
        mesh.add_vertex(point - side, normal, 0, share);
        mesh.add_vertex(point + side, normal, 1, share);
    }
    mesh.add_grid(1, rows, first);
}

}  // namespace

base::Status PbrtScene::curve(const Parameters& parameters, const Place& place) {
    const base::Result<CurveShape> read = read_curve(parameters, place);
    WEFT_TRY(read);
    const base::Result<std::string> type = parameters.string("type", "flat");
    WEFT_TRY(type);
    parameters.expect("splitdepth");
    WEFT_TRY(size_.add_made(read.value().pieces.size() * kSteps * (kSides + 1) * 64, "its curves"));
    // Curves of another state, or too many, begin another mesh.
    const u32 material = shape_material_;
    if (curves_.material != material || curves_.to_world != state_.to_world ||
        curves_.is_reversed != state_.is_reversed ||
        curves_.mesh.vertex_count() > kMostCurveVertices) {
        WEFT_TRY(finish_curves());
        curves_.material = material;
        curves_.to_world = state_.to_world;
        curves_.is_reversed = state_.is_reversed;
    }
    const std::size_t before = curves_.mesh.positions.size();
    const bool is_ribbon = type.value() == "ribbon" && !read.value().normals.empty();
    if (is_ribbon) {
        add_ribbon(curves_.mesh, read.value());
    } else {
        add_tube(curves_.mesh, read.value());
    }
    const std::vector<float>& positions = curves_.mesh.positions;
    if (!std::all_of(positions.begin() + static_cast<std::ptrdiff_t>(before),
                     positions.end(),
                     [](float value) { return std::isfinite(value); })) {
        return error_at(place, "is a curve beyond the numbers of a float; expected a smaller one.");
    }
    return base::Done{};
}

base::Status PbrtScene::finish_curves() {
    if (curves_.mesh.corners.empty()) {
        return base::Done{};
    }
    MeshData mesh = std::move(curves_.mesh);
    curves_.mesh = {};
    mesh.orient(curves_.is_reversed);
    const base::Result<u32> made =
        append_mesh(scene_, path_, "curve", mesh.view(), curves_.material);
    WEFT_TRY(made);
    place({made.value(), curves_.material, curves_.to_world, "curve"});
    return base::Done{};
}

}  // namespace weft::scene::pbrt
