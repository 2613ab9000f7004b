// oiio_output-inl.h — OpenImageIO's encoders writing into a WholeFile. Included by the writers of
// this folder alone.
//
// The encoders report a full disk in different ways and some not at all, so every byte goes through
// our own checked write. Call on one thread per file; exceptions of the package end here.
#pragma once

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <OpenImageIO/filesystem.h>
#include <OpenImageIO/imageio.h>

#include "engine/film/whole_file.h"
#include "scheduler/base/result.h"

namespace weft::film {

class CheckedProxy final : public OIIO::Filesystem::IOProxy {
public:
    explicit CheckedProxy(WholeFile& file) : IOProxy(file.path(), Write), file_(file) {}

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
    WholeFile& file_;
};

// One part of an image file. `fill` writes row y (0 = the first of the data window) of `row_type`
// values.
struct EncodedPart {
    OIIO::ImageSpec spec;
    OIIO::TypeDesc row_type;
    std::function<void(u32 y, void* row)> fill;
};

inline std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    while (!text.empty() && text.back() == ' ') {
        text.pop_back();
    }
    return text;
}

// Rows handed over together: what the largest block of any compression here holds (dwab).
inline constexpr u32 kRowsAtOnce = 256;

inline bool encode_rows(OIIO::ImageOutput& output, const EncodedPart& part) {
    const u32 height = static_cast<u32>(part.spec.height);
    const std::size_t row_bytes = static_cast<std::size_t>(part.spec.width) *
                                  static_cast<std::size_t>(part.spec.nchannels) *
                                  part.row_type.size();
    std::vector<u8> rows(row_bytes * std::min(height, kRowsAtOnce));
    for (u32 begin = 0; begin < height; begin += kRowsAtOnce) {
        const u32 end = std::min(height, begin + kRowsAtOnce);
        for (u32 y = begin; y < end; ++y) {
            part.fill(y, rows.data() + row_bytes * (y - begin));
        }
        if (!output.write_scanlines(part.spec.y + static_cast<int>(begin),
                                    part.spec.y + static_cast<int>(end),
                                    0,
                                    part.row_type,
                                    rows.data())) {
            return false;
        }
    }
    return true;
}

inline bool encode_parts(OIIO::ImageOutput& output,
                         const std::string& name,
                         const std::vector<EncodedPart>& parts) {
    if (parts.size() == 1) {
        return output.open(name, parts[0].spec) && encode_rows(output, parts[0]) && output.close();
    }
    std::vector<OIIO::ImageSpec> specs;
    for (const EncodedPart& part : parts) {
        specs.push_back(part.spec);
    }
    if (!output.open(name, static_cast<int>(specs.size()), specs.data())) {
        return false;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if ((i > 0 && !output.open(name, specs[i], OIIO::ImageOutput::AppendSubimage)) ||
            !encode_rows(output, parts[i])) {
            return false;
        }
    }
    return output.close();
}

// Encodes by OpenImageIO's `format`; does not commit. EXR goes to the temporary name itself, for
// OpenImageIO writes files of many parts by name whatever the proxy: its writer must read the file
// back, which write_exr does anyway.
inline base::Status encode(WholeFile& file,
                           const std::string& format,
                           const std::vector<EncodedPart>& parts) {
    std::string message;
    try {
        CheckedProxy proxy(file);
        const std::unique_ptr<OIIO::ImageOutput> output = OIIO::ImageOutput::create(format);
        if (!output || (format != "openexr" && !output->set_ioproxy(&proxy))) {
            message = "OpenImageIO has no writer for " + format;
        } else if (!encode_parts(*output, file.temporary_path(), parts)) {
            message = output->geterror();
            message = message.empty() ? "the encoder failed" : message;
        }
    } catch (const std::exception& exception) {
        message = exception.what();
    }
    base::Status status = file.state();
    if (status.is_ok() && !message.empty()) {
        status =
            base::Error{base::ErrorKind::Output,
                        file.path() + ": cannot be written (" + one_line(message) +
                            "); expected room on the disk and a picture that the format can hold"};
    }
    return status;
}

}  // namespace weft::film
