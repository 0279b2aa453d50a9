// @module-tag slow
import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { createPolicySource } from '../../src/core/policy/load-policy.ts'
import { createRuntime } from '../../src/core/runtime.ts'
import { createTokenBook, parseTokenEntries } from '../../src/server/auth/tokens.ts'
import { createServedPolicy } from '../../src/server/reload/served-policy.ts'
import { serve } from '../../src/server/serve.ts'
import type { RequestLog } from '../../src/server/telemetry/request-log.ts'
import { readFileSync } from 'node:fs'
import { INHERITED_ENV } from '../helpers/inherited-env.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createCallers } from '../helpers/server.ts'
import { createFolder } from '../helpers/skills.ts'

const ALICE = 'alice-has-a-long-token'
const BOB = 'bob-has-a-long-token-too'

/** A server with files that can be loaded again, as `skills serve` starts it. */
async function startReloadable(settings: string = '') {
  const dir = createFolder({
    ...prefixPaths('skills/greet', createActionSkill('demo.greet')),
    'tokens.txt': `${ALICE} alice\n${BOB} bob read\n`,
    'skills.config.toml': settings,
  })
  const path = (name: string) => join(dir, name)
  chmodSync(path('tokens.txt'), 0o600)
  const request = {
    cwd: dir,
    env: { ...INHERITED_ENV, HOME: dir },
    file: path('skills.config.toml'),
  }
  const { config, files } = await loadConfig(request)
  const policy = createServedPolicy(createPolicySource(config), config.policy)
  const runtime = createRuntime({ config, tracking: 'pinned', stores: { policy: policy.source } })
  const messages: string[] = []
  const log: RequestLog = {
    write: (level, message, facts) =>
      void messages.push(`${level} ${message} ${JSON.stringify(facts ?? {})}`),
  }
  const readTokens = async () =>
    createTokenBook(parseTokenEntries(readFileSync(path('tokens.txt'), 'utf8'), 'tokens.txt'))
  const server = await serve({
    runtime,
    tokens: await readTokens(),
    log,
    host: '127.0.0.1',
    port: 0,
    lastGood: undefined,
    noAuth: false,
    allowedHosts: [],
    allowedOrigins: [],
    allowNetwork: false,
    cwd: dir,
    env: request.env,
    reload: {
      configuration: { files, load: async () => await loadConfig(request) },
      tokens: { file: path('tokens.txt'), load: readTokens },
      policy: policy.part,
    },
  })
  onTestFinished(async () => await server.stop(0))
  const { post } = createCallers(server.url)
  const as = (token: string) => ({ authorization: `Bearer ${token}` })
  const call = async (token: string, method: string, params: object = {}) =>
    await post({ jsonrpc: '2.0', id: 1, method, params }, as(token))
  const metrics = async () =>
    await (await fetch(`${server.url}/metrics`, { headers: as(BOB) })).text()
  return { dir, path, runtime, server, messages, call, metrics, policy: config.policy }
}

type Reloadable = Awaited<ReturnType<typeof startReloadable>>

const setTokens = ({ path }: Reloadable, text: string) => {
  writeFileSync(path('next'), text, { mode: 0o600 })
  renameSync(path('next'), path('tokens.txt'))
}

