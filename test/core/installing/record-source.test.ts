import { describe, expect, it } from 'vitest'
import { recordSource } from '../../../src/core/installing/source-identity.ts'
import { identifySource, isOnePlace } from '../../../src/core/installing/source-identity.ts'

function identify(source: string, version = '1.0.0', resolved = source): string {
  return identifySource({ source, resolved }, version)
}

describe('the source of a skill in the lock', () => {
  it.each([
    ['/p/shared/greet', 'shared/greet'],
    ['/greet', '../greet'],
    ['/p/npm:greet', './npm:greet'],
  ])('%s is recorded as a path of the project', (path, recorded) => {
    const place = { type: 'folder', path } as const
    const places = { scope: 'project', base: '/p' } as const
    const facts = { text: 'x', place, fetched: { resolved: path }, places }
    expect(recordSource(facts)).toEqual({ source: recorded, resolved: recorded })
  })

  it.each([
    ['https://example.com/a/greet-1.0.0.zip', 'https://example.com/a/greet-1.1.0.zip'],
    ['https://example.com/v1.0.0/greet.zip', 'https://example.com/v1.1.0/greet.zip'],
    ['github:owner/repo/greet@v1', 'git+https://github.com/owner/repo.git#v2:greet'],
    ['https://example.com#greet@1.0.0', 'https://example.com/#greet'],
    ['npm:greet@1.0.0', 'npm:greet'],
    ['oci:example.com/greet:1.0.0', 'oci:example.com/greet:1.1.0'],
    ['./greet-1.0.0.zip', './greet-1.1.0.zip'],
  ])('%s and %s are one source', (before, after) => {
    expect(identify(after, '1.1.0')).toBe(identify(before, '1.0.0'))
  })

  it.each([
    ['https://example.com/a/greet-1.0.0.zip', 'https://example.com/a/other-1.1.0.zip'],
    ['https://example.com/a/greet-1.0.0.zip', 'https://example.org/a/greet-1.1.0.zip'],
    ['https://example.com/a.zip?id=1', 'https://example.com/a.zip?id=2'],
    ['https://example.com#greet', 'https://example.com/base#greet'],
    ['https://example.com#greet', 'https://example.com#other'],
    ['github:owner/repo/a', 'github:owner/repo/b'],
    ['github:owner/repo', 'github:owner/other'],
    ['npm:greet', 'npm:@scope/greet'],
    ['npm:greet#a', 'npm:greet#b'],
    ['oci:example.com/greet:1', 'oci:example.com:5000/greet:1'],
    ['npm:greet', './npm:greet'],
    ['./greet', './other'],
  ])('%s and %s are two sources', (before, after) => {
    expect(identify(after, '1.1.0')).not.toBe(identify(before, '1.0.0'))
  })

  it('the folder of a repository counts that was found by a search', () => {
    const pinned = (folder: string) => `git+https://github.com/o/r.git#${'a'.repeat(40)}:${folder}`
    const [first, second] = ['a', 'b'].map((each) => identify('github:o/r', '1.0.0', pinned(each)))
    expect(first).not.toBe(second)
    expect(identify('github:o/r/a', '1.0.0', pinned('a'))).toBe(first)
  })

  const COMMIT = 'a'.repeat(40)
  const DIGEST = `sha256=${'0'.repeat(64)}`

  it.each([
    ['https://Example.com:443/a%20b.zip', `https://example.com/a%20b.zip#${DIGEST}`],
    ['https://example.com/a.zip?id=1', `https://example.com/a.zip?id=1#${DIGEST}`],
    ['https://example.com/base#greet@1.0.0', `https://example.com/other/a.tar.gz#${DIGEST}`],
    ['https://example.com/base#greet', 'https://example.com/base/#greet'],
    ['github:Owner/repo/greet@v1', `git+https://github.com/Owner/repo.git#${COMMIT}:greet`],
    ['github:owner/repo', `git+https://github.com/owner/repo.git#${COMMIT}:skills/greet`],
    ['git+https://example.com/repo#main', `git+https://example.com/repo#${COMMIT}`],
    ['npm:@scope/greet@latest', 'npm:@scope/greet@1.0.0#greet'],
    ['oci:Example.com/greet:1', `oci:Example.com/greet@sha256:${'0'.repeat(64)}`],
    ['./greet', './greet'],
  ])('%s and the pinned %s are one place', (source, resolved) => {
    expect(isOnePlace({ source, resolved })).toBe(true)
  })

  it.each([
    ['https://example.com/a.zip', `https://example.org/a.zip#${DIGEST}`],
    ['https://example.com/a.zip', `https://example.com/b.zip#${DIGEST}`],
    ['https://example.com#greet', `https://example.org/a.tar.gz#${DIGEST}`],
    ['https://example.com#greet', 'npm:greet@1.0.0'],
    ['github:owner/repo/a', `git+https://github.com/owner/repo.git#${COMMIT}:b`],
    ['github:owner/repo', `git+https://github.com/owner/other.git#${COMMIT}`],
    ['npm:greet', 'npm:other@1.0.0'],
    ['oci:example.com/greet:1', `oci:example.com/other@sha256:${'0'.repeat(64)}`],
    ['oci:example.com/greet:1', `oci:example.org/greet@sha256:${'0'.repeat(64)}`],
    ['./greet', './other'],
    ['./greet', 'npm:greet@1.0.0'],
  ])('%s and the pinned %s are two places', (source, resolved) => {
    expect(isOnePlace({ source, resolved })).toBe(false)
  })
})
