#include "engine/film/pfm_file.h"

#include <bit>
#include <fstream>

#include "engine/film/decoding.h"
#include "engine/film/whole_file.h"
#include "scheduler/base/ensure.h"
#include "scheduler/base/input_file.h"

namespace weft::film {

namespace {

constexpr const char* kExpectedPfm = "a whole PFM file of RGB, little-endian";
constexpr u32 kMostPfmSide = 65536;
constexpr u32 kPfmChannels = 3;

static_assert(std::endian::native == std::endian::little);

}  // namespace

base::Status write_pfm(const std::string& path, const Picture& picture) {
    ENSURE(picture.channels, ==, kPfmChannels);
    base::Result<WholeFile> opened = WholeFile::open(path);
    WEFT_TRY(opened);
    WholeFile& file = opened.value();
    const std::string head =
        "PF\n" + std::to_string(picture.width) + " " + std::to_string(picture.height) + "\n-1.0\n";
    const std::size_t row = std::size_t{picture.width} * kPfmChannels;
    file.write_at(head.data(), head.size(), 0);
    auto offset = static_cast<i64>(head.size());
    for (u32 y = picture.height; y > 0; --y) {
        file.write_at(picture.pixels.data() + row * (y - 1), row * sizeof(float), offset);
        offset += static_cast<i64>(row * sizeof(float));
    }
    return file.commit();
}

base::Result<Picture> read_pfm(const std::string& path) {
    WEFT_TRY(base::check_input_file(path, kExpectedPfm));
    std::ifstream file(path, std::ios::binary);
    std::string magic;
    Picture picture;
    float scale = 0;
    file >> magic >> picture.width >> picture.height >> scale;
    const bool is_space = file.get() == '\n';
    const bool is_sane = picture.width > 0 && picture.height > 0 && picture.width <= kMostPfmSide &&
                         picture.height <= kMostPfmSide;
    if (!file || magic != "PF" || !is_space || !is_sane || scale >= 0) {
        return read_error(path, "another header", kExpectedPfm);
    }
    // Compare sizes before any allocation.
    const std::size_t row = std::size_t{picture.width} * kPfmChannels;
    const std::size_t bytes = row * picture.height * sizeof(float);
    const auto begin = file.tellg();
    file.seekg(0, std::ios::end);
    if (static_cast<std::size_t>(file.tellg() - begin) != bytes) {
        return read_error(path, "another number of bytes than its size says", kExpectedPfm);
    }
    file.seekg(begin);
    picture.channels = kPfmChannels;
    picture.pixels.resize(row * picture.height);
    for (u32 y = picture.height; y > 0; --y) {
        file.read(reinterpret_cast<char*>(picture.pixels.data() + row * (y - 1)),
                  static_cast<std::streamsize>(row * sizeof(float)));
    }
    if (!file) {
        return read_error(path, "a file that ends early", kExpectedPfm);
    }
    return picture;
}

}  // namespace weft::film
