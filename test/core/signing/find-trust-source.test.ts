import { expect, it } from 'vitest'
import { findTrustSource } from '../../../src/core/signing/trust/source.ts'
import { parseSkillSource } from '../../../src/core/sources/skill-source.ts'

const COMMIT = 'a'.repeat(40)

function nameForTrust(text: string, resolved = text): string | undefined {
  return findTrustSource(parseSkillSource(text, '/'), resolved)
}

it.each([
  [
    'github:alice/skills/greet@v1',
    `git+https://github.com/alice/skills.git#${COMMIT}:greet`,
    'github:alice/skills/greet',
  ],
  [
    'github:alice/skills',
    `git+https://github.com/alice/skills.git#${COMMIT}`,
    'github:alice/skills',
  ],
  [
    'git+https://example.com/skills.git',
    `git+https://example.com/skills.git#${COMMIT}`,
    'https://example.com/skills.git',
  ],
  ['npm:@alice/skills@1.0.0', 'npm:@alice/skills@1.0.0', 'npm:@alice/skills'],
  ['oci:example.com/alice/greet:1.0.0', '', 'oci:example.com/alice/greet'],
  ['https://example.com/skills#greet', '', 'https://example.com/skills/greet'],
  ['https://example.com/greet.tar.gz?x=1', '', 'https://example.com/greet.tar.gz'],
])('the source %s, pinned to %s, is %s in the trust list', (text, resolved, expected) => {
  expect(nameForTrust(text, resolved)).toBe(expected)
})

it.each(['http://127.0.0.1:1/greet.tar.gz', 'git+file:///srv/skills.git', '/'])(
  'the source %s has no name in the trust list',
  (text) => expect(nameForTrust(text)).toBeUndefined(),
)
