#include "tests/engine/film/film_scenes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <doctest/doctest.h>

#include "engine/film/cryptomatte.h"

namespace weft::film {

namespace {

// A number in [0, 1) from two, without a pattern.
float noise(u32 x, u32 y) {
    u32 bits = (x * 0x9e3779b1u) ^ (y * 0x85ebca77u);
    bits = (bits ^ (bits >> 15)) * 0x2c1b3c6du;
    return static_cast<float>((bits ^ (bits >> 13)) & 0xffffu) / 65536.0F;
}

void add_aovs(Film& film, u32 x, u32 y, u32 sample, float u, float v) {
    for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
        std::array<float, kMostAovChannels> values{
            u + static_cast<float>(layer), -v, noise(x + layer, y) * 100, 1, v, -u};
        if (film.aovs()[layer].aov == Aov::Motion) {
            values[4] = 1;  // counts the samples
        }
        if (film.aovs()[layer].aov != Aov::Noise || sample == 0) {
            film.add_aov(layer, x, y, values.data());
        }
        if (is_matte_aov(film.aovs()[layer].aov)) {
            film.add_matte(layer, x, y, {matte_id(x % 7 == sample ? "few" : "many"), 1});
        }
    }
}

}  // namespace

Film ramp_film(u32 width, u32 height, Region crop, const std::vector<Aov>& aovs) {
    Film film(width, height, crop, aovs);
    for (u32 y = crop.y0; y < crop.y1; ++y) {
        for (u32 x = crop.x0; x < crop.x1; ++x) {
            const float u = static_cast<float>(x) / static_cast<float>(width);
            const float v = static_cast<float>(y) / static_cast<float>(height);
            const float highlight = (x + 3 * y) % 37 == 0 ? 50.0F : 0.0F;
            for (u32 sample = 0; sample < 2; ++sample) {
                const float grain = 0.1F * noise(x + 1000 * sample, y);
                film.add_sample(
                    x, y, {u * u + highlight, u * v + grain, v, sample == 0 ? 1.0F : v});
                add_aovs(film, x, y, sample, u, v);
            }
            if (x % 3 != 0) {
                for (u32 layer = 0; layer < aovs.size(); ++layer) {
                    if (is_number_aov(aovs[layer])) {
                        film.set_number(layer, x, y, x * 100000 + y + layer);
                    }
                }
            }
        }
    }
    return film;
}

std::vector<Aov> all_aovs() {
    return {kAllAovs.begin(), kAllAovs.end()};
}

TestFolder::TestFolder() {
    static std::atomic<u32> counter{0};
    path_ = std::filesystem::path(WEFT_BINARY_DIR) / "test_files" /
            (std::to_string(::getpid()) + "-" + std::to_string(counter.fetch_add(1)));
    std::filesystem::create_directories(path_);
}

TestFolder::~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> TestFolder::files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
}

void put_bytes(const std::string& path, const std::string& bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

void flip_byte(const std::filesystem::path& path, u64 at) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const int byte = file.get();
    file.seekp(static_cast<std::streamoff>(at));
    file.put(static_cast<char>(byte ^ 0x20));
    REQUIRE(file.good());
}

}  // namespace weft::film
