// tabulated_albedos.cpp — the tables of albedo_tables.h as vectors, copied on the first call from
// what the build integrated.
#include <algorithm>
#include <cstring>

#include "shaders/host/scene_view.h"
#include "shaders/surface/albedo_tables.h"
#include "shaders/surface/table_bits.h"

namespace weft::shaders {

namespace {

std::vector<float> floats(const u32* bits, std::size_t count) {
    std::vector<float> table(count);
    std::memcpy(table.data(), bits, count * sizeof(float));
    return table;
}

constexpr std::size_t kAlbedos = kAlbedoSize * kAlbedoSize;
constexpr std::size_t kBrushed =
    std::size_t{2} * kBrushStrengths * kBrushRoughnesses * kBrushWidths * kBrushCosines;
constexpr std::size_t kLossRows = kLossIndices * kLossRoughnesses;
constexpr std::size_t kGlassEntries = std::size_t{kGlassIndices} * kGlassStrengths *
                                      kGlassRoughnesses * kGlassAzimuths * kGlassCosines;

}  // namespace

const AlbedoTables& albedo_tables() {
    static const AlbedoTables kTables = {
        floats(kGgxABits, kAlbedos), floats(kGgxBBits, kAlbedos), floats(kSheenBits, kAlbedos)};
    return kTables;
}

const std::vector<float>& ggx_albedo() {
    static const std::vector<float> kTable = [] {
        const AlbedoTables& from = albedo_tables();
        std::vector<float> table;
        constexpr u32 kLast = kAlbedoSize - 1;
        for (u32 j = 0; j < kGgxAlbedoSize; ++j) {
            const u32 row = std::min(j, kLast) * kAlbedoSize;
            for (u32 entry = row; entry <= row + kLast; ++entry) {
                table.insert(table.end(), {from.ggx_a[entry], from.ggx_b[entry]});
            }
            for (const std::vector<float>* const part : {&from.ggx_a, &from.ggx_b}) {
                const float last = (*part)[row + kLast];
                table.push_back(std::clamp(2 * last - (*part)[row + kLast - 1], 0.0F, 1.0F));
            }
        }
        return table;
    }();
    return kTable;
}

const std::vector<float>& anisotropic_albedo() {
    static const std::vector<float> kTable = floats(kAnisotropicAlbedoBits, kBrushed);
    return kTable;
}

const GlassLosses& glass_losses() {
    static const GlassLosses kTable = {floats(kGlassLossBits, kLossRows * kLossCosines),
                                       floats(kGlassMeanLossBits, kLossRows)};
    return kTable;
}

const std::vector<float>& glass_anisotropy() {
    static const std::vector<float> kTable = floats(kGlassAnisotropyBits, kGlassEntries);
    return kTable;
}

}  // namespace weft::shaders
