// oiio_writer.cpp — OpenImageIO's encoders, which write into a ByteFile.
//
// The encoders report a full disk in different ways and some not at all, so every byte goes through
// the checked writes of the ByteFile.
#include <algorithm>
#include <exception>
#include <iterator>
#include <malloc.h>
#include <thread>

#include <OpenImageIO/filesystem.h>

#include "engine/image/oiio_types.h"

namespace weft::image {

namespace {

class FileProxy final : public OIIO::Filesystem::IOProxy {
public:
    FileProxy(const std::string& name, ByteFile& file) : IOProxy(name, Write), file_(file) {}

    // Not "file": encoders take that for OpenImageIO's own class and reach into it.
    const char* proxytype() const override { return "weft"; }

    size_t read(void* bytes, size_t size) override {
        const size_t count = file_.read_at(bytes, size, m_pos);
        m_pos += static_cast<i64>(count);
        return count;
    }

    size_t write(const void* bytes, size_t size) override {
        file_.write_at(bytes, size, m_pos);
        m_pos += static_cast<i64>(size);
        return size;
    }

    size_t pread(void* bytes, size_t size, int64_t offset) override {
        return file_.read_at(bytes, size, offset);
    }

    size_t pwrite(const void* bytes, size_t size, int64_t offset) override {
        file_.write_at(bytes, size, offset);
        return size;
    }

    size_t size() const override { return static_cast<size_t>(file_.size_bytes()); }

private:
    ByteFile& file_;
};

// Rows handed over together: what the largest block of any compression here holds (dwab), and of
// wide rows as many as this many bytes hold, so that a strip is small beside the film. Encoders
// collect the rows of a block: the file does not depend on it. 32 rows are two blocks of zip, the
// usual compression, which two threads pack at once.
constexpr u32 kRowsAtOnce = 256;
constexpr u32 kFewestRows = 32;
constexpr std::size_t kStripBytes = std::size_t{4} << 20;

std::size_t row_bytes_of(const Part& part, ValueType type) {
    return static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.channel_count) *
           size_bytes(type);
}

// Rows of a strip of the part.
u32 strip_rows(const EncodedPart& encoded) {
    const std::size_t row_bytes = row_bytes_of(encoded.part, encoded.row_type);
    const auto step = static_cast<u32>(std::clamp<std::size_t>(
        kStripBytes / std::max<std::size_t>(row_bytes, 1) / kFewestRows * kFewestRows,
        kFewestRows,
        kRowsAtOnce));
    return std::min(static_cast<u32>(encoded.part.height), step);
}

// How OpenEXR packs a part: the rows of a block; the bytes that it holds of one block in flight, as
// a multiple of the block's own (its rows, a copy in the order that packs well, the packed bytes);
// and the bytes of tables while a block is packed, whatever its size.
struct Packing {
    const char* name;
    u32 rows;
    u32 copies;
    u64 table_bytes;
};

constexpr u64 kKibibyte = 1024;
constexpr Packing kPackings[] = {{"none", 1, 1, 0},
                                 {"rle", 1, 3, 0},
                                 {"zips", 1, 3, 512 * kKibibyte},
                                 {"zip", 16, 3, 512 * kKibibyte},
                                 {"pxr24", 16, 3, 512 * kKibibyte},
                                 {"piz", 32, 3, 2048 * kKibibyte},
                                 {"dwaa", 32, 4, 2048 * kKibibyte},
                                 {"dwab", 256, 4, 2048 * kKibibyte}};

const Packing& packing_of(const EncodedPart& part) {
    for (const auto& [name, value] : part.attributes) {
        for (const Packing& packing : kPackings) {
            const std::string* const text = std::get_if<std::string>(&value);
            if (name == "compression" && text && *text == packing.name) {
                return packing;
            }
        }
    }
    return kPackings[std::size(kPackings) - 1];  // the largest
}

// Blocks that OpenEXR holds of each part, from opening the file to closing it.
u64 blocks_in_flight() {
    const int wanted = OIIO::get_int_attribute("exr_threads");  // 0: one per core; -1: none
    const u32 threads = wanted == 0 ? std::max(1U, std::thread::hardware_concurrency())
                                    : static_cast<u32>(std::max(0, wanted));
    return std::max(1U, 2 * threads);
}

bool encode_rows(OIIO::ImageOutput& output, const EncodedPart& encoded) {
    const Part& part = encoded.part;
    const u32 height = static_cast<u32>(part.height);
    const std::size_t row_bytes = row_bytes_of(part, encoded.row_type);
    const u32 step = strip_rows(encoded);
    std::vector<u8> rows(row_bytes * step);
    for (u32 begin = 0; begin < height; begin += step) {
        const u32 end = std::min(height, begin + step);
        for (u32 y = begin; y < end; ++y) {
            encoded.fill(y, rows.data() + row_bytes * (y - begin));
        }
        if (!output.write_scanlines(part.y + static_cast<int>(begin),
                                    part.y + static_cast<int>(end),
                                    0,
                                    oiio_type(encoded.row_type),
                                    rows.data())) {
            return false;
        }
    }
    return true;
}

bool encode_parts(OIIO::ImageOutput& output,
                  const std::string& path,
                  std::span<const EncodedPart> parts) {
    std::vector<OIIO::ImageSpec> specs;
    for (const EncodedPart& part : parts) {
        specs.push_back(spec_of(part));
    }
    if (parts.size() == 1) {
        return output.open(path, specs[0]) && encode_rows(output, parts[0]) && output.close();
    }
    if (!output.open(path, static_cast<int>(specs.size()), specs.data())) {
        return false;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if ((i > 0 && !output.open(path, specs[i], OIIO::ImageOutput::AppendSubimage)) ||
            !encode_rows(output, parts[i])) {
            return false;
        }
    }
    return output.close();
}

}  // namespace

