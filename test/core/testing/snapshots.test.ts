import { describe, expect, it } from 'vitest'
import {
  escapeElisions,
  fitsSnapshot,
  hasElisions,
  rewriteSnapshot,
} from '../../../src/core/testing/snapshots/elisions.ts'
import { normalizeText } from '../../../src/core/testing/snapshots/normalizers.ts'
import {
  formatFilesSnapshot,
  formatFileSnapshot,
  formatJsonSnapshot,
} from '../../../src/core/testing/snapshots/snapshot-text.ts'

const keepText = (text: string) => text
const everything = { replace: ['times', 'ids', 'ports'] as const, folders: new Map() }

describe('elisions', () => {
  it.each([
    ['a\nb\n', 'a\nb\n', true],
    ['a\nb\n', 'a\nc\n', false],
    ['a\n...\nz\n', 'a\nz\n', true],
    ['a\n...\nz\n', 'a\n1\n2\nz\n', true],
    ['a\n...\nz\n', 'a\n1\n2\n', false],
    ['...\nb\n...\nb\n', 'x\nb\ny\nb\n', true],
    ['...\nb\n...\nb\n', 'x\nb\n', false],
    ['took [..] ms\n', 'took 12 ms\n', true],
    ['took [..] ms\n', 'took 12 s\n', false],
    ['[..]a[..]a', 'xaya', true],
    ['a[..]a', 'a', false],
    ['a [..] c [..] e', 'a b c d e', true],
    ['\\...\n', '...\n', true],
    ['\\...\n', 'a\n', false],
    ['\\[..]', '[..]', true],
    ['\\[..]', 'abc', false],
    ['', '', true],
    ['', 'a', false],
    ['...', 'a\nb', true],
  ])('%j and %j', (snapshot, text, fits) => {
    expect(fitsSnapshot(snapshot, text)).toBe(fits)
  })

  it('a written snapshot fits its own text, and no text without elisions', () => {
    for (const text of ['...\n', 'a [..] b\n', '\\...\n', '\\\\[..]', 'x\n...\n[..]\n']) {
      const snapshot = escapeElisions(text)
      expect(fitsSnapshot(snapshot, text)).toBe(true)
      expect(hasElisions(snapshot)).toBe(false)
      expect(fitsSnapshot(snapshot, text.replaceAll('.', 'x'))).toBe(false)
    }
  })

  it.each([
    ['a [..] c\nold\n', 'a b c\nnew\n', 'a [..] c\nnew\n'],
    ['a\n...\nz\n', 'A\nb\nc\nz\n', 'A\n...\nz\n'],
    ['a\n...\nz\n', 'a\nb\nc\nZ\n', 'a\n...\nZ\n'],
    ['a\n...\nz\n', 'a\nb\nz\nmore\n', 'a\n...\nz\nmore\n'],
    ['at [..]\nat [..]\nend\n', 'at 1\nend\n', 'at [..]\nend\n'],
    ['head\nat [..]\n', 'head\n[..]\nat 5\n', 'head\n\\[..]\nat [..]\n'],
    ['no elision\n', '...\n', '\\...\n'],
  ])('of %j stay when the text becomes %j', (before, text, expected) => {
    const after = rewriteSnapshot(before, text)
    expect(after).toBe(expected)
    expect(fitsSnapshot(after ?? '', text)).toBe(true)
  })

  it('a rewritten snapshot always fits the text', () => {
    const words = ['a', 'b', '...', 'x[..]', 'xy', '[..]']
    let seed = 7
    const pick = (count: number) => (seed = (seed * 16_807) % 2_147_483_647) % count
    for (let round = 0; round < 2000; round++) {
      const make = () => Array.from({ length: pick(6) }, () => words[pick(words.length)]).join('\n')
      const [before, text] = [make(), make()]
      const after = rewriteSnapshot(before, text)
      expect({ before, text, fits: fitsSnapshot(after ?? '', text) }).toMatchObject({ fits: true })
    }
  })

  it('of texts with too many lines are not kept', () => {
    const long = 'line\n'.repeat(3000)
    expect(rewriteSnapshot(`...\n${long}`, `${long}x\n`)).toBeUndefined()
  })
})

describe('normalizers', () => {
  it.each([
    ['at 2026-11-23T10:00:25.123Z!', 'at [TIME]!'],
    ['2026-11-23 10:00', '[TIME]'],
    ['Mon Nov 23 10:00:25 UTC 2026', '[TIME]'],
    ['Mon, 23 Nov 2026 10:00:25 +0000', '[TIME]'],
    ['took 10:00:25', 'took [TIME]'],
    ['id 123e4567-e89b-12d3-a456-426614174000', 'id [ID]'],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAV', '[ID]'],
    ['http://localhost:34567/a', 'http://localhost:[PORT]/a'],
    ['http://[::1]:80', 'http://[::1]:[PORT]'],
    ['/tmp/tmpab12_x9z/file', '/tmp/[TMP]/file'],
    ['/tmp/tmp.JglToduqpJ', '/tmp/[TMP]'],
    ['\u001b[31mred\u001b[0m\r\nline\r\n', 'red\nline\n'],
    [
      'version 1.2.3 of 2026-11-23, example.com:443',
      'version 1.2.3 of 2026-11-23, example.com:443',
    ],
  ])('%j becomes %j', (text, expected) => {
    expect(normalizeText(text, everything)).toBe(expected)
  })

  it('times, ids and ports stay by default, because a wrong one is a fault', () => {
    const text = '2026-11-23T10:00:25Z localhost:80 123e4567-e89b-12d3-a456-426614174000'
    expect(normalizeText(text, { replace: [], folders: new Map() })).toBe(text)
  })

  it('paths of the host get names', () => {
    const folders = new Map([['/tmp/skills-test-x/case-1', '[CASE]']])
    expect(normalizeText('in /tmp/skills-test-x/case-1/a', { replace: [], folders })).toBe(
      'in [CASE]/a',
    )
  })

  it('patterns take linear time', () => {
    const text = '2026-11-23T10:00:'.repeat(20_000) + '0'.repeat(100_000)
    expect(normalizeText(text, everything).length).toBeLessThan(text.length)
  })
})

describe('texts of snapshots', () => {
  it('JSON has sorted keys and normalized texts', () => {
    const text = formatJsonSnapshot({ b: [{ z: 1, a: 'x\r\n' }], a: null }, (each) =>
      each.replace('\r\n', '\n'),
    )
    expect(text).toBe(
      '{\n  "a": null,\n  "b": [\n    {\n      "a": "x\\n",\n      "z": 1\n    }\n  ]\n}\n',
    )
  })

  it('a binary file is its size and digest', () => {
    expect(formatFileSnapshot(Buffer.from([0, 1, 255]), keepText)).toMatch(
      /^binary file, 3 bytes, sha256:[0-9a-f]{64}\n$/,
    )
  })

  it('files are listed with their texts', () => {
    const files = {
      isKnown: true,
      created: ['b.txt'],
      changed: ['a.txt'],
      deleted: ['c.txt'],
      untouched: ['d.txt'],
      read: (path: string) => Buffer.from(path === 'a.txt' ? 'text' : 'line\n'),
    }
    expect(formatFilesSnapshot(files, keepText)).toBe(
      '-- changed a.txt --\ntext\n\\ No newline at end of file\n-- created b.txt --\nline\n-- deleted c.txt --\n',
    )
  })
})
