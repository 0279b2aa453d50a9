import { MAX_DEPTH } from '../../../skills/repository/found-order.ts'
import { EXAMPLE_SKILL } from '../../example-skill.ts'
import type { Rule } from '../../rule.ts'

const nestExample = (depth: number) => {
  const folders = Array.from({ length: depth }, (_, at) => `${at + 1}`).join('/')
  return Object.fromEntries([
    ...Object.keys(EXAMPLE_SKILL).map((path) => [path, null]),
    ...Object.entries(EXAMPLE_SKILL).map(([path, text]) => [`../${folders}/greet/${path}`, text]),
  ])
}

export const TOO_DEEP: Rule = {
  id: 'files/too-deep',
  severity: 'error',
  what: `The skill is more than ${MAX_DEPTH} folders below its root`,
  why: 'Roots are not searched deeper, so the skill is neither listed nor executed.',
  example: { bad: nestExample(MAX_DEPTH), good: nestExample(MAX_DEPTH - 1) },
  fix: 'Move the folder up, or add one of its parent folders to roots.',
  check(skill, report) {
    if (!skill.isTooDeep) return
    report({
      file: '.',
      message: `The skill is more than ${MAX_DEPTH} folders below its root, so it is not found`,
      help: 'Move it up, or add a parent folder to roots in skills.config.toml',
    })
  },
}
