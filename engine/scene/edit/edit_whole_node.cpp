// edit_whole_node.cpp — copies, deletes and restores nodes.
//
// A copy has the transform of its original unless the value gives one, and comes after all
// instances, so that no other instance index changes: noise depends on them. {"parts": ...} gives
// mesh, material, group and index of each instance; the inverse of a deletion writes it, so that
// the node returns to its place. A copy stands in the group of its original. What is below the node
// in the file is neither copied nor deleted.
#include <algorithm>
#include <utility>

#include "engine/scene/edit/edit_names.h"
#include "engine/scene/edit/edit_parts.h"
#include "engine/scene/model/scene_tree.h"

namespace weft::scene::edits {

namespace {

// An instance to add, with its index after all are added.
struct Part {
    Instance instance;
    std::size_t insert_at = 0;
};

base::Result<u32> read_index(const std::string& place, const Json& value, std::size_t end) {
    if (!is_count(value) || count_of(value) >= end) {
        return wrong_value(place, value, "a whole number below " + std::to_string(end));
    }
    return static_cast<u32>(count_of(value));
}

base::Status check_members(const std::string& place,
                           const Json& value,
                           std::initializer_list<std::string_view> known) {
    for (const auto& [name, member] : members(value)) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            std::string names;
            for (const std::string_view other : known) {
                names += (names.empty() ? "" : ", ") + std::string(other);
            }
            return wrong_value(place + "/" + name, member, "no other field than " + names);
        }
    }
    return base::Done{};
}

// {"mesh": 3, "material": 1, "insert_at": 7, "group": 2, "clip_planes": 5}
base::Result<Part> read_part(const Scene& scene, const std::string& place, const Json& value) {
    if (!is_object(value)) {
        return wrong_value(place, value, "an object with mesh, material and insert_at");
    }
    WEFT_TRY(check_members(place, value, {"mesh", "material", kInsertAt, "group", "clip_planes"}));
    Part part;
    const auto take = [&](const char* name, std::size_t end, u32& to) -> base::Status {
        const Json* const member = find(value, name);
        const base::Result<u32> index =
            read_index(place + "/" + name, member ? *member : null_json(), end);
        WEFT_TRY(index);
        to = index.value();
        return base::Done{};
    };
    u32 at = 0;
    WEFT_TRY(take("mesh", scene.meshes.size(), part.instance.mesh));
    WEFT_TRY(take("material", scene.materials.size(), part.instance.material));
    WEFT_TRY(take(kInsertAt, kNone, at));
    part.insert_at = at;
    if (find(value, "group") != nullptr) {
        WEFT_TRY(take("group", scene.groups.size(), part.instance.group));
    }
    if (find(value, "clip_planes") != nullptr) {
        WEFT_TRY(take("clip_planes", u64{kNone} + 1, part.instance.clip_planes));
    }
    return part;
}

