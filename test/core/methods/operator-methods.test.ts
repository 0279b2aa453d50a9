import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { METHOD_TABLE } from '../../../src/core/methods/table.ts'
import { OPERATOR_ROWS } from '../../../src/core/methods/operator-rows.ts'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { createRuntime } from '../../../src/core/runtime.ts'
import { parseTokens } from '../../../src/server/auth/tokens.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { startTestServer, type RpcAnswer, type TestServer } from '../../helpers/server.ts'
import { createFolder } from '../../helpers/skills.ts'
import { trustProject } from '../../helpers/trust-project.ts'

const ADA = 'ada-token-0123456789'
const OPS = 'ops-token-0123456789'
const tokens = () =>
  parseTokens(`${ADA} ada read,run,write\n${OPS} ops read,run,write,operate\n`, 'tokens.txt')

async function callAs(server: TestServer, token: string, method: string) {
  const headers = { authorization: `Bearer ${token}` }
  const response = await server.post({ jsonrpc: '2.0', id: 1, method, params: {} }, headers)
  return (await response.json()) as RpcAnswer
}

const SKILL = prefixPaths('skills/greet', createActionSkill('demo.greet'))
const POLICY = `[allow]
languages = ["python"]
[[rules]]
name = "guests"
when = { tokens = ["guest*"] }
refuse = "Guests may look only"
`

it('methods of the operator refuse a token without its scope, and accept one with it', async () => {
  const server = await startTestServer({ tokens: tokens() })
  const names = Object.entries(OPERATOR_ROWS).flatMap(([name, { scope }]) =>
    scope === 'operate' ? [name] : [],
  )
  expect(names).toHaveLength(7)
  for (const name of names) {
    const refused = await callAs(server, ADA, name)
    expect(refused.error, name).toMatchObject({ code: -32002, data: { scope: 'operate' } })
  }
  // The check of the machine has a test of its own: it takes seconds.
  for (const name of names.filter((each) => each !== 'check_runtime')) {
    expect((await callAs(server, OPS, name)).result, name).toBeDefined()
  }
})

it('no method of the operator is a tool of models', () => {
  for (const name of Object.keys(OPERATOR_ROWS)) {
    expect(METHOD_TABLE[name as keyof typeof OPERATOR_ROWS], name).not.toHaveProperty('profiles')
  }
})

describe('check_policy', () => {
  it('explains every layer, also those after a denial', async () => {
    const file = join(createFolder({ 'policy.toml': POLICY }), 'policy.toml')
    const server = await startTestServer({ tree: SKILL, settings: { 'policy.file': file } })
    const denied = await server.result('check_policy', {
      skills: ['demo.greet'],
      caller: 'guest-1',
      door: 'mcp',
    })
    expect(denied).toMatchObject({
      allowed: false,
      code: 'denied-by-rule',
      layer: 'policy',
      rules: ['guests'],
      request: {
        kind: 'execute_skill',
        skills: ['demo.greet@0.1.0'],
        caller: 'guest-1',
        door: 'mcp',
        language: 'python',
      },
    })
    const layers = denied['layers'] as { layer: string; verdict: string; sentence: string }[]
    expect(layers).toHaveLength(10)
    expect(layers[1]).toMatchObject({ verdict: 'deny', sentence: 'Guests may look only' })
    expect(layers.slice(2).every(({ verdict }) => verdict === 'pass')).toBe(true)
    const allowed = await server.result('check_policy', { skills: ['demo.greet'] })
    expect(allowed).toMatchObject({ allowed: true, request: { door: 'http' } })
  })

  it('reports the slots of the server in the layer of concurrency', async () => {
    const server = await startTestServer({ settings: { 'run.max_concurrent': 3 } })
    const { layers } = await server.result('check_policy', { kind: 'run_code' })
    const found = (layers as { layer: string; sentence: string }[]).find(
      ({ layer }) => layer === 'concurrency',
    )
    expect(found?.sentence).toMatch(/^3 concurrent runs, /)
  })

  it('assumes the destinations that a run of the skill would get', async () => {
    const toml = '[permissions]\nnetwork = ["https://api.example.com"]\n'
    const tree = prefixPaths('skills/greet', createActionSkill('demo.greet', { toml }))
    const { runtime, dir } = await startTestServer({ tree })
    const read = async (allowNetwork: boolean, network?: string[]) => {
      const params = { skills: ['demo.greet'], ...(network && { network }) }
      const call = { cwd: dir, env: {}, grants: { allowNetwork } }
      const { request } = await runtime.checkPolicy(params, call)
      return request['network']
    }
    expect(await read(true)).toEqual(['https://api.example.com'])
    expect(await read(false)).toEqual([])
    expect(await read(true, ['https://other.example.com'])).toEqual(['https://other.example.com'])
  })

  it.each([
    ['the address', (secret: string) => `url = "https://approve.example.com/?token=${secret}"`],
    ['the command', (secret: string) => `command = ["/bin/ask", "--token=${secret}"]`],
  ])('shows no secret in %s of the approval hook, as describe_policy', async (_, write) => {
    const secret = 'correct-horse-battery-staple'
    const policy = `[approval]\n${write(secret)}\n[[rules]]\nname = "ask"\napprove = true\n`
    const dir = createFolder({ secrets: `HOOK_TOKEN=${secret}\n`, 'policy.toml': policy })
    const server = await startTestServer({
      tree: SKILL,
      settings: { 'policy.file': join(dir, 'policy.toml'), 'secrets.file': join(dir, 'secrets') },
    })
    const found = await server.result('check_policy', { skills: ['demo.greet'] })
    expect(found).toMatchObject({ needs_approval: true, approval: ['ask'] })
    expect(found['layers']).toContainEqual(
      expect.objectContaining({
        verdict: 'ask',
        sentence: expect.stringContaining('[redacted]') as string,
      }),
    )
    expect(JSON.stringify(found)).not.toContain(secret)
    expect(JSON.stringify(await server.result('describe_policy'))).not.toContain(secret)
  })

  it('refuses an unknown language and suggests a known one', async () => {
    const server = await startTestServer()
    const { error } = await server.call('check_policy', { language: 'pyton' })
    expect(error).toMatchObject({ message: expect.stringContaining('"pyton"') as string })
    expect(JSON.stringify(error?.data)).toContain('python')
  })
})

