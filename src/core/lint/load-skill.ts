import { basename } from 'node:path'
import { SkillsError, toSkillsError } from '../../errors.ts'
import { type Overlay, readSkillSource } from '../manifest/read-source.ts'
import { toManifest } from '../manifest/to-manifest.ts'
import type { CheckFailure } from './finding.ts'
import type { Python } from './python/python.ts'
import type { LintedSkill, Profile } from './rule.ts'
import type { PythonFacts } from './python/facts.ts'

/** A skill of a batch: read, typed, not yet judged. */
export interface LoadedSkill {
  skill: LintedSkill
  failures: CheckFailure[]
  /** True where Python would have had something to say but could not be asked. */
  pythonMissing: boolean
}

/** Files of a skill that Python is asked about, at most. */
const MAX_PYTHON_FILES = 200

/** Reads skills and asks Python about all their files in one go. */
export async function loadBatch(
  targets: readonly { dir: string; overlay?: Overlay | undefined }[],
  {
    python,
    profiles,
    printed,
  }: { python: Python; profiles: readonly Profile[]; printed: (path: string) => string },
): Promise<(LoadedSkill | CheckFailure)[]> {
  const loaded = targets.map(({ dir, overlay }) => readOne(dir, overlay, profiles))
  const asked: { path: string; text: string }[] = []
  for (const each of loaded) if ('skill' in each) asked.push(...pythonFiles(each.skill))
  const facts = asked.length > 0 ? await python.facts(asked) : new Map<string, PythonFacts>()
  for (const each of loaded) {
    if (!('skill' in each)) continue
    const { skill } = each
    skill.python = (path) => facts.get(`${skill.dir}\0${path}`)
    for (const file of pythonFiles(skill)) {
      if (facts.has(file.path)) continue
      if (python.unavailable === undefined)
        each.failures.push(uncheckable(printed(file.path.replace('\0', '/'))))
      else each.pythonMissing = true
    }
  }
  return loaded
}

function readOne(
  dir: string,
  overlay: Overlay | undefined,
  profiles: readonly Profile[],
): LoadedSkill | CheckFailure {
  try {
    const source = readSkillSource(dir, overlay)
    const { manifest } = toManifest(source)
    const skill: LintedSkill = {
      ...source,
      folder: basename(dir),
      manifest,
      profiles,
      duplicates: [],
      python: () => undefined,
    }
    return { skill, failures: [], pythonMissing: false }
  } catch (thrown) {
    const error = thrown instanceof SkillsError ? thrown : toSkillsError(thrown)
    return { path: dir, message: error.message, hint: error.hint }
  }
}

/** A Python skill's own code, with keys that tell equal paths of two skills apart. */
function pythonFiles(skill: LintedSkill): { path: string; text: string }[] {
  if (skill.manifest.runtime?.language !== 'python') return []
  const files: { path: string; text: string }[] = []
  for (const file of skill.files) {
    if (file.type !== 'file' || !file.path.endsWith('.py')) continue
    if (files.length === MAX_PYTHON_FILES) break
    const text = skill.read(file.path)
    if (text !== undefined) files.push({ path: `${skill.dir}\0${file.path}`, text })
  }
  return files
}

function uncheckable(path: string): CheckFailure {
  return {
    path,
    message: `Cannot check "${path}": Python gave up on it`,
    hint: 'Make the file smaller or less deeply nested',
  }
}
