import { existsSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { SkillsError } from '../errors.ts'
import { expandShortName } from '../core/skills/repository/short-name.ts'
import type { SkillEntry } from '../core/skills/repository/repository.ts'
import type { SkillPort } from '../runtime-handle/handle.ts'
import { findNearest } from '../util/find-nearest.ts'
import type { Context } from './context.ts'
import { openRuntime } from './runtime.ts'

/** A skill as methods name it in their parameters. */
interface SkillReference {
  name: string
  version?: string
}

/** Splits `name@version`; a folder is not split. */
export function parseReference(reference: string): SkillReference {
  const at = isFolderReference(reference) ? -1 : reference.lastIndexOf('@')
  if (at <= 0 && reference !== '') return { name: reference }
  const [name, version] = [reference.slice(0, at), reference.slice(at + 1)]
  if (name !== '' && version !== '') return { name, version }
  throw new SkillsError('usage/invalid', `Expected name or name@version, got "${reference}"`, {
    hint: 'Type "skills list" to see the names',
  })
}

/** Finds the skill that a command line names. */
export async function findSkill(
  skills: Pick<SkillPort, 'resolve'>,
  reference: string,
): Promise<SkillEntry> {
  const { name, version } = parseReference(reference)
  return await skills.resolve(name, version)
}

/**
 * Folder of a local skill: of the skill with this name, or else the folder of this name. A folder
 * need not contain a valid skill.
 */
export async function findSkillFolder(context: Context, reference: string): Promise<string> {
  if (isFolderReference(reference)) return resolveFolder(context, reference)
  const { repository } = await openRuntime(context)
  try {
    return (await findSkill(resolveReferences(repository), reference)).dir
  } catch (thrown) {
    if (!isUnknownSkill(thrown) || !openLocalFolders(context).isSkill(reference)) throw thrown
    return resolveFolder(context, reference)
  }
}

/** Resolver for folder references. */
export interface SkillFolders {
  open(reference: string): Promise<SkillEntry>
  isSkill(reference: string): boolean
}

/**
 * Resolves references of a command line: folders where supported, with suggestions for misspelt
 * names. A bare word is a name first, and the folder of this name if no skill has it.
 */
export function resolveReferences<Source extends Pick<SkillPort, 'resolve' | 'list'>>(
  source: Source,
  folders?: SkillFolders,
): Source {
  return {
    ...source,
    async resolve(name, version) {
      const reference = version === undefined ? name : `${name}@${version}`
      if (folders && isFolderReference(reference)) return await folders.open(reference)
      try {
        return await source.resolve(name, version)
      } catch (thrown) {
        const full = isUnknownSkill(thrown) ? await findFullName(source, name) : undefined
        if (full !== undefined) return await source.resolve(full, version)
        const error = await explainMissingSkill(
          source,
          { name, ...(version && { version }) },
          thrown,
        )
        if (!isUnknownSkill(error) || folders?.isSkill(reference) !== true) throw error
        return await folders.open(reference)
      }
    },
  }
}

/** Resolver for the folders of this machine. */
export function openLocalFolders(context: Pick<Context, 'cwd'>): SkillFolders {
  return {
    async open(reference) {
      const dir = resolveFolder(context, reference)
      if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) {
        throw new SkillsError('file/not-found', `There is no folder "${reference}"`, {
          hint: 'Type "skills list --long" to see names and folders',
        })
      }
      const { readEntryAt } = await import('../core/skills/repository/open-repository.ts')
      return await readEntryAt(dir)
    },
    isSkill: (reference) =>
      MANIFEST_NAMES.some((name) => existsSync(join(resolve(context.cwd, reference), name))),
  }
}

/** The full name of a short one; undefined if the name is full or unknown. */
async function findFullName(
  source: Pick<SkillPort, 'list'>,
  name: string,
): Promise<string | undefined> {
  const entries = await source.list().catch(() => [])
  const names = entries.map((each) => each.name)
  return names.includes(name) ? undefined : expandShortName(name, names)
}

function isUnknownSkill(thrown: unknown): boolean {
  return thrown instanceof SkillsError && thrown.code === 'skill/not-found'
}

const MANIFEST_NAMES = ['skill.toml', 'SKILL.md']

/** True if a word on a command line is a folder rather than a name. */
function isFolderReference(reference: string): boolean {
  return /[/\\]|^\.{1,2}$/.test(reference)
}

/** The referenced folder, or the folder of the referenced manifest. */
function resolveFolder({ cwd }: Pick<Context, 'cwd'>, reference: string): string {
  const path = resolve(cwd, reference)
  return MANIFEST_NAMES.includes(basename(path)) ? dirname(path) : path
}

/** Builds the error for an unknown name or version; returns other errors unchanged. */
// eslint-disable-next-line max-params -- where, what, and what was thrown
async function explainMissingSkill(
  source: Pick<SkillPort, 'list'>,
  { name, version }: SkillReference,
  thrown: unknown,
): Promise<unknown> {
  if (!(thrown instanceof SkillsError)) return thrown
  const isRemote = thrown.data?.['rpc_code'] !== undefined
  if (!isRemote && !thrown.code.startsWith('skill/')) return thrown
  const entries = await source.list().catch(() => [])
  const versions = entries.filter((each) => each.name === name).map((each) => each.version)
  if (versions.length === 0) {
    return isRemote && entries.length === 0 ? thrown : unknownSkillError(name, entries)
  }
  if (version === undefined || versions.includes(version)) return thrown
  const suggestion = findNearest(version, versions) ?? versions[0]
  return new SkillsError('skill/version-not-found', `Skill "${name}" has no version "${version}"`, {
    hint: `Did you mean "${name}@${suggestion}"? It has ${versions.slice(0, 10).join(', ')}`,
    data: { name, version, versions },
  })
}

function unknownSkillError(name: string, entries: readonly SkillEntry[]): SkillsError {
  const names = [...new Set(entries.map((each) => each.name))]
  const guess = findNearest(name, names) ?? names.find((each) => each.endsWith(`.${name}`))
  return new SkillsError('skill/not-found', `Unknown skill "${name}"`, {
    hint: guess ? `Did you mean "${guess}"?` : 'Type "skills list" to see the skills found here',
    data: { name },
  })
}
