import { resolve, join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { MountedSkill } from '../mounted-skill.ts'
import type { Services } from '../../services.ts'
import type { Interpreter } from '../../sandbox/backend.ts'
import { readDeclaredLocks, type DeclaredLock, type NodeLock } from './declared-lock.ts'
import { findInterpreter, locateLock } from './run-dependencies.ts'
import { checkInstalled } from './installed-files.ts'
import { selectPackages } from './npm/select-packages.ts'
import { existsSync, readFileSync } from 'node:fs'

/** Request of an operator. */
interface DependencyRequest {
  /** True to report the state without installing. */
  check: boolean
  /** A folder of wheels that replaces the package index. */
  from: string | undefined
  call: Pick<RunCall, 'cwd' | 'env' | 'signal'>
}

/** State of the packages of one lock file. */
export interface DependencyReport {
  skill: string
  language: DeclaredLock['language']
  lock: string
  digest: string
  /** Version of the interpreter; null for packages of Node. */
  python: string | null
  packages: readonly { name: string; version: string }[]
  state: 'installed' | 'missing' | 'damaged'
  /** True if this call installed packages. */
  changed: boolean
  /** Folder of the packages; null if not installed. */
  folder: string | null
  /** Scripts that npm would execute at an installation; they are never executed. */
  scripts: readonly UnexecutedScript[]
}

/** Installs the packages that a skill pins, or only checks them; empty if it pins none. */
export async function manageDependencies(
  services: Services,
  skill: MountedSkill,
  request: DependencyRequest,
): Promise<DependencyReport[]> {
  const locks = await readDeclaredLocks(skill)
  if (request.from !== undefined && locks.some(({ language }) => language === 'node')) {
    throw new SkillsError('usage/invalid', '--from names a folder of wheels, and the skill pins packages of Node', {
      hint: 'Leave out --from; packages of Node are downloaded from the registry of your .npmrc',
    })
  }
  const reports: DependencyReport[] = []
  for (const lock of locks) reports.push(await manageLock(services, lock, request))
  return reports
}

async function manageLock(
  services: Services,
  lock: DeclaredLock,
  { check, from, call }: DependencyRequest,
): Promise<DependencyReport> {
  const interpreter = lock.language === 'python' ? await findInterpreter(services, call) : undefined
  const location = locateLock(services, lock, interpreter)
  const checked = await services.installed()
  const changed = check ? false : await install()
  const { state, packages: folder = null } = await checkInstalled(location, checked)
  return {
    skill: lock.skill,
    language: lock.language,
    lock: lock.file,
    digest: `sha256:${lock.digest}`,
    python: interpreter?.version ?? null,
    packages: listPackages(lock),
    state,
    changed,
    folder,
    scripts: folder === null || lock.language === 'python' ? [] : listScripts(lock, folder),
  }

  async function install(): Promise<boolean> {
    const wheels =
      from === undefined ? undefined : await checkWheelsFolder(resolve(call.cwd, from), from)
    const { installDependencies } = await import('./install.ts')
    const { env, signal } = call
    const fill = async (packages: string, draft: string) => {
      if (lock.language === 'node') {
        const { fillWithNpmPackages } = await import('./npm/install-npm.ts')
        return await fillWithNpmPackages(packages, { lock, env, signal })
      }
      const { fillWithWheels } = await import('./install-python.ts')
      const python = interpreter as Interpreter
      const context = { lock, location, interpreter: python, from: wheels, env, signal }
      return await fillWithWheels({ packages, draft }, context)
    }
    return (await installDependencies({ location, checked, fill })) === 'installed'
  }
}

function listPackages(lock: DeclaredLock): { name: string; version: string }[] {
  const all = lock.language === 'python' ? lock.pins : selectPackages(lock)
  return all.map(({ name, version }) => ({ name, version }))
}

async function checkWheelsFolder(folder: string, requested: string): Promise<string> {
  const { stat } = await import('node:fs/promises')
  if ((await stat(folder).catch(() => undefined))?.isDirectory()) return folder
  throw new SkillsError('file/not-found', `The folder "${requested}" does not exist`, {
    hint: 'Pass the path of a folder that contains wheels',
  })
}

/** A script that npm would execute when it installs a package. */
interface UnexecutedScript {
  package: string
  script: string
}

const SCRIPTS = ['preinstall', 'install', 'postinstall'] as const

/** Lists the scripts of installed packages: a package that depends on one may not work. */
function listScripts(lock: NodeLock, folder: string): UnexecutedScript[] {
  return selectPackages(lock).flatMap(({ path, name, version }) => {
    const text = readFileSync(join(folder, path, 'package.json'), 'utf8')
    // npm compiles such a package if it has no script of its own.
    const isNative = existsSync(join(folder, path, 'binding.gyp'))
    const found: readonly string[] = findScripts(text)
    const scripts = found.length === 0 && isNative ? ['binding.gyp'] : found
    return scripts.map((script) => ({ package: `${name}@${version}`, script }))
  })
}

function findScripts(text: string): string[] {
  const { scripts } = JSON.parse(text.replace(/^\uFEFF/, '')) as { scripts?: unknown }
  const table = typeof scripts === 'object' && scripts !== null ? scripts : {}
  return SCRIPTS.filter((each) => Object.hasOwn(table, each))
}
