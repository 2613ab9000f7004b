// oiio_reader.cpp — OpenImageIO's readers behind ImageReader.
#include <exception>
#include <string>
#include <utility>

#include <OpenImageIO/filesystem.h>

#include "engine/image/oiio_types.h"

namespace weft::image {

namespace {

class OiioReader final : public ImageReader {
public:
    OiioReader(std::unique_ptr<OIIO::Filesystem::IOProxy> bytes,
               std::unique_ptr<OIIO::ImageInput> input)
        : bytes_(std::move(bytes)), input_(std::move(input)) {}

    bool open(const std::string& path) {
        OIIO::ImageSpec config;
        config["oiio:UnassociatedAlpha"] = 1;
        if (!input_->open(path, spec_, config)) {
            error_ = told(input_->geterror());
            return false;
        }
        part_ = part_of(spec_);
        return true;
    }

    [[nodiscard]] const Part& part() const override { return part_; }

    bool seek_part(u32 index) override {
        if (!input_->seek_subimage(static_cast<int>(index), 0)) {
            // A message that nobody fetches is printed when the file is closed.
            error_ = told(input_->geterror());
            return false;
        }
        spec_ = input_->spec();
        part_ = part_of(spec_);
        return true;
    }

    [[nodiscard]] std::string text(const std::string& name) const override {
        return std::string(spec_.get_string_attribute(name));
    }

    [[nodiscard]] i32 number(const std::string& name, i32 otherwise) const override {
        return spec_.get_int_attribute(name, otherwise);
    }

    bool read_rows(Rows rows, Channels channels, ValueType type, void* to) override {
        try {
            if (read_from_package(rows, channels, oiio_type(type), to)) {
                return true;
            }
            error_ = told(input_->geterror());
        } catch (const std::exception& exception) {
            error_ = told(exception.what());
        }
        return false;
    }

    [[nodiscard]] const std::string& error() const override { return error_; }

private:
    bool read_from_package(Rows rows, Channels channels, OIIO::TypeDesc type, void* to) {
        const int part = input_->current_subimage();
        const int begin = spec_.y + rows.begin;
        const int end = spec_.y + rows.end;
        if (spec_.tile_width == 0) {
            return input_->read_scanlines(
                part, 0, begin, end, spec_.z, channels.begin, channels.end, type, to);
        }
        return input_->read_tiles(part,
                                  0,
                                  spec_.x,
                                  spec_.x + spec_.width,
                                  begin,
                                  end,
                                  spec_.z,
                                  spec_.z + 1,
                                  channels.begin,
                                  channels.end,
                                  type,
                                  to);
    }

    std::unique_ptr<OIIO::Filesystem::IOProxy> bytes_;  // outlives `input_`
    std::unique_ptr<OIIO::ImageInput> input_;
    OIIO::ImageSpec spec_;  // of the current part
    Part part_;
    std::string error_;
};

OpenedImage opened(const InputConfig& config) {
    std::unique_ptr<OIIO::ImageInput> input = OIIO::ImageInput::create(config.format);
    if (!input) {
        return {nullptr, OIIO::geterror()};
    }
    std::unique_ptr<OIIO::Filesystem::IOProxy> bytes;
    if (!config.bytes.empty()) {
        bytes = std::make_unique<OIIO::Filesystem::IOMemReader>(config.bytes.data(),
                                                                config.bytes.size());
        if (!input->set_ioproxy(bytes.get())) {
            return {nullptr, "the " + config.format + " reader cannot read from memory"};
        }
    }
    auto reader = std::make_unique<OiioReader>(std::move(bytes), std::move(input));
    if (!reader->open(config.path)) {
        return {nullptr, reader->error()};
    }
    return {std::move(reader), {}};
}

}  // namespace

OpenedImage open_image(const InputConfig& config) {
    try {
        return opened(config);
    } catch (const std::exception& exception) {
        return {nullptr, told(exception.what())};
    }
}

}  // namespace weft::image
