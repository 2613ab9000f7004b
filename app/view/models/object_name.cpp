#include "app/view/models/object_name.h"

namespace weft::app {

std::string shown_name(std::string_view path) {
    const std::size_t slash = path.find('/');
    std::string name;
    for (std::size_t k = slash == path.npos ? 0 : slash + 1; k < path.size(); ++k) {
        if (path[k] == '~' && k + 1 < path.size()) {
            ++k;
            name += path[k] == '1' ? '/' : path[k] == '2' ? '#' : '~';
        } else {
            name += path[k];
        }
    }
    return name;
}

std::string_view family_of(std::string_view path) {
    return path.substr(0, path.find('/'));
}

}  // namespace weft::app
