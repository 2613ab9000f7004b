// whole_file.h — a file that appears whole or not at all.
//
// Bytes go to a temporary name in the same folder; commit() flushes them to the disk and renames.
// Whatever fails, and whenever the object dies before commit(), the temporary file is removed and a
// file of the wanted name that was there before stays as it was. A symbolic link is followed and
// stays, also where it leads to no file yet. A name that is no regular file (a device, a pipe) is
// never replaced: bytes are collected in memory and commit() writes them to it. So it is with "-",
// the standard output, and "-.png" and the like, which also say a format. Writers call it through
// OpenImageIO's proxy, others directly. One thread per object.
#pragma once

#include <cstddef>
#include <string>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::film {

// "-", or "-" and an extension.
bool is_standard_output(const std::string& path);

// The name that a chain of links ends at, whether a file stands there or not.
std::string end_of_links(const std::string& path);

class WholeFile {
public:
    static base::Result<WholeFile> open(const std::string& path);
    WholeFile(WholeFile&& other) noexcept;
    WholeFile& operator=(WholeFile&& other) noexcept;
    WholeFile(const WholeFile&) = delete;
    WholeFile& operator=(const WholeFile&) = delete;
    ~WholeFile();

    // Bytes at `offset`; how many could be written or read. The first failure of a write is kept
    // for commit().
    std::size_t write_at(const void* bytes, std::size_t size_bytes, i64 offset);
    std::size_t read_at(void* bytes, std::size_t size_bytes, i64 offset) const;
    [[nodiscard]] i64 size_bytes() const;

    // As sentences name it.
    [[nodiscard]] const std::string& path() const { return path_; }

    // Where the bytes can be read before commit().
    [[nodiscard]] const std::string& temporary_path() const { return temporary_path_; }

    // Done, or the sentence of the first failed write.
    [[nodiscard]] base::Status state() const;
    // Flush, rename (or write through). Afterwards the object is empty.
    base::Status commit();

private:
    WholeFile() = default;
    [[nodiscard]] base::Error failure(int error_number) const;
    [[nodiscard]] int put_in_place() const;  // errno, or 0
    [[nodiscard]] int pass_through() const;  // the same
    [[nodiscard]] int collect();             // the same
    void discard();

    std::string path_;
    std::string target_;    // path_ with links resolved
    bool through_ = false;  // target_ is no regular file
    std::string temporary_path_;
    int descriptor_ = -1;
    const char* standing_ = nullptr;  // as listed for remove_temporary_files
    int first_error_ = 0;             // errno of the first failed write
};

// Unlinks the temporary files that this process has open. For a signal handler that ends the
// process right after: it reads atomics and calls unlink, nothing else.
void remove_temporary_files();

}  // namespace weft::film
