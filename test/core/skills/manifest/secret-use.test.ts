import { describe, expect, it } from 'vitest'
import { describePermissions } from '../../../../src/cli/ui/describe-permissions.ts'
import {
  digestCapabilities,
  listCapabilities,
} from '../../../../src/core/skills/manifest/capabilities.ts'
import { toManifest } from '../../../../src/core/skills/manifest/to-manifest.ts'
import { readToml } from '../../../../src/core/skills/manifest/toml-source.ts'
import { describeCapability } from '../../../../src/core/skills/requirements/capability-text.ts'

const HEAD = `name = "demo.crm"
version = "0.1.0"
description = "Reads customers."
kind = "action"
[runtime]
language = "python"
entrypoint = "code/main.py"
`

function read(permissions: string) {
  const toml = readToml('skill.toml', `${HEAD}[permissions]\n${permissions}\n`)
  return toManifest({ toml, markdown: undefined })
}

function describeRights(permissions: string): string[] {
  const rights = listCapabilities(read(permissions).manifest)
  return rights.filter(({ kind }) => kind === 'secret').map(describeCapability)
}

describe('secrets of a manifest', () => {
  it.each([
    ['a list of names', 'secrets = ["KEY"]', undefined],
    ['an empty table', 'secrets.KEY = {}', undefined],
    ['one host', 'secrets.KEY = "https://a.example"', { hosts: ['https://a.example'], in: ['header:Authorization'] }],
    [
      'hosts and places',
      'secrets.KEY = { hosts = ["https://a.example"], in = ["query:key", "hmac:X-Sign"] }',
      { hosts: ['https://a.example'], in: ['query:key', 'hmac:X-Sign'] },
    ],
  ])('%s is read', (_, permissions, use) => {
    const { manifest, problems } = read(permissions)
    expect(problems).toEqual([])
    expect(manifest.permissions.secrets).toEqual(['KEY'])
    expect(manifest.permissions.secretUses?.['KEY']).toEqual(use)
  })

  it.each([
    ['secrets.KEY = "http://a.example"', 'https requests only'],
    ['secrets.KEY = "sk-value"', 'The secret "KEY" has a host without https://'],
    ['secrets.KEY = "https://*.com"', 'many owners'],
    ['secrets.KEY = 1', 'no valid hosts'],
    ['secrets.KEY = { host = "https://a.example" }', 'has the key "host"'],
    ['secrets.KEY = { in = ["body"] }', '"in" without hosts'],
    ['secrets.KEY = { hosts = "https://a.example", in = [] }', 'no valid "in"'],
    ['secrets.KEY = { hosts = "https://a.example", in = ["cookie"] }', 'is put into "cookie"'],
    ['secrets.KEY = { hosts = "https://a.example", in = ["header:Host"] }', 'is put into "header:Host"'],
  ])('%s is a problem of the manifest', (permissions, message) => {
    const { problems } = read(permissions)
    expect(problems).toHaveLength(1)
    expect(problems[0]?.message).toContain(message)
    expect(problems[0]?.path).toEqual(['permissions', 'secrets', 'KEY'])
  })
})

describe('rights of secrets', () => {
  it('rights say where the value of a secret is', () => {
    expect(describeRights('secrets.A = {}\nsecrets.B = "https://b.example"')).toEqual([
      'reads the secret A, which is inside of the sandbox',
      'sends the secret B only to https://b.example:443 in header:authorization',
    ])
    expect(describePermissions(read('secrets.A = {}\nsecrets.B = "https://b.example"').manifest)).toEqual([
      'Has no network',
      'The secret A is inside of the sandbox, as an environment variable',
      'The secret B is sent only to https://b.example, in header:Authorization',
    ])
  })

  it('a name that imitates a text is quoted', () => {
    expect(describeRights('secrets = ["A only to https://b.example:443 in body"]')).toEqual([
      'reads the secret "A only to https://b.example:443 in body", which is inside of the sandbox',
    ])
  })

  const digest = (permissions: string) => digestCapabilities(listCapabilities(read(permissions).manifest))

  it('a consent is bound to hosts and places, not to their spelling', () => {
    const one = digest('secrets.A = { hosts = ["https://a.example", "https://b.example"], in = ["body", "header:X-Key"] }')
    expect(digest('secrets.A = { hosts = ["https://b.example:443/", "https://A.example"], in = ["header:x-key", "body"] }')).toBe(one)
    expect(digest('secrets.A = {}')).toBe(digest('secrets = ["A"]'))
    const others = [
      'secrets = ["A"]',
      'secrets.A = { hosts = ["https://a.example"], in = ["body", "header:X-Key"] }',
      'secrets.A = { hosts = ["https://a.example", "https://b.example"], in = ["body"] }',
    ]
    expect(new Set([one, ...others.map(digest)]).size).toBe(4)
  })
})
