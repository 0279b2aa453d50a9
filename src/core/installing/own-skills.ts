import { lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readUpTo } from '../../util/bytes/read-up-to.ts'
import { readMarkdown } from '../skills/manifest/markdown-source.ts'
import { toManifest } from '../skills/manifest/to-manifest.ts'
import { readToml } from '../skills/manifest/toml-source.ts'
import type { InstallPlaces } from './install-places.ts'
import type { LockedSkill } from './lock-file.ts'

/** Entries of the folder of skills that the lock does not have. */
export interface OwnSkills {
  /** Written for this project, or by this user. */
  own: readonly string[]
  /** Have the name of an installed skill, so that agents may load them instead of it. */
  shadowing: readonly string[]
}

export function listOwnSkills(places: InstallPlaces, locked: readonly LockedSkill[]): OwnSkills {
  const folders = new Set(locked.map(({ folder }) => folder))
  const installed = new Set(locked.flatMap(({ name, folder }) => [name, folder]))
  const found = lstatSync(places.skills, { throwIfNoEntry: false })
    ? readdirSync(places.skills)
    : []
  const others = found.filter((name) => !folders.has(name)).sort()
  const shadowing = others.filter((name) =>
    readSkillNames(join(places.skills, name), name).some((each) => installed.has(each)),
  )
  return { own: others.filter((name) => !shadowing.includes(name)), shadowing }
}

/** Names under which agents know a folder; disks and agents may ignore the case. */
function readSkillNames(path: string, folder: string): string[] {
  const names = [folder]
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    const toml = readManifestFile(join(path, 'skill.toml'))
    const markdown = readManifestFile(join(path, 'SKILL.md'))
    const { manifest } = toManifest({
      toml: toml === undefined ? undefined : readToml('skill.toml', toml),
      markdown: markdown === undefined ? undefined : readMarkdown('SKILL.md', markdown),
    })
    const written = manifest.frontMatter['name']
    names.push(manifest.name, ...(typeof written === 'string' ? [written] : []))
  }
  return names.map((name) => name.toLowerCase())
}

const MAX_BYTES = 1024 ** 2

/** Undefined for a file that no agent could read either. */
function readManifestFile(file: string): string | undefined {
  try {
    return statSync(file).isFile() ? readUpTo(file, MAX_BYTES)?.toString() : undefined
  } catch {
    return undefined
  }
}
