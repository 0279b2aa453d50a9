import { createExampleMarkdown } from '../../example-skill.ts'
import { readYamlLines } from '../../yaml/front-matter-lines.ts'
import type { Rule } from '../../rule.ts'
import { getFrontMatter } from '../../skill-facts.ts'

export const CUT_VALUE: Rule = {
  id: 'docs/cut-value',
  severity: 'warning',
  what: 'A text of the front matter contains " #", which begins a comment',
  why: 'The rest of the text is not read: a model sees only its beginning.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Greets somebody by name in the channel #welcome.\n',
      ),
    },
    good: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: "Greets somebody by name in the channel #welcome."\n',
      ),
    },
  },
  fix: 'Put the whole text in quotes, or remove the comment.',
  fixable: 'unsafe',
  check(skill, report) {
    const { markdown } = skill
    if (!markdown || !getFrontMatter(skill)) return
    const { start, end } = markdown.frontMatter.span
    for (const { line, offset, key, value } of readYamlLines(markdown.text.slice(start, end))) {
      // Short values such as names often have a comment.
      if (!/^(?:description|short_description|title|when_to_use)$/.test(key ?? '')) continue
      const cut = /^[^"'[{|>&*!#\s][^\n]*?[ \t](#[^\n]*)$/.exec(value)
      if (!cut) continue
      const from = start + offset + line.lastIndexOf(value)
      const text = value.trimEnd()
      const span = {
        start: from + value.length - (cut[1] as string).length,
        end: from + text.length,
      }
      report({
        file: 'SKILL.md',
        span,
        message: `The ${key} ends before the "#", which begins a comment`,
        help: 'Put the whole text in quotes',
        edits: [
          {
            kind: 'replace',
            file: 'SKILL.md',
            span: { start: from, end: from + text.length },
            text: JSON.stringify(text),
          },
        ],
        unsafe: true,
      })
    }
  },
}
