#!/usr/bin/env bash
# all_scenes.sh — `weft bench` on every scene that there is: the chart and the tables of README.md, with one command.
#
#   all_scenes.sh WEFT [FOLDER [PATTERN]]
#
# Scenes: those of scenes/, procedural:rubble of 100 K to 40 M triangles, and those below FOLDER (without one below $WEFT_SCENES,
# if that is set), broken ones left out; with PATTERN those alone
# whose name has it. One JSON and one chart per scene go to out/bench/, those of scenes below 10 000 triangles from outside
# to out/bench/small/; then tables and charts over all of a folder. Every scene has a limit of time, all together about 25 min.
set -euo pipefail
weft=$(realpath "$1")
cd "$(dirname "$0")/../.."
folder=${2:-${WEFT_SCENES:-}}
pattern=${3:-}
out=out/bench
few=10000         # triangles: outside scenes with fewer are small
huge_kib=14680064 # free memory that 40 M triangles, our tree and both of Embree's want
failed=()
mkdir -p "$out/small"

# How the outside scenes are looked at that have no camera of their own worth a picture.
view_of() {
    case "$1" in
        dream-apartment) echo "--environment-color 1,1,1 --look-at 8.5,1.6,-3.2,8.0,0.9,-8 --fov 70" ;;
    esac
}

# measure SCENE FILE SECONDS WIDTH SPP RAYS [options]
measure() {
    local scene=$1 file=$2 seconds=$3 width=$4 spp=$5 rays=$6
    shift 6
    echo "bench: $scene" >&2
    if ! "$weft" bench "$scene" --width "$width" --height "$width" --spp "$spp" --filter box --rays "$rays" \
        --repeats 5 --image-repeats 5 --policy-repeats 2 --time-limit "$seconds" -q --json "$file.json" --chart "$file.svg" "$@" >"$file.txt"; then
        failed+=("$scene")
    fi
}

is_wanted() { [[ $1 == *"$pattern"* ]]; }

triangles_of() { { "$weft" info "$1" 2>/dev/null || true; } | awk '$1 == "triangles" {print $2; exit}'; }

for scene in scenes/*.gltf; do
    name=$(basename "$scene" .gltf)
    is_wanted "$name" && measure "$name" "$out/$name" 50 512 4 131072
done

for size in 100K 1M 10M 40M; do
    is_wanted "rubble-$size" || continue
    if [ "$size" = 40M ] && [ "$(awk '/MemAvailable/ {print $2}' /proc/meminfo)" -lt $huge_kib ]; then
        echo "bench: procedural:rubble:40M is left out: it wants 14 GiB of free memory" >&2
        continue
    fi
    case $size in
        10M) spp=2 rays=131072 ;;
        40M) spp=2 rays=65536 ;;
        *) spp=4 rays=131072 ;;
    esac
    measure "procedural:rubble:$size" "$out/rubble-$size" 100 512 $spp $rays
done

# Of a model in several formats the first one in this order; packed PLY files are unpacked.
declare -A seen
while IFS= read -r path; do
    name=$(basename "$path" .gz)
    name=${name%.*}
    name=${name%.plain}
    if ! is_wanted "$name" || [ -n "${seen[$name]:-}" ]; then
        continue
    fi
    seen[$name]=1
    if [[ $path == *.gz ]]; then
        gunzip -c "$path" >"$out/$name.ply"
        path=$out/$name.ply
    fi
    triangles=$(triangles_of "$path")
    if [ "${triangles:-0}" = 0 ]; then
        echo "bench: $path has no triangles" >&2
    elif [ "$triangles" -lt $few ]; then
        measure "$path" "$out/small/$name" 10 192 4 16384
    else
        # shellcheck disable=SC2046
        measure "$path" "$out/$name" 50 512 4 131072 $(view_of "$name")
    fi
done < <(for extension in gltf glb obj ply ply.gz; do
    find "$folder" -name "*.$extension" -not -path '*nasty-gltf*' 2>/dev/null | sort
done)

for group in "$out" "$out/small"; do
    if compgen -G "$group/*.json" >/dev/null; then
        "$weft" bench --summary "$group" --table "$group/scenes.md" --chart "$group/scenes.svg" >/dev/null
        echo "bench: $group/scenes.md, $group/scenes.svg" >&2
    fi
done
if [ ${#failed[@]} -gt 0 ]; then
    echo "bench: not measured: ${failed[*]}" >&2
    exit 1
fi
