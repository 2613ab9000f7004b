"""Keyed against unkeyed over tree sizes: a notebook in cells, for editors that know `# %%`, and a script.

    PYTHONPATH=build/release/python /usr/bin/python3 integrations/python/examples/keyed_unkeyed.py [PICTURE [SIZE…]]

Sizes are numbers of triangles such as 100K. Without matplotlib (python3-matplotlib) it prints the table alone. It needs no
network; the usual sizes take some minutes.
"""

# %% What is measured, and of which trees
import sys

import weft

picture_file = sys.argv[1] if len(sys.argv) > 1 else "keyed_unkeyed.png"
sizes = sys.argv[2:] or ["10K", "40K", "160K", "640K", "2560K", "10M"]
ray_class = "diffuse1"  # first bounces: no two rays have an origin or a direction in common
ways = {"keyed": "K", "unkeyed": "U", "Embree": "E"}  # the first letters of the arms of `weft bench`

# %% The arms of one scene take turns on the same rays; the best arm of each way counts
rows = []
for size in sizes:
    figures = weft.bench(f"procedural:rubble:{size}", classes=[ray_class], rays=1 << 16, repeats=3, images=False,
                         width=256, height=256, spp=1)
    arms = figures["rays"]
    assert len({arm["hits_hash"] for arm in arms if arm["arm"][0] != "E"}) == 1, "all of Weft's arms find the same hits"
    row = {"size": size, "triangles": figures["triangles"]}
    for way, letter in ways.items():
        best = max((arm for arm in arms if arm["arm"].startswith(letter)), key=lambda arm: arm["mrays_per_s_median"])
        row[way] = best["mrays_per_s_median"]
    rows.append(row)
    print(f"{row['triangles']:>10} triangles: " + ", ".join(f"{way} {row[way]:.2f}" for way in ways) + " Mray/s", flush=True)

# %% Whole pictures of the same trees, by the renderer: seconds of sampling, and equal hashes
for row in rows:
    scene = weft.load(f"procedural:rubble:{row['size']}")
    pictures = {way: weft.render(scene, scheduler=way, width=256, height=256, spp=4) for way in ("keyed", "unkeyed")}
    assert pictures["keyed"].film_hash == pictures["unkeyed"].film_hash
    row["seconds"] = {way: picture.stats["times"]["render_s"] for way, picture in pictures.items()}
    print(f"{row['triangles']:>10} triangles: " + ", ".join(f"{way} {s:.2f} s" for way, s in row["seconds"].items()), flush=True)

# %% The picture
try:
    import matplotlib
except ImportError:
    sys.exit("matplotlib is missing, so that no picture is drawn: install python3-matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

colours = {"keyed": "#c0392b", "unkeyed": "#2c6fa8", "Embree": "#7f8c8d"}
triangles = [row["triangles"] for row in rows]
figure, (rates, times) = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
for way in ways:
    rates.plot(triangles, [row[way] for row in rows], "o-", label=way, color=colours[way])
for way in ("keyed", "unkeyed"):
    times.plot(triangles, [row["seconds"][way] for row in rows], "o-", label=way, color=colours[way])
for axes, title, unit in ((rates, "First bounces, the best arm of each", "million rays per second"),
                          (times, "Pictures of 256×256 pixels, 4 samples", "seconds")):
    axes.set(title=title, xlabel="triangles", ylabel=unit, xscale="log")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
figure.savefig(picture_file, dpi=90)
print(f"{picture_file} is written")
