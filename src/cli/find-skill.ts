import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { SkillsError } from '../errors.ts'
import type { Repository, SkillEntry } from '../core/skills/repository/repository.ts'
import { nearest } from '../util/nearest.ts'
import type { Context } from './context.ts'
import { openRuntime } from './runtime.ts'

/** Splits `name@version`. */
export function parseReference(reference: string): { name: string; version: string | undefined } {
  const at = reference.lastIndexOf('@')
  const name = at <= 0 ? reference : reference.slice(0, at)
  const version = at <= 0 ? undefined : reference.slice(at + 1)
  if (name !== '' && version !== '') return { name, version }
  throw new SkillsError('usage/invalid', `Expected name or name@version, got "${reference}"`, {
    hint: 'Type "skills list" to see the names',
  })
}

/** Throws `skill/version-not-found` for a version that a skill does not have. */
// eslint-disable-next-line max-params -- what was asked for, and what there is
export function checkVersion(
  name: string,
  version: string | undefined,
  versions: readonly string[],
): void {
  if (version === undefined || versions.includes(version)) return
  throw new SkillsError('skill/version-not-found', `Skill "${name}" has no version "${version}"`, {
    hint: `Did you mean "${name}@${nearest(version, versions) ?? versions[0]}"? It has ${versions.slice(0, 10).join(', ')}`,
    data: { name, version, versions },
  })
}

/** Opens the repository and finds the skill that was named; guesses what a misspelt name meant. */
export async function findSkill(
  context: Context,
  reference: string,
): Promise<{ repository: Repository; entry: SkillEntry }> {
  const { repository } = await openRuntime(context)
  const { name, version } = parseReference(reference)
  const versions = await repository.versions(name)
  if (versions.length === 0) {
    throw unknownSkill(
      name,
      (await repository.list()).map((skill) => skill.name),
    )
  }
  checkVersion(name, version, versions)
  return { repository, entry: await repository.resolve(name, version) }
}

/** Whether a word on a command line means a folder, not a name. */
export function isFolderReference(reference: string): boolean {
  return /[/\\]|^\.{1,2}$/.test(reference)
}

/** The folder that is meant; its manifest may stand for it. */
export function folderOf({ cwd }: Pick<Context, 'cwd'>, reference: string): string {
  const path = resolve(cwd, reference)
  return MANIFESTS.includes(basename(path)) ? dirname(path) : path
}

const MANIFESTS = ['skill.toml', 'SKILL.md']

/** The same, for a skill or for the folder of one that is being written. */
export async function findSkillOrFolder(
  context: Context,
  reference: string,
): Promise<{ repository: Repository; entry: SkillEntry }> {
  if (!isFolderReference(reference)) return await findNamed(context, reference)
  const { entryAt } = await import('../core/skills/repository/open-repository.ts')
  const { repository } = await openRuntime(context)
  const dir = folderOf(context, reference)
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SkillsError('file/not-found', `There is no folder "${reference}"`, {
      hint: 'Type "skills list --long" to see names and folders',
    })
  }
  return { repository, entry: await entryAt(dir) }
}

/** Who names a folder as if it were a skill is told how to write it. */
async function findNamed(context: Context, reference: string) {
  try {
    return await findSkill(context, reference)
  } catch (error) {
    const dir = resolve(context.cwd, reference)
    const isSkill = MANIFESTS.some((name) => existsSync(join(dir, name)))
    if (!isSkill || !(error instanceof SkillsError) || error.code !== 'skill/not-found') throw error
    const { code, message, data } = error
    throw new SkillsError(code, message, { hint: `Did you mean "./${reference}"?`, data })
  }
}

/** What to say of a name that no skill has. */
export function unknownSkill(name: string, known: Iterable<string>): SkillsError {
  const names = new Set(known)
  const guess = nearest(name, names) ?? [...names].find((each) => each.endsWith(`.${name}`))
  return new SkillsError('skill/not-found', `Unknown skill "${name}"`, {
    hint: guess ? `Did you mean "${guess}"?` : 'Type "skills list" to see the skills found here',
    data: { name },
  })
}
