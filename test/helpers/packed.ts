import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { INHERITED_ENV } from './inherited-env.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** Inputs of the build and the package. */
const SOURCES = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  '.npmrc',
  'bin',
  'scripts',
  'src',
  'templates',
  'skills',
]

/** What the declarations of the package need, in the versions of this checkout. */
export const TYPED_PEERS: readonly string[] = ['@types/node', 'zod'].map(
  (name) => `${name}@${readVersion(name)}`,
)

function readVersion(name: string): string {
  const manifest = readFileSync(join(ROOT, 'node_modules', name, 'package.json'), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}

/** A copy of the sources for an independent build, with this checkout's dependencies. */
export function copySources(): string {
  const copy = mkdtempSync(join(tmpdir(), 'skills-copy-'))
  for (const path of SOURCES) cpSync(join(ROOT, path), join(copy, path), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  return copy
}

/** Packs a copy and returns the tarball. The package's prepare script builds it. */
export function packTarball(copy: string): { tarball: string; files: readonly string[] } {
  const out = npm(['pack', '--json', '--loglevel=error'], copy)
  const report = JSON.parse(out.slice(out.indexOf('[\n'))) as {
    filename: string
    files: { path: string }[]
  }[]
  const [first] = report
  if (!first) throw new Error('npm pack made no tarball')
  return { tarball: join(copy, first.filename), files: first.files.map((file) => file.path) }
}

/** Installs the tarball and other packages into an empty folder, from npm's cache if possible. */
export function installTarball(tarball: string, others: readonly string[] = []): string {
  const dir = mkdtempSync(join(tmpdir(), 'skills-installed-'))
  mkdirSync(dir, { recursive: true })
  writeFileSync(
    join(dir, 'package.json'),
    '{ "name": "consumer", "private": true, "type": "module" }',
  )
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error']
  npm(['install', ...options, tarball, ...others], dir)
  return dir
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', [...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Runs an installed bin. */
export function runBin(
  dir: string,
  args: readonly string[],
  at: { bin?: string; cwd?: string } = {},
): { code: number | null; stdout: string; stderr: string } {
  const program = join(dir, 'node_modules/.bin', at.bin ?? 'skills')
  const env = { ...INHERITED_ENV, HOME: dir }
  const done = spawnSync(program, [...args], { cwd: at.cwd ?? dir, env, encoding: 'utf8' })
  return { code: done.status, stdout: done.stdout, stderr: done.stderr }
}
