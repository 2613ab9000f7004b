#include "engine/scene/gltf/gltf_bytes.h"

#include "scheduler/base/input_file.h"
#include "scheduler/base/memory_limit.h"

namespace weft::scene::gltf {

base::Result<Bytes> read_bytes(const std::string& path,
                               const std::string& expected,
                               const std::shared_ptr<GeometryFile>& maybe_file) {
    Bytes bytes{GeometryAllocator<u8>(maybe_file)};
    base::MemoryClaim claimed;
    const base::Status status =
        base::copy_input_file(path, expected, [&](u64 size) -> base::Result<u8*> {
            if (!maybe_file) {
                base::Result<base::MemoryClaim> claim = base::claim_memory(size, path);
                WEFT_TRY(claim);
                claimed = std::move(claim.value());
            }
            bytes.resize(size);
            return bytes.data();
        });
    WEFT_TRY(status);
    claimed.give_back(maybe_file ? 0 : bytes.size());
    return bytes;
}

}  // namespace weft::scene::gltf
