// aside.cpp — see aside.h.
#include "integrations/python/aside.h"

#include <Python.h>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <filesystem>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace weft::python {

namespace {

using base::Error;
using base::ErrorKind;

// Between two looks of the waiting thread.
constexpr std::chrono::milliseconds kPace{50};

// All work under way. Guarded by its mutex, which no thread holds while it waits for the GIL.
struct Register {
    std::mutex mutex;
    std::condition_variable has_left;
    std::set<const AsideHooks*> hooks;
    bool is_closed = false;
    // That worked first; 0: none has. relaxed: a forked process copies it with everything else.
    std::atomic<pid_t> process{0};
};

Register& all_work() {
    static Register the_only;
    return the_only;
}

base::Status enter(const AsideHooks& hooks) {
    Register& all = all_work();
    // Before the lock, which another thread may have held when the process was forked.
    const pid_t worked = all.process.load(std::memory_order_relaxed);
    if (worked != 0 && worked != ::getpid()) {
        return Error{ErrorKind::Usage,
                     "this process was forked from one that has worked with weft, and lacks its "
                     "threads; expected multiprocessing's start method spawn or forkserver"};
    }
    const std::lock_guard lock(all.mutex);
    if (all.is_closed) {
        return Error{ErrorKind::Usage, "the interpreter is ending; expected no further work"};
    }
    all.process.store(::getpid(), std::memory_order_relaxed);
    all.hooks.insert(&hooks);
    return base::Done{};
}

void leave(const AsideHooks& hooks) {
    Register& all = all_work();
    const std::lock_guard lock(all.mutex);
    all.hooks.erase(&hooks);
    all.has_left.notify_all();
}

Error no_thread(const std::system_error& refusal) {
    return {ErrorKind::Render,
            std::string("a thread could not be started (") + refusal.what() + ")"};
}

base::Status work_safely(const std::function<base::Status()>& work) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        return Error{ErrorKind::Memory, "out of memory: the scene or the picture is too large"};
    } catch (const std::filesystem::filesystem_error& failure) {
        return Error{ErrorKind::Render, failure.what()};
    } catch (const std::system_error& refusal) {
        return no_thread(refusal);
    } catch (const std::exception& failure) {
        return Error{ErrorKind::Render, failure.what()};
    }
}

// The result of the work, and the thread that waits for it.
struct Outcome {
    std::mutex mutex;
    std::condition_variable has_come;
    std::optional<base::Status> status;
};

// Signals of this thread are blocked as long as it lives, but for those of faults: threads that
// begin meanwhile, and those that they start, leave signals to Python's threads, whose handlers
// come without SA_RESTART and would interrupt reads and writes.
class BlockedSignals {
public:
    BlockedSignals() {
        sigset_t blocked;
        sigfillset(&blocked);
        for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS}) {
            sigdelset(&blocked, fault);
        }
        pthread_sigmask(SIG_SETMASK, &blocked, &former_);
    }

    BlockedSignals(const BlockedSignals&) = delete;
    BlockedSignals& operator=(const BlockedSignals&) = delete;

    ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &former_, nullptr); }

private:
    sigset_t former_{};
};

// A Python error, kept while the GIL is released.
struct KeptError {
    PyObject* type = nullptr;
    PyObject* value = nullptr;
    PyObject* trace = nullptr;
};

bool looks_well(const AsideHooks& hooks) {
    return PyErr_CheckSignals() == 0 && (!hooks.look || hooks.look());
}

// Waits for the work. Called and left with the GIL; releases it in between. Returns whether no
// Python error came.
bool wait(Outcome& outcome, const AsideHooks& hooks, KeptError& error) {
    bool is_well = true;
    PyThreadState* state = PyEval_SaveThread();
    for (bool is_done = false; !is_done;) {
        {
            std::unique_lock lock(outcome.mutex);
            is_done =
                outcome.has_come.wait_for(lock, kPace, [&] { return outcome.status.has_value(); });
        }
        if (!is_well) {
            continue;
        }
        PyEval_RestoreThread(state);
        is_well = looks_well(hooks);
        if (!is_well) {
            PyErr_Fetch(&error.type, &error.value, &error.trace);
            if (hooks.cancel) {
                hooks.cancel();
            }
        }
        state = PyEval_SaveThread();
    }
    PyEval_RestoreThread(state);
    return is_well;
}

}  // namespace

std::optional<base::Status> work_aside(const std::function<base::Status()>& work,
                                       const AsideHooks& hooks) {
    base::Status entered = enter(hooks);
    if (!entered.is_ok()) {
        return entered;
    }
    Outcome outcome;
    std::thread thread;
    try {
        const BlockedSignals blocked;
        thread = std::thread([&] {
            base::Status status = work_safely(work);
            const std::lock_guard lock(outcome.mutex);
            outcome.status = std::move(status);
            outcome.has_come.notify_all();
        });
    } catch (const std::system_error& refusal) {
        leave(hooks);
        return no_thread(refusal);
    }
    KeptError error;
    const bool is_well = wait(outcome, hooks, error);
    thread.join();  // it has nothing left to do
    leave(hooks);
    if (!is_well) {
        PyErr_Restore(error.type, error.value, error.trace);
        return std::nullopt;
    }
    return std::move(outcome.status);
}

void end_work() {
    Register& all = all_work();
    if (all.process.load(std::memory_order_relaxed) != ::getpid()) {
        return;
    }
    PyThreadState* const state = PyEval_SaveThread();
    {
        std::unique_lock lock(all.mutex);
        all.is_closed = true;
        for (const AsideHooks* const hooks : all.hooks) {
            if (hooks->cancel) {
                hooks->cancel();
            }
        }
        all.has_left.wait(lock, [&] { return all.hooks.empty(); });
    }
    PyEval_RestoreThread(state);
}

}  // namespace weft::python
