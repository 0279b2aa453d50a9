import { encode } from 'gpt-tokenizer/encoding/cl100k_base'
import { describe, expect, it } from 'vitest'
import { shortenHash } from '../../../src/core/programs/short-hash.ts'

const HASH = '4814669261778431'.padEnd(64, 'a')
const NUMBERS = [0, 7, 42, 999, 1000, 20_001, 99_831, 1_048_576, 100_000_000]

function listSuccesses() {
  return ['local', 'own', 'my-repo', 'api', 'checkout', 'repo1'].flatMap((repo, at) =>
    NUMBERS.flatMap((outputBytes) =>
      NUMBERS.map((outputLines, each) => ({
        status: 'success',
        exitCode: 0,
        signal: null,
        durationMs: NUMBERS[(at + each) % 6] as number,
        artifactHandle: `runtime-${repo}-1774356909696-5012345678901234`,
        outputLines,
        outputBytes,
      })),
    ),
  )
}

describe('a short hash', () => {
  it('never makes an answer longer than 60 tokens', () => {
    const sizes = listSuccesses().flatMap((facts) => {
      const auditHash = shortenHash(HASH, facts)
      if (auditHash === undefined) return []
      return encode(JSON.stringify({ ...facts, policyDecision: { auditHash } })).length
    })
    expect(sizes.length).toBeGreaterThan(300)
    expect(Math.max(...sizes)).toBe(60)
  })

  it('is as long a prefix of the hash as fits', () => {
    const [least] = listSuccesses()
    expect(shortenHash(HASH, least as never)).toBe(HASH.slice(0, 15))
    expect(shortenHash(HASH, { ...least, outputBytes: 1_048_576 } as never)).toBe(HASH.slice(0, 9))
  })

  it('is omitted if not even one token of it fits', () => {
    const name = 'a-repository-with-a-very-long-name'
    const artifactHandle = `runtime-${name}-1774356909696-5012345678901234`
    expect(shortenHash(HASH, { ...listSuccesses()[0], artifactHandle } as never)).toBeUndefined()
  })
})
