import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { keepSandboxes } from '../../helpers/kept-sandboxes.ts'
import { createFolder } from '../../helpers/skills.ts'
import { buildMain, runPython } from '../runs/run-python.ts'

const GUEST = fileURLToPath(new URL('../../../src/guest/', import.meta.url))
const hasLandlock = isStarted()
const isReady = process.getuid?.() === 0 && hasLandlock
const why = isReady ? '' : ' (not run: needs root, and Landlock in the kernel)'

/** A process with a new root, and a descriptor that leads out of it: the mistake that the wall is for. */
const ESCAPE = `
import os, sys
sys.path.insert(0, sys.argv[1])
import second_wall
outside, root = sys.argv[2:4]
leak = os.open(outside, os.O_PATH)
os.chroot(root)
os.chdir("/")
if sys.argv[4] == "wall" and not second_wall.raise_wall():
    sys.exit("no Landlock")

def attempt(name, action):
    try:
        action()
        print(name, "through")
    except OSError:
        print(name, "held")

def put(path, **options):
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, **options))

attempt("read", lambda: os.close(os.open("secret", os.O_RDONLY, dir_fd=leak)))
attempt("list", lambda: os.listdir(os.open(".", os.O_RDONLY, dir_fd=leak)))
attempt("create", lambda: put("new", dir_fd=leak))
attempt("remove", lambda: os.unlink("other", dir_fd=leak))
attempt("link", lambda: os.link("secret", "/stolen", src_dir_fd=leak))
attempt("own", lambda: (put("/a/own"), os.rename("/a/own", "/b/own"), os.unlink("/b/own")))
`

function isStarted(): boolean {
  const code = 'import ctypes; print(ctypes.CDLL(None).syscall(444, None, 0, 1))'
  return Number(execFileSync('python3', ['-c', code], { encoding: 'utf8' })) >= 2
}

describe.skipIf(process.platform !== 'linux')('the result of a run', () => {
  const code = buildMain('return 1')

  it('says whether the second wall stands, cold and warm', async () => {
    const { isolation: cold } = await runPython(code)
    expect(cold).toMatchObject({ path: 'cold', landlock: hasLandlock })
    const sandboxes = await keepSandboxes()
    await sandboxes.pool?.waitUntilSettled()
    const { isolation: forked } = await runPython(code, { sandboxes })
    expect(forked).toMatchObject({ path: 'warm', landlock: hasLandlock })
  })

  it('says that no wall stands around a plain process', async () => {
    const { isolation } = await runPython(code, { settings: { 'run.backend': 'process' } })
    expect(isolation).toMatchObject({ tier: 'none', landlock: false })
  })
})

describe.skipIf(!isReady)(`a descriptor that leads out of the root of a run${why}`, () => {
  const attempt = (wall: 'wall' | 'none') => {
    const outside = createFolder({ secret: 'x', other: 'y' })
    const root = createFolder()
    for (const name of ['a', 'b']) mkdirSync(join(root, name))
    const argv = ['-I', '-c', ESCAPE, GUEST, outside, root, wall]
    const printed = execFileSync('python3', argv, { encoding: 'utf8' })
    return Object.fromEntries(
      printed
        .trim()
        .split('\n')
        .map((line) => line.split(' ')),
    ) as Record<string, string>
  }

  it('leads to nothing behind the second wall, and the files of the run stay open', () => {
    const held = { read: 'held', list: 'held', create: 'held', remove: 'held', link: 'held' }
    expect(attempt('wall')).toEqual({ ...held, own: 'through' })
  })

  it('leads out without it', () => {
    const open = { read: 'through', list: 'through', create: 'through', remove: 'through' }
    expect(attempt('none')).toMatchObject({ ...open, link: 'through', own: 'through' })
  })
})
