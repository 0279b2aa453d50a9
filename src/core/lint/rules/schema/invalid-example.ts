import { findUnusableExamples } from '../../../skills/manifest/example-files.ts'
import { findExampleProblems } from '../../../skills/manifest/examples.ts'
import { createExampleToml, EXAMPLE_TABLES } from '../../example-skill.ts'
import type { Rule } from '../../rule.ts'
import { findFile, getToml, locateInToml } from '../../skill-facts.ts'

const createExample = (lines: string) =>
  createExampleToml({}, `${EXAMPLE_TABLES}\n[[examples]]\nargs = { who = "Ada" }\n${lines}\n`)

export const INVALID_EXAMPLE: Rule = {
  id: 'schema/invalid-example',
  severity: 'error',
  what: 'An example in skill.toml has a mistake',
  why: 'It is not shown, and "skills test --docs" runs nothing while an example is not valid.',
  example: {
    bad: { 'skill.toml': createExample('reslut = { greeting = "Hello, Ada" }') },
    good: { 'skill.toml': createExample('result = { greeting = "Hello, Ada" }') },
  },
  fix: 'Correct the key or the value at the reported position.',
  check(skill, report) {
    const problems = [
      ...findExampleProblems(getToml(skill)?.['examples']),
      ...findUnusableExamples(skill.manifest, (path) => findFile(skill, path)?.type === 'file'),
    ]
    for (const { path, what, message, help } of problems) {
      report({ ...locateInToml(skill, ['examples', ...path], what), message, help })
    }
  },
}
