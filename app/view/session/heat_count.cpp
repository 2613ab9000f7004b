#include "app/view/session/heat_count.h"

#include "app/view/session/render_link.h"
#include "app/view/session/ui.h"

namespace weft::app {

void count_heat(RenderLink& link, Ui& ui, HeatCount& heat, bool is_on) {
    if (is_on && refuse_with_pages(ui, link, "Counting heat")) {
        return;
    }
    heat.is_on = is_on;
    link.settings.has_heat = is_on;
    link.effect |= scene::kEffectCamera;  // start another frame with the same tables and BVHs
    if (!is_on) {
        heat.watch.forget();
    }
}

}  // namespace weft::app
