import type { Rule } from '../../rule.ts'

const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i
const MAX = 200

export const UNPORTABLE_PATH: Rule = {
  id: 'files/unportable-path',
  severity: 'warning',
  what: 'A path cannot exist on every system',
  why: 'Windows refuses such names; archives that hold them cannot be unpacked there.',
  example: { bad: { 'resources/aux.md': 'text\n' }, good: {} },
  fix: 'Rename the file or folder.',
  check(skill, report) {
    for (const { path } of skill.files) {
      const why = problemOf(path)
      if (why)
        report({
          file: path,
          message: `The path ${JSON.stringify(path)} ${why}`,
          help: 'Rename it',
        })
    }
  },
}

function problemOf(path: string): string | undefined {
  if (path.length > MAX) return `has ${path.length} characters, expected at most ${MAX}`
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (RESERVED.test(name)) return 'is reserved on Windows'
  if (/[<>:"\\|?*\u0000-\u001F\u007F\uFFFD]/.test(name))
    return 'has a character that Windows does not allow'
  return /[. ]$/.test(name) ? 'ends with a dot or blank' : undefined
}
