import { findNearest } from '../../../../util/find-nearest.ts'
import type { Rule } from '../../rule.ts'
import { extendExampleBody } from '../../example-skill.ts'
import { createAnchor, scanMarkdown } from '../../markdown/markdown-scan.ts'
import { isPlaceholderTarget } from '../../markdown/mentioned-files.ts'

export const BROKEN_ANCHOR: Rule = {
  id: 'docs/broken-anchor',
  severity: 'warning',
  what: 'A link refers to a heading that SKILL.md does not have',
  why: 'The link does not work.',
  example: {
    bad: { 'SKILL.md': extendExampleBody('See [below](#exampel).\n') },
    good: { 'SKILL.md': extendExampleBody('See [above](#example).\n') },
  },
  fix: 'Use the anchor of an existing heading.',
  check({ markdown }, report) {
    if (!markdown) return
    const { links, headings } = scanMarkdown(markdown)
    const anchorLinks = links.filter(
      (link) => link.target.startsWith('#') && link.target.length > 1,
    )
    if (anchorLinks.length === 0) return
    const anchors = new Set<string>()
    for (const { text } of headings) {
      const anchor = createAnchor(text)
      let unique = anchor
      for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`
      anchors.add(unique)
    }
    for (const { target, span } of anchorLinks) {
      const anchor = target.slice(1).toLowerCase()
      if (
        isPlaceholderTarget(target) ||
        anchors.has(anchor) ||
        markdown.text.includes(`id="${target.slice(1)}"`)
      )
        continue
      const guess = findNearest(anchor, anchors)
      report({
        file: 'SKILL.md',
        span,
        message: `"${target}" is not the anchor of a heading`,
        help: guess ? `Did you mean "#${guess}"?` : 'Use the anchor of an existing heading',
      })
    }
  },
}
