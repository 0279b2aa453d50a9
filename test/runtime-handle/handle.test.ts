import { buffer } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import type { RunEvent } from '../../src/core/runs/run-call.ts'
import type { RuntimeHandle } from '../../src/runtime-handle/handle.ts'
import { createLocalHandle } from '../../src/runtime-handle/local.ts'
import { createRemoteHandle } from '../../src/runtime-handle/remote.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startTestServer } from '../helpers/server.ts'

const CODE = 'def main(args):\n  print("hello")\n  return args["a"] * 2\n'
const tree = prefixPaths('skills/double', {
  ...createActionSkill('demo.double'),
  'code/main.py': CODE,
})

async function bothHandles(): Promise<Record<'local' | 'remote', RuntimeHandle>> {
  const server = await startTestServer({ tree })
  const { PATH } = process.env
  return {
    local: createLocalHandle(server.runtime, { env: { PATH }, cwd: '/' }),
    remote: createRemoteHandle(createClient({ url: server.url }), { explain: (thrown) => thrown }),
  }
}

describe('a local and a remote runtime handle', () => {
  it('describe a skill identically', async () => {
    const { local, remote } = await bothHandles()
    const facts = async ({ skills }: RuntimeHandle) => {
      const entry = await skills.resolve('demo.double')
      const { manifest, versions, files, markdown } = await skills.describe(entry)
      const listed = (await skills.list()).map(({ name, version }) => ({ name, version }))
      return { name: entry.name, manifest, versions, files, markdown, listed }
    }
    expect(await facts(remote)).toEqual(await facts(local))
  })

  it('run a skill identically, with its events', { timeout: 60_000 }, async () => {
    const { local, remote } = await bothHandles()
    const run = async (handle: RuntimeHandle) => {
      const events: RunEvent[] = []
      const { status, output } = await handle.call(
        'execute_skill',
        { name: 'demo.double', args: { a: 21 } },
        { onEvent: (event) => void events.push(event) },
      )
      const logs = events.flatMap((event) => (event.type === 'log' ? [event.text] : []))
      return { status, output, logs: logs.join('') }
    }
    const here = await run(local)
    expect(here).toEqual({ status: 'completed', output: 42, logs: 'hello\n' })
    expect(await run(remote)).toEqual(here)
  })

  it('read the bytes of a blob that the other one stored', async () => {
    const { local, remote } = await bothHandles()
    for (const [from, to] of [
      [local, remote],
      [remote, local],
    ] as const) {
      const bytes = Buffer.from([0, 255, 1, 254])
      const source = (async function* () {
        yield bytes
      })()
      const { id, size, digest } = await from.blobs.put(source, 'application/octet-stream')
      expect(await to.blobs.info(id)).toMatchObject({ id, size, digest })
      expect(await buffer(await to.blobs.read(id))).toEqual(bytes)
    }
  })
})
