"""openjd_schema.py — the rules of Open Job Description's job templates, version 2023-09 without extensions, written anew from the text of
the specification (wiki page "2023-09 Template Schemas" of OpenJobDescription/openjd-specifications), whose sections the comments name.

faults_of(template) lists every broken rule as "PLACE: SENTENCE". Not checked, since our template has none of them: environments, host
requirements, combinations, and parameters of tasks other than INT.
"""

import re
import unicodedata

IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}", re.ASCII)  # 7.1
REFERENCE = re.compile(r"{{(.*?)}}", re.DOTALL)  # 7.3
MOST_PARAMETERS = 50  # 1.1
MOST_VALUE = 1024  # 2.5
SESSION = {"Session.WorkingDirectory", "Session.HasPathMappingRules", "Session.PathMappingRulesFile"}  # 7.3.1


class Checker:
    def __init__(self):
        self.faults = []

    def fault(self, place, sentence):
        self.faults.append(f"{place}: {sentence}")

    def check_object(self, place, value, required, optional=()):
        """Whether it is an object; faults where keys are missing or unknown."""
        if not isinstance(value, dict):
            self.fault(place, "is no object")
            return False
        for key in sorted(set(required) - set(value)):
            self.fault(place, f"lacks {key}")
        for key in sorted(set(value) - set(required) - set(optional)):
            self.fault(place, f"has the unknown key {key}")
        return True

    def items(self, place, value, least, most=None):
        """The items of a list with their places."""
        if not isinstance(value, list):
            self.fault(place, "is no list")
            return []
        if len(value) < least or (most is not None and len(value) > most):
            self.fault(place, f"has {len(value)} elements")
        return [(f"{place}[{k}]", item) for k, item in enumerate(value)]

    def check_text(self, place, value, least=0, most=None, allowed_controls=None):
        """`allowed_controls`: of the category Cc; None: all of them."""
        if not isinstance(value, str):
            self.fault(place, "is no text")
            return False
        if len(value) < least or (most is not None and len(value) > most):
            self.fault(place, f"has {len(value)} characters")
        if allowed_controls is not None and any(
                unicodedata.category(c) == "Cc" and c not in allowed_controls for c in value):
            self.fault(place, "has a control character")
        return True

    def check_format(self, place, value, scope, **limits):
        """A format string (7.3): text whose references are all in scope."""
        if not self.check_text(place, value, **limits):
            return
        for name in REFERENCE.findall(value):
            if name.strip() not in scope:
                self.fault(place, f"refers to {name.strip() or 'nothing'}, which is not known here")
        if re.search(r"{{|}}", REFERENCE.sub("", value)):
            self.fault(place, "has braces without a partner")

    def check_description(self, place, value):  # 7.2
        self.check_text(place, value, least=1, most=2048, allowed_controls="\n\r\t")

    def check_identifier(self, place, value, taken):
        if not isinstance(value, str) or not IDENTIFIER.fullmatch(value):
            self.fault(place, f"{value!r} is no identifier")
        elif value in taken:
            self.fault(place, f"{value} is taken")
        taken.add(str(value))

    def check_whole_number(self, place, value, least=None, most=None):
        """The number, or None."""
        if isinstance(value, bool) or not isinstance(value, int):
            self.fault(place, "is no whole number")
            return None
        if (least is not None and value < least) or (most is not None and value > most):
            self.fault(place, f"is {value}")
        return value

    def check_parameter(self, place, one, taken):  # 2.1 to 2.3
        limits = {"STRING": {"minLength", "maxLength"}, "PATH": {"minLength", "maxLength", "objectType", "dataFlow"},
                  "INT": {"minValue", "maxValue"}}
        kind = one.get("type") if isinstance(one, dict) else None
        if kind not in limits:
            self.fault(place, f"has the type {kind!r}")
            return
        self.check_object(place, one, {"name", "type"}, {"description", "default", "allowedValues"} | limits[kind])
        self.check_identifier(f"{place}.name", one.get("name"), taken)
        if "description" in one:
            self.check_description(f"{place}.description", one["description"])
        for key, words in (("objectType", {"FILE", "DIRECTORY"}), ("dataFlow", {"NONE", "IN", "OUT", "INOUT"})):
            if key in one and one[key] not in words:
                self.fault(f"{place}.{key}", f"is {one[key]!r}")
        least, most = ("minValue", "maxValue") if kind == "INT" else ("minLength", "maxLength")
        for key in (least, most):
            if key in one:
                self.check_whole_number(f"{place}.{key}", one[key], least=None if kind == "INT" else 0)
        if least in one and most in one and one[least] > one[most]:
            self.fault(place, f"{least} is above {most}")
        values = [(f"{place}.default", one["default"])] if "default" in one else []
        if "allowedValues" in one:
            values += self.items(f"{place}.allowedValues", one["allowedValues"], 1)
        for at, value in values:
            if kind == "INT":
                self.check_whole_number(at, value, one.get("minValue"), one.get("maxValue"))
            else:
                self.check_text(at, value, one.get("minLength", 0), min(MOST_VALUE, one.get("maxLength", MOST_VALUE)))
        if "default" in one and one["default"] not in one.get("allowedValues", [one["default"]]):
            self.fault(f"{place}.default", "is none of allowedValues")

    def check_job_name(self, name, parameters, scope):  # 1.1.1
        self.check_format("name", name, scope, least=1, allowed_controls="")
        if not isinstance(name, str):
            return
        longest = len(REFERENCE.sub("", name))
        for reference in REFERENCE.findall(name):
            one = parameters.get(reference.strip().split(".")[-1], {})
            longest += len(str(one.get("maxValue", "9" * 19))) if one.get("type") == "INT" else one.get("maxLength", MOST_VALUE)
        if longest > 128:
            self.fault("name", f"may have {longest} characters")

    def check_range(self, place, text, parameters, scope):  # 3.4.1.1.1
        self.check_format(place, text, scope, least=1)
        for key in ("minValue", "default", "maxValue"):
            resolved = REFERENCE.sub(
                lambda match, key=key: str(parameters.get(match.group(1).strip().split(".")[-1], {}).get(key, 1)), text)
            values = []
            for element in resolved.split(","):
                match = re.fullmatch(r"[ \t]*(-?\d+)(?:[ \t]*-[ \t]*(-?\d+)(?::(-?[1-9]\d*))?)?[ \t]*", element)
                if not match:
                    self.fault(place, f"{resolved!r} is no range")
                    return
                first, last, skip = (int(match.group(k) or default) for k, default in ((1, 0), (2, match.group(1)), (3, 1)))
                values += [first, *range(first + skip, last + (1 if skip > 0 else -1), skip)]
            if len(set(values)) != len(values):
                self.fault(place, f"{resolved!r} overlaps itself")

    def check_action(self, place, action, scope):  # 5
        if not self.check_object(place, action, {"command"}, {"args", "timeout", "cancelation"}):
            return
        self.check_format(f"{place}.command", action.get("command", ""), scope, least=1, allowed_controls="")
        for at, word in self.items(f"{place}.args", action.get("args", []), 0):
            self.check_format(at, word, scope, allowed_controls="")
        if "timeout" in action:
            self.check_whole_number(f"{place}.timeout", action["timeout"], 1)
        if "cancelation" in action:
            at, method = f"{place}.cancelation", action["cancelation"]
            mode = method.get("mode") if isinstance(method, dict) else None
            if mode not in ("TERMINATE", "NOTIFY_THEN_TERMINATE"):
                self.fault(at, f"has the mode {mode!r}")
                return
            self.check_object(at, method, {"mode"}, {"notifyPeriodInSeconds"} if mode != "TERMINATE" else ())
            if "notifyPeriodInSeconds" in method:
                self.check_whole_number(f"{at}.notifyPeriodInSeconds", method["notifyPeriodInSeconds"], 1, 600)

    def check_script(self, place, script, scope):  # 3.5, 6
        if not self.check_object(place, script, {"actions"}, {"embeddedFiles"}):
            return
        files = self.items(f"{place}.embeddedFiles", script["embeddedFiles"], 1) if "embeddedFiles" in script else []
        taken = set()
        filenames = set()
        for at, file in files:
            if self.check_object(at, file, {"name", "type", "data"}, {"filename", "runnable"}):
                self.check_identifier(f"{at}.name", file.get("name"), taken)
        known = scope | SESSION | {f"Task.File.{name}" for name in taken}
        for at, file in files:
            if file.get("type") != "TEXT":
                self.fault(f"{at}.type", f"is {file.get('type')!r}")
            self.check_format(f"{at}.data", file.get("data"), known, least=1)
            if "filename" in file and self.check_text(f"{at}.filename", file["filename"], 1, 64, ""):
                if re.search(r"[/\\]", file["filename"]) or file["filename"] in filenames:
                    self.fault(f"{at}.filename", "is no name of a file of its own")
                filenames.add(file["filename"])
            if not isinstance(file.get("runnable", False), bool):
                self.fault(f"{at}.runnable", "is neither true nor false")
        if self.check_object(f"{place}.actions", script.get("actions"), {"onRun"}):
            self.check_action(f"{place}.actions.onRun", script["actions"].get("onRun"), known)

    def check_step(self, place, step, names, parameters, scopes):  # 3
        if not self.check_object(place, step, {"name", "script"}, {"description", "dependencies", "parameterSpace"}):
            return
        self.check_text(f"{place}.name", step.get("name"), 1, 64, "")
        if "description" in step:
            self.check_description(f"{place}.description", step["description"])
        for at, one in self.items(f"{place}.dependencies", step["dependencies"], 1) if "dependencies" in step else []:
            # Only steps before it: so there is no cycle. The specification allows any order.
            if self.check_object(at, one, {"dependsOn"}) and one.get("dependsOn") not in names:
                self.fault(at, f"depends on {one.get('dependsOn')!r}, which is no step before it")
        template_scope, host_scope = scopes
        tasks = set()
        if "parameterSpace" in step and self.check_object(
                f"{place}.parameterSpace", step["parameterSpace"], {"taskParameterDefinitions"}):
            at = f"{place}.parameterSpace.taskParameterDefinitions"
            for inner, one in self.items(at, step["parameterSpace"].get("taskParameterDefinitions"), 1, 16):
                if self.check_object(inner, one, {"name", "type", "range"}):
                    self.check_identifier(f"{inner}.name", one.get("name"), tasks)
                    if one.get("type") != "INT":
                        self.fault(f"{inner}.type", f"is {one.get('type')!r}")
                    self.check_range(f"{inner}.range", one.get("range"), parameters, template_scope)
        self.check_script(f"{place}.script", step.get("script"),
                          host_scope | {f"Task.{kind}.{name}" for kind in ("Param", "RawParam") for name in tasks})

    def check(self, template):  # 1.1
        if not self.check_object("template", template, {"specificationVersion", "name", "steps"},
                                 {"$schema", "description", "parameterDefinitions"}):
            return
        if template.get("specificationVersion") != "jobtemplate-2023-09":
            self.fault("specificationVersion", f"is {template.get('specificationVersion')!r}")
        if "description" in template:
            self.check_description("description", template["description"])
        taken = set()
        definitions = template.get("parameterDefinitions")
        listed = self.items("parameterDefinitions", definitions, 1, MOST_PARAMETERS) if definitions is not None else []
        for place, one in listed:
            self.check_parameter(place, one, taken)
        parameters = {one["name"]: one for _, one in listed if isinstance(one, dict) and "name" in one}
        # The mapped value of a path is known on the host alone (7.3.1).
        host_scope = {f"{kind}.{name}" for kind in ("Param", "RawParam") for name in parameters}
        template_scope = host_scope - {f"Param.{name}" for name, one in parameters.items() if one.get("type") == "PATH"}
        self.check_job_name(template.get("name"), parameters, template_scope)
        names = set()
        for place, step in self.items("steps", template.get("steps"), 1):
            self.check_step(place, step, names, parameters, (template_scope, host_scope))
            name = step.get("name") if isinstance(step, dict) else None
            if name in names:
                self.fault(f"{place}.name", f"{name} is taken")
            names.add(name)


def faults_of(template):
    checker = Checker()
    checker.check(template)
    return checker.faults
