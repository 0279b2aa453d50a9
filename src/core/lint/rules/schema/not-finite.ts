import { findNonFiniteNumbers } from '../../../skills/manifest/non-finite.ts'
import type { Rule } from '../../rule.ts'
import { EXAMPLE_TABLES, createExampleToml } from '../../example-skill.ts'

export const NOT_FINITE: Rule = {
  id: 'schema/not-finite',
  severity: 'error',
  what: 'A number is not finite',
  why: 'Manifests are sent as JSON, which has no inf and no nan: a caller would get null instead.',
  example: {
    bad: {
      'skill.toml': createExampleToml(
        {},
        `${EXAMPLE_TABLES}\n[inputs.most]\ntype = "number"\ndescription = "At most"\ndefault = inf\n`,
      ),
    },
    good: {},
  },
  fix: 'Write a finite number, or omit the key.',
  check({ toml, markdown }, report) {
    for (const { path, written } of findNonFiniteNumbers(toml?.data ?? null)) {
      report({ file: 'skill.toml', span: toml?.locate(path), ...describeNumber(path, written) })
    }
    for (const { path, written } of findNonFiniteNumbers(markdown?.frontMatter.data ?? null)) {
      const span = markdown?.frontMatter.locate(path)
      report({ file: 'SKILL.md', span, ...describeNumber(path, written) })
    }
  },
}

function describeNumber(path: readonly string[], written: string) {
  return {
    message: `"${path.join('.')}" is ${written}, expected a finite number`,
    help: 'Write a finite number, or omit the key',
  }
}
