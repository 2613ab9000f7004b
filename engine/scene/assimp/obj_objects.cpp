#include "engine/scene/assimp/obj_objects.h"

#include <algorithm>
#include <cstring>
#include <istream>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace weft::scene {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
constexpr std::size_t kLongestLine = 4096;  // of lines that begin objects
constexpr std::string_view kObjBlanks = " \t\r";

std::string_view trimmed_line(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kObjBlanks);
    return first == text.npos ? std::string_view()
                              : text.substr(first, text.find_last_not_of(kObjBlanks) - first + 1);
}

// Gives each object a unique name, line by line.
class ObjectNames {
public:
    // The line with which assimp begins this object; empty: the line stays.
    std::string line(std::string_view text) {
        const bool is_object = text.front() == 'o';
        const std::string name(trimmed_line(text.substr(1)));
        if (is_object && name.empty()) {
            return {};  // assimp continues the present object as well
        }
        if (is_object) {
            said_ = name;
            object_ = unused(name);
            groups_.clear();
        }
        present_ = is_object ? object_ : group(name);
        // For each `o` assimp compares the name with those of all former objects; for `g` it does
        // not.
        const bool is_said = !is_object && text.size() == present_.size() + 2 && text[1] == ' ' &&
                             text.substr(2) == present_;
        return is_said || present_.empty() ? std::string() : "g " + present_;
    }

    // The present object has a face, so its name is taken.
    void take_face() {
        if (!present_.empty()) {
            taken_.insert(std::exchange(present_, {}));
        }
    }

private:
    // A group without a name, or with the object's name, is the part of the object outside all
    // groups.
    std::string group(const std::string& name) {
        if (name.empty() || name == said_) {
            return object_;
        }
        const auto [known, is_new] = groups_.try_emplace(name);
        if (is_new) {
            known->second = unused(name);
        }
        return known->second;
    }

    std::string unused(const std::string& name) {
        std::string own = name;
        for (u64& number = numbers_[name]; taken_.contains(own);) {
            number = std::max<u64>(number + 1, 2);
            own = name + ' ' + std::to_string(number);
        }
        return own;
    }

    std::string said_;                                     // the object's name in the file
    std::string object_;                                   // its unique name; empty: no object yet
    std::string present_;                                  // the object that has no face yet
    std::unordered_map<std::string, std::string> groups_;  // of the object: file name, own name
    std::unordered_map<std::string, u64> numbers_;         // the last number of each name
    std::unordered_set<std::string> taken_;                // by objects that have faces
};

// `o`, `g` or `f` for a line that begins an object or a group or is a face; else 0.
char kind_of(std::string_view line) {
    const bool is_known = !line.empty() && (line[0] == 'o' || line[0] == 'g' || line[0] == 'f') &&
                          (line.size() == 1 || kObjBlanks.find(line[1]) != kObjBlanks.npos);
    return is_known ? line[0] : '\0';
}

class ChangedFile : public Assimp::IOStream {
public:
    ChangedFile(std::unique_ptr<Assimp::IOStream> file, std::vector<LineChange> changes)
        : file_(std::move(file)), changes_(std::move(changes)) {
        u64 from = 0;
        for (std::size_t k = 0; k < changes_.size(); ++k) {
            append({size_, changes_[k].begin - from, from, kNone});
            append({size_, changes_[k].text.size(), 0, static_cast<u32>(k)});
            from = changes_[k].end;
        }
        append({size_, std::max<u64>(file_->FileSize(), from) - from, from, kNone});
    }

    std::size_t Read(void* to, std::size_t size, std::size_t count) override {
        char* bytes = static_cast<char*>(to);
        std::size_t left = size * count;
        while (left > 0 && at_ < size_) {
            const std::size_t got = read_some(bytes, left);
            if (got == 0) {
                break;
            }
            at_ += got;
            bytes += got;
            left -= got;
        }
        return size == 0 ? 0 : (size * count - left) / size;
    }

    std::size_t Write(const void*, std::size_t, std::size_t) override { return 0; }

    aiReturn Seek(std::size_t offset, aiOrigin origin) override {
        const u64 base = origin == aiOrigin_SET ? 0 : origin == aiOrigin_CUR ? at_ : size_;
        if (base + offset > size_) {
            return aiReturn_FAILURE;
        }
        at_ = base + offset;
        return aiReturn_SUCCESS;
    }

    [[nodiscard]] std::size_t Tell() const override { return at_; }

    [[nodiscard]] std::size_t FileSize() const override { return size_; }

    void Flush() override {}

private:
    // A run of bytes of the file or of a change.
    struct Piece {
        u64 at = 0;  // in this stream
        u64 size = 0;
        u64 from = 0;        // in the file
        u32 change = kNone;  // or in the text of this change
    };

    void append(const Piece& piece) {
        if (piece.size > 0) {
            pieces_.push_back(piece);
            size_ += piece.size;
        }
    }

    std::size_t read_some(char* to, std::size_t most) {
        const auto behind = std::upper_bound(
            pieces_.begin(), pieces_.end(), at_, [](u64 at, const Piece& p) { return at < p.at; });
        const Piece& piece = *(behind - 1);
        const u64 offset = at_ - piece.at;
        const std::size_t count = std::min<std::size_t>(most, piece.size - offset);
        if (piece.change != kNone) {
            std::memcpy(to, changes_[piece.change].text.data() + offset, count);
            return count;
        }
        return file_->Seek(piece.from + offset, aiOrigin_SET) == aiReturn_SUCCESS
                   ? file_->Read(to, 1, count)
                   : 0;
    }

    std::unique_ptr<Assimp::IOStream> file_;
    std::vector<LineChange> changes_;
    std::vector<Piece> pieces_;
    u64 size_ = 0;
    u64 at_ = 0;
};

}  // namespace

std::vector<LineChange> object_lines(std::istream& file) {
    std::vector<LineChange> changes;
    ObjectNames names;
    std::vector<char> block(kBlockBytes);
    std::string line;           // the start of the present line
    bool is_continued = false;  // by the line before
    u64 begin = 0;
    const auto end_line = [&] {
        const std::string_view text = trimmed_line(line);
        const bool is_short = line.size() < kLongestLine;
        const char kind = is_continued ? '\0' : kind_of(text);
        if (kind == 'f') {
            names.take_face();
        } else if (kind != '\0' && is_short) {
            if (std::string wanted = names.line(text); !wanted.empty()) {
                changes.push_back({begin, begin + line.size(), std::move(wanted)});
            }
        }
        is_continued = !text.empty() && text.back() == '\\';
    };
    u64 place = 0;
    while (file) {
        file.read(block.data(), static_cast<std::streamsize>(block.size()));
        const char* at = block.data();
        const char* const end = at + file.gcount();
        place += static_cast<u64>(file.gcount());
        while (at < end) {
            const auto* const cut =
                static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
            const char* const stop = cut == nullptr ? end : cut;
            line.append(at, stop);
            if (cut != nullptr) {
                end_line();
                begin = place - static_cast<u64>(end - cut) + 1;
                line.clear();
            }
            at = stop + 1;
        }
    }
    end_line();
    return changes;
}

std::unique_ptr<Assimp::IOStream> changed_file(std::unique_ptr<Assimp::IOStream> file,
                                               std::vector<LineChange> changes) {
    return std::make_unique<ChangedFile>(std::move(file), std::move(changes));
}

}  // namespace weft::scene
