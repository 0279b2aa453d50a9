import type { Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { getFrontMatter, locateInFrontMatter, locateInToml, getToml } from '../../skill-facts.ts'

export const DESCRIPTION_DRIFT: Rule = {
  id: 'docs/description-drift',
  severity: 'warning',
  what: 'The descriptions in SKILL.md and skill.toml have no words in common',
  why: 'Models choose a skill by one description, people review the other; different descriptions mislead one of them.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Converts spreadsheets into charts.\nshort_description: Greets somebody by name.\n',
      ),
    },
    good: {},
  },
  fix: 'Use the same description in both files.',
  check(skill, report) {
    const written = getFrontMatter(skill)?.['description']
    const own = getToml(skill)?.['description']
    if (typeof written !== 'string' || typeof own !== 'string' || written === own) return
    const here = extractWords(written)
    const there = extractWords(own)
    if (here.size < 3 || there.size < 3 || [...here].some((word) => there.has(word))) return
    const manifestLocation = locateInToml(skill, ['description'])
    report({
      ...locateInFrontMatter(skill, ['description']),
      message: 'The description has no words in common with the one in skill.toml',
      help: 'Use the same description in both files',
      related: manifestLocation.span
        ? [
            {
              file: manifestLocation.file,
              span: manifestLocation.span,
              message: "the manifest's description",
            },
          ]
        : [],
    })
  },
}

function extractWords(text: string): Set<string> {
  return new Set(
    (text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [])
      .filter((word) => !COMMON_WORDS.has(word))
      .map((word) => word.slice(0, 6)),
  )
}

const COMMON_WORDS = new Set([
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
