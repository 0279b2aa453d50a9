import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parsePolicy } from '../../../src/core/policy/parse-policy.ts'
import { LIST_FIELDS } from '../../../src/core/policy/policy-fields.ts'

const README = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')

describe('the policy of the README', () => {
  const toml = /```toml\n(\[allow\][\s\S]*?)\n```/.exec(README)?.[1] ?? ''

  it('is one, with a rule for each effect', () => {
    const { scopes, approval } = parsePolicy('README.md', toml, 'operator')
    expect(scopes.map(({ name }) => name)).toEqual([
      'the policy',
      'guests stay offline',
      'somebody looks at writes',
    ])
    expect(approval).toMatchObject({ kind: 'command', timeoutMs: 300_000 })
  })

  it('names every list', () => {
    for (const name of Object.keys(LIST_FIELDS)) expect(toml).toContain(name)
  })
})
