import type { SkillFile } from '../../../skills/manifest/source.ts'
import type { Rule } from '../../rule.ts'
import { STANDARD_MODULES } from '../../python/standard-modules.ts'

export const SHADOWS_LIBRARY: Rule = {
  id: 'entrypoint/shadows-library',
  severity: 'warning',
  what: 'A file in the code folder has the name of a Python or runtime module',
  why: 'import json then finds code/json.py, and every library that needs the original module fails.',
  example: { bad: { 'code/json.py': 'VALUE = 1\n' }, good: {} },
  fix: 'Rename the file.',
  check(skill, report) {
    if (skill.manifest.runtime?.language !== 'python') return
    const folder = skill.manifest.runtime.entrypoint.split('/').slice(0, -1).join('/')
    const prefix = folder ? `${folder}/` : ''
    for (const { path, type } of skill.files) {
      const hidden = path.startsWith(prefix)
        ? describeHiddenModule(path.slice(prefix.length), type)
        : undefined
      if (hidden) report({ file: path, message: `"${path}" hides ${hidden}`, help: 'Rename it' })
    }
  },
}

function describeHiddenModule(name: string, type: SkillFile['type']): string | undefined {
  const module = type === 'directory' ? name : name.endsWith('.py') ? name.slice(0, -3) : ''
  if (module === 'runtime' || module === 'skills') return `the runtime's package "${module}"`
  if (type !== 'file' || !STANDARD_MODULES.has(module)) return undefined
  return `Python's own module "${module}"`
}
