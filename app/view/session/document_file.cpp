#include "app/view/session/document_file.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/command/edit_file.h"
#include "app/view/session/view_settings.h"
#include "scheduler/base/input_file.h"

namespace weft::app {

namespace {

namespace fs = std::filesystem;

// Reads the edits of a file, with paths resolved for this document.
base::Result<std::vector<scene::Edit>> read_for(const Document& document, const std::string& path) {
    const base::Result<EditFile> file = read_edit_file(path);
    WEFT_TRY(file);
    const std::string folder = fs::path(path).parent_path().string();
    return with_files_from(file.value().edits, folder, document.context().folder);
}

// The content to write to this path.
EditFile file_of(const Document& document, const std::string& scene, const std::string& path) {
    const std::string folder = fs::path(path).parent_path().string();
    return {scene, with_files_from(document.edits(), document.context().folder, folder)};
}

// Whether one path is the other or one of an object that the other is a field of.
bool is_of_same(const std::string& a, const std::string& b) {
    return a == b || a.starts_with(b + '/') || b.starts_with(a + '/');
}

// Error: how many of `count` edits were left out, and why the first.
base::Status left_out(const std::string& from,
                      const std::vector<scene::EditsMade::Fault>& faults,
                      std::size_t count) {
    if (faults.empty()) {
        return base::Done{};
    }
    const base::Error& why = faults.front().error;
    return base::Error{why.kind,
                       from + ": " + std::to_string(faults.size()) + " of " +
                           std::to_string(count) +
                           " edits do not fit the scene and are left out: " + why.sentence};
}

}  // namespace

std::string unsaved_folder() {
    const std::string settings = settings_folder();
    return settings.empty() ? "" : (fs::path(settings) / "unsaved").string();
}

base::Status save_edits(Document& document, const std::string& scene, const std::string& path) {
    WEFT_TRY(write_edit_file(path, file_of(document, scene, path)));
    document.mark_saved();
    return base::Done{};
}

base::Status load_edits(Document& document, const std::string& path) {
    const auto edits = read_for(document, path);
    WEFT_TRY(edits);
    base::Status applied = document.edit_all(edits.value());
    return applied.is_ok()
               ? applied
               : base::Error{applied.error().kind, path + ": " + applied.error().sentence};
}

base::Status load_fitting_edits(Document& document,
                                const std::string& path,
                                std::function<bool(const std::string& path)> may_open) {
    const auto edits = read_for(document, path);
    WEFT_TRY(edits);
    const auto faults = document.edit_fitting(edits.value(), std::move(may_open));
    return left_out(path, faults, edits.value().size());
}

base::Status add_given_edits(Document& document,
                             const std::string& file,
                             std::span<const scene::Edit> sets) {
    std::vector<scene::Edit> given;
    if (!file.empty()) {
        auto edits = read_for(document, file);
        WEFT_TRY(edits);
        given = std::move(edits.value());
    }
    given.insert(given.end(), sets.begin(), sets.end());
    const std::vector<scene::Edit> made = document.edits();
    std::erase_if(given, [&made](const scene::Edit& edit) {
        const std::string path = edit.path.substr(edit.path.starts_with('/') ? 1 : 0);
        return std::any_of(made.begin(), made.end(), [&path](const scene::Edit& other) {
            return is_of_same(path, other.path);
        });
    });
    return left_out("--edits and --set", document.edit_fitting(given, {}), given.size());
}

std::string text_of(const std::string& path) {
    const auto bytes = base::read_input_file(path, "a file of edits", base::kMostTextBytes);
    return bytes.is_ok() ? std::string(base::as_text(bytes.value())) : std::string();
}

Autosave::Autosave(std::string scene, const std::string& folder)
    : scene_(std::move(scene)), place_(folder, scene_) {}

std::optional<std::string> Autosave::left_behind() const {
    std::error_code problem;
    return !path().empty() && fs::is_regular_file(path(), problem) ? std::optional(path())
                                                                   : std::nullopt;
}

base::Status Autosave::keep(const Document& document) {
    if (const std::optional<base::Status> ended = writing_.poll()) {
        last_ = *ended;
    }
    if (writing_.is_running()) {
        return base::Done{};
    }
    const base::Status before = last_;
    if (before.is_ok()) {
        has_told_ = false;
    }
    if (document.state_number() != kept_number_) {
        begin(document);
    }
    return before.is_ok() || std::exchange(has_told_, true) ? base::Status(base::Done{}) : before;
}

void Autosave::begin(const Document& document) {
    kept_number_ = document.state_number();
    if (!document.is_changed()) {
        discard();
    } else if (path().empty()) {
        last_ = base::Error{base::ErrorKind::Output,
                            "edits that are not saved are not kept aside: neither XDG_CONFIG_HOME "
                            "nor HOME is set"};
    } else {
        writing_.start([path = path(), file = file_of(document, scene_, path())] {
            std::error_code problem;
            fs::create_directories(fs::path(path).parent_path(), problem);
            return write_edit_file(path, file);
        });
    }
}

base::Status Autosave::wait() {
    if (const std::optional<base::Status> ended = writing_.wait()) {
        last_ = *ended;
    }
    return last_;
}

void Autosave::discard() {
    static_cast<void>(wait());  // errors of unwanted writes do not matter
    last_ = base::Done{};
    std::error_code problem;
    if (!path().empty()) {
        fs::remove(path(), problem);
    }
}

}  // namespace weft::app
