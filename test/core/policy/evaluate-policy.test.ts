import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { evaluatePolicy } from '../../../src/core/policy/evaluate-policy.ts'
import type { Policy } from '../../../src/core/policy/policy.ts'
import type { PolicyRequest } from '../../../src/core/policy/policy-request.ts'
import { LAYERS } from '../../../src/core/policy/verdict.ts'
import { createPolicy, createRequest } from './policies.ts'

const listCodes = (asked: PolicyRequest, policy: Policy) =>
  evaluatePolicy(asked, policy).denials.map(({ code }) => code)

describe('evaluatePolicy()', () => {
  it('allows everything without a policy', () => {
    expect(evaluatePolicy(createRequest(), createPolicy(''))).toMatchObject({
      allowed: true,
      denials: [],
      rules: [],
    })
  })

  /**
   * Each row: a list, a request that it refuses, and the code. The control is the request without
   * the list.
   */
  it.each<[string, Partial<PolicyRequest>, string]>([
    ['[allow]\nlanguages = ["node"]', {}, 'runtime-not-allowed'],
    ['[deny]\nlanguages = ["p*"]', {}, 'runtime-not-allowed'],
    ['[allow]\nlanguages = []', {}, 'runtime-not-allowed'],
    ['[allow]\nlanguages = ["!python"]', {}, 'runtime-not-allowed'],
    ['[allow]\nexecutables = ["node"]', {}, 'executable-not-allowed'],
    ['[deny]\nexecutables = ["/usr/bin/*"]', {}, 'executable-not-allowed'],
    ['[allow]\nexecutables = ["!/usr/bin/python3.11"]', {}, 'executable-not-allowed'],
    ['[allow]\nrepositories = ["lib-*"]', {}, 'repository-not-allowed'],
    ['[deny]\nrepositories = ["app"]', {}, 'repository-not-allowed'],
    ['[allow]\ncwd = ["docs/**"]', {}, 'cwd-not-allowed'],
    ['[deny]\ncwd = ["src/**"]', {}, 'cwd-not-allowed'],
    ['[deny]\ncwd = ["src/**"]', { cwd: { asked: 'x', relative: 'src/a\nb' } }, 'cwd-not-allowed'],
    ['[deny]\nrepositories = ["a*p*p"]', {}, 'repository-not-allowed'],
    ['[deny]\nrepositories = ["*p*"]', {}, 'repository-not-allowed'],
    ['[allow]\nskills = ["acme.*"]', { skills: ['evil.one@1.0.0'] }, 'skill-not-allowed'],
    ['[deny]\nskills = ["acme.x@1.0.0"]', { skills: ['acme.x@1.0.0'] }, 'skill-not-allowed'],
    ['[allow]\ntokens = ["bob"]', {}, 'caller-not-allowed'],
    ['[deny]\nkinds = ["execute"]', {}, 'kind-not-allowed'],
    ['[limits]\ntimeout = "5s"', { timeoutMs: 60_000 }, 'timeout-exceeded'],
    [
      '[allow]\nnetwork = ["https://api.example.com"]',
      { network: ['https://evil.example.com'] },
      'network-not-allowed',
    ],
    [
      '[deny]\nnetwork = ["https://a.example.com"]',
      { network: ['https://*.example.com'] },
      'network-not-allowed',
    ],
    ['[deny]\nenvironment = ["CI"]', { environment: ['CI'] }, 'env-keys-not-allowed'],
    ['[[rules]]\nname = "r"\nrefuse = "Not today"', {}, 'denied-by-rule'],
  ])('denies by %j the request %j with %s, and allows it without the list', (toml, more, code) => {
    expect(listCodes(createRequest(more), createPolicy(toml))).toEqual([code])
    expect(listCodes(createRequest(more), createPolicy(''))).toEqual([])
  })

  it('allows what its lists match', () => {
    const toml = `[allow]
      languages = ["node", "p*"]
      executables = ["python3"]
      repositories = ["a*", "!api"]
      cwd = [".", "src/**"]
      skills = ["acme.*"]
      network = ["https://*.example.com"]`
    const asked = createRequest({ skills: ['acme.x@1.0.0'], network: ['https://a.example.com'] })
    expect(listCodes(asked, createPolicy(toml))).toEqual([])
    expect(listCodes({ ...asked, repository: 'api' }, createPolicy(toml))).toEqual([
      'repository-not-allowed',
    ])
  })

  it('denies every program while they are disabled, and no skill', () => {
    const off = createPolicy('', { enabled: false })
    expect(listCodes(createRequest(), off)).toEqual(['runtime-disabled'])
    expect(listCodes(createRequest({ kind: 'execute_skill' }), off)).toEqual([])
  })

  it('lets a deny override every allow', () => {
    const toml = `[allow]\nlanguages = ["python"]\n[[rules]]\nname = "more"
      when = { tokens = ["alice"] }\nallow = { languages = ["*"] }\ndeny = { languages = ["python"] }`
    expect(listCodes(createRequest(), createPolicy(toml))).toEqual(['runtime-not-allowed'])
  })

  it('allows only the variables that the configuration passes through', () => {
    expect(listCodes(createRequest({ environment: ['CI'] }), createPolicy(''))).toEqual([])
    const [denial] = evaluatePolicy(
      createRequest({ environment: ['CI', 'SECRET_KEY'] }),
      createPolicy(''),
    ).denials
    expect(denial).toMatchObject({ code: 'env-keys-not-allowed', layer: 'environment' })
    expect(denial?.sentence).toContain('SECRET_KEY')
    expect(denial?.sentence).not.toContain('CI,')
  })

  it('orders denials by layer, whichever rule they come from', () => {
    const toml = '[deny]\nlanguages = ["python"]\nenvironment = ["CI"]'
    const asked = createRequest({
      environment: ['CI'],
      timeoutMs: 900_000,
      executable: { problem: 'executable-not-trusted', sentence: 'No' },
      cwd: { asked: '..', problem: 'cwd-escape-attempt', sentence: 'No' },
    })
    const { denials } = evaluatePolicy(asked, createPolicy(toml, { enabled: false }))
    const layers = denials.map(({ layer }) => layer)
    expect(layers).toEqual(['config', 'policy', 'executable', 'environment', 'cwd', 'timeout'])
    expect(layers).toEqual(layers.toSorted((a, b) => LAYERS.indexOf(a) - LAYERS.indexOf(b)))
  })

  describe('a rule', () => {
    const rule = (when: string) =>
      createPolicy(`[[rules]]\nname = "r"\nrefuse = "No"\nwhen = { ${when} }`)

    it.each<[string, Partial<PolicyRequest>, Partial<PolicyRequest>]>([
      ['tokens = ["guest-*"]', { caller: 'guest-7' }, { caller: 'alice' }],
      ['tokens = ["!alice"]', { caller: 'bob' }, { caller: 'alice' }],
      ['repositories = ["app"]', { repository: 'app' }, { repository: undefined }],
      ['skills = ["acme.*"]', { skills: ['b.c@1.0.0', 'acme.x@1.0.0'] }, { skills: ['b.c@1.0.0'] }],
      ['doors = ["mcp"]', { door: 'mcp' }, { door: 'http' }],
      ['kinds = ["workspace"]', { kind: 'workspace' }, { kind: 'execute' }],
      ['longer_than = "1m"', { timeoutMs: 60_001 }, { timeoutMs: 60_000 }],
      ['network = ["*"]', { network: ['https://example.com'] }, { network: [] }],
      [
        'tokens = ["bob"], languages = ["node"]',
        { caller: 'bob', language: 'node' },
        { caller: 'bob' },
      ],
    ])('for %j matches %j and not %j', (when, meant, other) => {
      expect(listCodes(createRequest(meant), rule(when))).toEqual(['denied-by-rule'])
      expect(evaluatePolicy(createRequest(meant), rule(when)).rules).toEqual(['r'])
      expect(evaluatePolicy(createRequest(other), rule(when))).toMatchObject({
        allowed: true,
        rules: [],
      })
    })

    it('compares the default timeout if the request has none', () => {
      const toml = '[[rules]]\nname = "r"\napprove = true\nwhen = { longer_than = "1m" }'
      expect(evaluatePolicy(createRequest(), createPolicy(toml)).approval).toEqual(['r'])
      const short = createPolicy(`[limits]\ntimeout = "30s"\n${toml}`)
      expect(evaluatePolicy(createRequest(), short)).toMatchObject({
        approval: [],
        limits: { timeoutMs: 30_000 },
      })
    })
  })

  it('limits a run to the minimum of all matching limits', () => {
    const toml = `[limits]\ntimeout = "2m"\noutput = "1MiB"\n[[rules]]\nname = "guests"
      when = { tokens = ["guest"] }\nlimits = { timeout = "10s" }`
    const limits = (caller: string) =>
      evaluatePolicy(createRequest({ caller }), createPolicy(toml)).limits
    expect(limits('alice')).toEqual({ timeoutMs: 120_000, outputBytes: 1024 ** 2 })
    expect(limits('guest')).toEqual({ timeoutMs: 10_000, outputBytes: 1024 ** 2 })
  })

  it('hashes everything that the decision depends on', () => {
    const policy = createPolicy('')
    const hash = (asked: PolicyRequest, by = policy) => evaluatePolicy(asked, by).auditHash
    expect(hash(createRequest())).toBe(hash(createRequest()))
    const others = [
      hash(createRequest({ digests: { code: 'sha256:1' } })),
      hash(createRequest({ caller: 'bob' })),
      hash(createRequest(), createPolicy('[deny]\nlanguages = ["python"]')),
      hash(createRequest(), { ...policy, files: [{ path: '/p', trust: 'operator', digest: 'x' }] }),
    ]
    expect(new Set([hash(createRequest()), ...others]).size).toBe(5)
  })

  it('never allows with one more file or rule what it denied before', () => {
    const word = fc.constantFrom('python', 'node', 'p*', '!python', '*')
    const lists = fc.record({
      part: fc.constantFrom('allow', 'deny'),
      languages: fc.array(word, { maxLength: 3 }),
      tokens: fc.option(fc.constantFrom('alice', 'bob', '!alice', '*')),
    })
    const toToml = (
      rules: readonly { part: string; languages: string[]; tokens: string | null }[],
    ) =>
      rules
        .map(({ part, languages, tokens }, at) => {
          const when = tokens === null ? '' : `when = { tokens = ["${tokens}"] }\n`
          return `[[rules]]\nname = "r${at}"\n${when}${part} = { languages = ${JSON.stringify(languages)} }\n`
        })
        .join('')
    fc.assert(
      fc.property(fc.array(lists, { maxLength: 4 }), lists, (rules, more) => {
        const before = evaluatePolicy(createRequest(), createPolicy(toToml(rules)))
        const after = evaluatePolicy(createRequest(), createPolicy(toToml([...rules, more])))
        expect(before.allowed || !after.allowed).toBe(true)
        const reversed = evaluatePolicy(createRequest(), createPolicy(toToml(rules.toReversed())))
        expect(reversed.allowed).toBe(before.allowed)
      }),
      { numRuns: 200 },
    )
  })
})
