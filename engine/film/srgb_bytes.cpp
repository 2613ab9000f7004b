#include "engine/film/srgb_bytes.h"

#include <array>

#include "engine/film/display.h"
#include "engine/film/view_transform.h"

namespace weft::film {

namespace {

constexpr u32 kBytes = 256;
// Cells of the linear scale, less wide than any byte: the steepest part of the curve has 3295 bytes
// for a unit.
constexpr u32 kCells = 4096;
// Distance from the begin of a byte within which rounding may decide. Rounding to float and the
// product with 255 err by 1e-7 of a display value, and the curve rises by at least 0.43.
constexpr double kDoubt = 1e-6;

class ByteTable {
public:
    ByteTable() {
        begin_[0] = -1;
        begin_[kBytes] = 2;
        for (u32 byte = 1; byte < kBytes; ++byte) {
            begin_[byte] = srgb_decode((byte - 0.5) / (kBytes - 1));
        }
        u32 byte = 0;
        for (u32 cell = 0; cell <= kCells; ++cell) {
            while (begin_[byte + 1] <= static_cast<double>(cell) / kCells) {
                ++byte;
            }
            first_[cell] = static_cast<u8>(byte);
        }
    }

    [[nodiscard]] u8 byte_of(double linear) const {
        u32 byte = first_[static_cast<u32>(linear * kCells)];
        while (linear >= begin_[byte + 1]) {
            ++byte;
        }
        const bool is_certain =
            linear - begin_[byte] > kDoubt && begin_[byte + 1] - linear > kDoubt;
        return is_certain ? static_cast<u8>(byte)
                          : to_byte(static_cast<float>(srgb_encode(linear)));
    }

private:
    std::array<double, kBytes + 1> begin_{};  // of each byte, on the linear scale
    std::array<u8, kCells + 1> first_{};      // byte at the begin of each cell
};

}  // namespace

u8 srgb_byte(double linear) {
    static const ByteTable kTable;
    return kTable.byte_of(linear);
}

}  // namespace weft::film
