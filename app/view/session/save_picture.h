// save_picture.h — writes the picture, or another large file, on the saver's thread.
//
// One file at a time. Actions, the file chooser and scripts call these. Interface thread only.
#pragma once

#include <functional>
#include <string>

#include "scheduler/base/result.h"

namespace weft::app {

struct RenderLink;
struct Session;
struct Ui;

// Starts to write a file on the saver's thread, and shows `written` when it is done. False, with a
// message: the saver is still writing another file.
bool begin_saving(RenderLink& link,
                  Ui& ui,
                  const std::string& path,
                  const std::string& written,
                  std::function<base::Status()> write);

// Starts to write the picture, once every pixel has equally many samples.
void save_picture(const Session& session, RenderLink& link, Ui& ui, const std::string& path);

// Reports how the saving ended.
void take_saved(RenderLink& link, Ui& ui);

}  // namespace weft::app
