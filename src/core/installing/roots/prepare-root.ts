import { hash } from 'node:crypto'
import { SkillsError } from '../../../errors.ts'
import { describeFiles, type PackedFile } from '../../packing/packed-file.ts'
import { digestContent } from '../../skills/content/content-manifest.ts'
import { createSkillFinder } from '../../sources/skill-folders.ts'
import { prepareSkill, type PreparedSkill } from '../prepare-skill.ts'

/** A skill of a root, and its folder. */
export interface RootSkill {
  /** Below the root; empty if the root is the skill. */
  path: string
  skill: PreparedSkill
}

/** Files of a root that can be stored. */
export interface PreparedRoot {
  /** Digest of the files. */
  tree: string
  files: readonly PackedFile[]
  skills: readonly RootSkill[]
  /** `<skill>: <kind> <value>`, sorted. */
  capabilities: readonly string[]
  capabilityDigest: string
  /** Folders that are not a valid skill, and the reason; their files are not stored. */
  invalid: readonly { path: string; problem: string }[]
  /** Number of fetched files that belong to no skill; they are not stored. */
  others: number
}

const MAX_ROOT_SKILLS = 2000

/** Finds the skills among the files of a source. Files outside of skills are left out. */
export function prepareRoot(fetched: readonly PackedFile[]): PreparedRoot {
  const invalid: { path: string; problem: string }[] = []
  const skills: RootSkill[] = []
  const files: PackedFile[] = []
  for (const [path, below] of groupBySkill(fetched)) {
    try {
      skills.push({ path, skill: prepareSkill(below.map((file) => moveUp(file, path))) })
      files.push(...below)
    } catch (thrown) {
      if (!(thrown instanceof SkillsError)) throw thrown
      invalid.push({ path, problem: thrown.message })
    }
  }
  if (skills.length === 0) throw noSkillError(invalid)
  if (skills.length > MAX_ROOT_SKILLS) throw tooManySkillsError(skills.length)
  const capabilities = listRootCapabilities(skills)
  return {
    tree: digestContent(describeFiles(files)),
    files,
    skills: skills.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    capabilities,
    capabilityDigest: hash('sha256', capabilities.map((each) => JSON.stringify(each)).join('\n')),
    invalid,
    others: fetched.length - files.length,
  }
}

/** Files by the folder of their skill; skills in the folder of another one belong to it. */
function groupBySkill(files: readonly PackedFile[]): Map<string, PackedFile[]> {
  const findSkill = createSkillFinder(files.map(({ path }) => path))
  const groups = new Map<string, PackedFile[]>()
  for (const file of files) {
    const folder = findSkill(file.path)
    if (folder === undefined) continue
    const group = groups.get(folder)
    if (group) group.push(file)
    else groups.set(folder, [file])
  }
  return groups
}

function moveUp(file: PackedFile, folder: string): PackedFile {
  return folder === '' ? file : { ...file, path: file.path.slice(folder.length + 1) }
}

function listRootCapabilities(skills: readonly RootSkill[]): string[] {
  const lines = skills.flatMap(({ skill }) =>
    skill.capabilities.map(({ kind, value }) => `${skill.name}: ${kind} ${value}`),
  )
  return [...new Set(lines)].sort()
}

function noSkillError(invalid: PreparedRoot['invalid']): SkillsError {
  const [first] = invalid
  const problem = first ? `: "${first.path || '.'}" is not valid: ${first.problem}` : ''
  return new SkillsError('skill/invalid', `The source has no skill${problem}`, {
    hint: 'Name a source with folders that contain SKILL.md or skill.toml',
  })
}

function tooManySkillsError(count: number): SkillsError {
  const message = `The source has ${count} skills, expected at most ${MAX_ROOT_SKILLS}`
  return new SkillsError('archive/too-large', message, {
    hint: 'Name a folder of the source, such as github:owner/repo/skills',
  })
}
