// bindings.cpp — weft._core: the module in C++ below the package weft, which alone calls it.
//
// Scalars, texts and JSON go over; pixels stay where they are and are seen through Python's buffer
// protocol. weft/_core.pyi describes each function.
#include <mutex>
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <utility>

#include "app/command/version.h"
#include "integrations/python/aside.h"
#include "integrations/python/script_compare.h"
#include "integrations/python/script_frame.h"
#include "integrations/python/script_options.h"
#include "integrations/python/script_scene.h"
#include "scheduler/base/installation.h"
#include "scheduler/base/memory_limit.h"
#include "scheduler/base/printable.h"
#include "scheduler/base/size_text.h"

namespace weft::python {

namespace {

namespace py = pybind11;
using Words = std::vector<std::string>;

// What becomes an exception of the package's (weft/errors.py).
struct Failure {
    base::Error error;
};

const char* kind_name(base::ErrorKind kind) {
    switch (kind) {
        case base::ErrorKind::Usage:
            return "usage";
        case base::ErrorKind::Scene:
            return "scene";
        case base::ErrorKind::TooLarge:
            return "too_large";
        case base::ErrorKind::Output:
            return "output";
        case base::ErrorKind::Memory:
            return "memory";
        case base::ErrorKind::Render:
            break;
    }
    return "render";
}

void raise_failure(const base::Error& error) {
    const py::object made =
        py::module_::import("weft.errors")
            .attr("made_of")(kind_name(error.kind), base::printable(error.sentence));
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
}

template <typename T>
T value_of(base::Result<T> result) {
    if (!result.is_ok()) {
        throw Failure{result.error()};
    }
    return std::move(result.value());
}

// Runs the work aside; throws what went wrong.
void run_aside(const std::function<base::Status()>& work, const AsideHooks& hooks) {
    std::optional<base::Status> status = work_aside(work, hooks);
    if (!status) {
        throw py::error_already_set();
    }
    value_of(std::move(*status));
}

// Runs work that gives a value.
template <typename T>
T get_aside(const std::function<base::Result<T>()>& work, const AsideHooks& hooks = {}) {
    std::optional<T> value;
    run_aside(
        [&]() -> base::Status {
            base::Result<T> result = work();
            WEFT_TRY(result);
            value = std::move(result.value());
            return base::Done{};
        },
        hooks);
    return std::move(*value);
}

// Calls a function of Python; where it returns False, `cancel`. Returns whether it raised nothing.
bool look_by(const py::object& function, const std::function<void()>& cancel) {
    try {
        if (!function.is_none() && function().is(py::bool_(false))) {
            cancel();
        }
    } catch (py::error_already_set& raised) {
        raised.restore();
        return false;
    }
    return true;
}

// --- memory of the process ---

// The limit that the caller has set. 0: none, and each scene and each render measures the memory
// that the machine has free, because other code of the process takes memory, too.
u64 stated_limit_bytes = 0;

void measure_limit() {
    base::set_memory_limit(stated_limit_bytes);
}

void set_limit(const std::string& size) {
    const u64 bytes = size.empty() ? 0 : base::parse_size(size);
    if (!size.empty() && bytes == 0) {
        throw Failure{{base::ErrorKind::Usage,
                       "memory_limit: expected a size such as 8G, found '" + size + "'"}};
    }
    stated_limit_bytes = bytes;
    measure_limit();
}

// --- texts that need not be UTF-8 ---

py::list bytes_of(const std::vector<std::string>& texts) {
    py::list list;
    for (const std::string& text : texts) {
        list.append(py::bytes(text));
    }
    return list;
}

// --- pixels ---

py::buffer_info buffer_of(const Plane& plane) {
    const auto width = static_cast<py::ssize_t>(plane.width);
    const auto channels = static_cast<py::ssize_t>(plane.channels);
    constexpr py::ssize_t kSize = sizeof(float);
    return py::buffer_info(const_cast<void*>(plane.pixels),
                           kSize,
                           plane.is_whole ? py::format_descriptor<u32>::format()
                                          : py::format_descriptor<float>::format(),
                           3,
                           {static_cast<py::ssize_t>(plane.height), width, channels},
                           {width * channels * kSize, channels * kSize, kSize},
                           true);
}

Plane plane_of(const std::shared_ptr<const film::Picture>& picture) {
    return {
        picture, picture->pixels.data(), picture->height, picture->width, picture->channels, false};
}

// A copy of height × width × channels floats, whose rows have no gaps.
film::Picture picture_of(const std::string& name, const py::buffer& pixels) {
    const py::buffer_info info = pixels.request();
    const bool is_right = info.ndim == 3 && info.format == py::format_descriptor<float>::format() &&
                          info.shape[2] >= 1 && info.shape[2] <= 4 && info.size > 0 &&
                          info.size < py::ssize_t{1} << 40;
    if (!is_right) {
        throw Failure{{base::ErrorKind::Usage,
                       name + ": expected an array of shape (height, width, 1 to 4), float32"}};
    }
    film::Picture picture;
    picture.height = static_cast<u32>(info.shape[0]);
    picture.width = static_cast<u32>(info.shape[1]);
    picture.channels = static_cast<u32>(info.shape[2]);
    const auto* const first = static_cast<const float*>(info.ptr);
    picture.pixels.assign(first, first + info.size);
    return picture;
}

// --- scenes ---

// A scene that several threads of Python may call: one at a time, without the GIL.
class SharedScene {
public:
    explicit SharedScene(std::unique_ptr<ScriptScene> scene) : scene_(std::move(scene)) {}

