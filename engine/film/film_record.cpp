#include "engine/film/film_record.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/film/film_hash.h"

namespace weft::film {

namespace {

constexpr std::string_view kFirstLine = "weft film record 1";

// Values may hold any text, such as names of nodes; a line must not.
std::string escaped(std::string_view value) {
    std::string text;
    for (const char letter : value) {
        if (letter == '\n' || letter == '\0' || letter == '\\') {
            text += '\\';
            text += letter == '\n' ? 'n' : letter == '\0' ? '0' : letter;
        } else {
            text += letter;
        }
    }
    return text;
}

std::string unescaped(std::string_view text) {
    std::string value;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) {
            ++i;
            value += text[i] == 'n' ? '\n' : text[i] == '0' ? '\0' : text[i];
        } else {
            value += text[i];
        }
    }
    return value;
}

// Cuts the text up to the next `separator` off, or all of it.
std::string_view cut_off(std::string_view& text, char separator) {
    const std::size_t end = std::min(text.find(separator), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

template <typename Number>
bool parse(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

bool parse_range(std::string_view text, FilmRecord& record) {
    SampleRange range;
    for (u32* number : {&range.begin, &range.end, &range.reach}) {
        if (!parse(cut_off(text, ' '), *number)) {
            return false;
        }
    }
    const u32 least = record.ranges.empty() ? 0 : record.ranges.back().reach;
    record.ranges.push_back(range);
    return text.empty() && least <= range.begin && range.begin <= range.end &&
           range.end <= range.reach;
}

bool parse_line(std::string_view line, FilmRecord& record) {
    const std::string_view key = cut_off(line, ' ');
    if (key == "origin") {
        const std::string_view name = cut_off(line, '=');
        record.origin.emplace_back(name, unescaped(line));
        return !name.empty();
    }
    if (key == "name") {
        const std::optional<Aov> layer = aov_named(cut_off(line, ' '));
        if (layer && is_matte_aov(*layer)) {
            record.names.push_back({*layer, unescaped(line)});
        }
        return layer && is_matte_aov(*layer);
    }
    if (key == "camera") {
        record.camera_name = unescaped(line);
        return !record.camera_name.empty();
    }
    return key == "samples"   ? parse_range(line, record)
           : key == "wanted"  ? parse(line, record.samples_wanted)
           : key == "slices"  ? parse(line, record.slices)
           : key == "dropped" ? parse(line, record.dropped_samples)
                              : false;
}

std::string samples_text(u32 begin, u32 end) {
    return end - begin == 1 ? "sample " + std::to_string(begin)
                            : "samples " + std::to_string(begin) + " to " + std::to_string(end - 1);
}

// Hashes tell a reader nothing.
bool is_hash(const std::string& value) {
    return value.size() == kHashDigits &&
           value.find_first_not_of("0123456789abcdef") == std::string::npos;
}

// The parts of [begin, end) that not every pixel has.
std::vector<SampleRange> gaps_of(const FilmRecord& record, u32 begin, u32 end) {
    std::vector<SampleRange> gaps;
    for (const SampleRange& held : record.ranges) {
        if (held.begin >= end) {
            break;
        }
        if (held.begin > begin) {
            gaps.push_back({begin, held.begin, held.begin});
        }
        begin = std::max(begin, held.end);
    }
    if (begin < end) {
        gaps.push_back({begin, end, end});
    }
    return gaps;
}

}  // namespace

SampleRange slice_range(u32 number, u32 slices, u32 samples_wanted) {
    const auto border = [&](u64 k) { return static_cast<u32>(samples_wanted * k / slices); };
    return {border(number - 1), border(number), border(number)};
}

std::string origin_value(const FilmRecord& record, std::string_view name) {
    for (const auto& [key, value] : record.origin) {
        if (key == name) {
            return value;
        }
    }
    return "";
}

std::string text_of(const FilmRecord& record) {
    std::string text(kFirstLine);
    text += "\nwanted " + std::to_string(record.samples_wanted);
    text += "\nslices " + std::to_string(record.slices);
    text += "\ndropped " + std::to_string(record.dropped_samples);
    for (const SampleRange& range : record.ranges) {
        text += "\nsamples " + std::to_string(range.begin) + ' ' + std::to_string(range.end) + ' ' +
                std::to_string(range.reach);
    }
    for (const auto& [name, value] : record.origin) {
        text += "\norigin " + name + '=' + escaped(value);
    }
    for (const MatteName& name : record.names) {
        text += "\nname ";
        text += aov_name(name.layer);
        text += ' ' + escaped(name.name);
    }
    if (!record.camera_name.empty()) {
        text += "\ncamera " + escaped(record.camera_name);
    }
    return text;
}

std::optional<FilmRecord> record_of(std::string_view text) {
    FilmRecord record;
    if (cut_off(text, '\n') != kFirstLine) {
        return std::nullopt;
    }
    while (!text.empty()) {
        if (!parse_line(cut_off(text, '\n'), record)) {
            return std::nullopt;
        }
    }
    if (!std::is_sorted(record.names.begin(), record.names.end())) {
        return std::nullopt;
    }
    return record;
}

std::string difference_of(const FilmRecord& there, const FilmRecord& here) {
    std::vector<std::string> names;
    for (const FilmRecord* record : {&there, &here}) {
        for (const auto& entry : record->origin) {
            names.push_back(entry.first);
        }
    }
    for (const std::string& name : names) {
        const std::string a = origin_value(there, name);
        const std::string b = origin_value(here, name);
        if (a != b) {
            const auto shown = [](const std::string& value) {
                return value.empty() ? "none" : value;
            };
            return is_hash(a) || is_hash(b)
                       ? "another " + name
                       : name + " is " + shown(a) + " there and " + shown(b) + " here";
        }
    }
    return "";
}

std::string overlap_of(const FilmRecord& a, const FilmRecord& b) {
    for (const SampleRange& first : a.ranges) {
        for (const SampleRange& second : b.ranges) {
            const u32 begin = std::max(first.begin, second.begin);
            const u32 end = std::min(first.reach, second.reach);
            if (begin < end) {
                return samples_text(begin, end);
            }
        }
    }
    return "";
}

void join(FilmRecord& record, const FilmRecord& part) {
    std::vector<SampleRange> all = record.ranges;
    all.insert(all.end(), part.ranges.begin(), part.ranges.end());
    std::sort(all.begin(), all.end(), [](const SampleRange& a, const SampleRange& b) {
        return a.begin < b.begin;
    });
    record.ranges.clear();
    for (const SampleRange& range : all) {
        const bool goes_on = !record.ranges.empty() && record.ranges.back().end == range.begin &&
                             record.ranges.back().reach == range.begin;
        if (goes_on) {
            record.ranges.back().end = range.end;
            record.ranges.back().reach = range.reach;
        } else {
            record.ranges.push_back(range);
        }
    }
    const bool is_cut_alike =
        record.slices == part.slices && record.samples_wanted == part.samples_wanted;
    record.slices = is_cut_alike ? record.slices : 0;
    record.samples_wanted = std::max(record.samples_wanted, part.samples_wanted);
    record.dropped_samples += part.dropped_samples;
    if (record.camera_name.empty()) {
        record.camera_name = part.camera_name;
    }
    MatteNames names;
    std::set_union(record.names.begin(),
                   record.names.end(),
                   part.names.begin(),
                   part.names.end(),
                   std::back_inserter(names));
    record.names = std::move(names);
}

std::vector<std::string> missing_of(const FilmRecord& record) {
    std::vector<std::string> missing;
    const u32 slices = std::max(record.slices, 1U);
    for (u32 number = 1; number <= slices; ++number) {
        const SampleRange slice = slice_range(number, slices, record.samples_wanted);
        for (const SampleRange& gap : gaps_of(record, slice.begin, slice.end)) {
            const std::string samples = samples_text(gap.begin, gap.end);
            const std::string name = std::to_string(number) + '/' + std::to_string(slices);
            missing.push_back(slices == 1    ? samples
                              : gap == slice ? "slice " + name + " (" + samples + ")"
                                             : samples + " of slice " + name);
        }
    }
    return missing;
}

}  // namespace weft::film
