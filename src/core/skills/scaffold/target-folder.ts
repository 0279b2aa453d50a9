import { lstatSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { quoteShellWord } from '../../../util/shell-word.ts'
import { readMarkdown } from '../manifest/markdown-source.ts'
import { toManifest } from '../manifest/to-manifest.ts'
import { readToml } from '../manifest/toml-source.ts'
import {
  deriveFolderName,
  findImportProblem,
  findNameProblem,
  MAX_FOLDER,
  splitNamePath,
  suggestName,
} from './skill-name.ts'
import type { Template } from './templates.ts'

/** Location of a new skill. */
export interface TargetRequest {
  cwd: string
  name: string
  /** Parent of the skill's folder, relative to cwd. */
  parent: string
  kind?: Template['kind'] | undefined
  /** Returns the command line with another name or parent folder, for hints. */
  formatCommand: FormatCommand
}

export type FormatCommand = (change: { name?: string; dir?: string }) => string

/**
 * Returns the folder of a new skill: the last part of its name, or all parts if another skill has
 * that folder. Throws if a skill of this name cannot be written.
 */
export function resolveTargetFolder(request: TargetRequest): string {
  const { name, kind, cwd, parent } = request
  const problem = findNameProblem(name) ?? (kind === 'action' ? findImportProblem(name) : undefined)
  if (problem) {
    throw new SkillsError('usage/invalid', problem, {
      hint: suggestCommand(request),
      data: { name },
    })
  }
  const candidates = listFolderNames(name).map((folder) => resolve(cwd, parent, folder))
  for (const dir of candidates) if (readSkillName(dir) === name) throw sameSkillError(request, dir)
  const free = candidates.find((dir) => readSkillName(dir) === undefined)
  if (free === undefined) throw inTheWayError(request, candidates.at(-1) ?? '')
  if (canStat(free)) throw inTheWayError(request, free)
  return free
}

/** Names of folders for a skill, in order of preference. Each is a valid Agent Skills name. */
function listFolderNames(name: string): string[] {
  const whole = deriveFolderName(name.replaceAll('.', '-'))
  const last = deriveFolderName(name)
  return whole === last || whole.length > MAX_FOLDER ? [last] : [last, whole]
}

/** Name of the skill in a folder; empty if it cannot be read, undefined without a skill. */
function readSkillName(dir: string): string | undefined {
  const read = (file: string) => {
    try {
      return readFileSync(join(dir, file), 'utf8')
    } catch {
      return undefined
    }
  }
  const toml = read('skill.toml')
  const markdown = read('SKILL.md')
  if (toml === undefined && markdown === undefined) return undefined
  const source = {
    dir,
    toml: toml === undefined ? undefined : readToml('skill.toml', toml),
    markdown: markdown === undefined ? undefined : readMarkdown('SKILL.md', markdown),
  }
  return toManifest(source).manifest.name ?? ''
}

function sameSkillError(request: TargetRequest, dir: string): SkillsError {
  const { cwd, name, parent } = request
  const isTaken = (each: string) =>
    listFolderNames(each).every((folder) => canStat(resolve(cwd, parent, folder)))
  const other = [...Array(100).keys()]
    .map((index) => `${name}_${index + 2}`)
    .find((each) => !isTaken(each) && findNameProblem(each) === undefined)
  const command = other === undefined ? undefined : request.formatCommand({ name: other })
  const next = command === undefined ? '' : `, or "${command}" to write another one`
  return new SkillsError(
    'skill/exists',
    `The skill "${name}" already exists in "${showPath(cwd, dir)}"`,
    {
      hint: `Type "skills describe ./${quoteShellWord(showPath(cwd, dir))}" to see it${next}`,
      data: { path: dir },
    },
  )
}

function inTheWayError(request: TargetRequest, dir: string): SkillsError {
  const type = isFolder(dir) ? 'folder' : 'file'
  return new SkillsError('skill/exists', `The ${type} "${dir}" already exists`, {
    hint: `Type "${request.formatCommand({ dir: findFreeParent(request) })}" to write it to another folder`,
    data: { path: dir },
  })
}

/** A folder below the parent in which the skill's folder does not exist. */
function findFreeParent({ cwd, name, parent }: TargetRequest): string {
  const folder = deriveFolderName(name)
  const [first = ''] = name.split('.')
  const names = [first, ...[...Array(100).keys()].map((index) => `${first}-${index + 2}`)]
  const free = names.find((each) => {
    const dir = resolve(cwd, parent, each)
    return (!canStat(dir) || isFolder(dir)) && !canStat(join(dir, folder))
  })
  return showPath(cwd, resolve(cwd, parent, free ?? first))
}

/** Throws if the path exists: another process wrote it meanwhile. */
export function checkAbsent(dir: string): void {
  if (!canStat(dir)) return
  const type = isFolder(dir) ? 'folder' : 'file'
  throw new SkillsError('skill/exists', `The ${type} "${dir}" already exists`, {
    hint: 'Repeat the command, or choose another parent folder with --dir',
    data: { path: dir },
  })
}

/** Path relative to a folder, with forward slashes. */
export function showPath(cwd: string, path: string): string {
  return (relative(cwd, path) || '.').split(sep).join('/')
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** False if the parent is a file or inaccessible: the later write reports it. */
function canStat(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}

function suggestCommand({ name, formatCommand }: TargetRequest): string {
  const split = splitNamePath(name)
  if (split) return `Type "${formatCommand(split)}"`
  const better = suggestName(name)
  return better
    ? `Did you mean "${formatCommand({ name: better })}"?`
    : 'Type for example: skills new demo.greet'
}
