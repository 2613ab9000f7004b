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
# The first letters of the arms of `weft bench` that trace rays, and the names of schedulers that render.
ways = {"keyed": "K", "unkeyed": "U", "embree": "E"}

# %% All arms of a scene take turns, on the same rays and on whole pictures; the best arm of each way counts
rows = []
for size in sizes:
    figures = weft.bench(f"procedural:rubble:{size}", classes=[ray_class], rays=1 << 16, repeats=3, image_repeats=3,
                         policy_repeats=0, width=256, height=256, spp=4)
    row = {"triangles": figures["triangles"], "rays": {}, "seconds": {}}
    for way, letter in ways.items():
        row["rays"][way] = max(arm["mrays_per_s_median"] for arm in figures["rays"] if arm["arm"].startswith(letter))
        # Processor time hardly depends on what else the machine does.
        row["seconds"][way] = min(arm["cpu_seconds"] for arm in figures["images"] if arm["scheduler"] == way)
    hashes = {arm["film_hash"] for arm in figures["images"] if arm["scheduler"] in ("keyed", "unkeyed")}
    assert len(hashes) == 1, "keys change no bit of a picture"
    rows.append(row)
    print(f"{row['triangles']:>10} triangles:",
          ", ".join(f"{way} {row['rays'][way]:.2f} Mray/s and {row['seconds'][way]:.2f} s" for way in ways), flush=True)

# %% The picture
try:
    import matplotlib
except ImportError:
    sys.exit("matplotlib is missing, so that no picture is drawn: install python3-matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

colours = {"keyed": "#c0392b", "unkeyed": "#2c6fa8", "embree": "#7f8c8d"}
figure, (rates, times) = pyplot.subplots(1, 2, figsize=(10, 4), layout="constrained")
for axes, what, title, unit in ((rates, "rays", "First bounces", "million rays per second"),
                                (times, "seconds", "Pictures of 256×256 pixels, 4 samples", "seconds of processor time")):
    for way in ways:
        axes.plot([row["triangles"] for row in rows], [row[what][way] for row in rows], "o-", label=way, color=colours[way])
    axes.set(title=title, xlabel="triangles", ylabel=unit, xscale="log")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend()
figure.savefig(picture_file, dpi=90)
print(f"{picture_file} is written")
