// config_check.cpp — the two walks: over the text, and over what a transform leads to.
#include "engine/colour/config_check.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <vector>

#include "scheduler/base/ids.h"

namespace weft::colour {

namespace {

namespace OCIO = OCIO_NAMESPACE;

base::Error wrong(std::string sentence) {
    return {base::ErrorKind::Scene, std::move(sentence)};
}

// An anchor of YAML, and the column that all lines of its value lie to the right of.
struct Anchor {
    std::string_view name;
    std::size_t line = 0;
    std::size_t column = 0;
};

bool is_name(char letter) {
    constexpr std::string_view kEnds = " \t\r,[]{}";
    return kEnds.find(letter) == std::string_view::npos;
}

std::string_view name_at(std::string_view line, std::size_t at) {
    std::size_t end = at;
    while (end < line.size() && is_name(line[end])) {
        ++end;
    }
    return line.substr(at, end - at);
}

// The column of the key, or else of the dash, that the value at `at` belongs to.
std::size_t parent_column(std::string_view line, std::size_t at) {
    std::size_t column = 0;
    std::size_t parent = 0;
    while (column < at && (line[column] == ' ' || line[column] == '-')) {
        parent = line[column] == '-' ? column : parent;
        ++column;
    }
    return column < at ? column : parent;
}

bool is_blank(std::string_view line) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    return first == std::string_view::npos || line[first] == '#';
}

// The anchors whose values the text is inside of, and how many brackets are open there.
struct Place {
    std::vector<Anchor> anchors;
    i64 depth = 0;
};

// Looks for anchors and aliases where a value may begin, outside of quotes.
base::Status check_line(std::string_view line, std::size_t number, Place& place) {
    std::vector<Anchor>& anchors = place.anchors;
    char quote = '\0';
    for (std::size_t at = 0; at < line.size(); ++at) {
        const char letter = line[at];
        if (quote != '\0') {
            quote = letter == quote ? '\0' : quote;
            continue;
        }
        place.depth += letter == '[' || letter == '{' ? 1 : letter == ']' || letter == '}' ? -1 : 0;
        const char before = at == 0 ? ' ' : line[at - 1];
        const bool begins = before == ' ' || before == '[' || before == ',' || before == '{';
        if ((letter == '"' || letter == '\'') && begins) {
            quote = letter;
        } else if (letter == '#' && before == ' ') {
            break;
        } else if (letter == '&' && begins) {
            anchors.push_back({name_at(line, at + 1), number, parent_column(line, at)});
        } else if (letter == '*' && begins) {
            const std::string_view name = name_at(line, at + 1);
            const auto found = std::find_if(
                anchors.begin(), anchors.end(), [&](const Anchor& a) { return a.name == name; });
            if (found != anchors.end()) {
                return wrong("line " + std::to_string(number) + ": *" + std::string(name) +
                             " stands inside of &" + std::string(name) + " of line " +
                             std::to_string(found->line) +
                             "; expected no part that contains itself");
            }
        }
    }
    return base::Done{};
}

// A depth-first walk that counts the steps that OpenColorIO takes for each name.
class Walk {
public:
    explicit Walk(OCIO::ConstConfigRcPtr config) : config_(std::move(config)) {}

    // The number of steps. Error: see check_transform().
    base::Result<u64> steps(const OCIO::ConstTransformRcPtr& transform) {
        if (!transform) {
            return u64{0};
        }
        switch (transform->getTransformType()) {
            case OCIO::TRANSFORM_TYPE_GROUP:
                return group(dynamic_cast<const OCIO::GroupTransform&>(*transform));
            case OCIO::TRANSFORM_TYPE_COLORSPACE: {
                const auto& of = dynamic_cast<const OCIO::ColorSpaceTransform&>(*transform);
                return sum({space(of.getSrc()), space(of.getDst())});
            }
            case OCIO::TRANSFORM_TYPE_LOOK: {
                const auto& of = dynamic_cast<const OCIO::LookTransform&>(*transform);
                return sum({space(of.getSrc()), space(of.getDst()), looks(of.getLooks())});
            }
            case OCIO::TRANSFORM_TYPE_DISPLAY_VIEW:
                return display(dynamic_cast<const OCIO::DisplayViewTransform&>(*transform));
            case OCIO::TRANSFORM_TYPE_FILE:
                return file(dynamic_cast<const OCIO::FileTransform&>(*transform));
            default:
                return u64{1};
        }
    }

    base::Result<u64> looks(const std::string& list) {
        u64 steps = 1;
        std::size_t begin = 0;
        while (begin < list.size()) {
            const std::size_t end = std::min(list.find_first_of(",:|", begin), list.size());
            std::string name = list.substr(begin, end - begin);
            name.erase(0, name.find_first_not_of(" +-"));
            name.erase(name.find_last_not_of(' ') + 1);
            const base::Result<u64> more = look(name);
            WEFT_TRY(more);
            WEFT_TRY(add(steps, more.value(), "look " + name));
            begin = end + 1;
        }
        return steps;
    }

private:
    // More than any config of people needs: as many fit on the stack, and take no time.
    static constexpr u64 kMostSteps = 1000;

