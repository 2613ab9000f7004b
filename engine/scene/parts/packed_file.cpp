#include "engine/scene/parts/packed_file.h"

#include <algorithm>
#include <limits>
#include <zlib.h>

#include "scheduler/base/input_file.h"
#include "scheduler/base/memory_limit.h"

namespace weft::scene {

namespace {

// Bytes are unpacked in steps of at least this many.
constexpr std::size_t kStep = 64 << 10;
// What zlib's window bits mean: a stream of zlib, or one of gzip.
constexpr int kZlib = 15;
constexpr int kGzip = 15 + 16;

// Ends the stream of zlib with its owner.
class Inflater {
public:
    explicit Inflater(int window) : is_open_(inflateInit2(&stream, window) == Z_OK) {}

    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    ~Inflater() {
        if (is_open_) {
            inflateEnd(&stream);
        }
    }

    [[nodiscard]] bool is_open() const { return is_open_; }

    z_stream stream{};

private:
    bool is_open_;
};

base::Result<std::vector<u8>> unpack(std::span<const u8> packed,
                                     int window,
                                     const std::string& path,
                                     SizeRule& size) {
    Inflater inflater(window);
    const base::Error broken{base::ErrorKind::Scene,
                             path + ": its packed bytes are damaged; expected a whole file."};
    if (!inflater.is_open() || packed.size() > std::numeric_limits<uInt>::max()) {
        return broken;
    }
    // zlib reads the input only.
    inflater.stream.next_in = const_cast<Bytef*>(packed.data());
    inflater.stream.avail_in = static_cast<uInt>(packed.size());
    std::vector<u8> bytes;
    for (;;) {
        const std::size_t done = bytes.size();
        const std::size_t step = std::min(std::max(kStep, done / 2), std::size_t{1} << 30);
        WEFT_TRY(size.add_made(step, path));
        const base::Result<base::MemoryClaim> claim = base::claim_memory(done + step, path);
        WEFT_TRY(claim);
        bytes.resize(done + step);
        inflater.stream.next_out = bytes.data() + done;
        inflater.stream.avail_out = static_cast<uInt>(step);
        const int result = inflate(&inflater.stream, Z_NO_FLUSH);
        bytes.resize(done + step - inflater.stream.avail_out);
        if (result == Z_STREAM_END) {
            return bytes;
        }
        if (result != Z_OK || (inflater.stream.avail_in == 0 && inflater.stream.avail_out != 0)) {
            return broken;
        }
    }
}

}  // namespace

base::Result<std::vector<u8>> read_packed_file(const std::string& path,
                                               const std::string& expected,
                                               SizeRule& size) {
    base::Result<std::vector<u8>> bytes = base::read_input_file(path, expected);
    WEFT_TRY(bytes);
    size.add_read(bytes.value().size());
    const bool is_packed =
        bytes.value().size() > 2 && bytes.value()[0] == 0x1f && bytes.value()[1] == 0x8b;
    return is_packed ? unpack(bytes.value(), kGzip, path, size) : std::move(bytes);
}

base::Result<std::vector<u8>> unpack_zlib(std::span<const u8> packed,
                                          const std::string& path,
                                          SizeRule& size) {
    return unpack(packed, kZlib, path, size);
}

}  // namespace weft::scene
