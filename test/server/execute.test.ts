import { realpathSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { startTestServer } from '../helpers/server.ts'
import { createFolder } from '../helpers/skills.ts'

const PATIENCE = 120_000
const python = { runtime: 'python', code: 'print(1)' }

describe('runtime.execute over JSON-RPC', { timeout: PATIENCE }, () => {
  it.each(['runtime.execute', 'sdl.runtime.execute'])('can be called as %s', async (method) => {
    const server = await startTestServer()
    expect(await server.result(method, python)).toMatchObject({
      status: 'success',
      exitCode: 0,
      signal: null,
      outputBytes: 2,
    })
  })

  it('has both names in the OpenRPC document and one among the tools', async () => {
    const server = await startTestServer()
    const { methods } = (await server.result('rpc.discover', {})) as {
      methods: { name: string }[]
    }
    const names = methods.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['runtime.execute', 'sdl.runtime.execute', 'runtime.languages']),
    )
    expect(new Set(names).size).toBe(names.length)
  })

  it('stores the output for its caller', async () => {
    const server = await startTestServer()
    const { artifactHandle } = await server.result('runtime.execute', {
      runtime: 'shell',
      code: 'echo one; echo two; echo three',
    })
    const found = await server.result('runtime.queryOutput', {
      artifactHandle,
      queryTerms: ['TWO'],
      contextLines: 0,
    })
    expect(found).toMatchObject({ excerpts: [{ lineStart: 2, content: 'two', source: 'stdout' }] })
  })

  it('returns a policy denial as a result with its reason', async () => {
    const server = await startTestServer({ settings: { 'runtime.enabled': false } })
    expect(await server.result('runtime.execute', python)).toMatchObject({
      status: 'denied',
      exitCode: null,
      policyDecision: {
        auditHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        deniedCode: 'runtime-disabled',
        deniedReasons: [expect.stringContaining('is disabled')],
      },
    })
  })

  it.each([
    [{ runtime: 'python', code: 'x', colour: 'red' }, 'colour'],
    [{ runtime: 'noed', code: 'x' }, 'runtime'],
    [{ ...python, timeoutMs: 600_001 }, 'timeoutMs'],
    [{ ...python, timeoutMs: 99 }, 'timeoutMs'],
    [{ ...python, maxResponseLines: 4 }, 'maxResponseLines'],
    [{ ...python, contextLines: 21 }, 'contextLines'],
    [{ ...python, queryTerms: Array.from({ length: 11 }, () => 'x') }, 'queryTerms'],
    [{ ...python, args: Array.from({ length: 101 }, () => 'x') }, 'args'],
    [{ ...python, outputMode: 'loud' }, 'outputMode'],
    [{ ...python, stdin: 'é'.repeat(300_000) }, 'stdin'],
    [{ ...python, relativeCwd: '../..' }, 'relativeCwd'],
    [{ runtime: 'shell', args: ['ls'] }, 'code'],
    [{ runtime: 'python' }, 'code'],
  ])('rejects %j', async (params, param) => {
    const server = await startTestServer()
    const { error } = await server.call('runtime.execute', params)
    expect(error).toMatchObject({ code: -32602, data: { param } })
  })

  it('reveals no path of this machine', async () => {
    const repo = realpathSync(createFolder({ 'a.txt': 'x' }))
    const server = await startTestServer({ settings: { repositories: { own: { path: repo } } } })
    const answers = [
      await server.call('runtime.execute', { ...python, repoId: 'missing' }),
      await server.call('runtime.execute', { ...python, executable: `${repo}/python3` }),
      await server.call('runtime.languages', {}),
    ]
    for (const answer of answers) expect(JSON.stringify(answer)).not.toMatch(/\/(?:tmp|usr|root)\//)
  })

  it('requires a token with the scope "run"', async () => {
    const reader = 'reader-token-of-this-test-alone'
    const runner = 'runner-token-of-this-test-alone'
    const tokens = parseTokens(`${reader} reader read\n${runner} runner read,run\n`, 'tokens.txt')
    const server = await startTestServer({ tokens })
    const ask = async (token: string) => {
      const response = await server.post(
        { jsonrpc: '2.0', id: 1, method: 'sdl.runtime.execute', params: python },
        { authorization: `Bearer ${token}` },
      )
      return (await response.json()) as { result?: object; error?: object }
    }
    expect(await ask(reader)).toMatchObject({ error: { code: -32002 } })
    expect(await ask(runner)).toMatchObject({ result: { status: 'success' } })
  })

  it('is cancelled when the caller disconnects', async () => {
    const server = await startTestServer()
    const going = new AbortController()
    const body = { jsonrpc: '2.0', id: 1, method: 'runtime.execute' }
    const asked = server.fetch('/rpc', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, params: { runtime: 'shell', code: 'sleep 100' } }),
      signal: going.signal,
    })
    const sandboxes = async () =>
      Number(/^skills_sandboxes (\d+)$/m.exec(await (await server.fetch('/metrics')).text())?.[1])
    const until = async (count: number) => {
      for (let tries = 0; tries < 600 && (await sandboxes()) !== count; tries++) await sleep(50)
      expect(await sandboxes()).toBe(count)
    }
    await until(1)
    going.abort()
    await expect(asked).rejects.toThrow()
    await until(0)
  })
})

describe('runtime.languages', () => {
  it('lists every language with its version or an installation hint', async () => {
    const server = await startTestServer()
    const { languages } = (await server.result('runtime.languages', {})) as {
      languages: { name: string; installed: boolean; version: string; install: string }[]
    }
    expect(languages).toHaveLength(17)
    const python3 = languages.find(({ name }) => name === 'python')
    expect(python3).toMatchObject({ installed: true, version: expect.stringMatching(/^3\./) })
    for (const each of languages) {
      if (!each.installed) expect(each.install).not.toBe('')
    }
    const only = (await server.result('runtime.languages', { installedOnly: true })) as {
      languages: { installed: boolean }[]
    }
    expect(only.languages.every(({ installed }) => installed)).toBe(true)
  })
})
