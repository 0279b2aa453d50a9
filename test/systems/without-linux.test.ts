// @module-tag slow
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../src/client/index.ts'
import { createFolder } from '../helpers/skills.ts'
import { BIN } from '../helpers/built.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PRELOAD = fileURLToPath(new URL('other-platform.cjs', import.meta.url))
/** Transforms the sources; it would look for the executable of the other system. */
const ESBUILD = join(ROOT, `node_modules/@esbuild/linux-${process.arch}/bin/esbuild`)
const isRoot = process.getuid?.() === 0
const whyNot = isRoot ? '' : ' (not run: only root may hide /proc)'

/** Covers /proc, /sys and the programs that start sandboxes, for one process tree. */
const HIDE = `covered=$1; shift
mount -t tmpfs none /sys
for program in bwrap podman docker nerdctl newuidmap; do
  for path in $(IFS=:; printf "%s/$program " $PATH); do
    # A program is covered by then if its folder is in PATH twice.
    if [ -x "$path" ]; then mount --bind "$covered" "$path" || exit; fi
  done
done
mount -t tmpfs none /proc
exec "$@"`

interface Project {
  dir: string
  /** Starts skills with these arguments. */
  start(...words: readonly string[]): ChildProcess
  run(words: readonly string[], input?: string): Promise<{ code: number | null; output: string }>
}

function createProject(platform: string): Project {
  const dir = createFolder({ 'skills/.keep': '', 'home/.keep': '' })
  const covered = join(dir, 'covered')
  writeFileSync(covered, '', { mode: 0 })
  const start = (...words: readonly string[]) => {
    const node = [process.execPath, '--require', PRELOAD, BIN]
    const hidden = ['--mount', 'sh', '-c', HIDE, 'sh', covered, ...node]
    const child = spawn('unshare', [...hidden, ...words], {
      cwd: dir,
      env: {
        PATH: process.env['PATH'],
        HOME: join(dir, 'home'),
        PLATFORM: platform,
        ESBUILD_BINARY_PATH: ESBUILD,
      },
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }
  return {
    dir,
    start,
    run: async (words, input = '') => {
      const child = start(...words)
      child.stdin?.end(input)
      const [stdout, stderr, [code]] = await Promise.all([
        text(child.stdout as never),
        text(child.stderr as never),
        once(child, 'close') as Promise<[number | null]>,
      ])
      return { code, output: stdout + stderr }
    },
  }
}

const INITIALIZE = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
}
const MESSAGES = [
  { jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'read_skill_file', arguments: { name: 'demo.notes', path: 'SKILL.md' } },
  },
]

describe.skipIf(!isRoot).each(['linux', 'darwin', 'win32'])(
  `without /proc, /sys and a sandbox, on %s${whyNot}`,
  (platform) => {
    it('writes, checks, lists and reads skills', async () => {
      const { run } = createProject(platform)
      const results: Record<string, unknown> = {}
      for (const line of [
        'new demo.notes --kind instruction --yes',
        'lint',
        'list',
        'describe demo.notes',
        'read demo.notes SKILL.md',
        'tokens',
        'prompt',
        'prompt --tools openai',
        'config',
        'rules',
        'schema skill',
        'completion bash',
        'runs ls',
        'audit verify',
        'mcp install --client cursor --print',
      ]) {
        const { code, output } = await run(line.split(' '))
        if (code !== 0) results[line] = output
      }
      expect(results).toEqual({})
      expect((await run(['list'])).output).toContain('demo.notes')
    }, 120_000)

    it('serves the reading methods over JSON-RPC to the client, and over MCP', async () => {
      const { run, start } = createProject(platform)
      await run(['new', 'demo.notes', '--kind', 'instruction', '--yes'])
      const server = start('serve', '--no-auth', '--port', '0')
      const url = await readAddress(server)
      const client = createClient({ url })
      expect((await client.listSkills({})).skills.map(({ name }) => name)).toContain('demo.notes')
      expect(await client.describeSkill({ name: 'demo.notes' })).toHaveProperty('skill')
      const file = await client.readSkillFile({ name: 'demo.notes', path: 'SKILL.md' })
      expect(file.content).toContain('notes')
      const listed = await run(['list', '--url', url])
      expect(listed.output).toContain('demo.notes')
      const input = MESSAGES.map((message) => `${JSON.stringify(message)}\n`).join('')
      const { output } = await run(['mcp'], input)
      expect(output).toContain('"id":2')
      expect(output).not.toContain('"isError":true')
    }, 120_000)

    it('starts no run, and says what to install', async () => {
      const { run } = createProject(platform)
      await run(['new', 'demo.hello', '--yes'])
      const { code, output } = await run(['exec', 'demo.hello', '--arg', 'name=Ada'])
      expect(code).not.toBe(0)
      expect(output).toMatch(/install/i)
    }, 60_000)
  },
)

/** Reads the address that a server prints when it is ready. */
async function readAddress(server: ChildProcess): Promise<string> {
  let said = ''
  for (const stream of [server.stdout, server.stderr]) {
    stream?.on('data', (chunk) => (said += String(chunk)))
  }
  await expect.poll(() => /http:\/\/\S+:\d+/.exec(said)?.[0], { timeout: 20_000 }).toBeDefined()
  return /http:\/\/[\w.]+:\d+/.exec(said)?.[0] ?? ''
}
