import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { transferName } from '../../src/core/skills/uploads/change-grant.ts'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { startTestServer, type RpcAnswer, type TestServer } from '../helpers/server.ts'

const TOKENS = {
  alice: '0123456789abcdef0123456789abcdef',
  bob: 'fedcba9876543210fedcba9876543210',
}
type Name = keyof typeof TOKENS

/** A skill that says whose code it is. */
const upload = (author: string, version: string, name = 'user.tools.save') => ({
  manifest: {
    name,
    version,
    description: 'Saves things.',
    kind: 'action',
    runtime: { language: 'python', entrypoint: 'code/main.py', export: 'main' },
  },
  skill_md: '# Save\n\nSaves.',
  files: [{ path: 'code/main.py', content: `def main(args):\n    return "${author}"\n` }],
})

async function startServer() {
  const text = Object.entries(TOKENS).map(([name, token]) => `${token} ${name}`)
  const server = await startTestServer({ tokens: parseTokens(text.join('\n'), 'tokens.txt') })
  const call = async (name: Name, method: string, params: object) => {
    const body = { jsonrpc: '2.0', id: 1, method, params }
    const answer = await server.post(body, { authorization: `Bearer ${TOKENS[name]}` })
    return (await answer.json()) as RpcAnswer
  }
  /** Whose code a call of Alice runs. */
  const runAsAlice = async () =>
    (await call('alice', 'execute_skill', { name: 'user.tools.save' })).result?.['output']
  return { server, call, runAsAlice }
}

async function transfer(server: TestServer, owner: string): Promise<void> {
  const { repository } = server.runtime
  await transferName(server.runtime, await repository.resolve('user.tools.save'), owner)
}

const ownerFile = (server: TestServer) =>
  join(server.runtime.config.directories.data, 'created-owners/user.tools.save.json')

describe('the name of an uploaded skill', () => {
  it("belongs to its first caller, whose runs never get another caller's code", async () => {
    const { server, call, runAsAlice } = await startServer()
    await call('alice', 'create_skill', upload('alice', '0.1.0'))
    const stolen = await call('bob', 'create_skill', upload('bob', '0.2.0'))
    expect(stolen.error).toMatchObject({
      code: -32002,
      message: expect.stringContaining("'user.tools.save' belongs to another caller"),
      data: { reason: 'owned by another caller' },
    })
    expect(await runAsAlice()).toBe('alice')
    const own = await call('alice', 'create_skill', upload('alice again', '0.3.0'))
    expect(own.error).toBeUndefined()
    expect(await runAsAlice()).toBe('alice again')
    // The control: without the owner, the newer version of Bob is what Alice runs.
    await transfer(server, 'bob')
    expect((await call('bob', 'create_skill', upload('bob', '0.4.0'))).error).toBeUndefined()
    expect(await runAsAlice()).toBe('bob')
    expect((await call('alice', 'create_skill', upload('alice', '0.5.0'))).error?.code).toBe(-32002)
  })

  it('is given to one of several callers that upload at the same time', async () => {
    const { call } = await startServer()
    const answers = await Promise.all([
      call('alice', 'create_skill', upload('alice', '0.1.0')),
      call('bob', 'create_skill', upload('bob', '0.2.0')),
    ])
    expect(answers.filter(({ error }) => error?.code === -32002)).toHaveLength(1)
    expect(answers.filter(({ result }) => result !== undefined)).toHaveLength(1)
  })

  it('is free again after an upload that was refused', async () => {
    const { server, call } = await startServer()
    const invalid = { ...upload('alice', '0.1.0'), files: [] }
    expect((await call('alice', 'create_skill', invalid)).error?.code).toBe(-32602)
    expect(existsSync(ownerFile(server))).toBe(false)
    expect((await call('bob', 'create_skill', upload('bob', '0.1.0'))).error).toBeUndefined()
  })

  it('stays with its owner if all versions are removed, and with nobody if the owner is lost', async () => {
    const { server, call } = await startServer()
    await call('alice', 'create_skill', upload('alice', '0.1.0'))
    const folder = join(server.runtime.config.directories.data, 'created/user.tools.save')
    rmSync(folder, { recursive: true })
    expect((await call('bob', 'create_skill', upload('bob', '0.2.0'))).error?.code).toBe(-32002)
    expect((await call('alice', 'create_skill', upload('alice', '0.2.0'))).error).toBeUndefined()
    rmSync(ownerFile(server))
    for (const name of ['alice', 'bob'] as const) {
      const refused = await call(name, 'create_skill', upload(name, '0.3.0'))
      expect(refused.error?.code, name).toBe(-32002)
    }
  })

  it('has an owner that cannot be changed unnoticed', async () => {
    const { server, call } = await startServer()
    await call('alice', 'create_skill', upload('alice', '0.1.0'))
    const sealed = readFileSync(ownerFile(server), 'utf8')
    writeFileSync(ownerFile(server), sealed.replace('alice', 'bobby'))
    const refused = await call('bob', 'create_skill', upload('bob', '0.2.0'))
    expect(refused.error?.message).toContain('Cannot read the owner of a skill')
  })

  it('is shared by callers of a server without tokens', async () => {
    const server = await startTestServer()
    await server.result('create_skill', upload('one', '0.1.0'))
    expect(await server.result('create_skill', upload('two', '0.2.0'))).toMatchObject({
      version: '0.2.0',
    })
  })
})
