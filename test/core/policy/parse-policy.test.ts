import { describe, expect, it } from 'vitest'
import { parsePolicy } from '../../../src/core/policy/parse-policy.ts'
import { LIST_FIELDS, WHEN_FIELDS } from '../../../src/core/policy/policy-fields.ts'
import { createPolicySchema } from '../../../src/core/schema/policy-schema.ts'
import { SkillsError } from '../../../src/errors.ts'

const read = (toml: string, trust: 'operator' | 'project' = 'operator') =>
  parsePolicy('/p/policy.toml', toml, trust)

function catchProblem(toml: string, trust?: 'operator' | 'project') {
  try {
    read(toml, trust)
  } catch (error) {
    expect(error).toBeInstanceOf(SkillsError)
    const { code, message, hint } = error as SkillsError
    expect(code).toBe('policy/invalid')
    return `${message} | ${hint}`
  }
  throw new Error('nothing was refused')
}

describe('parsePolicy()', () => {
  it('parses every list, limit and effect, each with its location', () => {
    const { scopes, approval } = read(`
[allow]
languages = ["python"]
[limits]
timeout = "1m"
output = "1KiB"
[[rules]]
name = "r"
when = { doors = ["mcp"], longer_than = "5s" }
deny = { network = ["*"] }
approve = true
[approval]
url = "http://127.0.0.1:9/ask"
secret_file = "secret"
timeout = "10s"
`)
    expect(scopes).toMatchObject([
      { name: 'the policy', allow: { languages: ['python'] }, limits: { timeoutMs: 60_000 } },
      { name: 'r', approve: true, deny: { network: ['*'] }, when: { longerThanMs: 5000 } },
    ])
    expect(scopes[0]?.locate('allow', 'languages')).toBe('/p/policy.toml:3')
    expect(scopes[1]?.locate('deny', 'network')).toBe('/p/policy.toml:10')
    expect(approval).toMatchObject({ url: 'http://127.0.0.1:9/ask', secretFile: '/p/secret' })
    expect(approval?.locate()).toBe('/p/policy.toml:12')
  })

  it('can deny every host below a suffix with many owners', () => {
    const text = '[deny]\nnetwork = ["https://*.co.uk", "*"]\n[allow]\nnetwork = ["*"]'
    expect(read(text).scopes[0]?.deny.network).toHaveLength(2)
  })

  it.each([
    ['[alow]', /:1:2: Unknown setting "alow".*Did you mean "allow"/],
    ['[allow]\nlanguage = []', /:2:1: Unknown setting "allow.language".*"languages"/],
    ['[allow]\nlanguages = ["pyton"]', /:2:14: "pyton" is not one of.*Did you mean "python"/],
    ['[deny]\nkinds = ["excute"]', /"excute" is not one of.*"execute"/],
    ['[allow]\nlanguages = "python"', /"allow.languages" is "python", expected a list of strings/],
    ['[allow]\nlanguages = [1]', /expected a list of strings/],
    ['[allow]\nnetwork = ["example.com"]', /has no scheme.*https:\/\/example.com/],
    ['[allow]\nnetwork = ["https://*.co.uk"]', /:2:12: .*cannot be allowed: it allows every host/],
    [
      '[[rules]]\nname = "a"\nallow = { network = ["https://*.com"] }',
      /cannot be allowed: it allows every host/,
    ],
    ['[deny]\ncwd = ["/secrets"]', /:2:8: "\/secrets" is not a path relative to the repository/],
    ['[deny]\ncwd = ["!a/../b"]', /would match nothing/],
    ['[deny]\ncwd = ["secrets/"]', /would match nothing/],
    ['[limits]\ntimeout = "soon"', /"limits.timeout" is "soon", expected a duration/],
    ['[limits]\ntimeout = 0', /expected a duration/],
    ['allow = 1', /"allow" is 1, expected a table/],
    ['rules = 1', /expected a list of tables/],
    ['[[rules]]\nrefuse = "x"', /The rule has no name/],
    ['[[rules]]\nname = "a"', /The rule "a" has no effect/],
    [
      '[[rules]]\nname = "a"\nrefuse = "x"\n[[rules]]\nname = "a"\nrefuse = "y"',
      /:5:8: Two rules are named "a"/,
    ],
    ['[approval]', /\[approval\] has neither command nor url/],
    ['[approval]\ncommand = []', /expected a list of a program/],
    ['[approval]\ncommand = ["ask"]', /"ask" is not an absolute path/],
    ['[approval]\ncommand = ["/a"]\nurl = "https://b.c"', /Both command and url/],
    ['[approval]\nurl = "http://example.com"', /is not on this machine, expected https/],
    ['[approval]\nurl = "http://127.0.0.1.evil.com"', /is not on this machine/],
    ['[approval]\nurl = "https://a:b@c.d"', /contains a user name/],
    ['[approval]\nurl = "ftp://c.d"', /is not an https URL/],
    ['[allow\n', /:1:/],
    ['a = 1\na = 2', /:2:/],
  ])('rejects %j with location and reason', (toml, expected) => {
    expect(catchProblem(toml)).toMatch(expected)
  })

  it("lets a project's file restrict, but not set an approval hook", () => {
    expect(read('[deny]\nlanguages = ["node"]', 'project').scopes[0]).toMatchObject({
      name: "the project's policy",
    })
    expect(catchProblem('[approval]\ncommand = ["/bin/true"]', 'project')).toMatch(
      /:1:\d+: A project's policy cannot set \[approval\]/,
    )
  })
})

describe('the JSON Schema of a policy', () => {
  it('describes what the parser accepts', () => {
    const { properties } = createPolicySchema() as unknown as Schema
    expect(Object.keys(properties['allow']?.properties ?? {})).toEqual(Object.keys(LIST_FIELDS))
    const rule = properties['rules']?.items?.properties ?? {}
    expect(Object.keys(rule['when']?.properties ?? {})).toEqual(Object.keys(WHEN_FIELDS))
    expect(Object.keys(rule)).toEqual(
      expect.arrayContaining(['name', 'refuse', 'approve', 'allow', 'deny', 'limits', 'when']),
    )
  })
})

interface Schema {
  properties: Record<string, Schema | undefined>
  items?: Schema
}