describe('a server that loads its tokens again', () => {
  it('refuses a removed token, and accepts a new one', async () => {
    const at = await startReloadable()
    expect((await at.call(ALICE, 'list_skills')).status).toBe(200)
    setTokens(at, `${BOB} bob read\ncarol-has-a-long-token carol\n`)
    await at.server.reload()
    expect((await at.call(ALICE, 'list_skills')).status).toBe(401)
    expect((await at.call('carol-has-a-long-token', 'list_skills')).status).toBe(200)
    expect(at.messages.join('\n')).toContain(
      'The token of \\"alice\\" is no longer accepted'.replaceAll('\\', ''),
    )
  })

  it('notices that the file changed', async () => {
    const at = await startReloadable()
    setTokens(at, `${BOB} bob read\n`)
    await vi.waitFor(async () => expect((await at.call(ALICE, 'list_skills')).status).toBe(401), {
      timeout: 20_000,
      interval: 100,
    })
  })

  it('gives warm runs memory layouts of their own while there are several tokens', async () => {
    const at = await startReloadable()
    await at.runtime.sandboxes.pool?.waitUntilSettled()
    const readLayout = async () => {
      const answer = await at.call(ALICE, 'execute_skill', { name: 'demo.greet' })
      const { result } = (await answer.json()) as { result: { isolation: object } }
      return result.isolation
    }
    expect(await readLayout()).toMatchObject({ path: 'warm', memory_layout: 'own' })
    setTokens(at, `${ALICE} alice\n`)
    await at.server.reload()
    expect(await readLayout()).toMatchObject({ path: 'warm', memory_layout: 'shared' })
    setTokens(at, `${ALICE} alice\n${BOB} bob read\n`)
    await at.server.reload()
    expect(await readLayout()).toMatchObject({ path: 'warm', memory_layout: 'own' })
  })

  it('removes a scope from a token', async () => {
    const at = await startReloadable()
    setTokens(at, `${ALICE} alice read\n${BOB} bob read\n`)
    await at.server.reload()
    const answer = await (
      await at.call(ALICE, 'run_code', { code: 'x', language: 'python' })
    ).json()
    expect(answer).toMatchObject({ error: { code: -32002, data: { scope: 'run' } } })
  })

  for (const [what, text] of Object.entries({
    'has a token that is too short': `${BOB} bob\nshort\n`,
    'has an unknown scope': `${BOB} bob everything\n`,
  })) {
    it(`keeps all tokens if the file ${what}, and reports it`, async () => {
      const at = await startReloadable()
      setTokens(at, text)
      await at.server.reload()
      expect((await at.call(ALICE, 'list_skills')).status).toBe(200)
      expect((await at.call(BOB, 'list_skills')).status).toBe(200)
      expect(at.messages.join('\n')).toContain('error A change of the tokens is refused')
      const ready = await fetch(`${at.server.url}/readyz`)
      expect(await ready.json()).toEqual({ status: 'ready', refused_changes: ['tokens'] })
      expect(await at.metrics()).toContain('\nskills_reload_refused 1\n')
      setTokens(at, `${BOB} bob read\n`)
      await at.server.reload()
      expect((await at.call(ALICE, 'list_skills')).status).toBe(401)
      expect(await at.metrics()).toContain('\nskills_reload_refused 0\n')
    })
  }

  it.each(['', '# nobody\n'])('revokes all tokens if the file is emptied: %j', async (text) => {
    const at = await startReloadable()
    setTokens(at, text)
    await at.server.reload()
    expect((await at.call(ALICE, 'list_skills')).status).toBe(401)
    expect((await at.call(BOB, 'list_skills')).status).toBe(401)
    setTokens(at, `${BOB} bob read\n`)
    await at.server.reload()
    expect((await at.call(BOB, 'list_skills')).status).toBe(200)
  })

  it('keeps all tokens if the file is gone', async () => {
    const at = await startReloadable()
    rmSync(at.path('tokens.txt'))
    await at.server.reload()
    expect((await at.call(ALICE, 'list_skills')).status).toBe(200)
  })
})

describe('a server that loads its configuration again', () => {
  it('applies limits, and names settings that need a restart', async () => {
    const at = await startReloadable('[serve]\ncalls_per_second = 500\n')
    writeFileSync(
      at.path('skills.config.toml'),
      '[serve]\ncalls_per_second = 1\nallowed_hosts = ["skills.example"]\n[run]\ntimeout = "7s"\n',
    )
    await at.server.reload()
    const calls = await Promise.all([1, 2, 3, 4].map(() => at.call(ALICE, 'list_skills')))
    const bodies = await Promise.all(calls.map((each) => each.text()))
    expect(bodies.some((body) => body.includes('rate/exceeded'))).toBe(true)
    const said = at.messages.join('\n')
    expect(said).toContain('serve.calls_per_second is now 1')
    expect(said).toContain('serve.allowed_hosts is now')
    expect(said).toContain('run.timeout changed: restart the server to apply it')
  })

  it('keeps all settings if the file is not valid', async () => {
    const at = await startReloadable('[serve]\ncalls_per_second = 500\n')
    writeFileSync(at.path('skills.config.toml'), '[serve]\ncalls_per_second = "many"\n')
    await at.server.reload()
    expect(at.runtime.config.serve.callsPerSecond).toBe(500)
    expect(at.messages.join('\n')).toContain('error A change of the configuration is refused')
  })
})

describe('a server that loads its policy again', () => {
  it('keeps the policy if the file is broken', async () => {
    const at = await startReloadable()
    await at.runtime.policy()
    const before = await at.runtime.policy()
    const file = at.policy.projectFile as string
    writeFileSync(file, 'rules = 1 = 2\n')
    expect(await at.runtime.policy()).toBe(before)
    await at.server.reload()
    expect(await at.runtime.policy()).toBe(before)
    expect(at.messages.join('\n')).toContain('error A change of the policy is refused')
  })
})

describe('a server that loads its skills again', () => {
  it('refuses an edited skill, and runs it after loading it again', async () => {
    const at = await startReloadable()
    const run = async () =>
      (await (await at.call(ALICE, 'execute_skill', { name: 'demo.greet' })).json()) as {
        error?: { message: string; data: { kind: string } }
        result?: { output: unknown }
      }
    expect((await run()).result?.output).toEqual({ greeting: 'Hello, you' })
    writeFileSync(at.path('skills/greet/code/main.py'), 'def main(args):\n    return "edited"\n')
    const refused = await run()
    expect(refused.error?.data.kind).toBe('skill/changed')
    expect(refused.error?.message).toContain('SIGHUP')
    await at.server.reload()
    expect((await run()).result?.output).toBe('edited')
    expect(at.messages.join('\n')).toContain('demo.greet@0.1.0 has changed')
  })
})
