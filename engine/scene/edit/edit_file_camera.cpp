// edit_file_camera.cpp — the cameras of the scene's files: moved and named. edit_camera.cpp has the
// camera that renders.
//
// While the camera that renders is at the place of a file's camera, it goes with it.
#include <utility>

#include "engine/scene/edit/edit_parts.h"
#include "engine/scene/model/scene_tree.h"

namespace weft::scene::edits {

namespace {

bool has_camera(const Scene& scene, const EditContext& /*context*/, const Address& address) {
    return find_named(scene.cameras, address).has_value();
}

std::vector<EditField> file_camera_fields(const EditContext& /*context*/) {
    return {transform_field(), name_field()};
}

// The index of the addressed camera. Error: the scene has none, or the field is none of its own.
base::Result<u32> camera_at(const Scene& scene,
                            const EditContext& context,
                            const Address& address) {
    const std::optional<u32> index = find_named(scene.cameras, address);
    if (!index) {
        return no_such_object(scene, address);
    }
    const std::vector<EditField> fields = file_camera_fields(context);
    const bool is_known = address.field == kTransform || address.field == kName;
    return is_known ? base::Result<u32>(*index) : no_such_field(address, field_names(fields));
}

base::Result<std::string> read_file_camera(const Scene& scene,
                                           const EditContext& context,
                                           const Address& address) {
    const base::Result<u32> index = camera_at(scene, context, address);
    WEFT_TRY(index);
    const Camera& camera = scene.cameras[index.value()];
    return address.field == kName ? given_name_text(camera.given_name)
                                  : floats_text(camera.to_world);
}

base::Result<u32> apply_file_camera(Scene& scene,
                                    EditContext& context,
                                    const Address& address,
                                    const Json& value) {
    const base::Result<u32> index = camera_at(scene, context, address);
    WEFT_TRY(index);
    Camera& camera = scene.cameras[index.value()];
    if (address.field == kName) {
        base::Result<std::string> name = read_given_name(address.path, value, camera.name);
        WEFT_TRY(name);
        camera.given_name = std::move(name.value());
        return u32{kEffectTree};
    }
    const base::Result<Stance> stance = read_stance(scene, address.path, value, camera.group);
    WEFT_TRY(stance);
    const bool is_seen_through = context.camera.to_world == camera.to_world;
    const std::optional<Hold>& hold = stance.value().hold;
    camera.to_world =
        hold ? camera_in_group(*hold, std::as_const(scene.groups)[camera.group].to_world)
             : stance.value().matrix;
    camera.hold = keep_hold(scene, hold);
    if (is_seen_through) {
        context.camera.to_world = camera.to_world;
    }
    return u32{kEffectTree} | (is_seen_through ? u32{kEffectCamera} : 0U);
}

base::Result<Edit> inverse_of_file_camera(const Scene& scene,
                                          const EditContext& context,
                                          const Address& address,
                                          const std::string& /*text*/) {
    const base::Result<u32> index = camera_at(scene, context, address);
    WEFT_TRY(index);
    const Camera& camera = scene.cameras[index.value()];
    if (address.field == kName) {
        return Edit{address.path, given_name_text(camera.given_name)};
    }
    return Edit{address.path, stance_text(scene, camera.to_world, camera.group, camera.hold)};
}

}  // namespace

constinit const Family kFileCameraFamily = {"cameras",
                                            has_camera,
                                            file_camera_fields,
                                            read_file_camera,
                                            apply_file_camera,
                                            inverse_of_file_camera};

}  // namespace weft::scene::edits
