#include "scheduler/base/ensure.h"

namespace weft::base {

void fail_claim(const char* file, int line, const char* claim, const std::string& values) {
    std::fprintf(stderr, "%s:%d: claim failed: %s (%s)\n", file, line, claim, values.c_str());
    std::abort();
}

}  // namespace weft::base
