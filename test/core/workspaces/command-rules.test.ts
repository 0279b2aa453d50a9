// @module-tag slow
import { describe, expect, it } from 'vitest'
import { localHost } from '../../../src/agent/local-host.ts'
import { createAgentSession } from '../../../src/agent/session.ts'
import { makeToolTable } from '../../../src/mcp/tools/tool-table.ts'
import { METHODS } from '../../../src/core/methods/index.ts'
import { createSession } from './in-workspace.ts'

const COMMANDS = { length: 1, results: new Set<string>() }

async function openSession(settings: Record<string, unknown>) {
  const { runtime, call } = await createSession({ settings })
  const host = localHost(runtime, { call })
  const tools = ['list_skills', 'skill_load', 'skill_run', 'skill_exec', 'skill_write_stdin']
  const more = ['skill_poll_session', 'skill_kill_session', 'workspace_exec']
  const last = ['write_stdin', 'kill']
  return createAgentSession({ host, tools: [...tools, ...more, ...last], requireLoaded: false })
}

describe('descriptions and guidance', () => {
  it.each([
    { settings: {}, text: /share one sandbox.*no command has run for 15 minutes/ },
    { settings: { 'workspace.sandbox': 'command' }, text: /Each command has a sandbox of its own/ },
    {
      settings: { 'workspace.allowed_commands': ['jq', 'git status'] },
      text: /Only these commands are allowed: jq, git status\..*plain command lines/,
    },
    {
      settings: { 'workspace.denied_commands': ['curl'] },
      text: /These commands are denied: curl\./,
    },
  ])('have the rules for commands: $settings', async ({ settings, text }) => {
    const session = await openSession(settings)
    const tools = await session.tools()
    const described = tools.filter(({ description }) => text.test(description))
    expect(described.map(({ name }) => name).sort()).toEqual([
      'skill_exec',
      'skill_run',
      'workspace_exec',
    ])
    const { system } = await session.compose(COMMANDS)
    expect(JSON.stringify(system).replaceAll('\\n- ', ' ')).toMatch(text)
    const { runtime } = await createSession({ settings })
    const { tools: listed } = makeToolTable(METHODS, runtime.config.workspace)
    expect(listed.find(({ name }) => name === 'skill_run')?.description).toMatch(text)
    expect(listed.find(({ name }) => name === 'list_skills')?.description).not.toMatch(text)
  })

  it('name at most 40 commands of a list', async () => {
    const commands = Array.from({ length: 60 }, (_, at) => `c${at}`)
    const session = await openSession({ 'workspace.allowed_commands': commands })
    const tools = await session.tools()
    const { description = '' } = tools.find(({ name }) => name === 'skill_run') ?? {}
    expect(description).toContain('c38, c39 and 20 more.')
  })
})

describe('a refused command', () => {
  it('names the allowed ones to the model', async () => {
    const session = await openSession({ 'workspace.allowed_commands': ['jq', 'git status'] })
    const refuse = async (command: string) =>
      await session.call({ id: '1', name: 'workspace_exec', arguments: { command } })
    const answer = await refuse('curl example.com')
    expect(answer).toMatchObject({ isError: true })
    expect(answer.text).toContain('The allowed commands are: jq, git status.')
    expect(answer.text).not.toContain('skills.config.toml')
    expect((await refuse('jq "$(id)"')).text).toMatch(/only plain commands.*one program/)
  })
})

describe('the folder of a command', () => {
  it('is made where that is possible', async () => {
    const { shell, run } = await createSession()
    expect((await shell('pwd', { cwd: 'work/new/deep' })).output).toBe('/workspace/work/new/deep\n')
    expect((await run('pwd', { cwd: 'out/new' })).stdout).toBe('/workspace/out/new\n')
  })

  it.each([
    { cwd: 'skills/demo/none', text: 'cannot be made in a read-only folder' },
    { cwd: 'work/file', text: 'it is a file' },
    { cwd: 'work/file/below', text: 'a part of its path is a file' },
  ])('$cwd is reported in a sentence', async ({ cwd, text }) => {
    const { shell } = await createSession()
    await shell('touch work/file')
    const ran = await shell('pwd', { cwd })
    expect(ran).toMatchObject({ status: 'exited', exit_code: 127 })
    expect(ran.warnings?.join()).toContain(text)
  })
})

describe('a command with much output', () => {
  it.each(['session', 'command'])('goes on, and is informed (sandbox = %s)', async (sandbox) => {
    const settings = { 'run.limits.output': '64KiB', 'workspace.sandbox': sandbox }
    const { run, shell } = await createSession({ settings })
    const command = 'head -c 1000000 /dev/zero | tr "\\0" x; echo after > $OUTPUT_DIR/after'
    const ran = await run(command, { output_files: ['out/after'] })
    expect(ran).toMatchObject({ exit_code: 0, output_files: [{ content: 'after\n' }] })
    expect(ran.warnings?.join()).toContain('the command went on')
    const other = await shell(command)
    expect(other).toMatchObject({ exit_code: 0, truncated: true })
    expect(other.warnings?.join()).toContain('the command went on')
  })

  it('returns a part of it', async () => {
    const { run, shell } = await createSession()
    const ran = await run('seq 1 9999; seq 1 999999 > out/a', { output_files: ['out/a'] })
    expect(ran.stdout).toHaveLength(16 * 1024)
    expect(ran.output_files[0]).toMatchObject({ truncated: true, size_bytes: 6_888_888 })
    expect(ran.output_files[0]?.content).toHaveLength(4 * 1024 ** 2)
    expect(ran.primary_output).toBeUndefined()
    const whole = await shell('head -c 16384 /dev/zero | tr "\\0" x')
    expect(whole.output).toHaveLength(16 * 1024)
    expect(whole.truncated).toBeUndefined()
    const { output = '', truncated } = await shell('head -c 16385 /dev/zero | tr "\\0" x')
    expect(output.length).toBeGreaterThan(8000)
    expect(output.length).toBeLessThanOrEqual(8 * 1024)
    expect(output).toContain('[output truncated]')
    expect(truncated).toBe(true)
  })

  it('has a text file of at most 32 KiB as its primary output', async () => {
    const { run } = await createSession()
    for (const [bytes, name] of [
      [32 * 1024, 'out/a'],
      [32 * 1024 + 1, undefined],
    ] as const) {
      const ran = await run(`head -c ${bytes} /dev/zero | tr '\\0' x > out/a`)
      expect(ran.primary_output?.name).toBe(name)
    }
  })
})
