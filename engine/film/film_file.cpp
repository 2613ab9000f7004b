#include "engine/film/film_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "engine/film/decoding.h"
#include "engine/film/film_hash.h"
#include "engine/film/whole_file.h"
#include "scheduler/base/input_file.h"
#include "scheduler/base/memory_limit.h"

namespace weft::film {

namespace {

static_assert(std::endian::native == std::endian::little, "blocks are written as they lie");

constexpr std::array<char, 8> kMagic = {'W', 'E', 'F', 'T', 'F', 'I', 'L', 'M'};
constexpr u32 kVersion = 1;
constexpr std::size_t kWord = 8;
constexpr u32 kMostSide = 1U << 20;
constexpr u32 kMostTextBytes = 1U << 30;
constexpr const char* kExpectedFile = "a whole checkpoint that weft wrote";

struct Head {
    std::array<char, 8> magic = kMagic;
    u32 version = kVersion;
    u32 text_bytes = 0;
    u64 file_bytes = 0;
};

static_assert(sizeof(Head) == 24);

constexpr std::string_view kFinished = "finished ";

std::string head_text(const Film& film, const FilmRecord& record, const std::string& finished_by) {
    const Region crop = film.crop();
    std::ostringstream text;
    text << "film " << film.width() << ' ' << film.height() << ' ' << crop.x0 << ' ' << crop.y0
         << ' ' << crop.x1 << ' ' << crop.y1 << '\n';
    for (const FilmLayer& layer : film.aovs()) {
        text << "aov " << aov_name(layer.aov);
        if (is_matte_aov(layer.aov)) {
            text << ' ' << film.matte_word_count(static_cast<u32>(&layer - film.aovs().data()));
        }
        text << '\n';
    }
    if (!finished_by.empty()) {
        text << kFinished << finished_by << '\n';
    }
    text << text_of(record);
    std::string padded = text.str();
    padded.resize((padded.size() + kWord - 1) / kWord * kWord, '\0');
    return padded;
}

u64 padded_bytes(u64 bytes) {
    return (bytes + kWord - 1) / kWord * kWord;
}

u64 block_bytes(const Film& film) {
    u64 bytes = 0;
    for (const std::span<const std::byte> block : film.blocks()) {
        bytes += padded_bytes(block.size());
    }
    for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
        if (is_matte_aov(film.aovs()[layer].aov)) {
            bytes += padded_bytes(film.matte_word_count(layer) * sizeof(u32));
        }
    }
    return bytes;
}

struct Description {
    u32 width = 0;
    u32 height = 0;
    Region crop;
    std::vector<Aov> aovs;
    std::vector<u64> matte_words;  // by layer; 0 for others
    std::string finished_by;
    FilmRecord record;
};

// Bytes of the blocks of a film that is not made yet, and of its mattes.
u64 block_bytes(const Description& described) {
    const u64 pixels = u64{described.crop.width()} * described.crop.height();
    const Film one(1, 1, {0, 0, 1, 1}, described.aovs);
    u64 bytes = 0;
    for (const u64 words : described.matte_words) {
        bytes += padded_bytes(words * sizeof(u32));
    }
    for (const std::span<const std::byte> block : one.blocks()) {
        bytes += padded_bytes(block.size() * pixels);
    }
    return bytes;
}

void absorb(Hash128& hash, std::span<const std::byte> bytes) {
    for (std::size_t at = 0; at < bytes.size(); at += kWord) {
        u64 word = 0;
        std::memcpy(&word, bytes.data() + at, std::min(kWord, bytes.size() - at));
        hash.absorb(word);
    }
}

// None for a text that describes no film.
std::optional<Description> description_of(const std::string& padded) {
    const std::string text = padded.substr(0, padded.find('\0'));
    std::istringstream stream(text);
    std::string word;
    Description found;
    Region& crop = found.crop;
    stream >> word >> found.width >> found.height >> crop.x0 >> crop.y0 >> crop.x1 >> crop.y1;
    if (!stream || word != "film" || found.width > kMostSide || found.height > kMostSide ||
        crop.x0 >= crop.x1 || crop.y0 >= crop.y1 || crop.x1 > found.width ||
        crop.y1 > found.height) {
        return std::nullopt;
    }
    std::string line;
    std::getline(stream, line);
    auto at = static_cast<std::size_t>(stream.tellg());
    while (std::getline(stream, line) && line.starts_with("aov ")) {
        std::istringstream layer(line.substr(4));
        std::string name;
        u64 words = 0;
        layer >> name;
        const std::optional<Aov> aov = aov_named(name);
        if (aov && is_matte_aov(*aov)) {
            layer >> words;
        }
        if (!aov || !layer || layer.peek() != std::istringstream::traits_type::eof()) {
            return std::nullopt;
        }
        found.aovs.push_back(*aov);
        found.matte_words.push_back(words);
        at += line.size() + 1;
    }
    if (line.starts_with(kFinished)) {
        found.finished_by = line.substr(kFinished.size());
        at += line.size() + 1;
    }
    std::optional<FilmRecord> record =
        record_of(std::string_view(text).substr(std::min(at, text.size())));
    if (!record || found.aovs.size() > kAllAovs.size()) {
        return std::nullopt;
    }
    found.record = std::move(*record);
    return found;
}

base::Error damaged(const std::string& path, const std::string& why) {
    return read_error(path, "a damaged or cut checkpoint (" + why + ")", kExpectedFile);
}

bool read_bytes(std::ifstream& file, std::span<std::byte> bytes) {
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file.gcount() == static_cast<std::streamsize>(bytes.size());
}

// Reads a block and the zeros that fill it up.
bool read_block(std::ifstream& file, std::span<std::byte> block, Hash128& hash) {
    std::array<std::byte, kWord> zeros{};
    const u64 rest = padded_bytes(block.size()) - block.size();
    if (!read_bytes(file, block) || !read_bytes(file, std::span(zeros).first(rest)) ||
        zeros != std::array<std::byte, kWord>{}) {
        return false;
    }
    absorb(hash, block);
    return true;
}

// Reads blocks and mattes, and then the hash.
bool read_blocks(std::ifstream& file,
                 const std::vector<u64>& matte_words,
                 Film& film,
                 Hash128& hash) {
    for (const std::span<std::byte> block : film.blocks()) {
        if (!read_block(file, block, hash)) {
            return false;
        }
    }
    for (u32 layer = 0; layer < matte_words.size(); ++layer) {
        if (is_matte_aov(film.aovs()[layer].aov)) {
            std::vector<u32> words(matte_words[layer]);
            if (!read_block(file, std::as_writable_bytes(std::span(words)), hash) ||
                !film.set_matte_words(layer, words)) {
                return false;
            }
        }
    }
    std::string digits(kHashDigits, '\0');
    return read_bytes(file, std::as_writable_bytes(std::span(digits))) && digits == hash.hex();
}

// A file at the first byte of its blocks, and what was read of it.
struct OpenFilm {
    std::ifstream file;
    Head head;
    std::string text;
    Description described;
};

base::Result<OpenFilm> open_film_file(const std::string& path) {
    WEFT_TRY(base::check_input_file(path, kExpectedFile));
    OpenFilm open;
    open.file.open(path, std::ios::binary | std::ios::ate);
    const auto file_bytes = static_cast<u64>(std::max<std::streamoff>(0, open.file.tellg()));
    open.file.seekg(0);
    const Head& head = open.head;
    if (!read_bytes(open.file, std::as_writable_bytes(std::span(&open.head, 1))) ||
        head.magic != kMagic) {
        return read_error(path, "no checkpoint", kExpectedFile);
    }
    if (head.version != kVersion) {
        return read_error(path,
                          "a checkpoint of layout " + std::to_string(head.version),
                          "one of layout 1, as this version of weft writes");
    }
    if (head.file_bytes != file_bytes || head.text_bytes > kMostTextBytes ||
        head.text_bytes > file_bytes || head.text_bytes % kWord != 0) {
        return damaged(path, "its size is wrong");
    }
    open.text.resize(head.text_bytes);
    const bool has_text = read_bytes(open.file, std::as_writable_bytes(std::span(open.text)));
    std::optional<Description> described = has_text ? description_of(open.text) : std::nullopt;
    if (!described ||
        sizeof(Head) + open.text.size() + block_bytes(*described) + kHashDigits != file_bytes) {
        return damaged(path, "its head is wrong");
    }
    open.described = std::move(*described);
    return open;
}

base::Result<SavedFilm> decode_film_file(const std::string& path) {
    base::Result<OpenFilm> opened = open_film_file(path);
    WEFT_TRY(opened);
    OpenFilm& open = opened.value();
    Description& described = open.described;
    const base::Result<base::MemoryClaim> claim =
        base::claim_memory(open.head.file_bytes, path + ": its film");
    WEFT_TRY(claim);
    SavedFilm saved{Film(described.width, described.height, described.crop, described.aovs),
                    std::move(described.record)};
    if (!saved.film.is_allocated()) {
        return base::Error{base::ErrorKind::Memory,
                           path + ": no memory for its film; expected room for it"};
    }
    Hash128 hash;
    absorb(hash, std::as_bytes(std::span(&open.head, 1)));
    absorb(hash, std::as_bytes(std::span(open.text)));
    if (!read_blocks(open.file, described.matte_words, saved.film, hash)) {
        return damaged(path, "its checksum is wrong");
    }
    return saved;
}

}  // namespace

