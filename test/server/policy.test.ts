import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { verifyFolder } from '../core/audit/entries.ts'
import { describe, expect, it } from 'vitest'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { readRecords } from '../core/audit/entries.ts'
import { createApprover } from '../core/runs/policy-runtime.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder } from '../helpers/skills.ts'
import { startTestServer, type RpcAnswer, type ServerSetup } from '../helpers/server.ts'

const ALICE = 'a'.repeat(32)
const GUEST = 'b'.repeat(32)
const TOKENS = parseTokens(`${ALICE} alice\n${GUEST} guest-1\n`, 'tokens')
const AUDIT = '.local/share/skills/audit'

/** Starts a server with tokens, a policy and a repository. */
async function startServerWithPolicy(policy: string, setup: ServerSetup = {}) {
  const repository = createFolder({ 'src/x': '' })
  const server = await startTestServer({
    tokens: TOKENS,
    ...setup,
    tree: {
      '.config/skills/policy.toml': policy,
      ...prefixPaths('skills/greet', createActionSkill('demo.greet')),
      ...setup.tree,
    },
    settings: {
      repositories: { app: { path: repository, mode: 'read-write' } },
      ...setup.settings,
    },
  })
  const call = async (token: string, method: string, params: object): Promise<RpcAnswer> => {
    const request = { jsonrpc: '2.0', id: 1, method, params }
    const response = await server.post(request, { authorization: `Bearer ${token}` })
    return (await response.json()) as RpcAnswer
  }
  const execute = async (token: string, params: object) =>
    await call(token, 'runtime.execute', { repoId: 'app', runtime: 'shell', ...params })
  return {
    ...server,
    repository,
    call,
    execute,
    audited: () => readRecords(join(server.dir, AUDIT)),
  }
}

const GUESTS = `[[rules]]
name = "guests"
when = { tokens = ["guest-*"] }
allow = { languages = ["python"], skills = [] }
limits = { timeout = "5s" }
`

describe('a policy on a server', () => {
  it('denies runtime.execute with a result that has its code and reason, and runs nothing', async () => {
    const { execute, repository, audited, dir } = await startServerWithPolicy(GUESTS)
    const refused = await execute(GUEST, { code: 'touch trace' })
    expect(refused.result).toMatchObject({
      status: 'denied',
      exitCode: null,
      policyDecision: { deniedCode: 'runtime-not-allowed' },
    })
    expect(JSON.stringify(refused)).not.toContain(dir)
    expect(existsSync(join(repository, 'trace'))).toBe(false)
    const allowed = await execute(ALICE, { code: 'touch trace' })
    expect(allowed.result).toMatchObject({ status: 'success' })
    expect(existsSync(join(repository, 'trace'))).toBe(true)
    expect(audited()).toMatchObject([
      { event: 'denied', who: { door: 'http', caller: 'guest-1' } },
      { event: 'begun', who: { door: 'http', caller: 'alice' } },
      { event: 'ended', result: { status: 'completed' } },
    ])
    expect((await verifyFolder(join(dir, AUDIT))).problems).toEqual([])
  })

  it('denies execute_skill and run_code with an error', async () => {
    const { call } = await startServerWithPolicy(GUESTS)
    const skill = { name: 'demo.greet', args: { name: 'Ada' } }
    expect(await call(GUEST, 'execute_skill', skill)).toMatchObject({
      error: { code: -32002, data: { code: 'skill-not-allowed', layer: 'policy' } },
    })
    expect(await call(ALICE, 'execute_skill', skill)).toMatchObject({
      result: { status: 'completed' },
    })
    const code = { language: 'python', code: 'def main(args):\n    return 1' }
    expect(await call(GUEST, 'run_code', code)).toMatchObject({ result: { status: 'completed' } })
    const long = { ...code, limits: { timeout_ms: 60_000 } }
    expect(await call(GUEST, 'run_code', long)).toMatchObject({
      error: { data: { code: 'timeout-exceeded', reasons: [expect.any(String)] } },
    })
  })

  it('applies to the next call after a change', async () => {
    const { execute, dir } = await startServerWithPolicy('')
    expect((await execute(ALICE, { code: 'true' })).result).toMatchObject({ status: 'success' })
    const { writeTree } = await import('../helpers/skills.ts')
    writeTree(dir, { '.config/skills/policy.toml': '[deny]\nlanguages = ["shell"]' })
    expect((await execute(ALICE, { code: 'true' })).result).toMatchObject({ status: 'denied' })
    writeTree(dir, { '.config/skills/policy.toml': '[deny]\nlanguages = [' })
    const broken = await execute(ALICE, { code: 'true' })
    expect(broken.error).toMatchObject({ code: -32603 })
    expect(JSON.stringify(broken)).not.toContain(dir)
  })
})

describe('a call that starts a run', () => {
  it(
    'is authorized before it is queued and queued before it runs',
    { tags: ['slow'] },
    async () => {
      const policy = `${GUESTS}[[rules]]
name = "ask"
when = { tokens = ["alice"], cwd = ["src/**"] }
approve = true
[approval]
command = ["${createApprover('sleep 2; exit 0')}"]
`
      const { execute } = await startServerWithPolicy(policy, {
        settings: { 'run.max_concurrent': 1, 'run.max_waiting': 1 },
      })
      const order: string[] = []
      const note = async (name: string, answer: Promise<RpcAnswer>) => {
        const { result } = await answer
        order.push(`${name} ${String(result?.['status'])}`)
      }
      const asked = note('asked', execute(ALICE, { code: 'true', relativeCwd: 'src' }))
      const running = note('running', execute(ALICE, { code: 'sleep 1' }))
      await new Promise((resolve) => setTimeout(resolve, 400))
      const denied = note('denied', execute(GUEST, { code: 'true' }))
      await Promise.all([asked, running, denied])
      expect(order).toEqual(['denied denied', 'running success', 'asked success'])
    },
  )
})
