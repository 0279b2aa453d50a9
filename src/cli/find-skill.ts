import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { SkillsError } from '../errors.ts'
import type { Repository, SkillEntry } from '../core/repository/repository.ts'
import { nearest } from '../util/nearest.ts'
import type { Context } from './context.ts'
import { openRuntime } from './runtime.ts'

/** Splits `name@version`. */
export function parseReference(reference: string): { name: string; version: string | undefined } {
  const at = reference.lastIndexOf('@')
  if (at <= 0) return { name: reference, version: undefined }
  return { name: reference.slice(0, at), version: reference.slice(at + 1) }
}

/** Opens the repository and finds the skill that was named; guesses what a misspelt name meant. */
export async function findSkill(
  context: Context,
  reference: string,
): Promise<{ repository: Repository; entry: SkillEntry }> {
  const { repository } = await openRuntime(context)
  const { name, version } = parseReference(reference)
  if (name === '' || version === '') {
    throw new SkillsError('usage/invalid', `Expected name or name@version, got "${reference}"`, {
      hint: 'Type "skills list" to see the names',
    })
  }
  const versions = await repository.versions(name)
  if (versions.length === 0) throw await unknownSkill(repository, name)
  if (version !== undefined && !versions.includes(version)) {
    throw new SkillsError(
      'skill/version-not-found',
      `Skill "${name}" has no version "${version}"`,
      {
        hint: `Did you mean "${name}@${nearest(version, versions) ?? versions[0]}"? It has ${versions.slice(0, 10).join(', ')}`,
        data: { name, version, versions },
      },
    )
  }
  return { repository, entry: await repository.resolve(name, version) }
}

/** Whether a word on a command line means a folder, not a name. */
export function isFolderReference(reference: string): boolean {
  return /[/\\]|^\.{1,2}$/.test(reference)
}

/** The same, for a skill or for the folder of one that is being written. */
export async function findSkillOrFolder(
  context: Context,
  reference: string,
): Promise<{ repository: Repository; entry: SkillEntry }> {
  if (!isFolderReference(reference)) return await findSkill(context, reference)
  const { entryAt } = await import('../core/repository/open-repository.ts')
  const { repository } = await openRuntime(context)
  const dir = resolve(context.cwd, reference)
  if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SkillsError('file/not-found', `There is no folder "${reference}"`, {
      hint: 'Type "skills list --long" to see names and folders',
    })
  }
  return { repository, entry: await entryAt(dir) }
}

async function unknownSkill(repository: Repository, name: string): Promise<SkillsError> {
  const names = new Set((await repository.list()).map((skill) => skill.name))
  const guess = nearest(name, names) ?? [...names].find((each) => each.endsWith(`.${name}`))
  return new SkillsError('skill/not-found', `Unknown skill "${name}"`, {
    hint: guess ? `Did you mean "${guess}"?` : 'Type "skills list" to see the skills found here',
    data: { name },
  })
}
