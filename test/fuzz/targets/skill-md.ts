import { readMarkdown } from '../../../src/core/skills/manifest/markdown-source.ts'
import { toManifest } from '../../../src/core/skills/manifest/to-manifest.ts'
import { scanMarkdown } from '../../../src/core/lint/markdown/markdown-scan.ts'
import { findSuppressions } from '../../../src/core/lint/suppress/suppressions.ts'
import { LineIndex } from '../../../src/util/line-index.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectThat } from './expect.ts'

const PATHS = [['name'], ['description'], ['metadata', 'a'], ['tags', 0], ['a', 0, 'b']]

/** SKILL.md of a hostile package: front matter, positions, links and suppressions. */
export const target: FuzzTarget = {
  name: 'skill-md',
  format: 'text',
  seeds: [
    '---\nname: demo\ndescription: "a: b"\nmetadata:\n  a: 1\ntags: [x, y]\n---\n# Title\n\n[a](b.md)\n',
    '# T\n\n```sh\nskills run x\n```\n\n`code` ![i](../x.png) <https://a.example>\n\n[r]: c.md\n',
    '<!-- skills-lint-disable-next-line broken-link -- because -->\n[a](b)\n',
    '<!-- skills-lint-disable-path "a b/c" unknown-key -->\n',
  ],
  words: [
    '---\n',
    'name: ',
    '- ',
    '? ',
    '&a ',
    '*a',
    '!!js/function ',
    '|\n',
    '>-\n',
    '{',
    '[',
    '%YAML',
    '```',
    '~~~',
    '](',
    '![',
    '<!-- ',
    ' -->',
    '`',
    '``',
    '# ',
    '<a href="',
    '[x]: ',
    '\\',
    'skills-lint-disable',
    'skills-lint-disable-path ',
    '-next-line',
    '{{',
    '}}',
    '\r\n',
    '\t',
  ],
  open(isPlanted) {
    return (input) => {
      const text = input.toString('utf8')
      const source = readMarkdown('SKILL.md', text)
      // The planted bug: the body begins behind a fence that is missing.
      const bodyStart = isPlanted && source.frontMatter.problem ? text.length + 1 : source.bodyStart
      expectThat(bodyStart <= text.length, 'the body is inside the text')
      for (const path of PATHS) checkSpan(source.frontMatter.locate(path), text)
      if (source.frontMatter.problem) checkSpan(source.frontMatter.problem.span, text)
      toManifest({ toml: undefined, markdown: source })
      const scan = scanMarkdown(source)
      expectThat(scan.prose.length === text.length, 'prose has the length of the text')
      for (const { span } of [...scan.links, ...scan.headings, ...scan.inlineCode])
        checkSpan(span, text)
      const lines = new LineIndex(text)
      for (const { span, rules } of findSuppressions('SKILL.md', lines)) {
        checkSpan(span, text)
        for (const each of rules) checkSpan(each.span, text)
      }
    }
  },
}

function checkSpan({ start, end }: { start: number; end: number }, text: string): void {
  expectThat(start >= 0 && start <= end && end <= text.length, 'a position is inside the text')
}
