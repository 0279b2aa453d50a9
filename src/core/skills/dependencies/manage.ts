import { resolve } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { MountedSkill } from '../mounted-skill.ts'
import type { Services } from '../../services.ts'
import { readDeclaredLock } from './declared-lock.ts'
import { findInterpreter } from './run-dependencies.ts'
import { checkInstalled } from './installed-files.ts'
import { locatePackages } from './packages-location.ts'

/** Request of an operator. */
interface DependencyRequest {
  /** True to report the state without installing. */
  check: boolean
  /** A folder of wheels that replaces the package index. */
  from: string | undefined
  call: Pick<RunCall, 'cwd' | 'env' | 'signal'>
}

/** State of a skill's packages. */
export interface DependencyReport {
  skill: string
  language: 'python'
  lock: string
  digest: string
  python: string
  packages: readonly { name: string; version: string }[]
  state: 'installed' | 'missing' | 'damaged'
  /** True if this call installed packages. */
  changed: boolean
  /** Folder of the packages; null if not installed. */
  folder: string | null
}

/** Installs the packages that a skill pins, or only checks them; undefined if it pins none. */
export async function manageDependencies(
  services: Services,
  skill: MountedSkill,
  { check, from, call }: DependencyRequest,
): Promise<DependencyReport | undefined> {
  const lock = await readDeclaredLock(skill)
  if (!lock) return undefined
  const interpreter = await findInterpreter(services, call)
  const location = locatePackages(services, lock, interpreter)
  const checked = await services.installed()
  const changed = check ? false : await install()
  const { state, packages: folder = null } = await checkInstalled(location, checked)
  return {
    skill: lock.skill,
    language: 'python',
    lock: lock.file,
    digest: `sha256:${lock.digest}`,
    python: interpreter.version,
    packages: lock.pins.map(({ name, version }) => ({ name, version })),
    state,
    changed,
    folder,
  }

  async function install(): Promise<boolean> {
    const wheels = from === undefined ? undefined : await checkWheelsFolder(resolve(call.cwd, from), from)
    const { installDependencies } = await import('./install.ts')
    const { env, signal } = call
    const context = { location, checked, lock: lock as NonNullable<typeof lock>, interpreter, env, signal }
    return (await installDependencies({ ...context, from: wheels })) === 'installed'
  }
}

async function checkWheelsFolder(folder: string, requested: string): Promise<string> {
  const { stat } = await import('node:fs/promises')
  if ((await stat(folder).catch(() => undefined))?.isDirectory()) return folder
  throw new SkillsError('file/not-found', `The folder "${requested}" does not exist`, {
    hint: 'Pass the path of a folder that contains wheels',
  })
}