    template <typename Call>
    auto with(const Call& call) {
        const py::gil_scoped_release released;
        const std::lock_guard lock(mutex_);
        return call(*scene_);
    }

private:
    std::mutex mutex_;
    std::unique_ptr<ScriptScene> scene_;
};

std::unique_ptr<SharedScene> load(const Words& scenes, const Words& words) {
    measure_limit();
    std::atomic<bool> is_cancelled{false};
    auto scene = get_aside<std::unique_ptr<ScriptScene>>(
        [&] { return ScriptScene::load(scenes, words, [&] { return is_cancelled.load(); }); },
        {.look = {}, .cancel = [&] { is_cancelled.store(true); }});
    return std::make_unique<SharedScene>(std::move(scene));
}

std::unique_ptr<SharedScene> copy_of(SharedScene& scene) {
    return std::make_unique<SharedScene>(
        scene.with([](const ScriptScene& one) { return std::make_unique<ScriptScene>(one); }));
}

void edit(SharedScene& scene, const std::vector<std::pair<std::string, std::string>>& edits) {
    std::vector<scene::Edit> list;
    for (const auto& [path, value] : edits) {
        list.push_back({path, value});
    }
    value_of(scene.with([&](ScriptScene& one) { return one.edit(list); }));
}

void bind_scene(py::module_& m) {
    py::class_<SharedScene>(m, "Scene")
        .def("copy", &copy_of)
        .def("edit", &edit)
        .def("value",
             [](SharedScene& scene, const std::string& path) {
                 return value_of(scene.with([&](ScriptScene& one) { return one.value(path); }));
             })
        .def("paths",
             [](SharedScene& scene, const std::string& family) {
                 return bytes_of(
                     value_of(scene.with([&](ScriptScene& one) { return one.paths(family); })));
             })
        .def("fields_json",
             [](SharedScene& scene, const std::string& path) {
                 return scene.with([&](ScriptScene& one) { return one.fields_json(path); });
             })
        .def("figures_json",
             [](SharedScene& scene) {
                 return scene.with([](ScriptScene& one) { return one.figures_json(); });
             })
        .def("notes_json",
             [](SharedScene& scene) {
                 return scene.with([](ScriptScene& one) { return one.notes_json(); });
             })
        .def("report", [](SharedScene& scene) {
            return py::bytes(scene.with([](ScriptScene& one) { return one.report(); }));
        });
    m.def("load", &load);
}

// --- frames ---

std::shared_ptr<ScriptFrame> prepare(SharedScene& scene, const Words& words) {
    measure_limit();
    auto copy = scene.with([](const ScriptScene& one) { return one; });
    return get_aside<std::shared_ptr<ScriptFrame>>(
        [&] { return ScriptFrame::prepare(copy, words); });
}

void render(const std::shared_ptr<ScriptFrame>& frame, const py::object& look) {
    const auto cancel = [frame] { frame->cancel(); };
    run_aside([frame] { return frame->render(); },
              {.look = [&] { return look_by(look, cancel); }, .cancel = cancel});
}

py::tuple progress(const ScriptFrame& frame) {
    const frame::FrameProgress progress = frame.progress();
    return py::make_tuple(
        progress.samples_done, progress.samples_total - progress.samples_saved, progress.elapsed_s);
}

// The frame as a picture; refuses one that is none yet.
const ScriptFrame& shown(const ScriptFrame& frame) {
    if (!frame.is_picture()) {
        throw Failure{{base::ErrorKind::Usage, "nothing is rendered yet; expected render()"}};
    }
    return frame;
}

void bind_picture(py::class_<ScriptFrame, std::shared_ptr<ScriptFrame>>& frame_class) {
    using Frame = const ScriptFrame&;
    frame_class.def("window", [](Frame frame) { return shown(frame).window(); })
        .def("beauty", [](Frame frame) { return shown(frame).beauty(); })
        .def("denoised", [](Frame frame) { return shown(frame).denoised(); })
        .def("layers", [](Frame frame) { return bytes_of(shown(frame).layers()); })
        .def(
            "layer",
            [](Frame frame, const std::string& name) { return value_of(shown(frame).layer(name)); })
        .def("facts_json",
             [](Frame frame, const std::string& name) {
                 return value_of(shown(frame).facts_json(name));
             })
        .def("film_hash", [](Frame frame) { return shown(frame).film_hash(); })
        .def("stats_json", [](Frame frame) { return shown(frame).stats_json(); })
        .def("command_line", [](Frame frame) { return py::bytes(frame.command_line()); })
        .def("save",
             [](const std::shared_ptr<ScriptFrame>& frame,
                const std::string& path,
                const Words& words) {
                 shown(*frame);
                 run_aside([&] { return frame->save(path, words); }, {});
             });
}

void bind_frame(py::module_& m) {
    py::class_<ScriptFrame, std::shared_ptr<ScriptFrame>> frame_class(m, "Frame");
    frame_class.def("render", &render)
        .def("cancel", &ScriptFrame::cancel)
        .def("is_cancelled", &ScriptFrame::is_cancelled)
        .def("is_picture", &ScriptFrame::is_picture)
        .def("progress", &progress)
        .def("take_notes", [](ScriptFrame& frame) { return bytes_of(frame.take_notes()); });
    bind_picture(frame_class);
    m.def("prepare", &prepare);
}

// --- comparison and measurement ---

py::tuple compare_planes(const Words& words,
                         const std::string& test_name,
                         const py::buffer& test,
                         const std::string& reference_name,
                         const py::buffer& reference) {
    const film::Picture a = picture_of(test_name, test);
    const film::Picture b = picture_of(reference_name, reference);
    const ScriptComparison comparison = get_aside<ScriptComparison>(
        [&] { return compare(words, test_name, a, reference_name, b); });
    return py::make_tuple(comparison.values, plane_of(comparison.errors));
}

// Lines of a measurement, on their way to the waiting thread.
struct Lines {
    std::mutex mutex;
    std::vector<std::string> lines;

