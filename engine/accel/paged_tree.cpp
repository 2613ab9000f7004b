#include "engine/accel/paged_tree.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "engine/accel/paged_build.h"
#include "engine/accel/surface_pages.h"
#include "engine/accel/tree_size.h"
#include "engine/pages/page_folder.h"
#include "engine/scene/model/geometry_file.h"
#include "scheduler/base/cache_folder.h"
#include "scheduler/base/clock.h"
#include "scheduler/base/memory_limit.h"
#include "scheduler/base/size_text.h"

namespace weft::accel {

namespace {

// Counts versions of the builder and of the layout: a file of another version is built again.
constexpr u64 kTreeVersion = 6;

// Two sums over everything that is absorbed, in order.
class Fingerprint {
public:
    void absorb(const void* bytes, u64 size_bytes) {
        const u64 whole = size_bytes / 8 * 8;
        u64 rest = size_bytes;
        // An empty array has no address.
        if (size_bytes > whole) {
            std::memcpy(&rest, static_cast<const char*>(bytes) + whole, size_bytes - whole);
        }
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

// What the scene's vertex arrays take of the budget.
u64 vertex_budget(const scene::Scene& scene) {
    const scene::GeometryFile* const file = scene.positions.allocator().maybe_file().get();
    return file && file->taken_bytes() > 0 ? file->budget_bytes() : 0;
}

// The tree of an opened file. Patches never see it.
base::Result<Acceleration> opened(pages::ResidentTree tree,
                                  const scene::Scene& scene,
                                  const BuildConfig& config,
                                  const PagingConfig& paging,
                                  const std::string& path) {
    const u64 resident = tree.size_bytes() + vertex_budget(scene);
    const u64 least = resident + pages::PageStore::least_budget(tree, paging.reader_count);
    if (paging.budget_bytes < least) {
        return base::Error{base::ErrorKind::Usage,
                           fmt::format("--geometry-memory {} is too small for this scene: expected "
                                       "at least {}M",
                                       base::size_text(paging.budget_bytes),
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
                                         .reader_count = paging.reader_count,
                                         .eviction = paging.eviction});
    WEFT_TRY(store);
    out.store = std::move(store.value());
    out.source = source_of(scene, config);
    out.is_high_quality = config.is_high_quality;
    out.subtree_bytes = paging.subtree_bytes;
    return out;
}

u64 record_page_bytes(const PagingConfig& paging) {
    return paging.record_page_bytes == 0 ? paging.page_bytes : paging.record_page_bytes;
}

// The whole tree in memory, where its file cannot be written and the budget holds it; else the
// writer's error.
base::Result<Acceleration> built_in_memory(const scene::Scene& scene,
                                           const BuildConfig& config,
                                           const PagingConfig& paging,
                                           const base::Error& error) {
    // A leaf block holds four triangles at most.
    const Placing placing = decide_placing(scene, config.is_visible);
    const u64 left = paging.budget_bytes - std::min(paging.budget_bytes, vertex_budget(scene));
    if (triangles_in_tree(scene, placing) / 4 * sizeof(shaders::LeafBlock) > left) {
        return error;
    }
    base::Result<Acceleration> built = build_acceleration(scene, config);
    WEFT_TRY(built);
    if (built.value().size_bytes() > left) {
        return error;
    }
    if (paging.on_note) {
        paging.on_note(error.sentence + "; the whole tree stays in memory");
    }
    return built;
}

base::Result<Acceleration> built_and_opened(const scene::Scene& scene,
                                            const BuildConfig& config,
                                            const PagingConfig& paging,
                                            const pages::PageFileConfig& file) {
    base::Result<std::unique_ptr<pages::PageFileWriter>> writer =
        pages::PageFileWriter::create(file);
    base::Result<PagedBuild> written =
        writer.is_ok() ? build_into_pages(scene, config, paging.budget_bytes, *writer.value())
                       : base::Result<PagedBuild>(writer.error());
    if (!written.is_ok() && written.error().kind == base::ErrorKind::Output) {
        return built_in_memory(scene, config, paging, written.error());
    }
    WEFT_TRY(written);
    base::Result<Acceleration> out =
        opened(std::move(written.value().tree), scene, config, paging, file.path);
    WEFT_TRY(out);
    out.value().source = std::move(written.value().source);
    out.value().figures.built_triangles = written.value().built_triangles;
    return out;
}

}  // namespace

std::string tree_fingerprint(const scene::Scene& scene,
                             const BuildConfig& config,
                             const PagingConfig& paging) {
    Fingerprint print;
    print.mix(kTreeVersion);
    print.mix(paging.page_bytes);
    print.mix(record_page_bytes(paging));
    print.mix(paging.subtree_bytes);
    print.mix(u64{config.leaf_fill} << 1 | (config.is_high_quality ? 1U : 0U));
    // Absorb the triangles, and what shading reads of them.
    absorb(print, scene.positions);
    absorb(print, scene.indices);
    absorb(print, scene.normals);
    absorb(print, scene.uvs);
    absorb(print, scene.tangents);
    absorb(print, scene.colors);
    for (const bool has_any : has_records(scene, config)) {
        print.mix(has_any ? 1U : 0U);
    }
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
    const std::string fingerprint = tree_fingerprint(scene, config, paging);
    const std::string path = pages::page_file_path(paging.folder, fingerprint);
    // Open the file of an earlier render. Whatever is wrong with it, it is built again.
    base::Result<pages::ResidentTree> tree = pages::read_page_file(path, fingerprint);
    base::Result<Acceleration> out =
        tree.is_ok() && are_surfaces_of(tree.value(), scene, config)
            ? opened(std::move(tree.value()), scene, config, paging, path)
            : built_and_opened(scene,
                               config,
                               paging,
                               {.path = path,
                                .fingerprint = fingerprint,
                                .page_bytes = paging.page_bytes,
                                .sheet_bytes = record_page_bytes(paging),
                                .subtree_bytes = paging.subtree_bytes});
    WEFT_TRY(out);
    pages::note_use(path);
    if (paging.folder_limit_bytes != 0) {
        (void)pages::keep_within(paging.folder, paging.folder_limit_bytes, path);
    }
    out.value().build_s = base::seconds_since(begin);
    return out;
}

}  // namespace weft::accel
