import { readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { isSearchedFolder } from '../../util/searched-folders.ts'

const MARKERS = new Set(['skill.toml', 'skill.md'])
const MAX_DEPTH = 12

/** Maps file and folder paths to the folders of their skills, unique and sorted. */
export function findTargets(cwd: string, paths: readonly string[]): string[] {
  const found = new Set<string>()
  for (const path of paths) {
    const absolute = resolve(cwd, path)
    const stat = statTarget(absolute, path)
    if (!stat) {
      throw new SkillsError('usage/invalid', `"${path}" does not exist`, {
        hint: 'Type "skills list --long" to see the folders of skills',
      })
    }
    const skills = stat.isDirectory() ? findSkillsBelow(absolute) : []
    const above = skills.length === 0 ? findSkillAbove(absolute) : undefined
    if (above) found.add(above)
    else if (skills.length === 0) {
      throw new SkillsError('usage/invalid', `No skill found at "${path}"`, {
        hint: 'A skill is a folder with skill.toml or SKILL.md; type "skills new demo.greet" to create one',
      })
    }
    for (const skill of skills) found.add(skill)
  }
  return [...found].sort()
}

function statTarget(absolute: string, path: string) {
  try {
    return statSync(absolute, { throwIfNoEntry: false })
  } catch (cause) {
    const reason = (cause as NodeJS.ErrnoException).code ?? 'unknown reason'
    throw new SkillsError('lint/could-not-check', `Cannot access "${path}" (${reason})`, {
      hint: 'Use a path that exists and that you can read',
      cause,
    })
  }
}

/** Finds skills at or below a folder, also those inside other skills. */
export function findSkillsBelow(dir: string): string[] {
  const found: string[] = []
  const pending = [{ dir, depth: 0 }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { folders, isSkill } = readFolder(next.dir)
    if (isSkill) found.push(next.dir)
    if (next.depth < MAX_DEPTH) {
      for (const name of folders) pending.push({ dir: join(next.dir, name), depth: next.depth + 1 })
    }
  }
  return found
}

/** Finds the skill to which a path belongs: the innermost one around it. */
export function findSkillAbove(path: string): string | undefined {
  for (let dir = path; ; dir = dirname(dir)) {
    if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() && readFolder(dir).isSkill)
      return dir
    if (dir === dirname(dir)) return undefined
  }
}

function readFolder(dir: string): { folders: string[]; isSkill: boolean } {
  const folders: string[] = []
  let isSkill = false
  let entries
  try {
    entries = readdirSync(dir, { withFileTypes: true })
  } catch (cause) {
    throw new SkillsError('lint/could-not-check', `Cannot read the folder "${dir}"`, {
      hint: `Check its permissions with: ls -ld "${dir}"`,
      cause,
    })
  }
  for (const entry of entries) {
    if (MARKERS.has(entry.name.toLowerCase())) isSkill = true
    else if (entry.isDirectory() && isSearchedFolder(entry.name)) folders.push(entry.name)
  }
  return { folders, isSkill }
}
