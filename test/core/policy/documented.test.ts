import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parsePolicy } from '../../../src/core/policy/parse-policy.ts'
import { LIST_FIELDS } from '../../../src/core/policy/policy-fields.ts'

const page = readFileSync(new URL('../../../docs/policy.md', import.meta.url), 'utf8')

describe('the policy in docs/policy.md', () => {
  const toml = /```toml\n(\[allow\][\s\S]*?)\n```/.exec(page)?.[1] ?? ''

  it('is valid and has a rule for each effect', () => {
    const { scopes, programs, approval } = parsePolicy('docs/policy.md', toml, 'operator')
    expect(scopes.map(({ name }) => name)).toEqual([
      'the policy',
      'guests stay offline',
      'writes are approved',
    ])
    expect(programs.map(({ name }) => name)).toEqual(['packages'])
    expect(approval).toMatchObject({ kind: 'command', timeoutMs: 300_000 })
  })

  it('names every list', () => {
    for (const name of Object.keys(LIST_FIELDS)) expect(toml).toContain(name)
  })
})
