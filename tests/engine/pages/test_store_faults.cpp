// Tests of page_store.h: files that vanish, shrink or change while a store reads them.
#include <cstddef>
#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "engine/pages/page_source.h"
#include "engine/pages/page_store.h"
#include "tests/engine/pages/sample_tree.h"
#include "tests/engine/pages/store_case.h"

namespace weft::pages::testing {

namespace {

// Overwrites a byte of the file.
void put_byte(const std::string& path, u64 offset, char byte) {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(offset));
    file.put(byte);
}

bool names(const base::Error& error, const std::string& path, const std::string& words) {
    return error.sentence.starts_with(path) && error.sentence.find(words) != std::string::npos;
}

}  // namespace

TEST_SUITE_BEGIN("engine/pages/page_store");

TEST_CASE("a file that is deleted while it is open is read on") {
    for (const bool may_use_ring : {true, false}) {
        CAPTURE(may_use_ring);
        StoreCase test(5000);
        test.may_use_ring = may_use_ring;
        test.open(8 * kSmallPage);
        REQUIRE(std::filesystem::remove(test.path));
        const u32 reader = test.store->join();
        for (u32 page = 0; page < test.page_count(); ++page) {
            test.visit(reader, page);
        }
        CHECK(test.store->figures().reads == test.page_count());
    }
}

TEST_CASE("a store reads through the system when direct reads are refused") {
    StoreCase test(5000);
    // The file is opened twice, and the second time there is no descriptor left.
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    REQUIRE(next >= 0);
    ::close(next);
    rlimit old{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &old) == 0);
    const rlimit small{static_cast<rlim_t>(next) + 1, old.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &small) == 0);
    auto opened = PageStore::open(test.right.resident, {test.path, 8 * kSmallPage});
    ::setrlimit(RLIMIT_NOFILE, &old);
    REQUIRE(opened.is_ok());
    test.store = std::move(opened.value());
    CHECK_FALSE(test.store->figures().is_direct);
    const u32 reader = test.store->join();
    for (u32 page = 0; page < test.page_count(); ++page) {
        test.visit(reader, page);
    }
    CHECK(test.store->figures().reads == test.page_count());
}

TEST_CASE("a page that cannot be read fails the store with its file and number") {
    for (const bool may_use_ring : {true, false}) {
        CAPTURE(may_use_ring);
        StoreCase test(5000);
        test.may_use_ring = may_use_ring;
        test.open(u64{1} << 30);
        const u32 reader = test.store->join();
        const PageEntry& page = test.right.resident.pages[3];
        REQUIRE(::truncate(test.path.c_str(), static_cast<off_t>(page.file_offset + 4096)) == 0);
        test.bring(reader, 2);
        CHECK_FALSE(test.store->has_failed());
        test.bring(reader, 3);
        CHECK(test.store->has_failed());
        CHECK(test.store->failure().kind == base::ErrorKind::Scene);
        CHECK(names(test.store->failure(), test.path, "page 3 lies behind the end"));
        CHECK(test.state_of(3) == PageState::Far);
        CHECK(test.store->fetch(reader, 3) == Fetch::Refused);
        CHECK(test.store->fetch(reader, 0) == Fetch::Refused);
        test.store->wait_beyond(1'000'000);
    }
}

TEST_CASE("a page that came wrong or not at all is read once more") {
    const StoreCase test(5000);
    const PageEntry& entry = test.right.resident.pages[1];
    auto source = PageSource::open(test.path);
    auto arrays = PageArrays::reserve(test.right.resident);
    REQUIRE(source.is_ok());
    REQUIRE(arrays.is_ok());
    const shaders::BvhNode* const nodes = arrays.value().nodes() + entry.first_node;
    const auto is_right = [&] {
        return std::memcmp(nodes,
                           test.right.nodes.data() + entry.first_node,
                           entry.node_count * sizeof(shaders::BvhNode)) == 0;
    };
    // The rows are empty, as after a read that went wrong, whatever the ring says of it.
    for (const bool is_whole : {true, false}) {
        CAPTURE(is_whole);
        CHECK_FALSE(is_right());
        CHECK(source.value()->finish(1, entry, arrays.value(), is_whole).is_ok());
        CHECK(is_right());
        arrays.value().empty(entry);
    }
}

TEST_CASE("a page that the system cannot read is a fault of the disk and not of the file") {
    const StoreCase test(5000);
    const PageEntry& entry = test.right.resident.pages[1];
    auto source = PageSource::open(test.path);
    auto arrays = PageArrays::reserve(test.right.resident);
    REQUIRE(source.is_ok());
    REQUIRE(arrays.is_ok());
    // Nothing may be written where the page goes.
    const PageArrays::Part blocks = arrays.value().parts_of(entry)[1];
    REQUIRE(blocks.size_bytes > 0);
    REQUIRE(::mprotect(blocks.begin, blocks.size_bytes, PROT_NONE) == 0);
    const base::Status status = source.value()->read(1, entry, arrays.value());
    REQUIRE_FALSE(status.is_ok());
    CHECK(status.error().kind == base::ErrorKind::Render);
    CHECK(names(status.error(), test.path, "page 1 cannot be read (Bad address)"));
}

TEST_CASE("one wrong byte in a page fails the store") {
    for (const bool may_use_ring : {true, false}) {
        CAPTURE(may_use_ring);
        StoreCase test(5000);
        test.may_use_ring = may_use_ring;
        const PageEntry& page = test.right.resident.pages[1];
        put_byte(test.path, page.file_offset + page.size_bytes() - 1, 'x');
        test.open(u64{1} << 30);
        const u32 reader = test.store->join();
        test.bring(reader, 0);
        CHECK_FALSE(test.store->has_failed());
        test.bring(reader, 1);
        CHECK(test.store->has_failed());
        CHECK(test.store->failure().kind == base::ErrorKind::Scene);
        CHECK(names(test.store->failure(), test.path, "page 1 is damaged: its checksum"));
        CHECK(test.store->figures().reads == 1);
    }
}

TEST_CASE("a page whose checksum is right and whose references leave it fails the store") {
    for (const bool may_use_ring : {true, false}) {
        CAPTURE(may_use_ring);
        StoreCase test(5000);
        test.may_use_ring = may_use_ring;
        PageEntry& page = test.right.resident.pages[1];
        std::vector<char> bytes(page.size_bytes());
        std::ifstream file(test.path, std::ios::binary);
        file.seekg(static_cast<std::streamoff>(page.file_offset));
        file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        // The fourth byte of the first reference: another kind or a row far away.
        const u64 place = offsetof(shaders::BvhNode, child) + 3;
        bytes[place] = static_cast<char>(bytes[place] ^ 0x40);
        put_byte(test.path, page.file_offset + place, bytes[place]);
        page.checksum = page_checksum(bytes.data(), bytes.size());
        test.open(u64{1} << 30);
        const u32 reader = test.store->join();
        test.bring(reader, 1);
        CHECK(names(test.store->failure(), test.path, "page 1 is damaged: a reference"));
        CHECK(test.state_of(1) == PageState::Far);
    }
}

TEST_CASE("a file that is gone is an error that names it") {
    StoreCase test(10);
    std::filesystem::remove(test.path);
    const auto opened = PageStore::open(test.right.resident, {test.path, u64{1} << 20});
    REQUIRE_FALSE(opened.is_ok());
    CHECK(names(opened.error(), test.path, "cannot be opened"));
}

TEST_SUITE_END();

}  // namespace weft::pages::testing
