"""Imports the entrypoint of a mounted skill as `skills.<dotted name>`, and its sibling modules
only within the skill.
"""
import builtins
import importlib.machinery
import importlib.util
import os
import sys
from importlib.machinery import PathFinder

MISSING = object()
RESERVED = ("runtime", "skills")


def module_name(skill_name):
    return "skills." + skill_name.replace("-", "_")


def is_regular(spec):
    """True if the spec is not a namespace package, which has the lowest priority."""
    return spec is not None and spec.origin is not None


class MountedSkill:
    """A skill for the import system: a module, and a folder of sibling modules."""

    def __init__(self, name, entrypoint, folder):
        self.module = module_name(name)
        self.root = os.path.join(os.path.realpath(folder), name)
        self.file = None
        self.folder = os.path.join(self.root, "code")
        self._siblings = {}
        if entrypoint is not None:
            file = os.path.realpath(os.path.join(self.root, entrypoint))
            # A link that leads out of the skill is rejected.
            if file.startswith(self.root + "/"):
                self.file = file
                self.folder = os.path.dirname(file)

    def has_sibling(self, top):
        if top not in self._siblings:
            self._siblings[top] = self._find(top)
        return self._siblings[top]

    def _find(self, top):
        # A skill must not replace modules that every skill may import.
        if top in RESERVED:
            return False
        spec = PathFinder.find_spec(top, [self.folder])
        if spec is None or is_regular(spec):
            return spec is not None
        return top not in sys.builtin_module_names and not is_regular(PathFinder.find_spec(top))


class EntryLoader(importlib.machinery.SourceFileLoader):
    """Loads the entrypoint as one module, whether it is imported by the name of the skill or of
    its file.
    """

    def get_code(self, fullname):
        """Compiles the source only: bytecode next to it may have been written by anyone."""
        return self.source_to_code(self.get_data(self.path), self.path)

    def exec_module(self, module):
        stem = os.path.splitext(os.path.basename(self.path))[0]
        alias = module.__name__ + "." + stem
        sys.modules[alias] = module
        try:
            super().exec_module(module)
        except BaseException:
            sys.modules.pop(alias, None)
            raise


class SkillFinder:
    """Finds `skills`, the packages above a skill, and the skill itself."""

    def __init__(self, mounted):
        self._mounted = {each.module: each for each in mounted}
        self._packages = {"skills"}
        for name in self._mounted:
            parts = name.split(".")
            self._packages.update(".".join(parts[:size]) for size in range(1, len(parts)))

    def create_packages(self):
        """Creates the packages that are not skills and have no skill above them. They have no
        code to find or run.
        """
        for name in sorted(self._packages):
            above, _, last = name.rpartition(".")
            if name not in self._mounted and (above == "" or above in sys.modules):
                package = importlib.util.module_from_spec(self.find_spec(name))
                sys.modules[name] = package
                if above:
                    setattr(sys.modules[above], last, package)

    def find_spec(self, fullname, path=None, target=None):
        skill = self._mounted.get(fullname)
        if skill is not None and skill.file is not None:
            return importlib.util.spec_from_file_location(
                fullname,
                skill.file,
                loader=EntryLoader(fullname, skill.file),
                submodule_search_locations=[skill.folder],
            )
        if skill is not None or fullname in self._packages:
            spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [skill.folder] if skill else []
            return spec
        return None


class SiblingImport:
    """Resolves `import helper` in a file of a skill to that skill's helper, even if other skills
    have one.
    """

    def __init__(self, mounted, original):
        # Longest name first: `a.b.c` may be a skill below the skill `a.b`.
        self._mounted = sorted(mounted, key=lambda each: -len(each.module))
        self._original = original

    def __call__(self, name, globals=None, locals=None, fromlist=(), level=0):
        owner = self._find_owner(globals) if level == 0 and globals else None
        top = name.partition(".")[0]
        if owner is None or not owner.has_sibling(top):
            return self._original(name, globals, locals, fromlist, level)
        package = vars(sys.modules.get(owner.module, builtins))
        before = package.get(top, MISSING)
        module_found = self._original(owner.module + "." + name, globals, locals, fromlist or ("",), 0)
        if before is not MISSING:
            # The entrypoint defines this name itself.
            package[top] = before
        # `import a.b` returns `a`; `from a.b import c` returns `a.b`.
        return module_found if fromlist else sys.modules[owner.module + "." + top]

    def _find_owner(self, namespace):
        name = namespace.get("__name__")
        if not isinstance(name, str):
            return None
        for each in self._mounted:
            if name == each.module or name.startswith(each.module + "."):
                return each
        return None


def install(skills, folder):
    mounted = [MountedSkill(each["name"], each["entrypoint"], folder) for each in skills]
    finder = SkillFinder(mounted)
    finder.create_packages()
    sys.meta_path.insert(0, finder)
    builtins.__import__ = SiblingImport(mounted, builtins.__import__)
    return mounted
