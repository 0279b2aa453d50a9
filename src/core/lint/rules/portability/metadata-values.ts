import type { LintEdit, LintedSkill, Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { toTable, getFrontMatter, locateInFrontMatter, describeType } from '../../skill-facts.ts'

export const METADATA_VALUES: Rule = {
  id: 'portability/metadata-values',
  severity: 'info',
  what: 'metadata in the front matter has values that are not strings',
  why: 'The Agent Skills format defines a map of strings to strings; hosts convert other values to strings or drop them.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\nmetadata:\n  author: 1\n',
      ),
    },
    good: {},
  },
  fix: 'Put quotes around the values.',
  fixable: 'safe',
  check(skill, report) {
    const metadata = getFrontMatter(skill)?.['metadata']
    if (metadata === undefined || !skill.profiles.includes('agent-skills')) return
    if (describeType(metadata) !== 'a table') {
      report({
        ...locateInFrontMatter(skill, ['metadata']),
        message: `metadata is ${describeType(metadata)}, expected a table of strings`,
        help: 'Write one key: "value" per line below metadata',
      })
    }
    for (const [key, value] of Object.entries(toTable(metadata))) {
      if (typeof value === 'string') continue
      const isScalar = typeof value === 'number' || typeof value === 'boolean'
      report({
        ...locateInFrontMatter(skill, ['metadata', key]),
        message: `metadata.${key} is ${describeType(value)}, expected a string`,
        help: isScalar ? 'Put it in quotes' : 'Write one string',
        edits: isScalar ? quoteMetadataValue(skill, key) : [],
      })
    }
  },
}

/** Quotes the written text: 1.0 becomes "1.0", not "1". */
function quoteMetadataValue(skill: LintedSkill, key: string): LintEdit[] {
  const { file, span } = locateInFrontMatter(skill, ['metadata', key])
  const written = span && skill.markdown?.text.slice(span.start, span.end)
  if (!span || !written || !/^[\w.+-]+$/.test(written)) return []
  return [{ kind: 'replace', file, span, text: `"${written}"` }]
}
