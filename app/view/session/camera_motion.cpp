#include "app/view/session/camera_motion.h"

#include "app/view/session/render_link.h"
#include "app/view/session/session.h"
#include "app/view/session/ui.h"

namespace weft::app {

void move_camera(Session& session,
                 RenderLink& link,
                 const CameraMotion& motion,
                 const scene::Camera& changed) {
    if (!session.document.is_open()) {
        return;
    }
    session.document.move_camera(changed, motion.gesture);
    link.effect |= scene::kEffectCamera;
}

void set_camera(Session& session,
                RenderLink& link,
                CameraMotion& motion,
                const scene::Camera& changed) {
    ++motion.gesture;
    move_camera(session, link, motion, changed);
    ++motion.gesture;
}

void replace_camera(Session& session, Ui& ui, CameraMotion& motion, const scene::Camera& changed) {
    if (!session.document.is_open()) {
        return;
    }
    ++motion.gesture;
    const base::Status replaced = session.document.replace_camera(changed);
    if (!replaced.is_ok()) {
        ui.say(replaced.error());
    }
}

}  // namespace weft::app
