import { chmodSync, existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { runCommandLine } from '../../src/cli/program.ts'
import { INHERITED_ENV } from '../helpers/inherited-env.ts'
import { createFolder, runSkills } from '../helpers/skills.ts'

const TOKEN = 'alice-token-0123456789'
const LINK = /http:\/\/127\.0\.0\.1:\d+\/console\/#token=([\w-]{43})/
const COLD = { 'config.toml': '[run]\nwarm = false\n' }

/** A desktop whose program for addresses writes its argument and environment into a file. */
function createDesktop(exit = 0) {
  const dir = createFolder({
    'bin/xdg-open': `#!/bin/sh\nprintf '%s\\n' "$1" > "$HOME/opened.new"\nenv >> "$HOME/opened.new"\nmv "$HOME/opened.new" "$HOME/opened"\nexit ${exit}\n`,
    'tokens.txt': `${TOKEN} alice\n`,
    '.config/skills/config.toml': COLD['config.toml'],
  })
  chmodSync(join(dir, 'bin/xdg-open'), 0o755)
  chmodSync(join(dir, 'tokens.txt'), 0o600)
  const opened = join(dir, 'opened')
  const read = async () => {
    await vi.waitFor(() => expect(existsSync(opened)).toBe(true), { timeout: 30_000 })
    const [address = '', ...env] = readFileSync(opened, 'utf8').trim().split('\n')
    return { address, env }
  }
  const env = {
    HOME: dir,
    PATH: `${dir}/bin:${INHERITED_ENV['PATH']}`,
    DISPLAY: ':0',
    NO_COLOR: '1',
  }
  return { dir, env, read, hasOpened: () => existsSync(opened) }
}

/** Runs a command line until it is stopped; its output can be read meanwhile. */
function startSkills(
  argv: readonly string[],
  { cwd, env, tty = true }: { cwd: string; env: Record<string, string>; tty?: boolean },
) {
  const stopping = new AbortController()
  const capture = () => {
    let text = ''
    const stream = new PassThrough()
    stream.on('data', (chunk) => (text += String(chunk)))
    return { stream: Object.assign(stream, { isTTY: tty, columns: 80 }), text: () => text }
  }
  const [stdout, stderr] = [capture(), capture()]
  const done = runCommandLine(argv, {
    cwd,
    env: { ...INHERITED_ENV, ...env },
    stdin: Object.assign(Readable.from([]), { isTTY: tty }),
    stdout: stdout.stream,
    stderr: stderr.stream,
    signal: stopping.signal,
  })
  onTestFinished(() => stopping.abort())
  const waitFor = async (text: RegExp) => {
    await vi.waitFor(() => expect(stderr.text()).toMatch(text), { timeout: 30_000 })
    return stderr.text()
  }
  const stop = async () => {
    stopping.abort()
    return await done
  }
  return { stdout: stdout.text, stderr: stderr.text, waitFor, stop }
}

/** Starts a server, and returns everything that it printed until it was ready. */
async function serveOnce(argv: readonly string[], { tty = true, env = {} } = {}) {
  const desktop = createDesktop()
  const all = { ...desktop.env, ...env }
  const server = startSkills(['serve', '--port', '0', ...argv], { cwd: desktop.dir, env: all, tty })
  await vi.waitFor(() => expect(server.stdout() + server.stderr()).toMatch(/\/rpc/), {
    timeout: 30_000,
  })
  await server.stop()
  return server.stdout() + server.stderr()
}

describe('the link to the console', () => {
  it('is printed on a terminal, and another one after it was used', async () => {
    const { dir: cwd, env } = createDesktop()
    const server = startSkills(['serve', '--port', '0', '--token-file', 'tokens.txt'], { cwd, env })
    const [link = '', token] = LINK.exec(await server.waitFor(LINK)) ?? []
    const body = JSON.stringify({ token })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${new URL(link).origin}/console/session`, {
      method: 'POST',
      headers,
      body,
    })
    expect(answer.status).toBe(200)
    const text = await server.waitFor(/The console was opened/)
    const printed = [...text.matchAll(new RegExp(LINK, 'g'))].map(([, each]) => each)
    expect(printed).toHaveLength(2)
    expect(new Set(printed).size).toBe(2)
    // It is on a line of its own, so that it can be copied.
    expect(text.split('\n').some((line) => line.trim().match(LINK)?.[0] === line.trim())).toBe(true)
    expect(await server.stop()).toBe(0)
    expect(server.stdout()).toBe('')
  })

  it('is printed in no pipe and no JSON, and not where no token is required', async () => {
    const tokens = ['--token-file', 'tokens.txt']
    expect(await serveOnce(tokens)).toMatch(LINK)
    for (const [argv, options] of [
      [tokens, { tty: false }],
      [[...tokens, '--json'], {}],
      [[...tokens, '--json'], { tty: false }],
      [['--log-format', 'text', ...tokens], { tty: false }],
      [[...tokens, '--no-console'], {}],
      [[], {}],
    ] as const)
      expect(await serveOnce(argv, options), argv.join(' ')).not.toContain('#token')
    expect(await serveOnce([])).toMatch(/console\s+http:\/\/127\.0\.0\.1:\d+\/console\/\n/)
    const ready = JSON.parse(
      (await serveOnce(['--json'], { tty: false })).split('\n')[0] ?? '',
    ) as object
    expect(ready).toHaveProperty('console', expect.stringMatching(/\/console\/$/))
    expect(await serveOnce(['--json', '--no-console'], { tty: false })).toContain('"console":null')
  })
})

describe('skills console', () => {
  it('opens the address of the console in a browser, and passes it no secret', async () => {
    const { dir: cwd, env, read } = createDesktop()
    const secret = 'a-secret-of-the-environment'
    const more = { AWS_SECRET_ACCESS_KEY: secret, XDG_CURRENT_DESKTOP: 'test' }
    const server = startSkills(['console'], { cwd, env: { ...env, ...more } })
    const opened = await read()
    expect(opened.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/$/)
    expect((await fetch(opened.address)).status).toBe(200)
    expect(opened.env).toContain('XDG_CURRENT_DESKTOP=test')
    expect(opened.env).toContain('DISPLAY=:0')
    expect(opened.env.join()).not.toContain(secret)
    expect(await server.stop()).toBe(0)
    expect(server.stderr()).not.toContain('No browser')
  })

  it('passes a link by a file that only this user can read, and removes it', async () => {
    const { dir: cwd, env, read } = createDesktop()
    const server = startSkills(['serve', '--port', '0', '--open', '--token-file', 'tokens.txt'], {
      cwd,
      env,
    })
    const [link = ''] = LINK.exec(await server.waitFor(LINK)) ?? []
    const { address } = await read()
    expect(address).toMatch(/^file:\/\/.*\.html$/)
    const file = fileURLToPath(address)
    expect(readFileSync(file, 'utf8')).toContain(`content="0; url=${link}"`)
    expect(statSync(file).mode & 0o077).toBe(0)
    expect(statSync(dirname(file)).mode & 0o077).toBe(0)
    expect(await server.stop()).toBe(0)
    expect(existsSync(dirname(file))).toBe(false)
  })

  it('listens on another port if its own is in use', async () => {
    const blocked = createServer().listen(8080, '127.0.0.1')
    // Something else may listen there already.
    await new Promise<void>((resolve) =>
      blocked.once('listening', resolve).once('error', () => resolve()),
    )
    onTestFinished(() => void blocked.close())
    const { dir: cwd, env, read } = createDesktop()
    const server = startSkills(['console'], { cwd, env })
    const { port } = new URL((await read()).address)
    expect(port).not.toBe('8080')
    await server.stop()
  })

  it.each([
    {
      state: 'there is no display',
      own: { DISPLAY: '' },
      message: /No browser was opened: this terminal has no display/,
    },
    {
      state: 'there is no program',
      own: { PATH: '/nowhere' },
      message: /No browser was opened: xdg-open is not installed/,
    },
    {
      state: 'there is no terminal',
      options: { tty: false },
      message: /No browser is opened without a terminal/,
    },
  ])('serves and says what to do if $state', async ({ own, options, message }) => {
    const { dir: cwd, env, hasOpened } = createDesktop()
    const server = startSkills(['console', '--port', '0'], {
      cwd,
      env: { ...env, ...own },
      ...options,
    })
    const text = await server.waitFor(message)
    const [url = ''] =
      /http:\/\/127\.0\.0\.1:\d+\/console\//.exec(text.slice(text.search(message))) ?? []
    expect((await fetch(url)).status).toBe(200)
    expect(hasOpened()).toBe(false)
    expect(await server.stop()).toBe(0)
  })

  it('serves and says what to do if the browser cannot be started', async () => {
    const { dir: cwd, env } = createDesktop(3)
    const server = startSkills(['console', '--port', '0'], { cwd, env })
    await server.waitFor(/No browser was opened: xdg-open failed \(3\)/)
    expect(await server.stop()).toBe(0)
  })

  it('fails if there is no console to open', async () => {
    const cwd = createFolder({ 'skills.config.toml': '' })
    for (const argv of [
      ['serve', '--port', '0', '--open', '--no-console'],
      ['console', '--port', '0', '--host', '0.0.0.0', '--no-auth'],
    ]) {
      const { code, stderr } = await runSkills(argv, { cwd, tty: true })
      expect(code).toBe(2)
      expect(stderr).toContain('This server has no console that could be opened')
    }
  })
})