    static base::Status add(u64& steps, u64 more, const std::string& name) {
        steps += more;
        return steps <= kMostSteps
                   ? base::Status(base::Done{})
                   : wrong(name + " leads through more than " + std::to_string(kMostSteps) +
                           " transforms; expected fewer");
    }

    static base::Result<u64> sum(std::initializer_list<base::Result<u64>> parts) {
        u64 steps = 1;
        for (const base::Result<u64>& part : parts) {
            WEFT_TRY(part);
            WEFT_TRY(add(steps, part.value(), "a transform"));
        }
        return steps;
    }

    base::Result<u64> group(const OCIO::GroupTransform& of) {
        u64 steps = 1;
        for (int i = 0; i < of.getNumTransforms(); ++i) {
            const base::Result<u64> more = this->steps(of.getTransform(i));
            WEFT_TRY(more);
            WEFT_TRY(add(steps, more.value(), "a group"));
        }
        return steps;
    }

    base::Result<u64> display(const OCIO::DisplayViewTransform& of) {
        const char* const display = of.getDisplay();
        const char* const view = of.getView();
        return sum({space(of.getSrc()),
                    space(config_->getDisplayViewColorSpaceName(display, view)),
                    view_transform(config_->getDisplayViewTransformName(display, view)),
                    looks(config_->getDisplayViewLooks(display, view))});
    }

    base::Result<u64> file(const OCIO::FileTransform& of) const {
        std::string path;
        try {
            path = config_->getCurrentContext()->resolveFileLocation(of.getSrc());
        } catch (const OCIO::Exception&) {
            return wrong(std::string(of.getSrc()) +
                         ": no such file in the config's search_path; expected a look-up table");
        }
        std::error_code failed;
        if (!std::filesystem::is_regular_file(path, failed)) {
            return wrong(path + " is not a file; expected a look-up table");
        }
        return u64{1};
    }

    base::Result<u64> space(const char* name) {
        const std::string meant = config_->getCurrentContext()->resolveStringVar(name);
        if (const auto space = config_->getColorSpace(meant.c_str())) {
            return visited("colour space " + std::string(space->getName()), [&] {
                return sum({steps(space->getTransform(OCIO::COLORSPACE_DIR_TO_REFERENCE)),
                            steps(space->getTransform(OCIO::COLORSPACE_DIR_FROM_REFERENCE)),
                            space->getReferenceSpaceType() == OCIO::REFERENCE_SPACE_DISPLAY
                                ? view_transform(config_->getDefaultViewTransformName())
                                : base::Result<u64>(u64{0})});
            });
        }
        const auto named = config_->getNamedTransform(meant.c_str());
        return !named ? base::Result<u64>(u64{0}) : visited("named transform " + meant, [&] {
            return sum({steps(named->getTransform(OCIO::TRANSFORM_DIR_FORWARD)),
                        steps(named->getTransform(OCIO::TRANSFORM_DIR_INVERSE))});
        });
    }

    base::Result<u64> look(const std::string& name) {
        const auto look = config_->getLook(name.c_str());
        return !look ? base::Result<u64>(u64{0}) : visited("look " + name, [&] {
            return sum({space(look->getProcessSpace()),
                        steps(look->getTransform()),
                        steps(look->getInverseTransform())});
        });
    }

    base::Result<u64> view_transform(const std::string& name) {
        const auto view = config_->getViewTransform(name.c_str());
        return !view ? base::Result<u64>(u64{0}) : visited("view transform " + name, [&] {
            return sum({steps(view->getTransform(OCIO::VIEWTRANSFORM_DIR_TO_REFERENCE)),
                        steps(view->getTransform(OCIO::VIEWTRANSFORM_DIR_FROM_REFERENCE))});
        });
    }

    // Counts a name once; 0 in the table while the walk is inside of it.
    template <typename Count>
    base::Result<u64> visited(const std::string& name, const Count& count) {
        const auto [known, is_new] = steps_of_.try_emplace(name, 0);
        if (!is_new) {
            return known->second != 0
                       ? base::Result<u64>(known->second)
                       : wrong(name + " is defined by itself; expected no such circle");
        }
        const base::Result<u64> steps = count();
        WEFT_TRY(steps);
        steps_of_[name] = steps.value();
        return steps;
    }

    OCIO::ConstConfigRcPtr config_;
    std::map<std::string, u64> steps_of_;
};

}  // namespace

base::Status check_text(std::string_view text) {
    Place place;
    std::size_t number = 0;
    while (!text.empty()) {
        ++number;
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        if (is_blank(line)) {
            continue;
        }
        // Lines within brackets begin at any column.
        const std::size_t column = line.find_first_not_of(' ');
        std::erase_if(place.anchors, [&](const Anchor& anchor) {
            return place.depth <= 0 && column <= anchor.column;
        });
        WEFT_TRY(check_line(line, number, place));
    }
    return base::Done{};
}

base::Status check_transform(const OCIO::ConstConfigRcPtr& config,
                             const OCIO::ConstTransformRcPtr& transform) {
    Walk walk(config);
    const base::Result<u64> steps = walk.steps(transform);
    WEFT_TRY(steps);
    return base::Done{};
}

}  // namespace weft::colour
