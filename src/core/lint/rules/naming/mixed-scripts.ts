import type { Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { formatCodePoint } from '../../text-spans.ts'
import { getFrontMatter, locateInFrontMatter, quoteValue } from '../../skill-facts.ts'

/** Letters of scripts with characters that look like Latin ones. */
const LOOKALIKE_LETTER =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u

export const MIXED_SCRIPTS: Rule = {
  id: 'naming/mixed-scripts',
  severity: 'warning',
  what: 'A word of the name in SKILL.md mixes Latin letters with similar letters of another script',
  why: 'Such a name imitates another skill: people do not see the difference, but hosts and models do.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        'name: gr\u0435et\ndescription: Greets somebody by name.\n',
      ),
    },
    good: {},
  },
  fix: 'Write each word in one script.',
  check(skill, report) {
    const name = getFrontMatter(skill)?.['name']
    const found = typeof name === 'string' ? findMixedScripts(name) : undefined
    if (!found) return
    const { word, letter } = found
    report({
      ...locateInFrontMatter(skill, ['name']),
      message: `The name ${quoteValue(name)} mixes Latin letters with "${letter}" (${formatCodePoint(letter)}), expected one script`,
      help: `Type "${word}" again on a Latin keyboard`,
    })
  },
}

/** The first word of a text that mixes Latin letters with similar ones of another script. */
export function findMixedScripts(text: string): { word: string; letter: string } | undefined {
  if (!LOOKALIKE_LETTER.test(text)) return undefined
  const words = text.slice(0, 1000).split(/[^\p{L}\p{M}]+/u)
  const word = words.find((each) => /\p{Script=Latin}/u.test(each) && LOOKALIKE_LETTER.test(each))
  const letter = word && LOOKALIKE_LETTER.exec(word)?.[0]
  return word && letter ? { word, letter } : undefined
}