base::Result<std::vector<Part>> read_parts(const Scene& scene,
                                           const std::string& place,
                                           const Json& list) {
    if (!is_list(list) || size_of(list) == 0) {
        return wrong_value(place, list, "a list of objects with mesh, material and insert_at");
    }
    std::vector<Part> parts;
    for (std::size_t k = 0; k < size_of(list); ++k) {
        const std::string name = place + "/" + std::to_string(k);
        base::Result<Part> part = read_part(scene, name, item(list, k));
        WEFT_TRY(part);
        const std::size_t least = parts.empty() ? 0 : parts.back().insert_at + 1;
        const std::size_t most = scene.instances.size() + parts.size();
        if (part.value().insert_at < least || part.value().insert_at > most) {
            return wrong_value(
                name + "/insert_at",
                *find(item(list, k), kInsertAt),
                "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
        }
        parts.push_back(std::move(part.value()));
    }
    return parts;
}

base::Result<std::vector<Part>> read_copy(const Scene& scene,
                                          const EditContext& context,
                                          const std::string& path,
                                          const Json& value) {
    const Json& copy_of = *find(value, "copy_of");
    const base::Result<std::string> other = read_text(path + "/copy_of", copy_of);
    WEFT_TRY(other);
    const base::Result<Address> original = parse_path(other.value());
    const bool is_node = original.is_ok() && original.value().family == "nodes";
    const std::vector<u32> instances =
        is_node ? instances_of(scene, context, original.value()) : std::vector<u32>();
    if (instances.empty()) {
        return wrong_value(path + "/copy_of", copy_of, "the path of a node of the scene");
    }
    std::size_t first = scene.instances.size();
    if (const Json* const at = find(value, kInsertAt)) {
        const base::Result<u32> index = read_index(path + "/insert_at", *at, first + 1);
        WEFT_TRY(index);
        first = index.value();
    }
    std::vector<Part> parts;
    for (const u32 instance : instances) {
        parts.push_back({scene.instances[instance], first + parts.size()});
    }
    return parts;
}

// All parts, and where they are put; else they stand as their originals.
struct Whole {
    std::vector<Part> parts;
    bool is_put = false;
    Stance stance;
    std::string given_name;
};

base::Result<Whole> read_whole(const Scene& scene,
                               const EditContext& context,
                               const Address& address,
                               const Json& value) {
    const bool is_copy = find(value, "copy_of") != nullptr;
    const Json* const list = find(value, "parts");
    if (is_copy == (list != nullptr)) {
        return wrong_value(address.path, value, "an object with either copy_of or parts, or null");
    }
    WEFT_TRY(is_copy
                 ? check_members(
                       address.path, value, {"copy_of", "transform", "visible", kName, kInsertAt})
                 : check_members(address.path, value, {"parts", "transform", "visible", kName}));
    base::Result<std::vector<Part>> parts = is_copy
                                                ? read_copy(scene, context, address.path, value)
                                                : read_parts(scene, address.path + "/parts", *list);
    WEFT_TRY(parts);
    const Json* const transform = find(value, "transform");
    const bool is_put = !is_copy || transform != nullptr;
    Whole whole{std::move(parts.value()), is_put, {math::kIdentity, std::nullopt}, {}};
    if (transform) {
        const u32 group = whole.parts.front().instance.group;
        base::Result<Stance> stance =
            read_stance(scene, address.path + "/transform", *transform, group);
        WEFT_TRY(stance);
        whole.stance = std::move(stance.value());
    }
    if (const Json* const name = find(value, kName)) {
        base::Result<std::string> given =
            read_given_name(address.path + "/" + kName, *name, address.name);
        WEFT_TRY(given);
        whole.given_name = std::move(given.value());
    }
    for (Part& part : whole.parts) {
        part.instance.node = address.name;
        part.instance.place = address.ordinal - 1;
    }
    return whole;
}

// Inserts all parts in one pass.
void insert(Scene& scene, const EditContext& context, std::vector<Part> parts) {
    std::vector<Instance>& before = scene.instances.own(parts.size());
    if (parts.front().insert_at == before.size()) {
        for (Part& part : parts) {
            before.push_back(std::move(part.instance));
        }
        return;
    }
    if (context.names != nullptr) {
        context.names->nodes.forget();
    }
    std::vector<Instance> all;
    all.reserve(before.size() + parts.size());
    auto next = parts.begin();
    for (auto other = before.begin(); other != before.end() || next != parts.end();) {
        const bool is_new = next != parts.end() && next->insert_at == all.size();
        all.push_back(std::move(is_new ? (next++)->instance : *other++));
    }
    before = std::move(all);
}

base::Result<u32> add_node(Scene& scene,
                           EditContext& context,
                           const Address& address,
                           const Json& value) {
    if (has_node(scene, context, address)) {
        return base::Error{base::ErrorKind::Usage,
                           address.path +
                               ": the scene has this node already, expected another name, or null "
                               "to delete it first"};
    }
    bool is_shown = true;
    if (const Json* const visible = find(value, "visible")) {
        const base::Result<bool> flag = read_flag(address.path + "/visible", *visible);
        WEFT_TRY(flag);
        is_shown = flag.value();
    }
    base::Result<Whole> whole = read_whole(scene, context, address, value);
    WEFT_TRY(whole);
    std::vector<Part>& parts = whole.value().parts;
    if (scene.instances.size() + parts.size() >= kNone) {
        return wrong_value(address.path, value, "fewer than 2^32 instances in one scene");
    }
    if (whole.value().is_put) {
        const u32 hold = keep_hold(scene, whole.value().stance.hold);
        for (Part& part : parts) {
            part.instance.object_to_world = whole.value().stance.matrix;
            part.instance.hold = hold;
        }
    }
    const u32 given = keep_given_name(scene, std::move(whole.value().given_name));
    for (Part& part : parts) {
        part.instance.given_name = given;
    }
    insert(scene, context, std::move(parts));
    if (!is_shown) {
        set_hidden(context, hidden_name(address.name, address.ordinal - 1), true);
    }
    return u32{kEffectPlacement} | (is_shown ? 0U : u32{kEffectLook});
}

// A renderer refuses hidden names that nothing bears, so deleting a node unhides it.
base::Result<u32> delete_node(Scene& scene, EditContext& context, const Address& address) {
    const std::vector<u32> parts = instances_of(scene, context, address);
    if (parts.empty()) {
        return no_such_object(scene, address);
    }
    std::vector<Instance>& instances = scene.instances.own();
    if (context.names != nullptr) {
        context.names->nodes.take_off(
            node_key(address.name, address.ordinal - 1), parts, instances.size());
    }
    // From the first part on, move all other instances up.
    auto next = parts.begin();
    auto to = instances.begin() + parts.front();
    for (auto from = to; from != instances.end(); ++from) {
        const bool is_part = next != parts.end() && from - instances.begin() == *next;
        next += is_part ? 1 : 0;
        if (!is_part) {
            *to++ = std::move(*from);
        }
    }
    instances.erase(to, instances.end());
    const bool was_hidden =
        set_hidden(context, hidden_name(address.name, address.ordinal - 1), false);
    return u32{kEffectPlacement} | (was_hidden ? u32{kEffectLook} : 0U);
}

}  // namespace

