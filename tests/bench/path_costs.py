#!/usr/bin/env python3
"""Counts what a path costs by step, in nanoseconds of processor time, by sampling a render on one thread.

    path_costs.py WEFT [WEFT…] -- SCENE [OPTION…]

Renders with each program in turn, three times each, under `perf record -e cpu-clock` (Debian: linux-perf), puts every sample down to
the step that its function belongs to, and prints the medians per path as one table. Options are those of `weft render`; the default
is 512×512 pixels and 16 samples. A function that the compiler put into another counts as the other.
"""
import collections
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

REPEATS = 3
DEFAULTS = '--width 512 --height 512 --spp 16 -t 1 -q'.split()
RATE_HZ = 4000

# The first pattern that matches a function's name decides.
STEPS = [
    ('start of the program', r'^(do_lookup_x|_dl_|check_match|strcmp)'),
    ('light tree', r'shaders::.*(walk_lights|bounded_importance)'),
    ('traversal', r'shaders::.*(walk_|run_(packet|single|interleaved|waiting|group)|trace_visit|decode_node)|rtcIntersect|rtcOccluded|embree'),
    ('shading', r'weft::shaders::'),
    ('ray routines', r'trace::RayFibre|trace::TraversalTuner|thread_ns'),
    ('parent: next step, light, result', r'State::(run_path|resolve|split_of|run_shade|run_miss|shade_elements)|add_light|attenuate_along'),
    ('start: pixel, sample, thread', r'State::start_paths|FibreStorage::admit|State::launch|CoarseScheduler|DataManager|begin_part|end_thread'),
    ('spawn: count and key', r'Spawner::|State::spawn|FibreStorage::add_fibres|KeyDealer|material_of'),
    ('gather: copy into collections', r'CollectionMemory::(append|push|find_or_open|open|grow_stale)|PacketUnit::spawn|PacketPort::spawn|DefinitionTable'),
    ('leave: claim and copy out', r'CollectionMemory::(take|settle|drop_head|close)|fibre::\(anonymous namespace\)::(claim|copy)|PacketUnit::emit|InputBuffer'),
    ('complete: counts, due parents', r'FibreStorage::complete|State::run_packet'),
    ('choose: policies, counters', r'CollectionMemory::|CollectionHeap|AgeList|ReadyStack|PacketUnit::|PacketPort::|State::(step|run_next|run_partial|run_overdue|count|prefetch|end_parent)|fibre::(score|standing|urgency|bounded)|Integrator'),
    ('release', r'FibreStorage::release|State::release'),
    ('film', r'film::|FilmAdder|TileWaves'),
    ('copies by the C library', r'memcpy|memmove|memset'),
]
SCHEDULER = ['start', 'spawn', 'gather', 'leave', 'choose', 'complete', 'release', 'copies']


def step_of(function):
    return next((step for step, pattern in STEPS if re.search(pattern, function)), 'other')


def sample(weft, arguments, folder):
    """Nanoseconds per path of each function of the thread that traces, and the rays of a path."""
    data, stats = folder / 'perf.data', folder / 'stats.json'
    subprocess.run(['perf', 'record', '-q', '-e', 'cpu-clock', '-F', str(RATE_HZ), '-o', str(data), '--', weft, 'render', *arguments,
                    '-o', str(folder / 'picture.exr'), '--stats', str(stats)], check=True, stdout=subprocess.DEVNULL)
    lines = subprocess.run(['perf', 'script', '-i', str(data), '-F', 'tid,ip,sym'], check=True, capture_output=True, text=True).stdout
    by_thread = collections.defaultdict(collections.Counter)
    for line in lines.splitlines():
        words = line.split(None, 2)  # thread, address, name
        if len(words) == 3 and words[0].isdigit():
            by_thread[words[0]][words[2]] += 1
    functions = max(by_thread.values(), key=lambda counts: counts.total())
    figures = json.loads(stats.read_text(encoding='utf-8'))
    paths = figures['rays']['camera']
    return ({function: count * 1e9 / RATE_HZ / paths for function, count in functions.items()},
            {kind: figures['rays'][kind] / paths for kind in ('bounce', 'shadow')})


def by_step(functions):
    costs = collections.Counter()
    for function, cost in functions.items():
        costs[step_of(function)] += cost
    return costs


def main():
    if '--' not in sys.argv:
        sys.exit(__doc__)
    at = sys.argv.index('--')
    programs, arguments = sys.argv[1:at], DEFAULTS + sys.argv[at + 1:]
    costs = {program: [] for program in programs}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(REPEATS):
            for program in programs:
                functions, rays = sample(program, arguments, pathlib.Path(folder))
                costs[program].append(functions)
    print(f'{sys.argv[at + 1]}: {1 + rays["bounce"]:.2f} rays and {rays["shadow"]:.2f} shadow rays a path; ns per path')
    tables = {program: [by_step(functions) for functions in costs[program]] for program in programs}
    rows = [(step, [step]) for step in [step for step, _ in STEPS] + ['other']]
    rows.append(('scheduling, of these', [step for step, _ in STEPS if step.split(':')[0].split(' ')[0] in SCHEDULER]))
    rows.append(('all', [step for step, _ in STEPS] + ['other']))
    for name, steps in rows:
        medians = [statistics.median(sum(table[step] for step in steps) for table in tables[program]) for program in programs]
        print(f'| {name} | ' + ' | '.join(f'{median:.1f}' for median in medians) + ' |')
    others = collections.Counter({name: cost for name, cost in costs[programs[0]][0].items() if step_of(name) == 'other'})
    print('other, first program:', ', '.join(f'{name[:40]} {cost:.1f}' for name, cost in others.most_common(8)))
    return 0


if __name__ == '__main__':
    sys.exit(main())
