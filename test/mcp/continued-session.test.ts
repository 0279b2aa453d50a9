// @module-tag slow
import { expect, it } from 'vitest'
import { connectClient } from '../helpers/mcp.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const STDIO = { era: 'legacy', transport: 'stdio' } as const

it('a process continues a session by its name, and begins a new one without a name', async () => {
  const cwd = createFolder()
  const call = async (more: readonly string[], name: string, args: object) => {
    const connected = await connectClient(STDIO, { cwd, argv: ['--profile', 'agent', ...more] })
    try {
      return await connected.client.callTool({ name, arguments: { ...args } })
    } finally {
      await connected.close()
    }
  }
  const named = ['--session', 'work']
  await call(named, 'workspace_write', { path: 'work/a.txt', content: 'kept' })
  const read = { command: 'cat work/a.txt' }
  const { structuredContent, content } = await call(named, 'workspace_exec', read)
  expect(structuredContent).toMatchObject({ output: 'kept' })
  // The answer has all of the output, so nothing leads to it.
  expect((content as { type: string }[]).map(({ type }) => type)).toEqual(['text'])
  expect((await call([], 'workspace_exec', read)).structuredContent).toMatchObject({ exit_code: 1 })
})

it('links to the logs of a command whose output was cut', async () => {
  const connected = await connectClient(STDIO, {
    cwd: createFolder(),
    argv: ['--profile', 'agent'],
  })
  const { content } = await connected.client.callTool({
    name: 'workspace_exec',
    arguments: { command: 'seq 1 20000' },
  })
  await connected.close()
  expect(content).toMatchObject([{ type: 'text' }, { uri: expect.stringMatching(/\/logs$/) }])
})

it('refuses a name that no session can have before it serves', async () => {
  const cwd = createFolder()
  const { code, stderr } = await runSkills(['mcp', '--session', ' '], { cwd })
  expect(code).toBe(2)
  expect(stderr).toContain('Expected 1 to 256 characters for --session, got 1')
})
