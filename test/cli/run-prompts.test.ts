import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { runCommandLine } from '../../src/cli/program.ts'
import { INHERITED_ENV } from '../helpers/inherited-env.ts'
import { keepSandboxes } from '../helpers/kept-sandboxes.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const TOML = `
[inputs]
name = { type = "string", description = "Person to greet", required = true }
count = { type = "integer", required = true }
tone = { type = "string", enum = ["kind", "dry"], required = true }
text = { type = "blob", required = true }
note = { type = "string" }

[permissions]
secrets = ["TOKEN"]
`
const CODE =
  'import os\nfrom runtime import blobs\ndef main(args):\n    return [args["name"], args["count"], args["tone"], blobs.read_text(args["text"]), len(os.environ.get("TOKEN", ""))]\n'
const ENTER = '\r'

function createProject() {
  const skill = { ...createActionSkill('demo.ask', { toml: TOML }), 'code/main.py': CODE }
  return createFolder({ ...prefixPaths('skills/ask', skill), 'a.txt': 'content' })
}

function openTerminal() {
  return Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
}

/** Runs on a simulated terminal, and types each answer when its prompt is shown. */
async function type(argv: readonly string[], answers: readonly (readonly [string, string])[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} })
  const [stdout, stderr] = [openTerminal(), openTerminal()]
  const texts = { stdout: '', stderr: '' }
  stdout.on('data', (chunk) => (texts.stdout += String(chunk)))
  stderr.on('data', (chunk) => (texts.stderr += String(chunk)))
  const { CI: _, ...env } = { ...INHERITED_ENV, HOME: createFolder(), TERM: 'xterm' } as Record<
    string,
    string
  >
  const { signal } = new AbortController()
  const sandboxes = await keepSandboxes()
  const io = { cwd: createProject(), env, stdin, stdout, stderr, signal, sandboxes }
  const ended = runCommandLine(argv, io)
  const progress = { isOver: false }
  void ended.then(() => (progress.isOver = true))
  for (const [prompt, answer] of answers) {
    while (!texts.stderr.includes(prompt) && !progress.isOver) await sleep(20)
    await sleep(50)
    for (const key of answer) stdin.write(key)
  }
  return { code: await ended, ...texts }
}

describe('prompts of skills exec', () => {
  it('ask for missing inputs and declared secrets, and hide the secret', async () => {
    const ran = await type(
      ['exec', 'demo.ask', '--arg', 'name=Ada'],
      [
        ['count (integer)', `7${ENTER}`],
        ['tone (string)', ENTER],
        ['text (blob)', `a.txt${ENTER}`],
        ['Secret TOKEN', `hunter2${ENTER}`],
      ],
    )
    expect(JSON.parse(ran.stdout)).toEqual(['Ada', 7, 'kind', 'content', 7])
    expect(ran.code).toBe(0)
    expect(ran.stderr).not.toContain('hunter2')
    expect(ran.stderr).not.toContain('note (string)')
  })

  it('run nothing if a prompt is cancelled', async () => {
    const ran = await type(['exec', 'demo.ask'], [['name (string)', '\u0003']])
    expect(ran.code).toBe(130)
    expect(ran.stderr).toContain('Cancelled; nothing was run')
  })

  it.each([
    ['in a pipe', { tty: false }],
    ['with --no-input', { argv: ['--no-input'] }],
    ['with --json', { argv: ['--json'] }],
    ['in CI', { env: { CI: 'true' } }],
    ['on a terminal without cursor movement', { env: { TERM: 'dumb' } }],
  ])('do not appear %s', async (_, setup) => {
    const { argv, env, tty } = { argv: [], env: {}, tty: true, ...setup }
    const at = { cwd: createProject(), tty, env: { CI: '', ...env } }
    const ran = await runSkills(['exec', 'demo.ask', ...argv], at)
    expect(ran.code).toBe(1)
    expect(ran.stdout + ran.stderr).toMatch(/The required argument .{1,2}name.{1,2} is missing/)
  })
})
