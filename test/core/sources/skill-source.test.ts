import { describe, expect, it } from 'vitest'
import { parseRemoteSource } from '../../../src/core/sources/skill-source.ts'

const COMMIT = 'a'.repeat(40)
const DIGEST = `sha256:${'b'.repeat(64)}`

describe('a source', () => {
  it.each([
    ['https://example.com/a.tar.gz', { type: 'url', digest: undefined }],
    [`https://example.com/a.zip#sha256=${'b'.repeat(64)}`, { type: 'url', digest: DIGEST }],
    ['https://example.com#greet', { type: 'site', name: 'greet', version: undefined }],
    ['https://example.com/base#greet@1.0.0', { type: 'site', name: 'greet', version: '1.0.0' }],
    [
      'github:owner/repo',
      { type: 'git', url: 'https://github.com/owner/repo.git', ref: undefined, folder: undefined },
    ],
    ['github:owner/repo/skills/greet@v1', { ref: 'v1', folder: 'skills/greet' }],
    ['github:owner/repo@greet@1.0.0', { ref: 'greet@1.0.0', folder: undefined }],
    [
      `git+https://example.com/repo.git#${COMMIT}:skills/greet`,
      { url: 'https://example.com/repo.git', ref: COMMIT, folder: 'skills/greet' },
    ],
    ['git+file:///srv/repo', { protocol: 'file', url: 'file:///srv/repo', ref: undefined }],
    ['npm:greet', { type: 'npm', package: 'greet', version: undefined, skill: undefined }],
    ['npm:@scope/greet@1.0.0#one', { package: '@scope/greet', version: '1.0.0', skill: 'one' }],
    [
      'oci:localhost:5000/a/greet:1.0.0',
      { type: 'oci', registry: 'localhost:5000', repository: 'a/greet', reference: '1.0.0' },
    ],
    [`oci:example.com/greet@${DIGEST}`, { registry: 'example.com', reference: DIGEST }],
  ])('%s is parsed', (text, place) => {
    expect(parseRemoteSource(text)).toMatchObject(place)
  })

  it('the base of a site ends with a slash and has no fragment', () => {
    expect(parseRemoteSource('https://example.com/base#greet')).toMatchObject({
      url: new URL('https://example.com/base/'),
    })
  })

  it.each(['./folder', 'folder/a.zip', '../a', '/srv/a'])('%s is a path', (text) => {
    expect(parseRemoteSource(text)).toBeUndefined()
  })

  it.each([
    ['ftp://example.com/a.zip', 'is not known'],
    ['http://example.com/a.zip', 'expected https'],
    ['https://me:secret@example.com/a.zip', 'a user name'],
    ['git+https://me:secret@example.com/a.git', 'a user name'],
    ['https://example.com/a.zip#sha256=abc', 'its fragment'],
    ['https://example.com?a=b#greet', 'no query'],
    ['https://example.com/a b.zip', 'printable ASCII'],
    [`https://example.com/${'a'.repeat(2000)}`, 'at most 2000'],
    ['github:owner', 'expected github:'],
    ['github:-owner/repo', 'expected github:'],
    ['github:owner/..', 'expected github:'],
    ['github:owner/repo/../other', 'not a folder'],
    ['github:owner/repo/.git', 'not a folder'],
    ['github:owner/repo@--upload-pack=x', 'not a branch'],
    ['github:owner/repo@a..b', 'not a branch'],
    ['github:owner/repo@+a:b', 'not a branch'],
    ['git+https://example.com/a.git#main:../x', 'not a folder'],
    ['git+https://example.com/a.git?b#main', 'expected #ref:path'],
    ['git+ssh://example.com/a.git', 'is not known'],
    ['git+ext::sh', 'is not known'],
    ['npm:../greet', 'expected npm:'],
    ['npm:Greet', 'expected npm:'],
    ['npm:greet@^1.0.0', 'expected npm:'],
    ['oci:example.com/greet', 'expected oci:'],
    ['oci:example.com/../greet:1', 'expected oci:'],
    ['oci:user@example.com/greet:1', 'expected oci:'],
    ['oci:1.2.3.999/greet:1', 'expected oci:'],
    ['oci:localhost:99999/greet:1', 'expected oci:'],
    ['oci:example.com/greet@sha256:abc', 'expected oci:'],
  ])('%s is refused', (text, problem) => {
    expect(() => parseRemoteSource(text)).toThrow(problem)
  })

  it('a message has no password', () => {
    const parse = () => parseRemoteSource('git+https://me:secret@example.com/a.git')
    expect(parse).toThrow('//…@example.com')
    expect(parse).not.toThrow('secret')
  })
})
