// few_addresses.h — while it lives this process can map little more memory than it has.
//
// Large allocations of any thread fail with std::bad_alloc meanwhile.
#pragma once

#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

#include <doctest/doctest.h>

namespace weft::image {

// Whether the limit leads to exceptions: sanitizers end the process instead.
inline bool can_lack_addresses() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#elif defined(__has_feature)
#    if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return false;
#    else
    return true;
#    endif
#else
    return true;
#endif
}

class FewAddresses {
public:
    explicit FewAddresses(rlim_t more_bytes) {
        rlim_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        REQUIRE(::getrlimit(RLIMIT_AS, &before_) == 0);
        const auto page_bytes = static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
        const rlimit few{pages * page_bytes + more_bytes, before_.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_AS, &few) == 0);
    }

    FewAddresses(const FewAddresses&) = delete;
    FewAddresses& operator=(const FewAddresses&) = delete;

    ~FewAddresses() { ::setrlimit(RLIMIT_AS, &before_); }

private:
    rlimit before_{};
};

}  // namespace weft::image
