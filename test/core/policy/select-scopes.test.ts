import fc from 'fast-check'
import { expect, it } from 'vitest'
import { matchesRequest, RequestValues } from '../../../src/core/policy/check-lists.ts'
import { evaluatePolicy } from '../../../src/core/policy/evaluate-policy.ts'
import { selectScopes } from '../../../src/core/policy/select-scopes.ts'
import { createPolicy, createRequest } from './policies.ts'

const PATTERNS = {
  tokens: ['alice', 'al*', '*', '!alice', '!bob', 'b*b', ''],
  skills: ['acme.one', 'acme.one@1.0.0', 'acme.*', '!acme.one', 'other@2'],
  executables: ['python3', 'PYTHON3', 'python3.exe', '/usr/bin/*', 'python*', '!python3', 'py'],
  cwd: ['src', './src', 'src/**', '**', 's*', 'docs/**', '!src', '{src,lib}/x'],
  repositories: ['app', 'a*', 'lib'],
  languages: ['python', 'p*', 'node'],
} as const

it('the index finds every rule that matches, and no other', () => {
  const lists = Object.entries(PATTERNS).map(([key, patterns]) =>
    fc.record({
      key: fc.constant(key),
      list: fc.array(fc.constantFrom(...patterns.filter((each) => each !== '')), { maxLength: 3 }),
    }),
  )
  const rule = fc.array(fc.oneof(...lists), { maxLength: 2 })
  const request = fc.record({
    caller: fc.constantFrom('alice', 'bob', 'alina'),
    skills: fc.subarray(['acme.one@1.0.0', 'other@2', 'acme.two@1.0.0']),
    cwd: fc.constantFrom('src', 'src/x', '.', 'lib/x').map((relative) => ({
      asked: relative,
      relative,
    })),
    executable: fc.constantFrom(
      { name: 'python3', path: '/usr/bin/python3.11', aliases: ['/opt/py'] },
      { name: 'node.exe', path: '/opt/node', links: ['/usr/bin/node'] },
    ),
  })
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 6 }), request, (rules, more) => {
      const toml = rules.map((parts, at) => {
        const when = new Map(parts.map(({ key, list }) => [key, JSON.stringify(list)]))
        const text = [...when].map(([key, list]) => `${key} = ${list}`).join(', ')
        return `[[rules]]\nname = "r${at}"\nwhen = { ${text} }\nlimits = { timeout = "1s" }\n`
      })
      const { scopes } = createPolicy(toml.join(''))
      const values = new RequestValues(createRequest(more))
      expect(selectScopes(scopes, values).map(({ name }) => name)).toEqual(
        scopes.filter((scope) => matchesRequest(scope, values)).map(({ name }) => name),
      )
    }),
    { numRuns: 500 },
  )
})

it('a denial shows the beginning of a long list', () => {
  const hosts = Array.from({ length: 5000 }, (_, at) => `"https://h${at}.example.com"`)
  const policy = createPolicy(`[allow]\nnetwork = [${hosts.join(', ')}]`)
  const asked = (host: string) => createRequest({ network: [`https://${host}.example.com`] })
  expect(evaluatePolicy(asked('h4999'), policy).allowed).toBe(true)
  const [denial] = evaluatePolicy(asked('other'), policy).denials
  expect(denial?.sentence).toMatch(/h19\.example\.com and 4980 more$/)
})