it('describe_policy names files, rules and settings with their places', async () => {
  const file = join(createFolder({ 'policy.toml': POLICY }), 'policy.toml')
  const server = await startTestServer({ settings: { 'policy.file': file } })
  const found = await server.result('describe_policy')
  expect(found).toMatchObject({
    files: [{ path: file, trust: 'operator' }],
    scopes: [
      { is_rule: false, parts: [{ part: 'allow', setting: 'languages', value: ['python'] }] },
      {
        name: 'guests',
        is_rule: true,
        parts: [
          { part: 'when', setting: 'tokens', place: `${file}:5` },
          { part: 'refuse', value: 'Guests may look only' },
        ],
      },
    ],
    approval: null,
  })
  expect(found['settings']).toContainEqual(
    expect.objectContaining({ key: 'run.timeout', place: 'set by the program' }),
  )
})

describe('describe_configuration', () => {
  it('has a value and an origin for each setting, and masks secrets', async () => {
    const secret = 'correct-horse-battery-staple'
    const dir = createFolder({
      secrets: `PASSWORD=${secret}\n`,
      'skills.config.toml': `[run]\ntimeout = "7s"\n[redaction]\npatterns = ["${secret}-pattern"]\n`,
    })
    const env = { HOME: dir, SKILLS_SECRETS_FILE: join(dir, 'secrets') }
    await trustProject(dir, env)
    const loaded = await loadConfig({ cwd: dir, env })
    const runtime = createRuntime({ config: loaded.config, origins: loaded })
    const { settings, files } = await runtime.describeConfiguration()
    const byKey = new Map(settings.map((each) => [each.key, each]))
    expect(files).toEqual([join(dir, 'skills.config.toml')])
    expect(byKey.get('run.timeout')).toMatchObject({
      value: 7000,
      unit: 'ms',
      origin: { layer: 'project', place: expect.stringMatching(/config\.toml:2$/) as string },
    })
    expect(byKey.get('run.max_timeout')?.origin).toMatchObject({ layer: 'default' })
    expect(byKey.get('secrets.file')).toMatchObject({ origin: { place: 'SKILLS_SECRETS_FILE' } })
    expect(JSON.stringify(loaded.config)).toContain(secret)
    expect(JSON.stringify(settings)).not.toContain(secret)
    expect(byKey.get('redaction.patterns')?.value).toEqual(['[redacted]-pattern'])
  })

  it('has no origins in a program that passes none', async () => {
    const server = await startTestServer()
    const { settings } = await server.result('describe_configuration')
    expect((settings as { origin: unknown }[]).every(({ origin }) => origin === null)).toBe(true)
  })
})

describe('the audit log over methods', () => {
  it('lists the decisions of runs, page by page', async () => {
    const server = await startTestServer({ tree: SKILL })
    for (const name of ['Ada', 'Bob', 'Cy']) {
      await server.result('execute_skill', { name: 'demo.greet', args: { name } })
    }
    const first = await server.result('list_audit_records', { limit: 2 })
    expect(first).toMatchObject({ records: [{ seq: 6, event: 'ended' }, { seq: 4 }] })
    const rest = { limit: 2, cursor: first['next_cursor'] }
    expect(await server.result('list_audit_records', rest)).toMatchObject({
      records: [{ seq: 2 }],
      next_cursor: null,
    })
    const none = await server.result('list_audit_records', { since: '2999-01-01T00:00:00Z' })
    expect(none).toEqual({ records: [], next_cursor: null })
  })

  it('verifies the chain, and names a changed record', async () => {
    const server = await startTestServer({ tree: SKILL })
    await server.result('execute_skill', { name: 'demo.greet', args: { name: 'Ada' } })
    const intact = await server.result('verify_audit_log')
    expect(intact).toMatchObject({ ok: true, records: 2, problems: [], last: { seq: 2 } })
    const dir = join(server.runtime.config.directories.data, 'audit')
    const [name = ''] = readdirSync(dir).filter((each) => each.endsWith('.jsonl'))
    const text = readFileSync(join(dir, name), 'utf8')
    writeFileSync(join(dir, name), text.replace('execute_skill', 'execute_skull'))
    expect(await server.result('verify_audit_log')).toMatchObject({
      ok: false,
      problems: [{ code: 'changed', seq: 1, place: `${name}:1` }],
    })
    const anchor = { seq: 2, hash: 'f'.repeat(64) }
    const { problems } = await server.result('verify_audit_log', { anchors: [anchor] })
    expect((problems as { code: string }[]).map(({ code }) => code)).toContain('anchor')
  })
})
