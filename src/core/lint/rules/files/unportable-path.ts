import type { Rule } from '../../rule.ts'

const RESERVED_NAMES = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/i
const MAX_LENGTH = 200

export const UNPORTABLE_PATH: Rule = {
  id: 'files/unportable-path',
  severity: 'warning',
  what: 'A path is not valid on every operating system',
  why: 'Windows rejects such names; archives that contain them cannot be extracted there.',
  example: { bad: { 'resources/aux.md': 'text\n' }, good: {} },
  fix: 'Rename the file or folder.',
  check(skill, report) {
    for (const { path } of skill.files) {
      const problem = describePathProblem(path)
      if (problem)
        report({
          file: path,
          message: `The path ${JSON.stringify(path)} ${problem}`,
          help: 'Rename it',
        })
    }
  },
}

function describePathProblem(path: string): string | undefined {
  if (path.length > MAX_LENGTH)
    return `has ${path.length} characters, expected at most ${MAX_LENGTH}`
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (RESERVED_NAMES.test(name)) return 'is reserved on Windows'
  if (/[<>:"\\|?*\u0000-\u001F\u007F\uFFFD]/.test(name))
    return 'has a character that Windows does not allow'
  return /[. ]$/.test(name) ? 'ends with a dot or space' : undefined
}
