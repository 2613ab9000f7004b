// picture_memory.h — pictures in memory that a client maps: two places, written in turn, so that a
// reader never takes parts of two pictures for one.
//
// Layout (all numbers lowest byte first):
//
//     0    MemoryHeader   newest: the number of the last whole picture, from 1; 0: none
//     64   PictureHeader  of place 0: pictures of even numbers
//     128  PictureHeader  of place 1: pictures of odd numbers
//     192  pixels of place 0, then those of place 1
//
// While picture N is written, the sequence of its place is 2N − 1, afterwards 2N. A reader takes
// `newest` = N, finds 2N in the place N mod 2, copies, and looks again: another sequence then means
// that the copy is torn, and the reader starts over. That happens only where copying takes longer
// than a whole picture, since the next picture goes to the other place.
//
// The file has no name and its size is sealed, so no client can make the server's writes fail;
// where the system can, nobody else may write it. One thread writes.
//
// Pages become resident with the first picture that reaches them; until then they are pledged to
// the memory limit (memory_limit.h).
#pragma once

#include <memory>

#include "app/serve/request.h"
#include "engine/live/shown_picture.h"
#include "engine/pages/file_descriptor.h"
#include "scheduler/base/result.h"

namespace weft::app::serve {

struct MemoryHeader {
    u64 magic = 0;  // "WEFTPIC1"
    u64 newest = 0;
    u32 pixel_kind = 0;   // PixelKind
    u32 place_bytes = 0;  // of a PictureHeader
    u64 pixel_bytes = 0;  // of the pixels of one place
    u64 unused[4] = {};
};

struct PictureHeader {
    u64 sequence = 0;
    u64 job = 0;    // the one that the picture shows
    u32 width = 0;  // of the pixels here; less than the region's where it is a first picture
    u32 height = 0;
    u32 full_width = 0;
    u32 full_height = 0;
    u32 x0 = 0;  // the region of the full picture that it covers
    u32 y0 = 0;
    u32 x1 = 0;
    u32 y1 = 0;
    u32 samples = 0;  // of every pixel; 0: coarse
    u32 flags = 0;    // 1: coarse, 2: denoised
    u64 unused = 0;
};

static_assert(sizeof(MemoryHeader) == 64 && sizeof(PictureHeader) == 64);

inline constexpr u64 kMemoryMagic = 0x3143495054464557;  // "WEFTPIC1"
inline constexpr u64 kFirstPixel = 192;
inline constexpr u32 kCoarseFlag = 1;
inline constexpr u32 kDenoisedFlag = 2;

class PictureMemory {
public:
    // For pictures of so many pixels at most. Errors: as of claim_memory, or the system has none.
    static base::Result<std::unique_ptr<PictureMemory>> make(u64 pixels, PixelKind kind);

    PictureMemory(const PictureMemory&) = delete;
    PictureMemory& operator=(const PictureMemory&) = delete;
    PictureMemory(PictureMemory&&) = delete;
    PictureMemory& operator=(PictureMemory&&) = delete;
    ~PictureMemory();

    // Whether pictures of so many pixels, of this kind, fit without wasting most of it.
    [[nodiscard]] bool suits(u64 pixels, PixelKind kind) const;

    // Makes it the newest. Returns its number.
    u64 write(const live::LivePicture& picture);

    [[nodiscard]] const pages::FileDescriptor& file() const { return file_; }

    [[nodiscard]] u64 size_bytes() const { return size_bytes_; }

private:
    // Takes over the mapped bytes.
    PictureMemory(pages::FileDescriptor file, char* bytes, u64 size_bytes);

    [[nodiscard]] MemoryHeader& header() const;
    [[nodiscard]] PictureHeader& place(u64 number) const;
    void note_touched(u64 number, u64 bytes);

    pages::FileDescriptor file_;
    char* bytes_ = nullptr;  // mapped
    u64 size_bytes_ = 0;
    u64 pledged_bytes_ = 0;          // of those that are not resident yet
    u64 touched_bytes_[2] = {0, 0};  // of the pixels of each place
    PixelKind kind_ = PixelKind::Linear;
    u64 pixels_ = 0;  // room of one place
    u64 newest_ = 0;
};

}  // namespace weft::app::serve
