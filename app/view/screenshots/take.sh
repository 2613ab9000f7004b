#!/usr/bin/env bash
# take.sh — takes the README's pictures of the viewer: runs each script here in a window of its own under Xvfb.
# Called as ./dev screenshots, which builds the program first. The scripts write into images/.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
weft=${1:?the program weft}
settings=$(mktemp -d)
trap 'rm -rf "$settings"' EXIT
mkdir -p "$here/../images"
cd "$here/../images"
for script in "$here"/*.txt; do
    options=$(sed -n 's/^# weft view //p' "$script")
    echo "$(basename "$script" .txt): $options" >&2
    rm -rf "$settings/weft"
    # shellcheck disable=SC2086  # the options are words
    XDG_CONFIG_HOME=$settings xvfb-run -a -s "-screen 0 1600x1000x24" "$weft" view $options --script "$script"
    # Noise makes large files: smaller ones where the tool for it (openimageio-tools) is there.
    picture=$(basename "$script" .txt).jpg
    if command -v oiiotool >/dev/null; then
        oiiotool "$picture" --attrib jpeg:subsampling 4:2:0 --compression jpeg:70 -o "small-$picture"
        mv "small-$picture" "$picture"
    fi
done