SampleRange held_samples(const Film& film, u32 first_sample) {
    const Region crop = film.crop();
    u32 least = ~0U;
    u32 most = 0;
    for (u32 y = crop.y0; y < crop.y1; ++y) {
        for (u32 x = crop.x0; x < crop.x1; ++x) {
            const u32 tried = film.samples_tried(x, y);
            least = std::min(least, tried);
            most = std::max(most, tried);
        }
    }
    return {first_sample, first_sample + least, first_sample + most};
}

u64 dropped_samples(const Film& film) {
    const Region crop = film.crop();
    u64 dropped = 0;
    for (u32 y = crop.y0; y < crop.y1; ++y) {
        for (u32 x = crop.x0; x < crop.x1; ++x) {
            dropped += film.samples_tried(x, y) - film.sample_count(x, y);
        }
    }
    return dropped;
}

u64 film_file_bytes(const Film& film, const FilmRecord& record) {
    return sizeof(Head) + head_text(film, record, "").size() + block_bytes(film) + kHashDigits;
}

void encode_film_file(const Film& film,
                      const FilmRecord& record,
                      std::vector<std::byte>& bytes,
                      const std::string& finished_by) {
    const std::string text = head_text(film, record, finished_by);
    Head head;
    head.text_bytes = static_cast<u32>(text.size());
    head.file_bytes = sizeof(Head) + text.size() + block_bytes(film) + kHashDigits;
    bytes.resize(head.file_bytes);
    std::byte* at = bytes.data();
    const auto put = [&at](const void* from, std::size_t count) {
        std::memcpy(at, from, count);
        at += count;
    };
    put(&head, sizeof head);
    put(text.data(), text.size());
    const auto put_block = [&put](std::span<const std::byte> block) {
        constexpr std::array<char, kWord> kZeros{};
        if (!block.empty()) {
            put(block.data(), block.size());
            put(kZeros.data(), padded_bytes(block.size()) - block.size());
        }
    };
    for (const std::span<const std::byte> block : film.blocks()) {
        put_block(block);
    }
    for (u32 layer = 0; layer < film.aovs().size(); ++layer) {
        if (is_matte_aov(film.aovs()[layer].aov)) {
            const std::vector<u32> words = film.matte_words(layer);
            put_block(std::as_bytes(std::span(words)));
        }
    }
}

base::Status write_film_file(const std::string& path, std::vector<std::byte>& bytes) {
    const std::span<std::byte> all(bytes);
    Hash128 hash;
    absorb(hash, all.first(all.size() - kHashDigits));
    const std::string digits = hash.hex();
    std::memcpy(all.last(kHashDigits).data(), digits.data(), kHashDigits);
    base::Result<WholeFile> file = WholeFile::open(path);
    WEFT_TRY(file);
    file.value().write_at(bytes.data(), bytes.size(), 0);
    return file.value().commit();
}

base::Result<SavedFilm> read_film_file(const std::string& path) {
    return guarded(path, [&] { return decode_film_file(path); });
}

base::Result<std::string> read_finished_by(const std::string& path) {
    return guarded(path, [&]() -> base::Result<std::string> {
        base::Result<OpenFilm> opened = open_film_file(path);
        WEFT_TRY(opened);
        return std::move(opened.value().described.finished_by);
    });
}

bool is_film_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::array<char, kMagic.size()> magic{};
    file.read(magic.data(), magic.size());
    return file.gcount() == static_cast<std::streamsize>(magic.size()) && magic == kMagic;
}

}  // namespace weft::film