    void add(const std::string& line) {
        const std::lock_guard lock(mutex);
        lines.push_back(line);
    }

    std::vector<std::string> take() {
        const std::lock_guard lock(mutex);
        return std::exchange(lines, {});
    }
};

py::tuple bench_scenes(const Words& scenes, const Words& words, const py::object& on_line) {
    measure_limit();
    std::atomic<bool> is_stopped{false};
    Lines lines;
    const auto stop = [&] { is_stopped.store(true); };
    const auto look = [&] {
        for (const std::string& line : lines.take()) {
            const bool is_well =
                on_line.is_none() ||
                look_by(py::cpp_function([&] { return on_line(py::bytes(line)); }), stop);
            if (!is_well) {
                return false;
            }
        }
        return true;
    };
    const app::BenchHooks hooks{.on_line = [&](const std::string& line) { lines.add(line); },
                                .on_begin = [] {},
                                .is_stopped = [&] { return is_stopped.load(); }};
    const app::BenchReport report = get_aside<app::BenchReport>(
        [&] { return bench(scenes, words, hooks); }, {.look = look, .cancel = stop});
    return py::make_tuple(report.table, report.json, report.chart);
}

void bind_functions(py::module_& m) {
    py::enum_<OptionsOf>(m, "OptionsOf")
        .value("load", OptionsOf::Load)
        .value("render", OptionsOf::Render)
        .value("save", OptionsOf::Save)
        .value("bench", OptionsOf::Bench)
        .value("compare", OptionsOf::Compare);
    m.def("options_json", &options_json);
    m.def("read_picture", [](const std::string& path) {
        return plane_of(
            get_aside<std::shared_ptr<const film::Picture>>([&] { return read_picture(path); }));
    });
    m.def("compare", &compare_planes);
    m.def("bench", &bench_scenes);
    m.def("set_memory_limit", &set_limit);
    m.def("set_program_folder",
          [](const std::string& folder) { base::set_program_folder(folder); });
    m.def("end_work", &end_work);
}

}  // namespace

PYBIND11_MODULE(_core, m) {
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            if (thrown) {
                std::rethrow_exception(thrown);
            }
        } catch (const Failure& failure) {
            raise_failure(failure.error);
        }
    });
    m.attr("version") = app::kVersion;
    py::class_<Plane>(m, "Plane", py::buffer_protocol()).def_buffer(&buffer_of);
    bind_scene(m);
    bind_frame(m);
    bind_functions(m);
}

}  // namespace weft::python
