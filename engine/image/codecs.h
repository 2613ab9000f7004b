// codecs.h — what the engine needs of an image library, without a type of that library.
//
// OpenImageIO implements these classes in the module weft-images.so. codecs() loads the module when
// the first image is read or written: the 240 shared libraries behind OpenImageIO take 40 times as
// long to load as the rest of the program. The module catches the exceptions of the package and
// reports them as text. It links no code of the engine: this header is all they share.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::image {

// The type of the values of a part, in the file or in memory.
enum class ValueType : u8 { U8, I8, U16, I16, U32, I32, U64, I64, Half, Float, Double, Unknown };

// 0 for Unknown.
constexpr std::size_t size_bytes(ValueType type) {
    constexpr std::size_t kSizes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 0};
    return kSizes[static_cast<std::size_t>(type)];
}

constexpr bool is_floating_point(ValueType type) {
    return type == ValueType::Half || type == ValueType::Float || type == ValueType::Double;
}

// One picture of a file. Most formats hold a single part; an EXR may hold many.
struct Part {
    // The data window: the pixels that the file holds.
    i32 x = 0;
    i32 y = 0;
    i32 width = 0;
    i32 height = 0;
    i32 depth = 1;
    // The display window: the whole picture.
    i32 full_x = 0;
    i32 full_y = 0;
    i32 full_width = 0;
    i32 full_height = 0;
    i32 channel_count = 0;
    // Empty for a part to be written: the usual names for this count of channels.
    std::vector<std::string> channel_names;
    ValueType type = ValueType::Unknown;
    i32 tile_width = 0;  // 0: the part is stored in rows
    i32 tile_height = 0;
    bool is_deep = false;
    bool has_mixed_types = false;  // channels have types of their own
};

struct Rows {
    i32 begin = 0;  // 0: the first row of the data window
    i32 end = 0;
};

struct Channels {
    i32 begin = 0;
    i32 end = 0;
};

// What error() of a reader, OpenedImage::error and encode() tell where memory ran out.
inline constexpr const char* kNoMemory = "no memory";

// An image file that is open for reading. One thread per reader.
class ImageReader {
public:
    ImageReader() = default;
    ImageReader(const ImageReader&) = delete;
    ImageReader& operator=(const ImageReader&) = delete;
    virtual ~ImageReader() = default;

    // The current part: at first part 0.
    [[nodiscard]] virtual const Part& part() const = 0;
    // Returns false if the file has no such part; error() is empty then, and else tells why the
    // part cannot be read.
    virtual bool seek_part(u32 index) = 0;

    // Attributes of the current part; an empty text or `otherwise` if it has none of this name.
    [[nodiscard]] virtual std::string text(const std::string& name) const = 0;
    [[nodiscard]] virtual i32 number(const std::string& name, i32 otherwise) const = 0;

    // Decodes whole rows of the current part, converted to `type`. Returns false on failure;
    // error() then tells why.
    virtual bool read_rows(Rows rows, Channels channels, ValueType type, void* to) = 0;
    [[nodiscard]] virtual const std::string& error() const = 0;
};

struct InputConfig {
    std::string format;  // OpenImageIO's name of the reader, such as "openexr"
    std::string path;
    std::span<const u8> bytes{};  // the file itself, if it is in memory; must outlive the reader
};

struct OpenedImage {
    std::unique_ptr<ImageReader> maybe_reader;
    std::string error;  // why there is no reader
};

// The bytes of a file that an encoder writes.
class ByteFile {
public:
    ByteFile() = default;
    ByteFile(const ByteFile&) = delete;
    ByteFile& operator=(const ByteFile&) = delete;
    virtual ~ByteFile() = default;

    // Return how many bytes were written or read.
    virtual std::size_t write_at(const void* bytes, std::size_t size_bytes, i64 offset) = 0;
    virtual std::size_t read_at(void* bytes, std::size_t size_bytes, i64 offset) = 0;
    virtual i64 size_bytes() = 0;
};

using Attribute = std::pair<std::string, std::variant<i32, std::string, std::vector<float>>>;

// A part to be encoded. `fill` writes row y (0: the first of the data window) in `row_type`.
struct EncodedPart {
    Part part;
    std::vector<Attribute> attributes;  // written in this order
    ValueType row_type = ValueType::Float;
    std::function<void(u32 y, void* row)> fill;
};

struct OutputConfig {
    std::string format;  // OpenImageIO's name of the writer
    std::string name;    // of the file, as the encoder reports it
    std::string path;    // the temporary name; the encoder of EXR opens it itself
    ByteFile* file = nullptr;
};

// Any thread; several images at once.
class Codecs {
public:
    Codecs() = default;
    Codecs(const Codecs&) = delete;
    Codecs& operator=(const Codecs&) = delete;
    virtual ~Codecs() = default;

    // Opens a file at its first part. Alpha stays straight if the file holds it so.
    virtual OpenedImage open(const InputConfig& config) = 0;
    // Returns why the parts could not be encoded; an empty text on success.
    virtual std::string encode(const OutputConfig& config, std::span<const EncodedPart> parts) = 0;
    // No fewer bytes than encode() or a reader of its file allocates for these parts, whose `fill`
    // may be empty: claim them before long work that ends with encode(). The format as in
    // OutputConfig.
    [[nodiscard]] virtual u64 encoder_bytes(const std::string& format,
                                            std::span<const EncodedPart> parts) = 0;
    // Bounds the threads of the package for the rest of the process.
    virtual void limit_threads(u32 threads) = 0;
};

// Loads the module at the first call, for the rest of the process. Error: the module is missing,
// broken or of another build (exit code 1), or there are no addresses for it (33). Any thread.
base::Result<Codecs*> codecs();

// The threads that libraries behind the module may start while it is loaded. Such a library ends or
// blocks the process if the system refuses one, so have room for them before codecs() is called.
u32 threads_at_load();

}  // namespace weft::image
