// @module-tag slow
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copySources, installTarball, packTarball, runBin } from '../helpers/packed.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/**
 * Starts a program on a pseudo-terminal, waits for a prompt, presses a key and prints the exit code.
 */
const PRESS_KEY = `
import fcntl, json, os, pty, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    os.environ.pop("CI", None)
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    argv = json.loads(sys.argv[1])
    os.execv(argv[0], argv)
seen = b""
while not (b"Name of" in seen or b"--kind" in seen):
    seen += os.read(terminal, 4096)
os.write(terminal, bytes.fromhex(sys.argv[2]))
try:
    while os.read(terminal, 4096): pass
except OSError:
    pass
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`

let copy = ''
let dir = ''
let files: readonly string[] = []

beforeAll(() => {
  copy = copySources()
  const packed = packTarball(copy)
  files = packed.files
  dir = installTarball(packed.tarball)
}, 300_000)

afterAll(() => {
  for (const each of [copy, dir]) if (each) rmSync(each, { recursive: true, force: true })
})

describe('the installed package', () => {
  it('contains all runtime files and no development files', () => {
    expect(files).toContain('bin/skills.js')
    expect(files).toContain('templates/editor/runtime.pyi')
    expect(files).toContain('dist/console/index.html')
    expect(
      files.filter((path) => /^dist\/console\/assets\/main-.*\.js\.br$/.test(path)),
    ).toHaveLength(1)
    expect(files.filter((path) => /^dist\/console\/.*\.(?:tsx?|json|map)$/.test(path))).toEqual([])
    expect(
      files.filter((path) => /^(src|test|scripts)\/|\.tsbuildinfo$|__pycache__/.test(path)),
    ).toEqual([])
    expect(files.filter((path) => /^docs\/.*\/|\.(?:png|webp|map)$/.test(path))).toEqual([])
  })

  it('has the licences of the packages that are parts of its files', () => {
    const file = join(dir, 'node_modules/skills-protocol/dist/third-party-licenses.txt')
    const text = readFileSync(file, 'utf8')
    for (const name of ['@modelcontextprotocol/server', 'gpt-tokenizer', 'preact', 'yaml', 'zod'])
      expect(text).toMatch(new RegExp(`^${name}@[\\d.]+  [\\w.-]+$`, 'm'))
  })

  it('installs at most 50 packages, 2,500 files and 30 MB', () => {
    const folder = join(dir, 'node_modules')
    const lock = readFileSync(join(folder, '.package-lock.json'), 'utf8')
    const { packages } = JSON.parse(lock) as { packages: object }
    expect(Object.keys(packages).length).toBeLessThanOrEqual(50)
    const installed = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => statSync(join(parentPath, name)))
    expect(installed.length).toBeLessThanOrEqual(2500)
    // As "du" counts: of whole blocks, each of 512 bytes.
    const bytes = installed.reduce((sum, { blocks }) => sum + blocks * 512, 0)
    expect(bytes).toBeLessThanOrEqual(30_000_000)
  })

  it.each(['skills', 'skills-protocol'])('installs the command %s', (bin) => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      version: string
    }
    expect(runBin(dir, ['--version'], { bin })).toMatchObject({ code: 0, stdout: `${version}\n` })
  })

  it('creates, lists, describes and reads a skill', () => {
    expect(runBin(dir, ['new', 'demo.greet', '--yes'])).toMatchObject({ code: 0, stderr: '' })
    expect(runBin(dir, ['list']).stdout).toMatch(/^demo\.greet +0\.1\.0/)
    expect(runBin(dir, ['describe', 'demo.greet']).stdout).toContain('Has no network')
    expect(runBin(dir, ['read', 'demo.greet', 'code/main.py']).stdout).toContain('def main(args')
  })

  it('references a JSON Schema that is copied together with a new skill', () => {
    const toml = readFileSync(join(dir, 'skills/greet/skill.toml'), 'utf8')
    const reference = /^#:schema (.+)$/m.exec(toml)?.[1] ?? ''
    expect(reference).toBe('./skill.schema.json')
    const schema = readFileSync(join(dir, 'skills/greet', reference), 'utf8')
    expect(JSON.parse(schema)).toMatchObject({ title: 'skill.toml' })
  })

  it.each([
    ['Ctrl-C', '03', []],
    ['Ctrl-C', '03', ['demo.other']],
    ['Ctrl-D', '04', []],
    ['Ctrl-D', '04', ['demo.other']],
  ])('leaves no files after %s (%s) at a prompt of "skills new %s"', (_key, key, argv) => {
    const bin = join(dir, 'node_modules/.bin/skills')
    const folderPath = join(dir, `interrupted-${key}-${argv.length}`)
    mkdirSync(folderPath)
    const args = JSON.stringify([bin, 'new', ...argv])
    const done = spawnSync('python3', ['-c', PRESS_KEY, args, key], {
      cwd: folderPath,
      encoding: 'utf8',
      timeout: 20_000,
    })
    expect({ code: done.stdout.trim(), left: readdirSync(folderPath) }).toEqual({
      code: '130',
      left: [],
    })
  })

  it('prints no error if the reader of a pipe exits early', () => {
    // More than a pipe holds, so that the writer writes to a closed reader.
    writeFileSync(join(dir, 'skills/greet/large.txt'), 'line\n'.repeat(150_000))
    const bin = join(dir, 'node_modules/.bin/skills')
    const script = `"${bin}" read demo.greet large.txt | head -c 5; echo "\${PIPESTATUS[0]}"`
    const done = spawnSync('bash', ['-c', script], { cwd: dir, encoding: 'utf8' })
    expect(done).toMatchObject({ stdout: 'line\n0\n', stderr: '' })
  })

  it('serves HTTP and exports the same app for mounting', async () => {
    const server = spawn(
      join(dir, 'node_modules/.bin/skills'),
      ['serve', '--port', '0', '--json'],
      {
        cwd: dir,
        env: { PATH: process.env['PATH'], HOME: dir },
      },
    )
    try {
      const line = await new Promise<string>((resolve, reject) => {
        server.stdout.once('data', (chunk) => resolve(String(chunk)))
        server.once('exit', (code) => reject(new Error(`ended with ${code}`)))
      })
      const { rpc, console: page } = JSON.parse(line) as { rpc: string; console: string }
      expect(await (await fetch(page)).text()).toMatch(/src="\/console\/assets\/main-.*\.js"/)
      const response = await fetch(rpc, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"jsonrpc":"2.0","id":1,"method":"load_skills_protocol_guide"}',
      })
      expect(JSON.stringify(await response.json())).toContain('# Skills Protocol')
      const caller = `
        import { createClient } from 'skills-protocol/client'
        const client = createClient({ url: ${JSON.stringify(rpc)} })
        for await (const { name } of client.skills()) console.log(name)`
      writeFileSync(join(dir, 'call.mjs'), caller)
      const called = spawnSync(process.execPath, ['call.mjs'], { cwd: dir, encoding: 'utf8' })
      expect(called.stderr).toBe('')
      expect(called.stdout).toContain('skills.protocol.guide\n')
    } finally {
      server.kill('SIGKILL')
    }
    const program = `
      import { createRuntime, loadConfig } from 'skills-protocol'
      import { createSkillsApp } from 'skills-protocol/server'
      const { config } = await loadConfig({ cwd: '.', env: { HOME: '.' }, noFiles: true })
      const { app } = createSkillsApp({ runtime: createRuntime({ config }), cwd: '.', env: {} })
      const response = await app.request('/healthz', { headers: { host: 'localhost' } })
      console.log(response.status)`
    writeFileSync(join(dir, 'mount.mjs'), program)
    const done = spawnSync(process.execPath, ['mount.mjs'], { cwd: dir, encoding: 'utf8' })
    expect([done.stderr, done.stdout]).toEqual(['', '200\n'])
  })

  it('can be imported', () => {
    const run = "import('skills-protocol').then(() => console.log('loaded'))"
    expect(spawnSync(process.execPath, ['-e', run], { cwd: dir, encoding: 'utf8' }).stdout).toBe(
      'loaded\n',
    )
  })
})

describe('npx in a checkout', () => {
  it('runs the skills of this package', () => {
    const done = spawnSync('npx', ['--no-install', 'skills', '--version'], {
      cwd: copy,
      encoding: 'utf8',
    })
    expect(done).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) })
  })
})
