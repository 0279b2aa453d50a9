import { expect, it } from 'vitest'
import { createFolder, writeTree, runSkills } from '../../helpers/skills.ts'

const MESSAGES = [
  {
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
  },
  { id: 2, method: 'prompts/list', params: {} },
  { id: 'three', method: 'ping' },
]

/** Returns the output of `skills mcp` for one message, with the fast paths set by the user. */
async function runMcp(
  message: object,
  fastPaths: string,
  { cwd = createFolder(), config = '' } = {},
) {
  writeTree(cwd, { 'skills.config.toml': config })
  const stdin = `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
  const env = { HOME: cwd, SKILLS_FAST_PATHS: fastPaths }
  return await runSkills(['mcp'], { cwd, stdin, env })
}

it.each(MESSAGES)('$method has the same response with and without fast paths', async (message) => {
  const fast = await runMcp(message, 'true')
  expect(fast.stdout).toContain('"result"')
  expect(await runMcp(message, 'false')).toMatchObject({ stdout: fast.stdout, code: fast.code })
})

it('only a fast path answers before the configuration is read', async () => {
  const broken = { cwd: createFolder(), config: 'roots = ' }
  const [message = {}] = MESSAGES
  const fast = await runMcp(message, 'true', broken)
  const general = await runMcp(message, 'false', broken)
  expect(fast.stdout).toContain('"result"')
  expect(general.stdout).toBe('')
  expect(general.stderr).toBe(fast.stderr)
  expect([general.code, fast.code]).toEqual([2, 2])
})
