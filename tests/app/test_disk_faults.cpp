// test_disk_faults.cpp — disks that are full, read-only or gone: one sentence, the documented exit
// code, no half file, and what was there before stays good.
//
// Each case runs the program in a mount namespace of its own, so that no other process sees its
// disks: as root, or as root of a user namespace where the system allows it.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>

#include "tests/app/folder_watch.h"
#include "tests/app/own_mounts.h"
#include "tests/app/small_render.h"
#include "tests/app/verified_film.h"

namespace weft::app::testing {

namespace {

using film::TestFolder;

// A folder with a disk of its own below it: `disk/` while the program runs.
struct Disk {
    Disk() { std::filesystem::create_directory(folder.file("disk")); }

    // Runs `script` with the folder as the working folder, and "disk" as a file system in memory
    // of so many bytes. "$@" is the program with its words.
    [[nodiscard]] ShellScript on(const std::string& size, const std::string& script) const {
        return {"cd '" + folder.file("") + "' && exec " + unshare_command() +
                " sh -c 'mount -t tmpfs -o size=" + size + " none disk && " + script +
                "' sh \"$@\""};
    }

    TestFolder folder;
};

// Runs the program, copies what the disk then holds to the folder "left", and ends with its code.
const std::string kRunAndCopy = "{ \"$@\"; code=$?; cp -a disk left; exit $code; }";
// Fills what is free.
const std::string kFill =
    "{ cat /dev/zero > disk/filler 2>/dev/null; [ $(wc -c < disk/filler) -gt 0 ]; }";

void check_output_error(const Ended& ended, const std::string& file, const std::string& reason) {
    INFO(ended.err);
    CHECK(ended.exit_code == kExitOutput);
    CHECK(says(ended, file + ": cannot be written (" + reason + ")"));
}

// The image library words its failures in other ways.
void check_picture_error(const Ended& ended, const std::string& file) {
    INFO(ended.err);
    CHECK(ended.exit_code == kExitOutput);
    REQUIRE(lines_of(ended.err).size() == 1);
    CHECK(ended.err.starts_with("weft: " + file + ": "));
    CHECK(says(ended, "; expected "));
}

std::vector<std::string> names_in(const std::string& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_SUITE("app/disk_faults") {
    TEST_CASE("a read-only folder ends with 4 before the first sample") {
        if (!has_mounts()) {
            return;
        }
        const Words endless = {"--spp", "1000000"};
        for (const Words& more : {Words{"-o", "disk/a.exr"},
                                  Words{"--stats", "disk/a.json"},
                                  Words{"--trace", "disk/a.json"},
                                  Words{"--checkpoint=disk/a.save"}}) {
            CAPTURE(more.back());
            const Disk disk;
            Words words = small_render("a.exr", endless);
            words.insert(words.end(), more.begin(), more.end());
            const Ended ended =
                run_weft(disk.on("1m", "mount -o remount,ro disk && exec \"$@\""), words);
            const std::size_t at = more.back().find("disk/");
            check_output_error(ended, more.back().substr(at), "Read-only file system");
            CHECK(lines_of(ended.err).size() == 1);
            CHECK(disk.folder.files() == Names{"disk"});
        }
    }

    TEST_CASE("a disk without room for one more file ends with 4 before the first sample") {
        if (!has_mounts()) {
            return;
        }
        const Disk disk;
        const Ended ended = run_weft(disk.on("1m,nr_inodes=1", "exec \"$@\""),
                                     small_render("disk/a.exr", {"--spp", "1000000"}));
        check_output_error(ended, "disk/a.exr", "No space left on device");
        CHECK(lines_of(ended.err).size() == 1);
    }

    TEST_CASE("a full disk leaves the picture of before and no half file") {
        if (!has_mounts()) {
            return;
        }
        for (const char* const name : {"a.exr", "a.png", "a.hdr", "a.jpg", "a.tif"}) {
            CAPTURE(name);
            const Disk disk;
            const std::string picture = "disk/" + std::string(name);
            const Ended ended = run_weft(
                disk.on("64k",
                        "echo yesterday > " + picture + " && " + kFill + " && " + kRunAndCopy),
                Words{"render", "cornell", "--width", "200", "--spp", "1", "-o", picture, "-q"});
            check_picture_error(ended, picture);
            CHECK(names_in(disk.folder.file("left")) == Names{name, "filler"});
            CHECK(film::bytes_of(disk.folder.file("left/" + std::string(name))) == "yesterday\n");
        }
    }

    TEST_CASE("a full disk for figures or the trace leaves the picture whole") {
        if (!has_mounts()) {
            return;
        }
        for (const char* const option : {"--stats", "--trace"}) {
            CAPTURE(option);
            const Disk disk;
            const Ended ended = run_weft(disk.on("64k", kFill + " && " + kRunAndCopy),
                                         small_render("a.exr", {option, "disk/a.json"}));
            check_output_error(ended, "disk/a.json", "No space left on device");
            CHECK(names_in(disk.folder.file("left")) == Names{"filler"});
            CHECK(is_verified(disk.folder.file("a.exr")));
        }
    }

    TEST_CASE("a full disk for checkpoints leaves the old one good and the picture whole") {
        if (!has_mounts()) {
            return;
        }
        const Disk disk;
        const Words words = small_render(
            "a.exr", {"--keep-film", "--checkpoint=disk/a.save", "--checkpoint-interval", "0.001"});
        const Ended ended = run_weft(disk.on("8m",
                                             "\"$@\" && " + kFill +
                                                 " && cp disk/a.save before && "
                                                 "set -- \"$@\" --resume --spp 2000 && " +
                                                 kRunAndCopy),
                                     words);
        check_output_error(ended, "disk/a.save", "No space left on device");
        // Those that were due while it rendered are warnings.
        CHECK(says(ended, "no checkpoint: disk/a.save"));
        CHECK(names_in(disk.folder.file("left")) == Names{"a.save", "filler"});
        const std::string old = disk.folder.file("left/a.save");
        CHECK(film::bytes_of(old) == film::bytes_of(disk.folder.file("before")));
        CHECK(film::read_saved_film(old).is_ok());
        CHECK(is_verified(disk.folder.file("a.exr")));
        // The old checkpoint leads to the same film.
        const std::string again = disk.folder.file("again.exr");
        check_ends(small_render(
                       again, {"--keep-film", "--checkpoint=" + old, "--resume", "--spp", "2000"}),
                   kExitDone);
        CHECK(hashes_of_file(again) == hashes_of_file(disk.folder.file("a.exr")));
    }

    TEST_CASE("merge and compare leave no half file on a full disk") {
        if (!has_mounts()) {
            return;
        }
        const Disk disk;
        const std::string slice = disk.folder.file("slice.exr");
        check_ends(small_render(slice, {"--slice", "1/2"}), kExitDone);
        for (const Words& words : {Words{"merge", "disk/a.exr", slice},
                                   Words{"compare", slice, slice, "-o", "disk/a.exr"}}) {
            CAPTURE(words.front());
            const Ended ended = run_weft(disk.on("64k", kFill + " && " + kRunAndCopy), words);
            check_picture_error(ended, "disk/a.exr");
            CHECK(names_in(disk.folder.file("left")) == Names{"filler"});
            std::filesystem::remove_all(disk.folder.file("left"));
        }
    }

    TEST_CASE("a disk that goes away while rendering ends with 4 and is not replaced") {
        if (!has_mounts()) {
            return;
        }
        // Unmounted under the program as a network disk may be, or its folder is deleted.
        for (const bool is_unmounted : {true, false}) {
            CAPTURE(is_unmounted);
            const Disk disk;
            const std::string picture = disk.folder.file("disk/shot/a.exr");
            Words words = small_render(picture,
                                       {"--spp",
                                        "1000000",
                                        "--checkpoint",
                                        "--checkpoint-interval",
                                        "0.001",
                                        "--progress",
                                        "json",
                                        "-v"});
            WeftProcess process(disk.on("64m", "mkdir disk/shot && exec \"$@\""), words);
            REQUIRE(process.wait_until([](const std::string& err) {
                return err.find("checkpoint: rendering waited") != std::string::npos;
            }));
            const std::string inside = std::string("nsenter -t ") + std::to_string(process.id()) +
                                       (::geteuid() == 0 ? "" : " -U --preserve-credentials") +
                                       " -m ";
            const std::string place = disk.folder.file("disk");
            // Renamed first, so that no new file appears in what is being deleted.
            const std::string take_away =
                is_unmounted ? "umount -l '" + place + "'"
                             : "sh -c 'cd \"" + place + "\" && mv shot gone && rm -r gone'";
            REQUIRE(std::system((inside + take_away).c_str()) == 0);
            // Checkpoints fail from here on, and the render goes on.
            REQUIRE(process.wait_until([](const std::string& err) {
                return err.find("no checkpoint: ") != std::string::npos;
            }));
            process.send(SIGINT);
            check_output_error(process.wait(), picture, "No such file or directory");
            CHECK(disk.folder.files() == Names{"disk"});
            CHECK(std::filesystem::is_empty(disk.folder.file("disk")));
        }
    }

    TEST_CASE("a second SIGINT while a checkpoint is written leaves a whole one") {
        const TestFolder folder;
        std::filesystem::create_directory(folder.file("save"));
        const std::string checkpoint = folder.file("save/a.save");
        const Words words = {"render",
                             "cornell",
                             "--width",
                             "768",
                             "-t",
                             "2",
                             "-o",
                             folder.file("a.exr"),
                             "--checkpoint=" + checkpoint,
                             "--resume",
                             "--progress",
                             "json",
                             "--spp"};
        Words few = words;
        few.emplace_back("1");
        check_ends(few, kExitDone);
        std::filesystem::remove(folder.file("a.exr"));
        Words many = words;
        many.emplace_back("1000000");
        // A checkpoint of 40 MiB is written at the end alone.
        WeftProcess process(many);
        REQUIRE(process.wait_until([](const std::string& err) {
            return has_samples(err.substr(std::min(err.size(), err.find("continues from"))));
        }));
        const FolderWatch watch(folder.file("save"), IN_CREATE);
        process.send(SIGINT);
        CHECK(watch.wait());
        process.send(SIGINT);
        const Ended ended = process.wait();
        INFO(ended.err);
        CHECK(ended.exit_code == 130);
        // The old one or the new one, and nothing beside it.
        CHECK(names_in(folder.file("save")) == Names{"a.save"});
        CHECK(film::read_saved_film(checkpoint).is_ok());
        CHECK(folder.files() == Names{"save"});
    }
}

}  // namespace weft::app::testing
