import type { Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import {
  toTable,
  getFrontMatter,
  locateInFrontMatter,
  quoteValue,
  getToml,
} from '../../skill-facts.ts'

export const VERSION_DRIFT: Rule = {
  id: 'docs/version-drift',
  severity: 'error',
  what: 'SKILL.md has another version than skill.toml',
  why: 'Hosts that read only SKILL.md would publish a wrong version.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\nshort_description: Greets somebody by name.\nmetadata:\n  version: "9.9.9"\n',
      ),
    },
    good: {},
  },
  fix: 'Write the same version in both files, or none in SKILL.md.',
  fixable: 'unsafe',
  check(skill, report) {
    const data = getFrontMatter(skill)
    const version = getToml(skill)?.['version']
    if (!data || typeof version !== 'string') return
    const paths = [
      { path: ['version'], value: data['version'] },
      { path: ['metadata', 'version'], value: toTable(data['metadata'])['version'] },
    ]
    for (const { path, value } of paths) {
      if (value === undefined || complete(value) === complete(version)) continue
      const location = locateInFrontMatter(skill, path)
      report({
        ...location,
        message: `The version ${quoteValue(value)} differs from "${version}" in skill.toml`,
        help: `Write "${version}", or remove it here`,
        edits: location.span
          ? [
              {
                kind: 'replace',
                file: 'SKILL.md',
                span: location.span,
                text: JSON.stringify(version),
              },
            ]
          : [],
        unsafe: true,
      })
    }
  },
}

/** Agent Skills also write 1.2 for 1.2.0, and YAML reads it as a number. */
function complete(value: unknown): string {
  const text = String(value)
  return /^\d+(?:\.\d+)?$/.test(text) ? complete(`${text}.0`) : text
}
