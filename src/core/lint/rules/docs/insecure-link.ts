import { isLoopbackHost } from '../../../../util/loopback-host.ts'
import type { Rule } from '../../rule.ts'
import { extendExampleBody } from '../../example-skill.ts'
import { scanMarkdown } from '../../markdown/markdown-scan.ts'

export const INSECURE_LINK: Rule = {
  id: 'docs/insecure-link',
  severity: 'info',
  what: 'A link uses http without encryption',
  why: 'Anyone on the network path can change what a model reads there.',
  example: {
    bad: { 'SKILL.md': extendExampleBody('See [it](http://example.com/page).\n') },
    good: {},
  },
  fix: 'Use https.',
  fixable: 'unsafe',
  check({ markdown }, report) {
    for (const { target, span } of markdown ? scanMarkdown(markdown).links : []) {
      if (!/^http:\/\//i.test(target)) continue
      if (URL.canParse(target) && isLoopbackHost(new URL(target).hostname)) continue
      report({
        file: 'SKILL.md',
        span,
        message: `The link "${target}" is not encrypted, expected https`,
        help: 'Write https://',
        edits: [
          { kind: 'replace', file: 'SKILL.md', span, text: target.replace(/^http:/i, 'https:') },
        ],
        unsafe: true,
      })
    }
  },
}
