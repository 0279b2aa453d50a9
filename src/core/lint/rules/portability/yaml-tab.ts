import { createRequire } from 'node:module'
import { createExampleMarkdown } from '../../example-skill.ts'
import type { Rule } from '../../rule.ts'
import { getFrontMatter } from '../../skill-facts.ts'

const require = createRequire(import.meta.url)

export const YAML_TAB: Rule = {
  id: 'portability/yaml-tab',
  severity: 'warning',
  what: 'The front matter is indented with tabs',
  why: 'YAML does not allow them: some hosts accept them, others skip the skill.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\nmetadata:\n\tauthor: Ada\n',
      ),
    },
    good: {
      'SKILL.md': createExampleMarkdown(
        'name: greet\ndescription: Greets somebody by name.\nmetadata:\n  author: Ada\n',
      ),
    },
  },
  fix: 'Indent with spaces.',
  fixable: 'safe',
  check(skill, report) {
    const { markdown } = skill
    // Front matter that this runtime cannot read has another finding.
    if (!markdown || !getFrontMatter(skill)) return
    const { start, end } = markdown.frontMatter.span
    const block = markdown.text.slice(start, end)
    if (!/^ *\t/m.test(block) || !hasYamlErrors(block)) return
    for (const match of block.matchAll(/^(?=[ \t]*\t)[ \t]+(?=\S)/gm)) {
      const span = { start: start + match.index, end: start + match.index + match[0].length }
      report({
        file: 'SKILL.md',
        span,
        message: 'Strict YAML parsers reject a tab as indentation, expected spaces',
        help: 'Indent with two spaces',
        edits: [{ kind: 'replace', file: 'SKILL.md', span, text: match[0].replaceAll('\t', '  ') }],
      })
    }
  },
}

/** True if a strict parser rejects the block; tabs inside of a longer text are allowed. */
function hasYamlErrors(block: string): boolean {
  const { parseDocument } = require('yaml') as typeof import('yaml')
  const yaml = block.replace(/^---[^\n]*\n/, '').replace(/^---[ \t]*\r?\n?$/m, '')
  return parseDocument(yaml, { prettyErrors: false }).errors.length > 0
}
