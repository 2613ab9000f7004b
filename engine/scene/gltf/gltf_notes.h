// gltf_notes.h — the notes of one import, each sentence once.
//
// Filled by the one importer thread, then written into the scene in the order of first mention. A
// file with ten thousand different faults gets the first few hundred and a count of the rest.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/scene/model/scene.h"

namespace weft::scene::gltf {

class Notes {
public:
    static constexpr std::size_t kMaxSentences = 200;

    void add(Note::Kind kind, const std::string& sentence, u64 times = 1) {
        const auto [row, is_new] = rows_.try_emplace(sentence, order_.size());
        if (!is_new) {
            order_[row->second].times += times;
        } else if (order_.size() < kMaxSentences) {
            order_.push_back({kind, sentence, times});
        } else {
            rows_.erase(row);
            ++unsaid_;
        }
    }

    void write(const std::string& file, Scene& scene) const {
        for (const Row& row : order_) {
            const std::string count =
                row.times == 1 ? "" : " (" + std::to_string(row.times) + " times)";
            scene.notes.push_back({row.kind, file + ": " + row.sentence + count});
        }
        if (unsaid_ != 0) {
            scene.notes.push_back(
                {Note::Kind::Repaired, file + ": " + std::to_string(unsaid_) + " notes more"});
        }
    }

private:
    struct Row {
        Note::Kind kind;
        std::string sentence;
        u64 times;
    };

    std::map<std::string, std::size_t> rows_;  // sentence → place in order_
    std::vector<Row> order_;
    u64 unsaid_ = 0;
};

}  // namespace weft::scene::gltf
