"""test_templates.py — the farm's templates without a farm: what they submit is read, and every command line of it is run.

Arguments: the program weft, then those of unittest. Each template renders the same small picture, whose film hash is that of one render.
"""

import copy
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

sys.dont_write_bytecode = True
FARM = Path(__file__).resolve().parents[3] / "app" / "farm"
sys.path.insert(0, str(FARM))
from openjd_schema import faults_of
from slices import SlicedPicture, UsageError, frame_names, line_of

WEFT = ""
ARGUMENTS = ["--width", "24", "--spp", "6", "-t", "1"]
NAME = "it's a picture.exr"


def run(words, **options):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, **options)


class FarmTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="weft-farm-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def check_run(self, words, code=0, **options):
        result = run(words, **options)
        self.assertEqual(result.returncode, code, f"{words}: {result.stdout}{result.stderr}")
        return result

    def film_hash(self, path):
        return self.check_run([WEFT, "verify", path]).stdout.split()[-1]

    def check_is_whole(self, path):
        whole = self.folder / "whole.exr"
        self.check_run([WEFT, "render", "cornell", "-o", whole, "--keep-film", "-q", *ARGUMENTS])
        self.assertRegex(self.film_hash(whole), "^[0-9a-f]{32}$")
        self.assertEqual(self.film_hash(path), self.film_hash(whole))


class Slices(FarmTest):
    def test_options_that_the_farm_sets_are_refused(self):
        for word in ("-o", "-oa.exr", "--output=a.exr", "--slice", "--slice=1/2", "--checkpoint", "--resume", "-n"):
            with self.assertRaisesRegex(UsageError, "the farm sets this option itself"):
                SlicedPicture(("cornell",), "a.exr", 2, (word,))
        SlicedPicture(("cornell",), "a.exr", 2, ("--checkpoint-interval", "5", "--spp", "-1"))

    def test_names_with_control_characters_are_refused(self):
        with self.assertRaisesRegex(UsageError, "control character"):
            SlicedPicture(("cornell",), "a\nb.exr", 2)

    def test_a_slice_is_finished_if_a_stop_rule_ended_it(self):
        picture = SlicedPicture(("cornell",), str(self.folder / "a.exr"), 2)
        picture.folder.mkdir()
        Path(picture.part(1)).write_text("")
        for rule, is_finished in (("samples", True), ("time_limit", True), ("signal", False), ("memory", False)):
            Path(picture.figures(1)).write_text(json.dumps({"samples": {"stopped_by": rule}}))
            self.assertEqual(picture.is_finished(1), is_finished)
        Path(picture.figures(1)).write_text("[half")
        self.assertFalse(picture.is_finished(1))
        self.assertFalse(picture.is_finished(2))

    def test_number_signs_become_digits_of_the_frame(self):
        self.assertEqual(frame_names("shot.####/a#.glb", 7), "shot.0007/a7.glb")
        self.assertEqual(frame_names("##", 123), "123")


