import { EXAMPLE_TEST } from '../../example-skill.ts'
import type { Rule } from '../../rule.ts'
import { isSuitePath } from './suite-files.ts'

export const MISNAMED_SUITE: Rule = {
  id: 'tests/misnamed-suite',
  severity: 'warning',
  what: 'A file with cases has a name that "skills test" does not read',
  why: 'Its cases never run, and nothing says so.',
  example: {
    bad: { 'tests/greet.toml': EXAMPLE_TEST },
    good: { 'tests/greet.test.toml': EXAMPLE_TEST },
  },
  fix: 'Rename it to tests/<topic>.test.toml or tests/<topic>.test.yaml.',
  check(skill, report) {
    for (const { path, type } of skill.files) {
      if (type !== 'file' || isSuitePath(path) || !/\.(?:toml|ya?ml)$/.test(path)) continue
      if (!/(?:^|[/.])tests?[/.]/.test(path)) continue
      const found = /^(?:\[\[cases\]\]|cases:)/m.exec(skill.read(path) ?? '')
      if (!found) continue
      const span = { start: found.index, end: found.index + found[0].length }
      const name = path
        .split('/')
        .at(-1)
        ?.replace(/(?:\.tests?)?\.(\w+)$/, '.test.$1')
      report({
        file: path,
        span,
        message: `"skills test" does not read "${path}"`,
        help: `Rename it to tests/${name}`,
      })
    }
  },
}
