import { randomBytes } from 'node:crypto'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  createClient,
  ProtocolError,
  RunFailedError,
  type ListSkillsResult,
  type RunResult,
  type RunStreamEvent,
} from '../../src/client/index.ts'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startTestServer, type ServerSetup } from '../helpers/server.ts'

const tree = {
  ...prefixPaths('skills/greet', createActionSkill('demo.greet')),
  ...prefixPaths('skills/old', createActionSkill('demo.greet', { version: '0.0.9' })),
}

async function connect(setup: ServerSetup = {}) {
  const server = await startTestServer({ tree, ...setup })
  return { server, client: createClient({ url: server.url }) }
}

const code = (text: string) => ({ language: 'python', code: text })

describe('createClient()', () => {
  it('has a function for every tool of the protocol', async () => {
    const { client } = await connect()
    const { skills } = await client.listSkills({ namespace: 'demo', detail: 'summary' })
    expect(skills.map(({ version }) => version)).toEqual(['0.1.0', '0.0.9'])
    const { skill } = await client.describeSkill({ name: 'demo.greet', version: '0.0.9' })
    expect(skill.manifest['version']).toBe('0.0.9')
    const file = await client.readSkillFile({ name: 'demo.greet', path: 'code/main.py' })
    expect(file.content).toContain('def main')
    expect((await client.loadSkillsProtocolGuide()).content).toContain('Skills Protocol')
    const blob = await client.createBlob({ content: 'a,b\n', kind: 'text/csv' })
    expect(await client.readBlob({ blob_id: blob.blob_id })).toMatchObject({
      content: 'a,b\n',
      kind: 'text/csv',
      truncated: false,
    })
    const ran = await client.executeSkill({ name: 'demo.greet', args: { name: 'Ada' } })
    expect(ran).toMatchObject({ status: 'completed', output: { greeting: 'Hello, Ada' } })
    const doubled = await client.runCode({
      ...code('def main(args):\n  return args["n"] * 2'),
      args: { n: 21 },
    })
    expect(doubled.output).toBe(42)
    const created = await client.createSkill({
      manifest: {
        name: 'user.note',
        version: '1.0.0',
        description: 'A note.',
        kind: 'instruction',
      },
      skill_md: '# Note\n',
      files: [],
    })
    expect(created).toEqual({ name: 'user.note', version: '1.0.0' })
    expect(await client.call('rpc.discover')).toHaveProperty('openrpc')
  })

  it('has the types of the methods', () => {
    const client = createClient({ url: 'http://127.0.0.1:1' })
    expectTypeOf(client.listSkills).returns.resolves.toEqualTypeOf<ListSkillsResult>()
    expectTypeOf(client.executeSkill).returns.resolves.toEqualTypeOf<RunResult>()
    expectTypeOf(client.executeSkill).parameter(0).toHaveProperty('timeout_ms')
  })

  it('iterates over all pages of skills', async () => {
    const { client } = await connect()
    const names: string[] = []
    for await (const { name, version } of client.skills({ limit: 1 }))
      names.push(`${name}@${version}`)
    expect(names).toEqual(['demo.greet@0.1.0', 'demo.greet@0.0.9', 'skills.protocol.guide@0.1.0'])
  })

  it('distinguishes the two levels of errors', async () => {
    const { client } = await connect()
    const refused: unknown = await client
      .executeSkill({ name: 'demo.greeting' })
      .catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(ProtocolError)
    expect(refused).toMatchObject({ code: -32602, httpStatus: 200, asked: 'execute_skill' })
    expect((refused as ProtocolError).data).toMatchObject({ param: 'name' })
    const failing = code('def main(args):\n  raise KeyError("no such thing")')
    const result = await client.runCode(failing)
    expect(result).toMatchObject({ status: 'failed', error: { type: 'KeyError' } })
    const failed: unknown = await client.runCodeOrThrow(failing).catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(RunFailedError)
    expect(failed).not.toBeInstanceOf(ProtocolError)
    expect(failed).toMatchObject({ type: 'KeyError', result: { status: 'failed' } })
    const done = await client.executeSkillOrThrow({ name: 'demo.greet' })
    expect(done.status).toBe('completed')
  })

  it('reports the events of a run to its caller and to followers of its id', async () => {
    const { client } = await connect()
    const runId = `run_${randomBytes(16).toString('hex')}`
    const events: RunStreamEvent[] = []
    const text =
      'import time\nfrom runtime import blobs, log\ndef main(args):\n  log.info("begun")\n  time.sleep(1)\n  return blobs.write_text("made")'
    let resolveBegun = () => {}
    const started = new Promise<void>((resolve) => (resolveBegun = resolve))
    const running = client.runCode(code(text), {
      runId,
      onEvent: (event) => {
        events.push(event)
        if (event.type === 'log') resolveBegun()
      },
    })
    await started
    const followed: RunStreamEvent[] = []
    for await (const event of client.followRun(runId)) followed.push(event)
    const result = await running
    expect(result.run_id).toBe(runId)
    expect(followed).toEqual(events)
    const states = events.flatMap((event) => (event.type === 'state' ? [event.state] : []))
    expect(states.slice(0, 3)).toEqual(['queued', 'starting', 'running'])
    const logged = events.flatMap((event) => (event.type === 'log' ? [event.text] : []))
    expect(logged.join('')).toBe('[info] begun\n')
    const [id] = result.output_blobs
    const blob = { type: 'blob', run_id: runId, blob_id: id, kind: 'text/plain', size_bytes: 4 }
    expect(events).toContainEqual(blob)
    expect(events.at(-1)).toEqual({ type: 'end', run_id: runId, status: 'completed' })
  })

  it('cancels a run when the caller aborts', async () => {
    const { client, server } = await connect()
    const stop = new AbortController()
    const running = client.runCode(code('import time\ndef main(args):\n  time.sleep(600)'), {
      signal: stop.signal,
      onEvent: (event) => {
        if (event.type === 'state' && event.state === 'running') stop.abort(new Error('enough'))
      },
    })
    await expect(running).rejects.toThrow('enough')
    await expect
      .poll(async () => (await (await server.runtime.runs()).list({ limit: 1 })).runs[0]?.status, {
        timeout: 20_000,
      })
      .toBe('cancelled')
  })

  it('sends its token and reports a rejected one', async () => {
    const tokens = parseTokens('0123456789abcdef alice read\n', 'tokens.txt')
    const server = await startTestServer({ tokens })
    const url = server.url
    const own = createClient({ url, token: '0123456789abcdef' })
    expect((await own.listSkills()).skills).toHaveLength(1)
    await expect(createClient({ url }).listSkills()).rejects.toMatchObject({
      name: 'ProtocolError',
      code: -32001,
      httpStatus: 401,
    })
    await expect(own.createBlob({ content: '', kind: 'text/plain' })).rejects.toMatchObject({
      code: -32002,
    })
    await expect(own.uploadBlob('x', { kind: 'text/plain' })).rejects.toMatchObject({
      code: -32002,
      httpStatus: 403,
    })
  })

  it.each([
    ['no url', { url: 'skills' }],
    ['another protocol', { url: 'ftp://127.0.0.1/' }],
    ['a password in the url', { url: 'http://me:secret@127.0.0.1/' }],
    ['a token with a line break', { url: 'http://127.0.0.1/', token: 'a\nb' }],
  ])('rejects %s', (_, options) => {
    expect(() => createClient(options)).toThrow(TypeError)
  })
})
