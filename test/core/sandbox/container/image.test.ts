// @module-tag slow
// @module-tag nightly
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { Sandboxes } from '../../../../src/core/sandbox/sandboxes.ts'
import {
  runEngine,
  findEngine,
  type ContainerEngine,
} from '../../../../src/core/sandbox/container/engine.ts'
import { buildMain, runPython } from '../../runs/run-python.ts'

const IMAGE = `localhost/skills-test-${process.pid}:1`
const PYTHON = '/usr/bin/python3'
const isRoot = process.getuid?.() === 0
const ASK = `import ctypes, json, os, sys, sysconfig
maps = [line.split()[-1] for line in open("/proc/self/maps") if ".so" in line]
print(json.dumps({"program": os.path.realpath(sys.executable), "library": sysconfig.get_path("stdlib"), "shared": sorted(set(maps))}))`

const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] }
const { probe } = await new Sandboxes().openBackend('container')
const here = await probe(env, { engine: 'podman', runtime: 'default', image: undefined })
const whyNot = here.ok ? '' : ` (not run: ${here.detail})`

interface Found {
  program: string
  library: string
  shared: readonly string[]
}

/** Programs load a library by the name of a symlink to it. */
function listLibraryNames(file: string): string[] {
  return readdirSync(dirname(file))
    .map((name) => join(dirname(file), name))
    .filter((path) => path.includes('.so') && existsSync(path) && realpathSync(path) === file)
}

/** Copies a Python of this machine and the libraries that it needs, nothing else. */
function buildRoot(dir: string): void {
  const found = JSON.parse(
    execFileSync(PYTHON, ['-I', '-S', '-c', ASK], { encoding: 'utf8' }),
  ) as Found
  const copy = (from: string, to = from) => {
    mkdirSync(dirname(join(dir, to)), { recursive: true })
    cpSync(from, join(dir, to), {
      recursive: true,
      dereference: true,
      filter: (path) => !/\/(?:__pycache__|test|idlelib|dist-packages|config-[^/]*)$/.test(path),
    })
  }
  copy(found.program, '/usr/bin/python3')
  copy(found.library)
  for (const file of found.shared.filter((each) => !each.startsWith(found.library))) {
    for (const name of listLibraryNames(file)) copy(file, name)
  }
  for (const name of ['/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1']) {
    try {
      copy(name)
    } catch {
      // Of another architecture.
    }
  }
  mkdirSync(join(dir, 'usr/lib/marker'), { recursive: true })
}

describe.skipIf(!here.ok)(`a container of an image${whyNot}`, () => {
  const dir = mkdtempSync(join(tmpdir(), 'skills-image-'))

  beforeAll(() => {
    buildRoot(join(dir, 'root'))
    execFileSync('tar', ['-C', join(dir, 'root'), '-cf', join(dir, 'root.tar'), '.'])
    execFileSync('podman', ['import', '--quiet', join(dir, 'root.tar'), IMAGE], { stdio: 'pipe' })
  }, 60_000)
  afterAll(() => {
    execFileSync('podman', ['rmi', '--force', IMAGE], { stdio: 'pipe' })
    rmSync(dir, { recursive: true, force: true })
  })

  const run = async (code: string, image = IMAGE) =>
    await runPython(buildMain(code), {
      settings: {
        'run.backend': 'container',
        'run.container.engine': 'podman',
        'run.container.image': image,
      },
      call: { env },
    })

  it('uses the Python of the image and nothing of the host', async () => {
    const code =
      'return [os.path.isdir("/usr/lib/marker"), os.path.exists("/usr/share"), sys.executable]'
    const { output, isolation, error } = await run(code)
    expect({ output, error }).toEqual({ output: [true, false, '/usr/bin/python3'] })
    expect(isolation).toMatchObject({ backend: 'container', engine: 'podman', network: 'none' })
  })

  it('cannot write to the image', async () => {
    const { error } = await run('open("/usr/lib/marker/new", "w")')
    expect(error?.type).toBe('OSError')
    expect(error?.message).toContain('Read-only file system')
  })

  it('is refused if the image name would be parsed as an option', async () => {
    const engine = findEngine(
      { engine: 'podman', runtime: 'default', image: undefined },
      env,
    ) as ContainerEngine
    // The engine parses it as an option and succeeds.
    expect((await runEngine(engine, ['image', 'inspect', '--help'])).ok).toBe(true)
    await expect(run(buildMain('return 1'), '--help')).rejects.toMatchObject({
      code: 'sandbox/unavailable',
      message: 'podman has no image "--help"',
    })
  })

  it('is refused if the image does not exist', async () => {
    await expect(run('return 1', 'localhost/not-there:1')).rejects.toMatchObject({
      code: 'sandbox/unavailable',
      message: 'podman has no image "localhost/not-there:1"',
      hint: 'Type: podman pull localhost/not-there:1',
    })
  })

  describe('on a host that is not Linux', () => {
    beforeEach(() => {
      const own = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor
      Object.defineProperty(process, 'platform', { ...own, value: 'darwin' })
      onTestFinished(() => void Object.defineProperty(process, 'platform', own))
    })

    const runThere = async (code: string, limits: Record<string, unknown> = {}) =>
      await runPython(buildMain(code), {
        settings: { 'run.container.engine': 'podman', 'run.container.image': IMAGE, ...limits },
        call: { env },
      })

    it('is selected by itself, and its guest reports the limits that the engine applied', async () => {
      const { output, isolation, error } = await runThere('print("x" * 3_000_000)\nreturn 7')
      expect({ output, error }).toEqual({ output: 7 })
      expect(isolation).toMatchObject({ backend: 'container', tier: isRoot ? 'strict' : 'weak' })
    }, 30_000)

    it.skipIf(!isRoot)(
      'ends a run that needs more memory than it may have (needs root)',
      async () => {
        const { error } = await runThere('return len(bytearray(200 << 20))', {
          'run.limits.memory': 100 * 1024 ** 2,
        })
        expect(error?.type).toBe('MemoryLimit')
      },
      120_000,
    )

    it('ends a run that creates too many files', async () => {
      const code =
        'for each in range(5000): open(f"/workspace/{each}", "w").close()\ntime.sleep(60)'
      const { error } = await runThere(code, { 'run.limits.workspace': '4MiB' })
      expect(error?.type).toBe('DiskLimit')
    }, 30_000)

    it('cannot keep its workspace', async () => {
      const keepIn = join(dir, 'kept')
      const running = runPython(buildMain('return 1'), {
        settings: { 'run.container.engine': 'podman', 'run.container.image': IMAGE },
        call: { env, keepIn },
      })
      await expect(running).rejects.toMatchObject({
        code: 'sandbox/unavailable',
        message: expect.stringContaining('can be kept only if') as string,
      })
      expect(existsSync(keepIn)).toBe(false)
    }, 30_000)

    it('names the command that pulls the image, if that is missing', async () => {
      const settings = { 'run.container.engine': 'podman' }
      await expect(
        runPython(buildMain('return 1'), { settings, call: { env } }),
      ).rejects.toMatchObject({
        code: 'sandbox/unavailable',
        hint: 'Type: podman pull docker.io/library/python:3.13-slim',
      })
    })
  })
})
