#include "engine/scene/model/size_rule.h"

#include <limits>

namespace weft::scene {

namespace {

u64 saturating_sum(u64 a, u64 b) {
    return a > std::numeric_limits<u64>::max() - b ? std::numeric_limits<u64>::max() : a + b;
}

}  // namespace

void SizeRule::add_read(u64 bytes) {
    read_bytes_ = saturating_sum(read_bytes_, bytes);
}

base::Status SizeRule::add_made(u64 bytes, const std::string& what) {
    made_bytes_ = saturating_sum(made_bytes_, bytes);
    const bool is_in_proportion =
        made_bytes_ <= kFreeBytes || (made_bytes_ - kFreeBytes) / kBytesPerByteRead < read_bytes_;
    if (is_in_proportion) {
        return base::Done{};
    }
    return base::Error{base::ErrorKind::Scene,
                       file_ + ": would take " + std::to_string(made_bytes_ >> 20) +
                           " MiB of memory, " + std::to_string(bytes >> 20) + " of them " + what +
                           "; its " + std::to_string(read_bytes_) +
                           " bytes may take at most 512 MiB and 256 bytes for each of them"};
}

}  // namespace weft::scene
