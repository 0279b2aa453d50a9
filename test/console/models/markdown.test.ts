import { expect, it } from 'vitest'
import { listHeadings, makeAnchor, resolveLink } from '../../../src/console/models/markdown.ts'

it.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  '//evil.example/x',
  '/console/skills/x',
  '\\\\evil.example\\x',
  '../../outside.md',
  '%2e%2e/%2e%2e/outside.md',
  'https://',
])('a link to %j is not followed', (address) => {
  expect(resolveLink(address, 'docs/USAGE.md')).toBeUndefined()
})

it('links to other sites, files of the skill and headings are followed', () => {
  expect(resolveLink('https://example.com/a?b=c', 'SKILL.md')).toEqual({
    kind: 'external',
    url: 'https://example.com/a?b=c',
  })
  expect(resolveLink('../SKILL.md#Install', 'docs/USAGE.md')).toEqual({
    kind: 'file',
    path: 'SKILL.md',
    fragment: 'Install',
  })
  expect(resolveLink('#Install', 'SKILL.md')).toEqual({
    kind: 'heading',
    id: 'heading-install',
  })
})

it('headings are listed with their anchors', () => {
  const heading = (value: string) => ({
    type: 'heading',
    depth: 2,
    children: [{ type: 'text', value }],
  })
  expect(listHeadings({ type: 'root', children: [heading('How to <b>run</b> it!')] })).toEqual([
    { depth: 2, text: 'How to <b>run</b> it!', anchor: 'heading-how-to-brunb-it' },
  ])
})

it('a heading of a document never gets the id of a part of the page', () => {
  for (const id of ['app', 'main']) expect(makeAnchor(id)).not.toBe(id)
})
