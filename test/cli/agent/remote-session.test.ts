// @module-tag slow
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { PROGRAM } from '../../helpers/built.ts'
import { startTestServer } from '../../helpers/server.ts'
import { createFolder } from '../../helpers/skills.ts'
import { DRIVER, TERMINAL_STEPS } from './driver.ts'

const tree = { 'skills/demo/SKILL.md': '---\nname: demo\ndescription: x\n---\n# Demo\n' }
const env = { PATH: process.env['PATH'], TERM: 'xterm-256color', LANG: 'C.UTF-8' }

/** Starts a command line with the runtime at that URL. */
function start(args: readonly string[]) {
  const [program = '', ...first] = PROGRAM
  return spawn(program, [...first, ...args], {
    cwd: createFolder(),
    env: { ...env, HOME: createFolder() },
  })
}

async function ran(args: readonly string[], input = '') {
  const child = start(args)
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const code = new Promise((resolve) => child.once('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { stdout, stderr, code: await code }
}

describe('a command of a remote runtime', () => {
  it('gets input byte for byte, prints its output and exits with its code', async () => {
    const { url } = await startTestServer({ tree })
    const typed = Array.from({ length: 9000 }, (_, at) => `${at} é 你 🎉\n`).join('')
    const echo = await ran(['agent', 'exec', 'demo', '--url', url, 'cat; exit 3'], typed)
    expect(echo.stderr).toBe('')
    expect(echo.stdout === typed).toBe(true)
    expect(echo.code).toBe(3)
    const json = await ran(['agent', 'exec', 'demo', '--json', '--url', url, '--', 'cat'], 'x')
    expect(JSON.parse(json.stdout)).toMatchObject({
      schema: 'skills.agent-exec/v1',
      result: { stdout: 'x', exit_code: 0 },
    })
  }, 120_000)

  it("is rejected with the runtime's message, also for unknown skills", async () => {
    const { url } = await startTestServer({
      tree,
      settings: { 'workspace.allowed_commands': ['cat'] },
    })
    const denied = await ran(['agent', 'exec', 'demo', '--url', url, 'ls'])
    expect(denied).toMatchObject({ code: 1, stdout: '' })
    expect(denied.stderr).toContain('"ls" is not allowed by allowed_commands')
    const unknown = await ran(['shell', 'nobody', '-c', 'true', '--url', url])
    expect(unknown).toMatchObject({ code: 3, stdout: '' })
    const lone = await ran(['shell', 'demo', '--url', url])
    expect(lone.stderr).toContain('A shell needs a terminal')
  }, 60_000)

  it('ends remotely when it is interrupted locally', async () => {
    const { url, runtime } = await startTestServer({ tree })
    const child = start(['agent', 'exec', 'demo', '--url', url, 'echo up; sleep 600'])
    const code = new Promise((resolve) => child.once('close', resolve))
    await new Promise((resolve) => child.stdout.once('data', resolve))
    child.kill('SIGINT')
    expect(await code).toBe(130)
    const runs = await runtime.runs()
    const status = async () => (await runs.list({ limit: 1 })).runs[0]?.status
    while ((await status()) === 'running') await sleep(50)
    expect(await status()).toMatch(/^(?:failed|cancelled)$/)
  }, 60_000)

  it('has a terminal: prompt, size, colours, Ctrl-C and an exit code', async () => {
    const { url } = await startTestServer({ tree })
    const args = [
      '-c',
      DRIVER,
      JSON.stringify(TERMINAL_STEPS),
      ...PROGRAM,
      'shell',
      'demo',
      '--url',
      url,
    ]
    const child = spawn('python3', args, {
      cwd: createFolder(),
      env: { ...env, HOME: createFolder() },
    })
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    expect(stderr).toBe('')
    expect(stdout).toBe('5\n')
  }, 120_000)
})
