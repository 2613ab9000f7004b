// fuzz_settings.cpp — the file of settings that the viewer reads when it starts, and the cameras of
// its bookmarks.
#include <cstdlib>

#include "app/view/session/view_settings.h"
#include "scheduler/base/ensure.h"
#include "tests/fuzz/fuzz_target.h"

int LLVMFuzzerTestOneInput(const weft::u8* bytes, std::size_t size_bytes) {
    using namespace weft;
    const fuzz::Scratch& scratch = fuzz::scratch();
    ::setenv("XDG_CONFIG_HOME", scratch.path().c_str(), 1);
    static_cast<void>(scratch.write("weft/view.json", {bytes, size_bytes}));
    const app::ViewSettings settings = app::read_settings();
    ENSURE(settings.recent.size(), <=, app::kMostRecent);
    for (const auto& [scene, bookmarks] : settings.bookmarks) {
        for (const app::Bookmark& bookmark : bookmarks) {
            static_cast<void>(app::camera_of(bookmark, {}));
        }
    }
    return 0;
}
