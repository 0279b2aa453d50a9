import { resolve } from 'node:path'
import { SkillsError } from '../../../../errors.ts'
import { setConfigValue } from '../../../config/edit/edit-config.ts'
import type { RunCall } from '../../../runs/run-call.ts'
import type { Services } from '../../../services.ts'
import type { MountedSkill } from '../../mounted-skill.ts'
import { locateOwnFile, writeOwnFile } from './own-file.ts'

type DependencyLanguage = 'python' | 'node'

export interface PinnedVersion {
  name: string
  version: string
}

/** Request of an author. */
interface LockRequest {
  /** Languages to lock; undefined for all that the skill declares. */
  language: DependencyLanguage | undefined
  /** Packages to declare, with or without a range. */
  add: readonly string[]
  /** Packages that take the newest version in their range; other locked versions are kept. */
  update: readonly string[] | 'all'
  /** A folder of wheels that replaces the package index. */
  from: string | undefined
  call: Pick<RunCall, 'cwd' | 'env' | 'signal'>
}

/** Input for the lock of one language. */
export interface LockContext extends LockRequest {
  services: Services
  dir: string
  /** Path of the lock file in the skill. */
  file: string
  entrypoint: string | undefined
  /** Files of a plain Agent Skill that only its adoption in memory has. */
  adoptedFiles: ReadonlyMap<string, string> | undefined
}

/** Files to write, and the packages of the lock before and after. */
export interface PlannedLock {
  before: readonly PinnedVersion[]
  after: readonly PinnedVersion[]
  /** In this order, so that a declared lock file is always complete. */
  files: readonly { path: string; text: string }[]
  notes: readonly string[]
}

/** Changes of a command. */
export interface LockReport {
  skill: string
  language: DependencyLanguage
  lock: string
  /** True if a file changed. */
  changed: boolean
  packages: readonly PinnedVersion[]
  added: readonly PinnedVersion[]
  removed: readonly PinnedVersion[]
  notes: readonly string[]
}

const DEFAULT_FILES = { python: 'requirements.lock', node: 'package-lock.json' } as const

/** Resolves and writes the lock files of a skill. Nothing of it, and no package, is executed. */
export async function lockDependencies(
  services: Services,
  { manifest, dir }: MountedSkill,
  request: LockRequest,
): Promise<LockReport[]> {
  const { dependencies = {}, runtime, adoptedFiles } = manifest
  const from = request.from === undefined ? undefined : resolve(request.call.cwd, request.from)
  const reports: LockReport[] = []
  for (const language of selectLanguages(request, dependencies, runtime?.language)) {
    const file = dependencies[language] ?? DEFAULT_FILES[language]
    const entrypoint = runtime?.entrypoint
    const context: LockContext = { ...request, from, services, dir, file, entrypoint, adoptedFiles }
    const plan = await planLock(language, context)
    // The lock file of a plain Agent Skill is found by its name.
    const isDeclared = dependencies[language] !== undefined || adoptedFiles !== undefined
    const toml = isDeclared ? undefined : locateOwnFile(dir, 'skill.toml')
    let changed = await writePlan(dir, plan)
    if (toml !== undefined) {
      changed = (await setConfigValue(toml, ['dependencies', language], file)) || changed
    }
    reports.push({ skill: manifest.name, language, lock: file, changed, ...describePlan(plan) })
  }
  return reports
}

/** True if a file changed. */
async function writePlan(dir: string, { files }: PlannedLock): Promise<boolean> {
  let changed = false
  for (const { path, text } of files) changed = (await writeOwnFile(dir, path, text)) || changed
  return changed
}

async function planLock(language: DependencyLanguage, context: LockContext): Promise<PlannedLock> {
  if (language === 'python') return await (await import('./lock-python.ts')).planPythonLock(context)
  return await (await import('./lock-node.ts')).planNodeLock(context)
}

/** Named, else declared, else the language of the code. */
function selectLanguages(
  { language, add }: LockRequest,
  dependencies: Partial<Record<DependencyLanguage, string>>,
  code: string | undefined,
): DependencyLanguage[] {
  if (language !== undefined) return [language]
  const declared = (['python', 'node'] as const).filter((each) => dependencies[each] !== undefined)
  if (declared.length === 1 || (declared.length > 1 && add.length === 0)) return declared
  const byCode = code === 'typescript' ? 'node' : code
  if (byCode === 'python' || byCode === 'node') return [byCode]
  throw new SkillsError('usage/invalid', 'The language of the packages is not clear', {
    hint: 'Add --language python or --language node',
  })
}

function describePlan({ before, after, notes }: PlannedLock) {
  const list = (from: readonly PinnedVersion[], without: readonly PinnedVersion[]) =>
    from.filter(
      (each) => !without.some(({ name, version }) => each.name === name && each.version === version),
    )
  return { packages: after, added: list(after, before), removed: list(before, after), notes }
}
