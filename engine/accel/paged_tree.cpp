#include "engine/accel/paged_tree.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "engine/pages/page_folder.h"
#include "scheduler/base/cache_folder.h"
#include "scheduler/base/clock.h"
#include "scheduler/base/memory_limit.h"

namespace weft::accel {

namespace {

// Counts versions of the builder and of the layout: a file of another version is built again.
constexpr u64 kTreeVersion = 1;

// Two sums over everything that is absorbed, in order.
class Fingerprint {
public:
    void absorb(const void* bytes, u64 size_bytes) {
        const u64 whole = size_bytes / 8 * 8;
        u64 rest = size_bytes;
        std::memcpy(&rest, static_cast<const char*>(bytes) + whole, size_bytes - whole);
        mix(pages::page_checksum(bytes, whole));
        mix(rest);
        mix(size_bytes);
    }

    void mix(u64 word) {
        first_ = (first_ ^ word) * 0x9e3779b97f4a7c15U;
        first_ ^= first_ >> 29;
        second_ = (second_ + word) * 0xd6e8feb86659fd93U;
        second_ ^= second_ >> 32;
    }

    [[nodiscard]] std::string hex() const { return fmt::format("{:016x}{:016x}", first_, second_); }

private:
    u64 first_ = 1;
    u64 second_ = 2;
};

template <typename T>
void absorb(Fingerprint& print, const scene::GeometryArena<T>& items) {
    print.absorb(items.data(), items.size() * sizeof(T));
}

// The tree of an opened file. Patches never see it.
base::Result<Acceleration> opened(pages::ResidentTree tree,
                                  const scene::Scene& scene,
                                  const BuildConfig& config,
                                  const PagingConfig& paging,
                                  const std::string& path) {
    const u64 resident = tree.size_bytes();
    const u64 least = resident + pages::PageStore::least_budget(tree, paging.reader_count);
    if (paging.budget_bytes < least) {
        return base::Error{
            base::ErrorKind::Usage,
            fmt::format("--geometry-memory {}M is too small for this scene: expected "
                        "at least {}M",
                        paging.budget_bytes >> 20,
                        (least + (1 << 20) - 1) >> 20)};
    }
    // Ask whether the pages fit beside everything else; the store pledges them then.
    u64 page_bytes = 0;
    for (const pages::PageEntry& page : tree.pages) {
        page_bytes += page.size_bytes();
    }
    WEFT_TRY(base::claim_memory(std::min(page_bytes, paging.budget_bytes - resident),
                                "the pages of --geometry-memory"));
    Acceleration out;
    out.root = tree.root;
    auto store = pages::PageStore::open(std::move(tree),
                                        {.path = path,
                                         .budget_bytes = paging.budget_bytes - resident,
                                         .reader_count = paging.reader_count});
    WEFT_TRY(store);
    out.store = std::move(store.value());
    out.source = source_of(scene, config);
    out.is_high_quality = config.is_high_quality;
    return out;
}

// Writes a built tree: its small trees one after another, then the TLAS over them.
base::Result<pages::ResidentTree> write_pages(const Acceleration& built,
                                              const pages::PageFileConfig& config) {
    auto writer = pages::PageFileWriter::create(config);
    WEFT_TRY(writer);
    // Append the BLASes, and let placements refer to what has been written.
    std::vector<u32> written(built.mesh_roots.size(), shaders::kRefEmpty);
    std::vector<shaders::Placement> placements(built.placements.span().begin(),
                                               built.placements.span().end());
    for (std::size_t mesh = 0; mesh < built.mesh_roots.size(); ++mesh) {
        if (built.mesh_roots[mesh].ref != shaders::kRefEmpty) {
            auto root = writer.value()->append(
                {built.nodes.data(), built.blocks.data(), built.mesh_roots[mesh].ref});
            WEFT_TRY(root);
            written[mesh] = root.value();
        }
    }
    for (shaders::Placement& placement : placements) {
        placement.root = written[built.source.instances[placement.instance].mesh];
    }
    // Append the TLAS with the baked triangles.
    auto root = writer.value()->append({built.nodes.data(), built.blocks.data(), built.root});
    WEFT_TRY(root);
    return writer.value()->finish(std::move(placements), root.value());
}

// Builds the tree and writes it. Returns the tree in memory where its file cannot be written and
// the budget holds all of it.
base::Result<Acceleration> built_and_opened(const scene::Scene& scene,
                                            const BuildConfig& config,
                                            const PagingConfig& paging,
                                            const pages::PageFileConfig& file) {
    base::Result<Acceleration> built = build_acceleration(scene, config);
    WEFT_TRY(built);
    base::Result<pages::ResidentTree> written = write_pages(built.value(), file);
    if (!written.is_ok() && written.error().kind == base::ErrorKind::Output &&
        built.value().size_bytes() <= paging.budget_bytes) {
        if (paging.on_note) {
            paging.on_note(written.error().sentence + "; the whole tree stays in memory");
        }
        return built;
    }
    WEFT_TRY(written);
    // Give the tree in memory back before pages come.
    const TreeFigures figures = built.value().figures;
    built = Acceleration{};
    base::Result<Acceleration> out =
        opened(std::move(written.value()), scene, config, paging, file.path);
    WEFT_TRY(out);
    out.value().figures = figures;
    return out;
}

}  // namespace

std::string tree_fingerprint(const scene::Scene& scene, const BuildConfig& config, u64 page_bytes) {
    Fingerprint print;
    print.mix(kTreeVersion);
    print.mix(page_bytes);
    print.mix(u64{config.leaf_fill} << 1 | (config.is_high_quality ? 1U : 0U));
    // Absorb the triangles.
    absorb(print, scene.positions);
    absorb(print, scene.indices);
    for (const scene::Mesh& mesh : scene.meshes) {
        print.absorb(&mesh.record, sizeof mesh.record);
    }
    // Absorb what becomes of each instance.
    for (u32 k = 0; k < scene.instances.size(); ++k) {
        const scene::Instance& instance = scene.instances[k];
        const bool is_visible = config.is_visible.empty() || config.is_visible[k];
        print.mix(u64{instance.mesh} << 2 | (is_visible ? 2U : 0U) |
                  (must_flag(scene, config.is_flagged, k) ? 1U : 0U));
        print.absorb(&instance.object_to_world, sizeof instance.object_to_world);
    }
    return print.hex();
}

base::Result<Acceleration> page_acceleration(const scene::Scene& scene,
                                             const BuildConfig& config,
                                             const PagingConfig& paging) {
    const auto begin = base::Clock::now();
    WEFT_TRY(base::make_private_folder(paging.folder));
    const std::string fingerprint = tree_fingerprint(scene, config, paging.page_bytes);
    const std::string path = pages::page_file_path(paging.folder, fingerprint);
    // Open the file of an earlier render. Whatever is wrong with it, it is built again.
    base::Result<pages::ResidentTree> tree = pages::read_page_file(path, fingerprint);
    base::Result<Acceleration> out =
        tree.is_ok()
            ? opened(std::move(tree.value()), scene, config, paging, path)
            : built_and_opened(
                  scene,
                  config,
                  paging,
                  {.path = path, .fingerprint = fingerprint, .page_bytes = paging.page_bytes});
    WEFT_TRY(out);
    pages::note_use(path);
    if (paging.folder_limit_bytes != 0) {
        (void)pages::keep_within(paging.folder, paging.folder_limit_bytes, path);
    }
    out.value().build_s = base::seconds_since(begin);
    return out;
}

}  // namespace weft::accel
