#!/usr/bin/env bash
# run.sh SECONDS [FOLDER [TARGET…]] — builds the fuzz targets and runs each for so many seconds on one core, at low priority.
#
# Inputs that found new code stay in build/fuzz/corpus/TARGET and are the first inputs of the next run; inputs that showed a fault
# are build/fuzz/faults/TARGET-*. FOLDER holds more first inputs: glTF scenes for the target gltf, pictures for pictures. Needs
# the packages libclang-rt-16-dev and those of ./dev.
set -euo pipefail
seconds=${1:?expected the seconds for each target}
more=${2:-}
shift $(($# < 2 ? $# : 2))
cd "$(dirname "$0")/../.."
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(gltf pbrt mitsuba meshes models pack pictures films edits settings command_line serve)

[ -f build/fuzz/build.ninja ] || cmake --preset fuzz
nice -n 19 cmake --build build/fuzz --target fuzz_seeds weft_images "${targets[@]/#/fuzz_}"
build=$PWD/build/fuzz
"$build/fuzz_seeds" "$build/fuzz_inputs"
mkdir -p "$build/faults" "$build/scratch"
export TMPDIR=$build/scratch
export ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1

# The sum of faults: a target ends at its first one, but models goes on, since assimp has many.
failed=0
for target in "${targets[@]}"; do
    folders=("$build/corpus/$target" "$build/fuzz_inputs/$target")
    mkdir -p "${folders[0]}"
    if [ -n "$more" ]; then
        case $target in
            gltf) kinds=(-name '*.gltf' -o -name '*.glb') ;;
            pictures) kinds=(-name '*.png' -o -name '*.jpg' -o -name '*.hdr' -o -name '*.exr' -o -name '*.webp') ;;
            *) kinds=(-false) ;;
        esac
        find "$more" -type f \( "${kinds[@]}" \) -size -64k -exec cp -n -t "${folders[0]}" {} +
    fi
    options=(-max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -malloc_limit_mb=2048 -max_len=65536
        -close_fd_mask=3 -print_final_stats=1 -artifact_prefix="$build/faults/$target-")
    if [ "$target" = models ]; then
        options+=(-fork=1 -ignore_crashes=1 -ignore_timeouts=1 -ignore_ooms=1)
    fi
    echo "run.sh: $target, $seconds s" >&2
    nice -n 19 "$build/fuzz_$target" "${options[@]}" "${folders[@]}" >"$build/$target.log" 2>&1 || failed=$((failed + 1))
    grep -E 'SUMMARY|claim failed|runtime error|stat::number_of_executed_units|^#.*cov:' "$build/$target.log" | tail -n 4
    rm -rf "$build/scratch"/*
done
ls "$build/faults"
exit $((failed > 0))
