// write_tables.cpp — the program that the build runs to integrate the tables of albedo_tables.h,
// which takes seconds, and to write them as C++ (table_bits.h). Its argument is the file to write.
#include <bit>
#include <cstdio>
#include <vector>

#include "shaders/surface/albedo_tables.h"

namespace {

using namespace weft;

void write_table(std::FILE* file, const char* name, const std::vector<float>& table) {
    constexpr std::size_t kPerLine = 16;
    std::fprintf(file, "\nextern const u32 %s[] = {", name);
    for (std::size_t i = 0; i < table.size(); ++i) {
        std::fprintf(
            file, "%s0x%x,", i % kPerLine == 0 ? "\n    " : " ", std::bit_cast<u32>(table[i]));
    }
    std::fprintf(file, "\n};\n");
}

}  // namespace

int main(int count, char** arguments) {
    std::FILE* file = count == 2 ? std::fopen(arguments[1], "w") : nullptr;
    if (file == nullptr) {
        std::fprintf(stderr, "write_tables: expected one file that can be written.\n");
        return 1;
    }
    std::fprintf(file, "#include \"shaders/surface/table_bits.h\"\n\nnamespace weft::shaders {\n");
    const shaders::AlbedoTables albedos = shaders::integrate_albedo_tables(1);
    write_table(file, "kGgxABits", albedos.ggx_a);
    write_table(file, "kGgxBBits", albedos.ggx_b);
    write_table(file, "kSheenBits", albedos.sheen);
    write_table(file, "kAnisotropicAlbedoBits", shaders::integrate_anisotropic_albedo(1));
    const shaders::GlassLosses losses = shaders::integrate_glass_losses(1);
    write_table(file, "kGlassLossBits", losses.loss);
    write_table(file, "kGlassMeanLossBits", losses.mean);
    write_table(file, "kGlassAnisotropyBits", shaders::integrate_glass_anisotropy(losses));
    std::fprintf(file, "\n}  // namespace weft::shaders\n");
    return std::fclose(file) == 0 ? 0 : 1;
}
