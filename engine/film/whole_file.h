// whole_file.h — a file that appears whole or not at all.
//
// Bytes go to a temporary name in the same folder; commit() flushes them to the disk and renames.
// Where something fails, or the object dies before commit(), the temporary file is removed and an
// older file of the wanted name stays unchanged. A symbolic link is followed and stays, even where
// it leads to no file yet. A device or pipe is never replaced: bytes are collected in memory, and
// commit() writes them to it. The same goes for "-", the standard output, and for names such as
// "-.png", which also name a format. Encoders write to it through encoding.h. One thread per
// object.
#pragma once

#include <cstddef>
#include <string>

#include "scheduler/base/ids.h"
#include "scheduler/base/result.h"

namespace weft::film {

// "-", or "-" and an extension.
bool is_standard_output(const std::string& path);

// The name at the end of a chain of links, whether there is such a file or not.
std::string end_of_links(const std::string& path);

class WholeFile {
public:
    static base::Result<WholeFile> open(const std::string& path);
    WholeFile(WholeFile&& other) noexcept;
    WholeFile& operator=(WholeFile&& other) noexcept;
    WholeFile(const WholeFile&) = delete;
    WholeFile& operator=(const WholeFile&) = delete;
    ~WholeFile();

    // Bytes at `offset`; return how many were written or read. commit() reports the first failed
    // write.
    std::size_t write_at(const void* bytes, std::size_t size_bytes, i64 offset);
    std::size_t read_at(void* bytes, std::size_t size_bytes, i64 offset) const;
    [[nodiscard]] i64 size_bytes() const;

    // The name for messages.
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
    const char* standing_ = nullptr;  // scheduler/base/temporary_files.h
    int first_error_ = 0;             // errno of the first failed write
};

// Unlinks temporary files of this name that killed processes left. Only while no other process
// writes the file.
void remove_stale_files(const std::string& path);

}  // namespace weft::film
