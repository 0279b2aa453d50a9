import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isSearchedFolder } from '../../util/searched-folders.ts'
import { MAX_DEPTH } from '../../core/skills/repository/found-order.ts'

/**
 * Returns the folders in which a change can add, change or remove a skill: all folders down to the
 * skills and to skills inside them, and if `isDeep` the others inside skills too. Undefined if there
 * are more than `maxFolders`.
 */
export function findSkillFolders(
  roots: readonly string[],
  maxFolders: number,
  isDeep = false,
): Set<string> | undefined {
  const found = new Set<string>()
  const pending = roots.map((dir) => ({ dir, depth: 0 }))
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { dir, depth } = next
    if (found.has(dir)) continue
    const names = listSubfolders(dir)
    if (!names) continue
    found.add(dir)
    if (found.size > maxFolders) return undefined
    const isSkill = isSkillFolder(dir)
    if (depth === MAX_DEPTH) continue
    for (const name of names) {
      const below = { dir: join(dir, name), depth: depth + 1 }
      if (!isSkill || isDeep || hasSkill(below.dir, below.depth)) pending.push(below)
    }
  }
  return found
}

/** True if the folder is a skill or contains one. */
function hasSkill(dir: string, depth: number): boolean {
  if (isSkillFolder(dir)) return true
  if (depth === MAX_DEPTH) return false
  return (listSubfolders(dir) ?? []).some((name) => hasSkill(join(dir, name), depth + 1))
}

function isSkillFolder(dir: string): boolean {
  return existsSync(join(dir, 'skill.toml')) || existsSync(join(dir, 'SKILL.md'))
}

function listSubfolders(dir: string): string[] | undefined {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter((each) => each.isDirectory() && isSearchedFolder(each.name))
      .map((each) => each.name)
  } catch {
    return undefined
  }
}
