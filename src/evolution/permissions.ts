import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUILTIN_SKILLS } from '../core/open-services.ts'
import { openRepository, readEntryAt } from '../core/skills/repository/open-repository.ts'
import type { Plain, PlainObject } from '../core/skills/manifest/manifest.ts'

/** Keys of skill.toml that only describe a skill; every other one may give it more power. */
const DESCRIPTIVE = new Set(['description', 'tags', 'version', 'inputs', 'name', 'examples'])
const DESCRIPTIVE_FRONT_MATTER = new Set(['description', 'short_description', 'title', 'name'])

/** Parts of a skill that decide what its runs may do, by key. */
type PowerKeys = ReadonlyMap<string, string>

/** Lists changes of keys that decide what runs may do; a person must accept each. */
export async function listPermissionChanges(before: string, after: string): Promise<string[]> {
  const [old, next] = [await readPowerKeys(before), await readPowerKeys(after)]
  const keys = [...new Set([...old.keys(), ...next.keys()])].sort()
  return keys
    .filter((key) => old.get(key) !== next.get(key))
    .map((key) => `${key}: ${old.get(key) ?? 'absent'} → ${next.get(key) ?? 'absent'}`)
}

async function readPowerKeys(folder: string): Promise<PowerKeys> {
  const entry = await readEntryAt(folder)
  const repository = openRepository({ roots: [folder], builtin: BUILTIN_SKILLS })
  const manifest = await repository.manifest(entry)
  const found = new Map<string, string>()
  addKeys(found, 'skill.toml', manifest.toml ?? {}, DESCRIPTIVE)
  addKeys(found, 'SKILL.md', manifest.frontMatter, DESCRIPTIVE_FRONT_MATTER)
  found.set('name', JSON.stringify(manifest.name))
  for (const lock of Object.values(manifest.dependencies ?? {})) {
    if (existsSync(join(folder, lock))) {
      found.set(lock, JSON.stringify(readFileSync(join(folder, lock), 'utf8')))
    }
  }
  return found
}

// eslint-disable-next-line max-params -- the collected keys, and the table that they come from
function addKeys(
  found: Map<string, string>,
  file: string,
  table: PlainObject,
  descriptive: ReadonlySet<string>,
): void {
  for (const [key, value] of Object.entries(table)) {
    if (!descriptive.has(key)) found.set(`${file} ${key}`, JSON.stringify(sortKeys(value)))
  }
}

function sortKeys(value: Plain): Plain {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, each]) => [key, sortKeys(each)]))
}
