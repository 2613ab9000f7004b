#!/usr/bin/env python3
"""Measures what keys are worth to scenes larger than memory, as one table.

    paging_table.py WEFT [--small] [FOLDER]

Figures: bytes read and times of keyed and unkeyed frames with a quarter and a sixteenth of the pages in memory, each with
pages of 16, 64 or 256 KiB, whichever suits it best; keyed frames beside those in memory, five in turn; 200 million triangles in 2 GB
(not with --small; 30 GB of disk); classes of rays of instanced scenes, with 24_gpu_instancing if it is below FOLDER (without
one below $WEFT_SCENES). Tables, JSON and charts go to out/bench/paging/, the table to stdout and table.md there. About an hour,
with --small some minutes on smaller scenes and pictures: ratios of fewer rays are smaller.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

OUT = pathlib.Path('out/bench/paging')
PAGES = OUT / 'pages'
# More threads have more pages at once, and a sixteenth of a million triangles has no room for these.
PAGING = ['--paging', '-t', '2', '--cache-dir']
BIG_DISK_BYTES = 35 << 30  # what the pages of 200 million triangles want
MIB = 1 << 20


class Plan:
    """Scenes and pictures of one size of the measurement."""

    def __init__(self, is_small):
        self.scene = 'procedural:rubble:600K' if is_small else 'procedural:rubble:1M'
        self.control = '--width 128 --height 72 --spp 2'.split() if is_small else '--width 320 --height 180 --spp 4'.split()
        self.control_repeats = 1 if is_small else 2
        self.keyed = '--width 320 --height 180 --spp 2'.split() if is_small else '--width 640 --height 360 --spp 4'.split()
        self.keyed_repeats = 3 if is_small else 5
        self.big = None if is_small else 'procedural:rubble:200M'
        self.forest = 'procedural:forest:20K' if is_small else 'procedural:forest:1M'
        self.rays = '8192' if is_small else '65536'


def run(weft, name, *arguments):
    """Runs weft; its table goes to NAME.txt, its messages to stderr."""
    print(f'paging: weft {" ".join(arguments)}', file=sys.stderr)
    with open(OUT / f'{name}.txt', 'w', encoding='utf-8') as table:
        return subprocess.run([weft, *arguments], stdout=table, check=False).returncode == 0


def bench(weft, name, scene, *arguments):
    """The JSON of weft bench; None if it failed."""
    file = OUT / f'{name}.json'
    is_done = run(weft, name, 'bench', scene, *arguments, '-q', '--json', str(file), '--chart', str(OUT / f'{name}.svg'))
    return json.loads(file.read_text(encoding='utf-8')) if is_done else None


def best(rows, scheduler, divisor, figure, least_page=0):
    """The least figure of a scheduler's rows whose budget is their part of the pages; None: there is none."""
    return min((figure(row) for row in rows
                if row['scheduler'] == scheduler and row['divisor'] == divisor and row['tree_page_bytes'] >= least_page
                and (divisor == 0 or row['budget_bytes'] <= row['page_bytes'] // divisor)), default=None)


def ratio(above, below):
    return f'{above / below:.2f}' if above and below else 'not measured'


def seconds_of(row):
    return row['seconds']['median']


def bytes_of(row):
    return row['bytes_per_ray']


def control_rows(weft, plan):
    read = bench(weft, 'control', plan.scene, *PAGING, str(PAGES.resolve()), *plan.control, '--image-repeats', str(plan.control_repeats),
                 '--page-size', '16K,64K,256K')
    if read is None:
        yield 'unkeyed over keyed', '', 'failed'
        return
    rows = read['paging']
    for least_page in (64 << 10, 16 << 10):
        pages = f'pages of {least_page >> 10} KiB and more'
        for divisor, needed in ((4, '8 (aim 20)'), (16, '8 (aim 40)')):
            yield (f'bytes read per ray, unkeyed / keyed, 1/{divisor}, {pages}', needed,
                   ratio(best(rows, 'unkeyed', divisor, bytes_of, least_page),
                         best(rows, 'keyed', divisor, bytes_of, least_page)))
        for divisor, needed in ((4, '3 (aim 10)'), (16, '')):
            yield (f'time, unkeyed / keyed, 1/{divisor}, {pages}', needed,
                   ratio(best(rows, 'unkeyed', divisor, seconds_of, least_page),
                         best(rows, 'keyed', divisor, seconds_of, least_page)))


def keyed_rows(weft, plan):
    # Pages as renders have them.
    read = bench(weft, 'keyed', plan.scene, *PAGING, str(PAGES.resolve()), '--no-control', '--page-size', '256K', *plan.keyed,
                 '--image-repeats', str(plan.keyed_repeats))
    if read is None:
        yield 'keyed paged over in memory', '', 'failed'
        return
    memory = best(read['paging'], 'keyed', 0, seconds_of)
    for divisor, needed in ((4, 'at most 2 (aim 1.3)'), (16, 'at most 4 (aim 2)')):
        yield (f'time, keyed paged / in memory, 1/{divisor}', needed,
               ratio(best(read['paging'], 'keyed', divisor, seconds_of), memory))


def big_rows(weft, plan):
    name = '200 M triangles in 2 GB: minutes in all; peak MiB'
    needed = 'renders, 4096 (aim 30 minutes)'
    if plan.big is None:
        yield name, needed, 'left out by --small'
        return
    if shutil.disk_usage(OUT).free < BIG_DISK_BYTES:
        yield name, needed, f'left out: wants {BIG_DISK_BYTES >> 30} GiB of free disk in {OUT}'
        return
    stats = OUT / 'big.json'
    is_done = run(weft, 'big', 'render', plan.big, '--geometry-memory', '2G', '--cache-dir', str(PAGES.resolve()),
                  '--width', '640', '--height', '360', '--spp', '4', '-q', '-o', str(OUT / 'big.png'), '--stats', str(stats))
    if not is_done:
        yield name, needed, 'failed'
        return
    read = json.loads(stats.read_text(encoding='utf-8'))
    yield name, needed, f'{read["times"]["total_s"] / 60:.1f}; {read["peak_rss_bytes"] // MIB}'


def instanced_scenes(plan, folder):
    yield 'instances'
    yield plan.forest
    if folder:
        yield from sorted(str(path) for path in pathlib.Path(folder).rglob('24_gpu_instancing.gl*'))[:1]


def instanced_rows(weft, plan, folder):
    for scene in instanced_scenes(plan, folder):
        name = pathlib.Path(scene).stem.replace(':', '-')
        read = bench(weft, name, scene, '--no-images', '--repeats', '3', '--rays', plan.rays)
        ratios = read['ratios']['honest'] if read else {}
        text = ', '.join(f'{ray_class} {value:.2f}' for ray_class, value in ratios.items() if value)
        yield f'{name}: K2 / best of the others', '1.0 (aim 1.3)', text or 'failed'


def main():
    arguments = [word for word in sys.argv[1:] if word != '--small']
    if not arguments or len(arguments) > 2:
        sys.exit(__doc__)
    weft = str(pathlib.Path(arguments[0]).resolve())
    folder = arguments[1] if len(arguments) > 1 else os.environ.get('WEFT_SCENES')
    os.chdir(pathlib.Path(__file__).resolve().parents[2])
    OUT.mkdir(parents=True, exist_ok=True)
    plan = Plan('--small' in sys.argv[1:])
    lines = ['| figure | needed | found |', '|---|---|---|']
    for rows in (control_rows(weft, plan), keyed_rows(weft, plan), big_rows(weft, plan),
                 instanced_rows(weft, plan, folder)):
        for row in rows:
            lines.append('| ' + ' | '.join(row) + ' |')
            print(lines[-1], flush=True)
    shutil.rmtree(PAGES, ignore_errors=True)
    (OUT / 'table.md').write_text('\n'.join(lines) + '\n', encoding='utf-8')
    print(f'paging: {OUT / "table.md"}', file=sys.stderr)
    return any('failed' in line for line in lines)


if __name__ == '__main__':
    sys.exit(main())
