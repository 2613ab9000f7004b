#include "app/verify_command.h"

#include "app/command/exit_code.h"
#include "app/command/messages.h"
#include "app/command/standard_output.h"
#include "engine/film/image_file.h"

namespace weft::app {

std::string verify_text(const film::VerifyReport& report) {
    std::string text;
    for (const std::string& sentence : report.sentences) {
        text += sentence + "\n";
    }
    return text + report.film_hash + "\n";
}

int run_verify(const std::string& file) {
    const base::Result<film::VerifyReport> verified = film::verify_image(file);
    if (!verified.is_ok()) {
        return fail(verified.error());
    }
    const film::VerifyReport& report = verified.value();
    const bool is_shown = put_on_stdout(verify_text(report));
    if (!report.pixel_hash_matches || (report.has_film && !report.film_hash_matches) ||
        !report.layers_match) {
        say(Level::Error,
            file + ": differs from what its header says; expected the file as weft wrote it");
        return kExitRender;
    }
    return is_shown ? kExitDone : kExitOutput;
}

}  // namespace weft::app
