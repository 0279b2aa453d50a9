import type { Rule } from '../../rule.ts'
import { exampleMarkdown } from '../../example-skill.ts'
import { frontMatterOf, inFrontMatter, inToml, tomlOf } from '../../skill-facts.ts'

export const DESCRIPTION_DRIFT: Rule = {
  id: 'docs/description-drift',
  severity: 'warning',
  what: 'The descriptions in SKILL.md and skill.toml have no word in common',
  why: 'Models choose by one, people review the other; two that say different things mislead one of them.',
  example: {
    bad: {
      'SKILL.md': exampleMarkdown(
        'name: greet\ndescription: Converts spreadsheets into charts.\nshort_description: Greets somebody by name.\n',
      ),
    },
    good: {},
  },
  fix: 'Let both say the same.',
  check(skill, report) {
    const told = frontMatterOf(skill)?.['description']
    const own = tomlOf(skill)?.['description']
    if (typeof told !== 'string' || typeof own !== 'string' || told === own) return
    const here = wordsOf(told)
    const there = wordsOf(own)
    if (here.size < 3 || there.size < 3 || [...here].some((word) => there.has(word))) return
    const place = inToml(skill, ['description'])
    report({
      ...inFrontMatter(skill, ['description']),
      message: 'The description has no word in common with the one in skill.toml',
      help: 'Let both say the same',
      related: place.span
        ? [{ file: place.file, span: place.span, message: "the manifest's description" }]
        : [],
    })
  },
}

function wordsOf(text: string): Set<string> {
  return new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])
      .filter((word) => !COMMON.has(word))
      .map((word) => word.slice(0, 6)),
  )
}

const COMMON = new Set([
  'the',
  'and',
  'for',
  'with',
  'from',
  'into',
  'this',
  'that',
  'when',
  'use',
  'uses',
  'skill',
  'how',
])
