import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { MAX_DEPTH } from '../../core/skills/repository/found-order.ts'

/**
 * Returns the folders in which a change can add, change or remove a skill: all folders down to the
 * skills, and if `isDeep` those inside skills too. Undefined if there are more than `most`.
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
    const isSkill = existsSync(join(dir, 'skill.toml')) || existsSync(join(dir, 'SKILL.md'))
    if ((isSkill && !isDeep) || depth === MAX_DEPTH) continue
    for (const name of names) pending.push({ dir: join(dir, name), depth: depth + 1 })
  }
  return found
}

function listSubfolders(dir: string): string[] | undefined {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter((each) => each.isDirectory() && !/^\.|^node_modules$|^__pycache__$/.test(each.name))
      .map((each) => each.name)
  } catch {
    return undefined
  }
}
