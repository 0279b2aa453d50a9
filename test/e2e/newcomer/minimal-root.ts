import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import process from 'node:process'

const ENTER_ROOT = fileURLToPath(new URL('enter_root.py', import.meta.url))

/** The system's Python; one in a home folder is not part of a system. */
const PYTHON = '/usr/bin/python3'

/** Programs that npm, its scripts and the documents call. */
const PROGRAMS =
  'sh bash env cat sed ls mkdir rm cp mv ln chmod touch uname dirname basename readlink head tail true id pwd'.split(
    ' ',
  )

const DEVICES = ['null', 'zero', 'full', 'random', 'urandom', 'tty']

/** Folders with data that programs read. */
const DATA = ['/etc/ssl', '/usr/share/ca-certificates', '/etc/ld.so.cache']

/** A mount: source, path in the root, whether it is writable. */
export type RootMount = readonly [source: string, target: string, isWritable: boolean]

/** The reason why no root can be built on this machine; undefined if it can. */
export function findObstacle(): string | undefined {
  if (process.platform !== 'linux') return 'it needs Linux'
  if (process.getuid?.() !== 0) return 'it needs root'
  if (!existsSync(PYTHON)) return `${PYTHON} is not installed`
  const tried = spawnSync('unshare', ['--mount', '--pid', '--fork', 'true'])
  return tried.status === 0 ? undefined : 'this root cannot create namespaces'
}

/** Builds a root with Node, npm, Python and a shell: no bubblewrap, no engine, no compiler. */
export function buildRoot(root: string): RootMount[] {
  for (const folder of [
    'usr/bin',
    'usr/lib',
    'usr/lib64',
    'etc',
    'dev',
    'tmp',
    'proc',
    'root',
    'home/ada',
  ]) {
    mkdirSync(join(root, folder), { recursive: true })
  }
  for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name))
  chmodSync(root, 0o755)
  chmodSync(join(root, 'tmp'), 0o1777)
  const python = realpathSync(PYTHON)
  const found = PROGRAMS.map((name) => execFileSync('which', [name], { encoding: 'utf8' }).trim())
  const programs = [...found, python, process.execPath].map((program) => realpathSync(program))
  for (const program of [...found, python, process.execPath]) copyProgram(root, program)
  copyLibraries(root, [...programs, ...listExtensions(python)])
  const bin = join(root, 'usr/bin')
  symlinkSync(python.split('/').at(-1) ?? '', join(bin, 'python3'))
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(bin, name))
  writeFileSync(
    join(root, 'etc/passwd'),
    'root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\n',
  )
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nada:x:1000:\n')
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n')
  return [
    ...listDataMounts(python),
    ...DEVICES.map((name) => [`/dev/${name}`, `/dev/${name}`, true] as const),
  ]
}

function findStandardLibrary(python: string): string {
  const script = 'import sysconfig; print(sysconfig.get_path("stdlib"))'
  return execFileSync(python, ['-I', '-c', script], { encoding: 'utf8' }).trim()
}

/** Modules of Python that are libraries. */
function listExtensions(python: string): string[] {
  const folder = join(findStandardLibrary(python), 'lib-dynload')
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.filter((name) => name.endsWith('.so')).map((name) => join(folder, name))
}

function listDataMounts(python: string): RootMount[] {
  const library = findStandardLibrary(python)
  const npm = realpathSync(join(dirname(realpathSync(findNpm())), '..'))
  const data = DATA.filter((path) => existsSync(path))
  return [
    [library, library, false],
    [npm, '/usr/lib/node_modules/npm', false],
    ...data.map((path) => [path, path, false] as const),
  ]
}

function findNpm(): string {
  return execFileSync('which', ['npm'], { encoding: 'utf8' }).trim()
}

/** Copies a program to /usr/bin. */
function copyProgram(root: string, program: string): void {
  copyFileSync(realpathSync(program), join(root, 'usr/bin', program.split('/').at(-1) ?? ''))
}

/** Parts of the C library that programs load by name; every system has them. */
const C_LIBRARIES = 'librt libdl libpthread libutil libresolv libanl libnss_files libnss_dns'.split(
  ' ',
)

/** Copies the libraries of programs, at the paths that the loader searches. */
function copyLibraries(root: string, programs: readonly string[]): void {
  const { stdout } = spawnSync('ldd', programs, { encoding: 'utf8' })
  const found = [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, library = '']) => library)
  const folder = dirname(found.find((library) => library.includes('/libc.so.')) ?? '/lib/libc.so.6')
  const loaded = readdirSync(folder).filter((name) =>
    C_LIBRARIES.some((library) => name.startsWith(`${library}.so.`)),
  )
  for (const library of new Set([...found, ...loaded.map((name) => join(folder, name))])) {
    const target = join(root, library.startsWith('/usr') ? library : `/usr${library}`)
    mkdirSync(dirname(target), { recursive: true })
    copyFileSync(realpathSync(library), target)
  }
}

interface RootRun {
  root: string
  mounts: readonly RootMount[]
  uid: number
  /** Working folder in the root. */
  cwd: string
  env: Readonly<Record<string, string>>
}

/** Runs a script of bash in the root, without network. */
export function runInRoot({ root, mounts, uid, cwd, env }: RootRun, script: string) {
  const argv = [
    '--mount',
    '--pid',
    '--net',
    '--ipc',
    '--uts',
    '--fork',
    '--kill-child',
    PYTHON,
    '-I',
    ENTER_ROOT,
  ]
  const program = ['/usr/bin/bash', '--noprofile', '--norc', '-c', script]
  const done = spawnSync(
    'unshare',
    [...argv, root, String(uid), cwd, JSON.stringify(mounts), ...program],
    {
      encoding: 'utf8',
      env: { PATH: '/usr/bin', LANG: 'C.UTF-8', ...env },
      maxBuffer: 64 * 1024 ** 2,
      timeout: 900_000,
    },
  )
  return { code: done.status, output: `${done.stdout}${done.stderr}` }
}