std::string read_whole_node(const Scene& scene,
                            const EditContext& context,
                            const Address& address) {
    std::string parts;
    const Instance* maybe_last = nullptr;
    for (const u32 index : instances_of(scene, context, address)) {
        const Instance& instance = scene.instances[index];
        maybe_last = &instance;
        parts += (parts.empty() ? "{\"mesh\": " : ", {\"mesh\": ") + std::to_string(instance.mesh) +
                 ", \"material\": " + std::to_string(instance.material) +
                 ", \"insert_at\": " + std::to_string(index);
        if (instance.group != kNone) {
            parts += ", \"group\": " + std::to_string(instance.group);
        }
        if (instance.clip_planes != ~0U) {
            parts += ", \"clip_planes\": " + std::to_string(instance.clip_planes);
        }
        parts += '}';
    }
    const std::string stance =
        maybe_last
            ? stance_text(scene, maybe_last->object_to_world, maybe_last->group, maybe_last->hold)
            : floats_text(math::kIdentity);
    std::string text = "{\"parts\": [" + parts + "], \"transform\": " + stance;
    if (is_hidden(context, hidden_name(address.name, address.ordinal - 1))) {
        text += ", \"visible\": false";
    }
    if (maybe_last && maybe_last->given_name != kNone) {
        text += ", \"name\": " + quoted(present_name(scene, *maybe_last));
    }
    return text + "}";
}

base::Result<u32> apply_whole_node(Scene& scene,
                                   EditContext& context,
                                   const Address& address,
                                   const Json& value) {
    if (is_null(value)) {
        return delete_node(scene, context, address);
    }
    if (!is_object(value)) {
        return wrong_value(address.path, value, "an object with either copy_of or parts, or null");
    }
    return add_node(scene, context, address, value);
}

Edit inverse_of_whole_node(const Scene& scene,
                           const EditContext& context,
                           const Address& address,
                           const Json& value) {
    return {object_path("nodes", address.name, address.ordinal),
            is_null(value) ? read_whole_node(scene, context, address) : "null"};
}

}  // namespace weft::scene::edits
