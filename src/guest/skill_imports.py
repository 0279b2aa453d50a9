"""Makes `skills.<dotted name>` the entrypoint module of a mounted skill."""
import importlib.machinery
import importlib.util
import sys


class SkillFinder:
    """Finds `skills`, the packages on the way to a skill, and the skill itself."""

    def __init__(self, modules):
        self._modules = modules
        self._packages = {"skills"}
        for name in modules:
            parts = name.split(".")
            self._packages.update(".".join(parts[:size]) for size in range(1, len(parts)))

    def find_spec(self, fullname, path=None, target=None):
        if fullname in self._modules:
            file, folder = self._modules[fullname]
            return importlib.util.spec_from_file_location(
                fullname, file, submodule_search_locations=[folder]
            )
        if fullname in self._packages:
            spec = importlib.machinery.ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = []
            return spec
        return None


def module_name(skill_name):
    return "skills." + skill_name.replace("-", "_")


def install(modules):
    sys.meta_path.insert(0, SkillFinder(modules))