class Slurm(FarmTest):
    """weft-slurm with an sbatch that keeps what it gets, and an squeue that shows no job."""

    def setUp(self):
        super().setUp()
        programs = self.folder / "programs"
        programs.mkdir()
        self.jobs = self.folder / "jobs"
        self.jobs.mkdir()
        self.program(programs / "sbatch", f"""
            number=$(($(ls {self.jobs} | wc -l) / 2 + 1))
            cat > {self.jobs}/$number.sh
            printf '%s\\n' "$@" > {self.jobs}/$number.words
            echo "$number"
        """)
        self.program(programs / "squeue", f"[ ! -e {self.folder}/queued ] || echo 1")
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}

    @staticmethod
    def program(path, text):
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def submit(self, *words, code=0, arguments=ARGUMENTS):
        return self.check_run([FARM / "weft-slurm", "cornell", "--slices", "3", "--weft", WEFT, *words, "--", *arguments],
                              code, cwd=self.folder, env=self.environment)

    def words_of(self, job):
        return (self.jobs / f"{job}.words").read_text().splitlines()

    def run_task(self, job, task=0, code=0, **more):
        environment = {**self.environment, "SLURM_ARRAY_TASK_ID": str(task), "SLURM_CPUS_ON_NODE": "1", **more}
        return self.check_run(["sh", self.jobs / f"{job}.sh"], code, cwd=self.folder, env=environment)

    def test_tasks_and_merge_make_the_picture(self):
        self.submit("-o", NAME, "--sbatch", "--partition=night --comment='a b'")
        self.assertIn("--array=1,2,3", self.words_of(1))
        self.assertIn("--requeue", self.words_of(1))
        self.assertIn("--dependency=afterok:1", self.words_of(2))
        self.assertIn("--kill-on-invalid-dep=yes", self.words_of(2))
        for job in (1, 2):
            self.assertIn("--partition=night", self.words_of(job))
            self.assertIn("--comment=a b", self.words_of(job))
        for task in (1, 2, 3):
            self.run_task(1, task)
        self.run_task(2)
        self.check_is_whole(self.folder / NAME)
        self.assertIn("is done", self.submit("-o", NAME).stdout)

    def test_only_slices_that_failed_are_submitted_again(self):
        self.submit("-o", "a.exr")
        self.run_task(1, 1)
        self.run_task(1, 3)
        self.assertIn("1 of 3 slices", self.submit("-o", "a.exr", "--merge", "any").stdout)
        self.assertIn("--array=2", self.words_of(3))
        self.assertIn("--dependency=afterany:3", self.words_of(4))
        self.assertIn("missing: slice 2/3", self.run_task(4).stderr)
        self.submit("-o", "a.exr")
        self.run_task(5, 2)
        self.run_task(6)
        self.check_is_whole(self.folder / "a.exr")

    def test_nothing_is_submitted_while_a_job_is_queued(self):
        self.submit("-o", "a.exr")
        (self.folder / "queued").touch()
        self.assertIn("still in the queue", self.submit("-o", "a.exr").stdout)
        self.assertFalse((self.jobs / "3.sh").exists())

    def test_slices_of_other_arguments_are_refused(self):
        self.submit("-o", "a.exr")
        refused = self.submit("-o", "a.exr", code=2, arguments=["--spp", "7"])
        self.assertIn("holds slices of other arguments", refused.stderr)
        self.assertIn("the farm sets this option itself", self.submit("-o", "b.exr", code=2, arguments=["--resume"]).stderr)

    def test_frames_are_pictures_of_their_own(self):
        self.submit("-o", "a.##.exr", "--frames", "9-10", "--merge-arguments", "--exr-type float")
        self.assertEqual(len(list(self.jobs.iterdir())), 2 * 4)
        self.run_task(3, 1)
        self.assertTrue((self.folder / "a.10.exr.slices" / "part-0001.exr").exists())
        self.assertIn("expected #", self.submit("-o", "a.exr", "--frames", "1-2", code=2).stderr)
        self.assertIn("expected A-B", self.submit("-o", "a#.exr", "--frames", "x", code=2).stderr)

    def test_the_memory_of_the_node_is_a_limit(self):
        self.submit("-o", "a.exr")
        failed = self.run_task(1, 1, 3, SLURM_MEM_PER_NODE="32")
        self.assertIn("30 MiB that --memory-limit allows", self.log_of(failed))

    @staticmethod
    def log_of(result):
        return result.stdout + result.stderr

    def test_a_dry_run_submits_and_writes_nothing(self):
        shown = self.submit("-o", "a.exr", "--dry-run").stdout
        self.assertEqual(shown.count("sbatch --parsable"), 2)
        self.assertEqual(list(self.jobs.iterdir()), [])
        self.assertFalse((self.folder / "a.exr.slices").exists())


