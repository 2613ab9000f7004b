// page_output.h — the file that is written: a temporary name until it is whole, every write
// checked.
//
// The page file writer appends to it in large pieces. The first failure stays; later calls do
// nothing. The destructor removes a file that was not committed. A writer holds a lock on its
// temporary file, so that the next one knows the files of killed writers and removes them. One
// thread.
#pragma once

#include <string>
#include <vector>

#include "engine/pages/file_descriptor.h"
#include "scheduler/base/result.h"

namespace weft::pages {

class PageOutput {
public:
    // Removes what killed writers left in the folder. Makes a temporary file beside `path`, which
    // this user alone may read.
    static base::Result<PageOutput> create(const std::string& path);
    PageOutput(PageOutput&& other) noexcept;
    PageOutput& operator=(PageOutput&&) = delete;
    PageOutput(const PageOutput&) = delete;
    PageOutput& operator=(const PageOutput&) = delete;
    ~PageOutput();

    void append(const void* bytes, u64 size_bytes);

    // Bytes appended so far.
    [[nodiscard]] u64 size_bytes() const { return written_ + buffer_.size(); }

    // Writes over the begin of the file.
    void put_first(const void* bytes, u64 size_bytes);

    // An error (kind Output) once a write has failed.
    [[nodiscard]] base::Status state() const;
    // Writes what is left, flushes the disk's cache and gives the file its name. Call once.
    base::Status commit();

private:
    PageOutput(const std::string& path, std::string temporary, const char* listed, int number);
    void write(const void* bytes, u64 size_bytes, u64 offset);
    void flush();

    std::string path_;
    std::string temporary_;  // empty: the file has its name, or was moved away
    const char* listed_;     // the same (scheduler/base/temporary_files.h)
    FileDescriptor file_;
    std::vector<char> buffer_;
    u64 written_ = 0;  // bytes in the file
    int first_error_ = 0;
};

}  // namespace weft::pages
