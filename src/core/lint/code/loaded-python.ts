import { posix } from 'node:path'
import { memoize } from '../../../util/memoize.ts'
import type { PythonFacts } from '../python/facts.ts'
import type { LintedSkill } from '../rule.ts'
import { listParsedPython } from '../skill-facts.ts'

interface ParsedFile {
  file: string
  facts: PythonFacts
}

/** Calls that import files whose names the text does not show. */
const DYNAMIC =
  /(?:^|\.)(?:import_module|__import__|spec_from_file_location|iter_modules|walk_packages)$/

/**
 * Python files that a run loads: the entrypoint, and files that a loaded one imports or names.
 * Other files are tests, templates, and scripts that someone starts by hand.
 */
export const listLoadedPython: (skill: LintedSkill) => readonly ParsedFile[] = memoize((skill) => {
  const parsed = listParsedPython(skill)
  const entry = parsed.find(({ file }) => file === skill.manifest.runtime?.entrypoint)
  if (!entry) return parsed
  const loaded = new Set<ParsedFile>([entry])
  for (const each of loaded) {
    if (each.facts.calls.some(({ name }) => DYNAMIC.test(name))) return parsed
    const text = skill.read(each.file) ?? ''
    const modules = each.facts.imports.flatMap(listModulePaths)
    for (const other of parsed) {
      const isNamed = text.includes(posix.basename(other.file))
      if (isNamed || modules.some((path) => `/${other.file}`.endsWith(path))) loaded.add(other)
    }
  }
  return parsed.filter((each) => loaded.has(each))
})

/** Ends of the paths under which Python may find what an import names, in any folder. */
function listModulePaths({ module, name }: PythonFacts['imports'][number]): string[] {
  const path = module === '' ? '' : `/${module.replaceAll('.', '/')}`
  const own = path === '' ? [] : [`${path}.py`, `${path}/__init__.py`]
  return name === null ? own : [...own, `${path}/${name}.py`, `${path}/${name}/__init__.py`]
}