u64 encoder_bytes_of(const std::string& format, std::span<const EncodedPart> parts) {
    constexpr u64 kOtherBytes = u64{4} << 20;  // headers, tables of offsets, buffers of files
    u64 bytes = kOtherBytes;
    u64 strip_bytes = 0;
    u64 table_bytes = 0;
    for (const EncodedPart& part : parts) {
        // The strip, and one of the encoder, which converts values.
        const u64 row_bytes = row_bytes_of(part.part, part.row_type);
        strip_bytes = std::max(strip_bytes, 2 * row_bytes * strip_rows(part));
        if (format == "openexr") {
            const Packing& packing = packing_of(part);
            // Rows and packed bytes are allocated for a whole block, whatever the height.
            const u32 filled = std::min(packing.rows, static_cast<u32>(part.part.height));
            const u64 rows = std::max(2 * packing.rows, packing.copies * filled);
            bytes += blocks_in_flight() * rows * row_bytes_of(part.part, part.part.type);
            table_bytes = std::max(table_bytes, blocks_in_flight() * packing.table_bytes);
        }
    }
    return bytes + strip_bytes + table_bytes;
}

// EXR goes to the temporary name itself, for OpenImageIO writes files of many parts by name
// whatever the proxy.
std::string encode_image(const OutputConfig& config, std::span<const EncodedPart> parts) {
    try {
        FileProxy proxy(config.name, *config.file);
        const std::unique_ptr<OIIO::ImageOutput> output = OIIO::ImageOutput::create(config.format);
        if (!output || (config.format != "openexr" && !output->set_ioproxy(&proxy))) {
            return "OpenImageIO has no writer for " + config.format;
        }
        const bool is_encoded = encode_parts(*output, config.path, parts);
        // The library's threads leave megabytes of freed rows in arenas of their own, more with
        // each picture of a process that writes many.
        ::malloc_trim(0);
        if (is_encoded) {
            return {};
        }
        const std::string message = told(output->geterror());
        return message.empty() ? "the encoder failed" : message;
    } catch (const std::exception& exception) {
        return told(exception.what());
    }
}

}  // namespace weft::image
