// encoding.cpp — see encoding.h.
#include "engine/film/encoding.h"

#include <algorithm>

#include "engine/film/decoding.h"

namespace weft::film {

namespace {

class CheckedFile final : public image::ByteFile {
public:
    explicit CheckedFile(WholeFile& file) : file_(file) {}

    std::size_t write_at(const void* bytes, std::size_t size_bytes, i64 offset) override {
        return file_.write_at(bytes, size_bytes, offset);
    }

    std::size_t read_at(void* bytes, std::size_t size_bytes, i64 offset) override {
        return file_.read_at(bytes, size_bytes, offset);
    }

    i64 size_bytes() override { return file_.size_bytes(); }

private:
    WholeFile& file_;
};

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    while (!text.empty() && text.back() == ' ') {
        text.pop_back();
    }
    return text;
}

}  // namespace

base::Error not_read_back(WholeFile& file, const base::Error& why) {
    if (is_of_memory(why)) {
        const base::Status kept = file.commit();
        if (!kept.is_ok()) {
            return kept.error();
        }
        return {base::ErrorKind::Memory,
                file.path() +
                    ": is written, but there was no memory to read it back; expected "
                    "room for its pixels (weft verify checks it)"};
    }
    return {base::ErrorKind::Output,
            file.path() + ": what was written does not read back (" + why.sentence +
                "); expected a disk that keeps what it is given"};
}

base::Status encode(WholeFile& file,
                    const std::string& format,
                    std::span<const image::EncodedPart> parts) {
    const base::Result<image::Codecs*> codecs = image::codecs();
    WEFT_TRY(codecs);
    CheckedFile bytes(file);
    const std::string message = codecs.value()->encode(
        {.format = format, .name = file.path(), .path = file.temporary_path(), .file = &bytes},
        parts);
    WEFT_TRY(file.state());
    if (message == image::kNoMemory) {
        return base::Error{
            base::ErrorKind::Memory,
            file.path() + ": there is no memory to encode it; expected room for its pixels"};
    }
    if (!message.empty()) {
        return base::Error{
            base::ErrorKind::Output,
            file.path() + ": cannot be written (" + one_line(message) +
                "); expected room on the disk and a picture that the format can hold"};
    }
    return base::Done{};
}

}  // namespace weft::film