class OpenJd(FarmTest):
    def setUp(self):
        super().setUp()
        self.template = json.loads((FARM / "weft.openjd.json").read_text())
        self.values = {"Param.Scene": "cornell", "Param.OutputFolder": str(self.folder), "Param.OutputName": NAME,
                       "Param.Slices": "3", "Param.SamplesPerPixel": "6", "Param.Arguments": "--width 24 -t 1",
                       "Param.MergeArguments": "", "Param.Weft": WEFT}

    def resolved(self, text, values):
        return re.sub(r"{{\s*([\w.]+)\s*}}", lambda name: values[name.group(1)], text)

    def run_step(self, step, values):
        for file in step["script"]["embeddedFiles"]:
            self.assertEqual(file["type"], "TEXT")
            path = self.folder / file["filename"]
            path.write_text(self.resolved(file["data"], values))
            values = {**values, f"Task.File.{file['name']}": str(path)}
        action = step["script"]["actions"]["onRun"]
        return self.check_run([self.resolved(word, values) for word in (action["command"], *action["args"])])

    def test_the_template_keeps_the_rules_of_its_specification(self):
        self.assertEqual(faults_of(self.template), [])
        self.assertEqual([f"Param.{one['name']}" for one in self.template["parameterDefinitions"]], list(self.values))
        # The file is JSON without repeated keys.
        json.loads((FARM / "weft.openjd.json").read_text(), object_pairs_hook=self.object_of)

    def object_of(self, pairs):
        self.assertEqual(len({key for key, _ in pairs}), len(pairs))
        return dict(pairs)

    def test_a_broken_rule_is_found(self):
        run_of_slices = ("steps", 0, "script", "actions", "onRun")
        file_of_slices = ("steps", 0, "script", "embeddedFiles", 0)
        tasks = ("steps", 0, "parameterSpace", "taskParameterDefinitions", 0)
        for path, value, fault in (
                (("specificationVersion",), "jobtemplate-2024-01", "specificationVersion: is"),
                (("extras",), 1, "template: has the unknown key extras"),
                (("name",), "", "name: has 0 characters"),
                (("name",), "a\nb", "name: has a control character"),
                (("name",), "weft {{Param.Arguments}}", "name: may have 1029 characters"),
                (("name",), "weft {{Param.Scene}}", "name: refers to Param.Scene"),
                (("name",), "weft {{Param.OutputName", "name: has braces without a partner"),
                (("description",), "", "description: has 0 characters"),
                (("parameterDefinitions",), [], "parameterDefinitions: has 0 elements"),
                (("parameterDefinitions", 0, "name"), "1st", "is no identifier"),
                (("parameterDefinitions", 1, "name"), "Scene", "Scene is taken"),
                (("parameterDefinitions", 0, "type"), "FILE", "has the type 'FILE'"),
                (("parameterDefinitions", 0, "dataFlow"), "INPUT", "dataFlow: is 'INPUT'"),
                (("parameterDefinitions", 0, "minValue"), 1, "has the unknown key minValue"),
                (("parameterDefinitions", 2, "default"), "", "default: has 0 characters"),
                (("parameterDefinitions", 2, "allowedValues"), ["a"], "default: is none of allowedValues"),
                (("parameterDefinitions", 3, "default"), "8", "default: is no whole number"),
                (("parameterDefinitions", 3, "default"), 0, "default: is 0"),
                (("parameterDefinitions", 3, "minValue"), 10000, "minValue is above maxValue"),
                (("steps",), [], "steps: has 0 elements"),
                (("steps", 1, "name"), "Slices", "Slices is taken"),
                (("steps", 0, "name"), "S" * 65, "name: has 65 characters"),
                (("steps", 1, "dependencies"), [], "dependencies: has 0 elements"),
                (("steps", 1, "dependencies", 0, "dependsOn"), "Merge", "depends on 'Merge'"),
                (("steps", 1, "script"), {}, "script: lacks actions"),
                ((*tasks, "type"), "STRING", "type: is 'STRING'"),
                ((*tasks, "range"), "1-{{Param.Scene}}", "range: refers to Param.Scene"),
                ((*tasks, "range"), "1..{{Param.Slices}}", "is no range"),
                ((*tasks, "range"), "1-{{Param.Slices}},1", "overlaps itself"),
                ((*file_of_slices, "type"), "BINARY", "type: is 'BINARY'"),
                ((*file_of_slices, "filename"), "a/render.sh", "is no name of a file"),
                ((*file_of_slices, "data"), "", "data: has 0 characters"),
                ((*file_of_slices, "data"), "{{Task.Param.Frame}}", "data: refers to Task.Param.Frame"),
                ((*file_of_slices, "name"), "Draw", "refers to Task.File.Render"),
                ((*run_of_slices, "command"), "", "command: has 0 characters"),
                ((*run_of_slices, "args", 4), "{{Task.Param.Part}}", "refers to Task.Param.Part"),
                ((*run_of_slices, "args", 4), "a\tb", "has a control character"),
                ((*run_of_slices, "args", 4), 4, "is no text"),
                ((*run_of_slices, "timeout"), 0, "timeout: is 0"),
                ((*run_of_slices, "cancelation", "mode"), "NOTIFY", "has the mode 'NOTIFY'"),
                ((*run_of_slices, "cancelation", "notifyPeriodInSeconds"), 601, "notifyPeriodInSeconds: is 601"),
                (("steps", 1, "script", "actions", "onRun", "args", 0), "{{Task.Param.Slice}}", "refers to Task.Param.Slice")):
            with self.subTest(path=path, value=value):
                template = copy.deepcopy(self.template)
                place = template
                for key in path[:-1]:
                    place = place[key]
                place[path[-1]] = value
                self.assertIn(fault, "\n".join(faults_of(template)))

    def test_tasks_and_merge_make_the_picture(self):
        slices, merge = self.template["steps"]
        (parameter,) = slices["parameterSpace"]["taskParameterDefinitions"]
        self.assertEqual((parameter["name"], parameter["type"]), ("Slice", "INT"))
        first, last = map(int, self.resolved(parameter["range"], self.values).split("-"))
        for number in range(first, last + 1):
            lines = self.run_step(slices, {**self.values, "Task.Param.Slice": str(number)}).stdout.splitlines()
            self.assertIn("openjd_progress: 100", lines)
        self.run_step(merge, self.values)
        self.check_is_whole(self.folder / NAME)

    def test_the_merge_writes_the_picture_that_its_arguments_ask_for(self):
        values = {**self.values, "Param.OutputName": "a.png"}
        parts = self.folder / "a.png.slices"
        parts.mkdir()
        files = [str(parts / f"part-000{number}.exr") for number in (1, 2, 3)]
        for number, file in enumerate(files, 1):
            self.check_run([WEFT, "render", "cornell", "-o", file, "--slice", f"{number}/3", "-q", *ARGUMENTS])
        arguments = "--view-transform aces --exposure -1"
        other = str(self.folder / "other.png")
        self.check_run([WEFT, "merge", other, *files, *arguments.split()])
        for given, is_same in ((arguments, True), ("", False)):
            self.run_step(self.template["steps"][1], {**values, "Param.MergeArguments": given})
            shown = self.check_run([WEFT, "compare", str(self.folder / "a.png"), other, "--metric", "rmse"]).stdout
            self.assertEqual(shown == "rmse 0\n", is_same)


