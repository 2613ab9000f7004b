#include "app/serve/picture_memory.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include "scheduler/base/ensure.h"
#include "scheduler/base/memory_limit.h"

namespace weft::app::serve {

namespace {

// A smaller picture keeps the memory of a larger one until that is so many times its size.
constexpr u64 kMostWaste = 4;

u64 pixel_size_bytes(PixelKind kind) {
    return kind == PixelKind::Linear ? 4 * sizeof(float) : 4;
}

base::Error no_memory(u64 size_bytes) {
    return {
        base::ErrorKind::Memory,
        fmt::format("{} MiB for the shared pictures: {}", size_bytes >> 20, std::strerror(errno))};
}

// Nobody may change the size any more, nor, where the system knows how, write from another mapping.
bool seal(int file) {
    ::fcntl(file, F_ADD_SEALS, F_SEAL_FUTURE_WRITE);
    return ::fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0;
}

}  // namespace

base::Result<std::unique_ptr<PictureMemory>> PictureMemory::make(u64 pixels, PixelKind kind) {
    const u64 size_bytes = kFirstPixel + 2 * pixels * pixel_size_bytes(kind);
    // Ask whether it fits. The claim ends here, since other threads wait for claims; from then on
    // the memory pledges the pages that no picture has touched.
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(size_bytes, "the memory of shared pictures");
    WEFT_TRY(claim);
    pages::FileDescriptor file(::memfd_create("weft pictures", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file.is_open() || ::ftruncate(file.number(), static_cast<off_t>(size_bytes)) != 0) {
        return no_memory(size_bytes);
    }
    void* const mapped =
        ::mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
    if (mapped == MAP_FAILED) {
        return no_memory(size_bytes);
    }
    std::unique_ptr<PictureMemory> memory(
        new PictureMemory(std::move(file), static_cast<char*>(mapped), size_bytes));
    memory->kind_ = kind;
    memory->pixels_ = pixels;
    if (!seal(memory->file_.number())) {
        return no_memory(size_bytes);
    }
    memory->header() = {.magic = kMemoryMagic,
                        .pixel_kind = static_cast<u32>(kind),
                        .place_bytes = sizeof(PictureHeader),
                        .pixel_bytes = pixels * pixel_size_bytes(kind)};
    return memory;
}

PictureMemory::PictureMemory(pages::FileDescriptor file, char* bytes, u64 size_bytes)
    : file_(std::move(file)), bytes_(bytes), size_bytes_(size_bytes), pledged_bytes_(size_bytes) {
    base::pledge_memory(pledged_bytes_);
}

PictureMemory::~PictureMemory() {
    base::end_pledge(pledged_bytes_);
    ::munmap(bytes_, size_bytes_);
}

// So many bytes of the pixels of a place are resident now, and no longer to come.
void PictureMemory::note_touched(u64 number, u64 bytes) {
    u64& touched = touched_bytes_[number % 2];
    if (bytes > touched) {
        base::end_pledge(bytes - touched);
        pledged_bytes_ -= bytes - touched;
        touched = bytes;
    }
}

MemoryHeader& PictureMemory::header() const {
    return *reinterpret_cast<MemoryHeader*>(bytes_);
}

PictureHeader& PictureMemory::place(u64 number) const {
    return reinterpret_cast<PictureHeader*>(bytes_ + sizeof(MemoryHeader))[number % 2];
}

bool PictureMemory::suits(u64 pixels, PixelKind kind) const {
    return kind == kind_ && pixels <= pixels_ && pixels * kMostWaste >= pixels_;
}

u64 PictureMemory::write(const live::LivePicture& picture) {
    const u64 pixels = u64{picture.width} * picture.height;
    ENSURE(pixels, <=, pixels_);
    const u64 number = ++newest_;
    PictureHeader& written = place(number);
    const std::atomic_ref<u64> sequence(written.sequence);
    // acquire: what follows is written after it. Pairs with a reader's second look.
    sequence.exchange(2 * number - 1, std::memory_order_acq_rel);
    written.job = picture.job;
    written.width = picture.width;
    written.height = picture.height;
    written.full_width = picture.full_width;
    written.full_height = picture.full_height;
    written.x0 = picture.region.x0;
    written.y0 = picture.region.y0;
    written.x1 = picture.region.x1;
    written.y1 = picture.region.y1;
    written.samples = picture.samples;
    written.flags = (picture.is_coarse ? kCoarseFlag : 0) |
                    (picture.denoised != live::LiveDenoise::Off ? kDenoisedFlag : 0);
    const u64 pixel_bytes = pixel_size_bytes(kind_);
    const void* const from = kind_ == PixelKind::Linear
                                 ? static_cast<const void*>(picture.linear.data())
                                 : static_cast<const void*>(picture.rgba.data());
    std::memcpy(
        bytes_ + kFirstPixel + number % 2 * pixels_ * pixel_bytes, from, pixels * pixel_bytes);
    note_touched(number, pixels * pixel_bytes);
    // release: a reader that sees these sees the picture.
    sequence.store(2 * number, std::memory_order_release);
    std::atomic_ref<u64>(header().newest).store(number, std::memory_order_release);
    return number;
}

}  // namespace weft::app::serve
