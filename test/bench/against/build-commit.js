// Builds this checkout, and another commit beside it.
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { isBuilt } from '../../../scripts/source-digest.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const BUILDS = join(ROOT, '.bench/builds')

/** Returns the full hash of a commit. */
export function resolveCommit(name) {
  const argv = ['rev-parse', '--verify', '--quiet', `${name}^{commit}`]
  const { status, stdout } = spawnSync('git', argv, { cwd: ROOT, encoding: 'utf8' })
  if (status === 0) return stdout.trim()
  throw new Error(
    `This clone does not have the commit "${name}": fetch it by "git fetch origin ${name}", or the whole history by "git fetch --unshallow".`,
  )
}

/** Returns the root of this checkout, built from its present source. */
export function buildThis() {
  if (!isBuilt()) build(ROOT)
  return ROOT
}

/** Returns the root of a build of a commit, which is kept in .bench/builds. */
export function buildCommit(commit) {
  const root = join(BUILDS, commit)
  if (existsSync(root)) return root
  console.log(`Building ${commit} in .bench/builds`)
  mkdirSync(BUILDS, { recursive: true })
  const staging = mkdtempSync(`${root}-`)
  try {
    const env = { ...process.env, GIT_INDEX_FILE: join(staging, '.index') }
    run('git', ['read-tree', commit], { cwd: ROOT, env })
    run('git', ['checkout-index', '--all', `--prefix=${staging}/`], { cwd: ROOT, env })
    installPackages(staging)
    build(staging)
    renameSync(staging, root)
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
  return root
}

/** Packages are installed only if they are not those of this checkout. */
function installPackages(root) {
  if (isDeepStrictEqual(readPackages(root), readPackages(ROOT)))
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
  else run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: root })
}

/** Locked packages without the entry of the project itself, which has its version. */
function readPackages(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return { ...packages, '': undefined }
}

function build(root) {
  run(process.execPath, ['scripts/build.js'], { cwd: root })
}

function run(program, argv, options) {
  const { status } = spawnSync(program, argv, {
    ...options,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) throw new Error(`"${[program, ...argv].join(' ')}" ended with ${status}.`)
}
