// edit_parts.h — what edit.cpp asks of each family of objects: read a value, change it, list what
// there is.
//
// One edit_*.cpp per family. Applying checks everything before it changes anything. Called by
// edit.cpp only, on its caller's thread.
#pragma once

#include <string>
#include <vector>

#include "engine/scene/edit/edit.h"
#include "engine/scene/edit/edit_path.h"
#include "engine/scene/edit/edit_value.h"

namespace weft::scene::edits {

base::Result<std::string> read_material(const Scene& scene,
                                        const EditContext& context,
                                        const Address& address);
base::Result<u32> apply_material(Scene& scene,
                                 const EditContext& context,
                                 const Address& address,
                                 const Json& value);
// One field of the material of this number; the address says its name alone.
base::Result<u32> set_material_field(Scene& scene,
                                     const EditContext& context,
                                     u32 material,
                                     const Address& address,
                                     const Json& value);
std::vector<EditField> material_fields();
// The number of the material that a path in an edit's value names.
base::Result<u32> read_material_path(const Scene& scene,
                                     const EditContext& context,
                                     const std::string& place,
                                     const Json& value);

// A material that there is, as the value that brings it back.
std::string read_whole_material(const Scene& scene,
                                const EditContext& context,
                                const Address& address);
base::Result<u32> apply_whole_material(Scene& scene,
                                       const EditContext& context,
                                       const Address& address,
                                       const Json& value);
base::Result<Edit> inverse_of_whole_material(const Scene& scene,
                                             const EditContext& context,
                                             const Address& address,
                                             const Json& value);

// Of a material that there is, and a field that is_texture_field().
std::vector<EditField> texture_fields();
bool is_texture_field(const std::string& name);
std::string read_texture(const Scene& scene, u32 material, const std::string& field);
base::Result<u32> apply_texture(Scene& scene,
                                const EditContext& context,
                                u32 material,
                                const Address& address,
                                const Json& value);

base::Result<std::string> read_node(const Scene& scene,
                                    const EditContext& context,
                                    const Address& address);
base::Result<u32> apply_node(Scene& scene,
                             EditContext& context,
                             const Address& address,
                             const Json& value);
std::vector<EditField> node_fields();
// A matrix that can be inverted; `matrix` is not touched where it is none.
base::Status read_matrix(const std::string& place, const Json& value, Affine& matrix);
bool is_hidden(const EditContext& context, const std::string& node);
// Whether it was hidden before.
bool set_hidden(EditContext& context, const std::string& node, bool is_hidden);

// A node that there is, as the value that brings it back.
std::string read_whole_node(const Scene& scene, const EditContext& context, const Address& address);
base::Result<u32> apply_whole_node(Scene& scene,
                                   EditContext& context,
                                   const Address& address,
                                   const Json& value);
// Of an edit that can be applied.
Edit inverse_of_whole_node(const Scene& scene,
                           const EditContext& context,
                           const Address& address,
                           const Json& value);

base::Result<std::string> read_light(const Scene& scene,
                                     const EditContext& context,
                                     const Address& address);
base::Result<u32> apply_light(Scene& scene,
                              EditContext& context,
                              const Address& address,
                              const Json& value);
std::vector<EditField> light_fields();
base::Result<Edit> inverse_light(const Scene& scene,
                                 const EditContext& context,
                                 const Address& address,
                                 const Json& value);

base::Result<std::string> read_environment_value(const Scene& scene, const Address& address);
base::Result<u32> apply_environment(Scene& scene,
                                    EditContext& context,
                                    const Address& address,
                                    const Json& value);
std::vector<EditField> environment_fields();
// The edit that makes the present map anew after it was replaced.
Edit environment_map_edit(const Scene& scene);

base::Result<std::string> read_camera(const EditContext& context, const Address& address);
base::Result<u32> apply_camera(EditContext& context, const Address& address, const Json& value);
std::vector<EditField> camera_fields();

base::Result<std::string> read_frame(const EditContext& context, const Address& address);
base::Result<u32> apply_frame(EditContext& context, const Address& address, const Json& value);
std::vector<EditField> frame_fields();

base::Result<std::string> read_view(const EditContext& context, const Address& address);
base::Result<u32> apply_view(EditContext& context, const Address& address, const Json& value);
std::vector<EditField> view_fields(const EditContext& context);

// The object of a family is there, or the sentence that it is not.
base::Status find_object(const Scene& scene, const EditContext& context, const Address& address);

// The path of a file that an edit names: `file`, or context.folder / `file` where that is relative.
std::string path_in(const EditContext& context, const std::string& file);
// Whether the edit at `place` may open it.
base::Status check_file(const EditContext& context,
                        const std::string& place,
                        const std::string& path);

// The names of fields in one line, for sentences.
std::string field_names(const std::vector<EditField>& fields);

// Fields for the tables: what most have in common.
EditField number_field(
    const char* name, const char* label, const char* unit, double low, double high);

}  // namespace weft::scene::edits
