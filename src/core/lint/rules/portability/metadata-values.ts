import type { Edit, LintedSkill, Rule } from '../../rule.ts'
import { exampleMarkdown } from '../../example-skill.ts'
import { asTable, frontMatterOf, inFrontMatter, kindOfValue } from '../../skill-facts.ts'

export const METADATA_VALUES: Rule = {
  id: 'portability/metadata-values',
  severity: 'info',
  what: 'metadata in the front matter holds something else than texts',
  why: 'The Agent Skills format knows a map of texts to texts; hosts turn anything else into text or drop it.',
  example: {
    bad: {
      'SKILL.md': exampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\nmetadata:\n  author: 1\n',
      ),
    },
    good: {},
  },
  fix: 'Put quotes around the values.',
  fixable: 'safe',
  check(skill, report) {
    const metadata = frontMatterOf(skill)?.['metadata']
    if (metadata === undefined || !skill.profiles.includes('agent-skills')) return
    if (kindOfValue(metadata) !== 'a table') {
      report({
        ...inFrontMatter(skill, ['metadata']),
        message: `metadata is ${kindOfValue(metadata)}, expected a table of texts`,
        help: 'Write one key: "value" a line below metadata',
      })
    }
    for (const [key, value] of Object.entries(asTable(metadata))) {
      if (typeof value === 'string') continue
      const isScalar = typeof value === 'number' || typeof value === 'boolean'
      report({
        ...inFrontMatter(skill, ['metadata', key]),
        message: `metadata.${key} is ${kindOfValue(value)}, expected a text`,
        help: isScalar ? 'Put it in quotes' : 'Write one text',
        edits: isScalar ? quoting(skill, key) : [],
      })
    }
  },
}

/** What is written stays as it is: 1.0 becomes "1.0", not "1". */
function quoting(skill: LintedSkill, key: string): Edit[] {
  const { file, span } = inFrontMatter(skill, ['metadata', key])
  const written = span && skill.markdown?.text.slice(span.start, span.end)
  if (!span || !written || !/^[\w.+-]+$/.test(written)) return []
  return [{ kind: 'replace', file, span, text: `"${written}"` }]
}
