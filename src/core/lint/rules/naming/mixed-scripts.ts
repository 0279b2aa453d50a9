import type { Rule } from '../../rule.ts'
import { exampleMarkdown } from '../../example-skill.ts'
import { codeName } from '../../text-marks.ts'
import { frontMatterOf, inFrontMatter, quote } from '../../skill-facts.ts'

/** Scripts with letters that look like Latin ones. */
const LOOKALIKE = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/u

export const MIXED_SCRIPTS: Rule = {
  id: 'naming/mixed-scripts',
  severity: 'warning',
  what: 'A word of the name in SKILL.md mixes Latin letters with ones that look like them',
  why: 'Such a name passes for another skill: nobody sees the difference, but hosts and models do.',
  example: {
    bad: {
      'SKILL.md': exampleMarkdown('name: gr\u0435et\ndescription: Greets somebody by name.\n'),
    },
    good: {},
  },
  fix: 'Write each word in one script.',
  check(skill, report) {
    const name = frontMatterOf(skill)?.['name']
    if (typeof name !== 'string' || !LOOKALIKE.test(name)) return
    const words = name.slice(0, 1000).split(/[^\p{L}\p{M}]+/u)
    const word = words.find((each) => /\p{Script=Latin}/u.test(each) && LOOKALIKE.test(each))
    const letter = word && LOOKALIKE.exec(word)?.[0]
    if (!letter) return
    report({
      ...inFrontMatter(skill, ['name']),
      message: `The name ${quote(name)} mixes Latin letters with "${letter}" (${codeName(letter)}), expected one script`,
      help: `Type "${word}" again on a Latin keyboard`,
    })
  },
}
