import { findNearest } from '../../../../util/find-nearest.ts'
import type { Rule } from '../../rule.ts'
import { createExampleMarkdown } from '../../example-skill.ts'
import { scanMarkdown } from '../../markdown-scan.ts'

export const EXAMPLE_ARGUMENTS: Rule = {
  id: 'docs/example-arguments',
  severity: 'warning',
  what: 'An example call passes an argument that is not declared',
  why: 'Models copy examples, including their mistakes.',
  example: {
    bad: {
      'SKILL.md': createExampleMarkdown(
        undefined,
        '# Greet\n\nGreets the person named in `who`.\n\n```sh\nskills exec demo.greet --arg whom=Ada\n```\n',
      ),
    },
    good: {},
  },
  fix: 'Use the declared name, or declare the input.',
  check({ markdown, manifest }, report) {
    const declared = Object.keys(manifest.inputs)
    if (!markdown || declared.length === 0) return
    for (const block of scanMarkdown(markdown).code) {
      if (!block.text.includes(`exec ${manifest.name}`)) continue
      for (const match of block.text.matchAll(/--arg[ =]["']?([A-Za-z_][\w-]*)=/g)) {
        const name = match[1] as string
        if (declared.includes(name)) continue
        const start = block.start + match.index + match[0].length - 1 - name.length
        const guess = findNearest(name, declared)
        report({
          file: 'SKILL.md',
          span: { start, end: start + name.length },
          message: `The example passes "${name}", which is not declared under [inputs]`,
          help: guess ? `Did you mean "${guess}"?` : `Declared inputs: ${declared.join(', ')}`,
        })
      }
    }
  },
}