class OpenCue(FarmTest):
    # The order of elements that the document type cjsl-1.11 asks for, of those that are used.
    ORDER = {"spec": ["show", "shot", "user", "uid", "job", "depends"], "job": ["paused", "maxretries", "layers"],
             "layers": ["layer", "layer"], "layer": ["cmd", "range", "chunk", "threadable", "services"],
             "services": ["service"], "depends": ["depend"], "depend": ["depjob", "deplayer", "onjob", "onlayer"]}

    def spec(self, *words, code=0):
        return self.check_run([FARM / "weft-opencue", "cornell", "--show", "s", "--shot", "a&b", "--slices", "3", "--weft", WEFT,
                               *words, "--", *ARGUMENTS], code)

    def test_frames_and_merge_make_the_picture(self):
        spec = ElementTree.fromstring(self.spec("-o", str(self.folder / NAME)).stdout)
        for element in spec.iter():
            self.assertEqual([child.tag for child in element], self.ORDER.get(element.tag, []))
        self.assertRegex(spec.find("job").get("name"), r"^\w+$")
        self.assertEqual(spec.findtext("depends/depend/onlayer"), "slices")
        for layer in spec.iter("layer"):
            first, last = map(int, layer.findtext("range").split("-"))
            for number in range(first, last + 1):
                command = layer.findtext("cmd").replace("#ZFRAME#", f"{number:04}").replace("#IFRAME#", str(number))
                self.check_run(["sh", "-c", command], cwd="/")
        self.check_is_whole(self.folder / NAME)

    def test_a_relative_output_is_refused(self):
        self.assertIn("expected an absolute path", self.spec("-o", "a.exr", code=2).stderr)


class Readme(FarmTest):
    def test_every_weft_line_of_the_page_is_accepted(self):
        lines = re.findall(r"^    (weft render .*)$", (FARM / "README.md").read_text(), re.M)
        self.assertGreater(len(lines), 0)
        for line in lines:
            words = line.replace("scene.glb", "cornell").split()[1:]
            self.check_run([WEFT, *words, "--dry-run"], cwd=self.folder)


if __name__ == "__main__":
    WEFT = os.path.abspath(sys.argv.pop(1))
    unittest.main()
