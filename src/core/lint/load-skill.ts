import { accessSync, constants } from 'node:fs'
import { basename, join } from 'node:path'
import { SkillsError, toSkillsError } from '../../errors.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import { type Overlay, readSkillSource } from '../skills/manifest/read-source.ts'
import type { SkillSource } from '../skills/manifest/source.ts'
import { toManifest } from '../skills/manifest/to-manifest.ts'
import { isTooDeep } from '../skills/repository/found-order.ts'
import { listCodeLanguages, parseCodeFiles } from './code/code-files.ts'
import type { CodeParsers } from './code/code-parsers.ts'
import type { CheckFailure } from './finding.ts'
import type { PythonFile, PythonParser } from './python/python-parser.ts'
import type { LintedSkill, HostProfile } from './rule.ts'
import type { PythonFacts } from './python/facts.ts'

/** A skill of a batch that was read and parsed, but not checked yet. */
export interface LoadedSkill {
  skill: LintedSkill
  failures: CheckFailure[]
  /** True if the skill has Python files and the interpreter is not available. */
  pythonMissing: boolean
}

interface LoadTarget {
  dir: string
  overlay?: Overlay | undefined
  /** Contents that are not on disk; their Python is parsed whatever the skill's language is. */
  source?: SkillSource | undefined
}

interface LoadBatchOptions {
  python: PythonParser
  code: CodeParsers
  profiles: readonly HostProfile[]
  requestedProfiles: readonly HostProfile[]
  /** Folders in which a repository finds skills. */
  roots: readonly string[]
  staysInside?: boolean
  /** Converts an absolute path to its printed form. */
  toPrintedPath: (path: string) => string
}

/** Limit on parsed Python files per skill. */
export const MAX_PYTHON_FILES = 200

/** Reads skills and parses all their Python files in one request. */
export async function loadSkills(
  targets: readonly LoadTarget[],
  options: LoadBatchOptions,
): Promise<(LoadedSkill | CheckFailure)[]> {
  const { python, toPrintedPath } = options
  const loaded = targets.map((target) => readTarget(target, options))
  for (const each of loaded) {
    if (!('skill' in each)) continue
    for (const path of findUnreadableFiles(each.skill)) {
      const printedPath = toPrintedPath(join(each.skill.dir, path))
      const hint = `Type: chmod u+r -- ${quoteShellWord(printedPath)}`
      each.failures.push({
        path: printedPath,
        message: `Cannot check "${printedPath}": permission denied`,
        hint,
      })
    }
  }
  await parseOtherCode(loaded, options)
  const requested: PythonFile[] = []
  for (const each of loaded) if ('skill' in each) requested.push(...collectPythonFiles(each.skill))
  const facts =
    requested.length > 0 ? await python.parseFiles(requested) : new Map<string, PythonFacts>()
  for (const each of loaded) {
    if (!('skill' in each)) continue
    const { skill } = each
    skill.getPythonFacts = (path) => facts.get(`${skill.dir}\0${path}`)
    for (const file of collectPythonFiles(skill)) {
      if (facts.has(file.path)) continue
      if (python.unavailableReason === undefined)
        each.failures.push(
          createParserFailure(
            toPrintedPath(file.path.replace('\0', '/')),
            'the Python parser failed',
          ),
        )
      else each.pythonMissing = true
    }
  }
  return loaded
}

/** Parses code in languages other than Python, in this process. */
async function parseOtherCode(
  loaded: readonly (LoadedSkill | CheckFailure)[],
  { code, toPrintedPath }: LoadBatchOptions,
): Promise<void> {
  const skills = loaded.filter((each) => 'skill' in each)
  await code.load(new Set(skills.flatMap(({ skill }) => listCodeLanguages(skill))))
  for (const { skill, failures } of skills) {
    const parsed = parseCodeFiles(skill, code)
    skill.getCodeFacts = (path) => parsed.facts.get(path)
    for (const { path, reason } of parsed.failures) {
      failures.push(createParserFailure(toPrintedPath(join(skill.dir, path)), reason))
    }
  }
}

function readTarget(
  { dir, overlay, source: given }: LoadTarget,
  { profiles, requestedProfiles, roots, staysInside = false }: LoadBatchOptions,
): LoadedSkill | CheckFailure {
  try {
    const source = given ?? readSkillSource(dir, overlay)
    const skill: LintedSkill = {
      ...source,
      folder: basename(dir),
      ...toManifest(source),
      profiles,
      requestedProfiles,
      duplicates: [],
      isTooDeep: isTooDeep(roots, dir),
      staysInside,
      getPythonFacts: () => undefined,
      getCodeFacts: () => undefined,
      ...(given && { isDetached: true }),
    }
    return { skill, failures: [], pythonMissing: false }
  } catch (thrown) {
    const error = thrown instanceof SkillsError ? thrown : toSkillsError(thrown)
    return { path: dir, message: error.message, hint: error.hint }
  }
}

/** Reads a skill whose code is not parsed, for rules that need no facts of it. */
export function readUnparsedSkill(dir: string): LintedSkill {
  const source = readSkillSource(dir)
  return {
    ...source,
    folder: basename(dir),
    ...toManifest(source),
    profiles: [],
    requestedProfiles: [],
    duplicates: [],
    isTooDeep: false,
    getPythonFacts: () => undefined,
    getCodeFacts: () => undefined,
  }
}

/**
 * Lists files without read permission: rules would take them for binary files, and no run can copy
 * them.
 */
function findUnreadableFiles(skill: LintedSkill): string[] {
  return skill.files.flatMap(({ path, type, mode }) => {
    // A file that all users can read needs no access check.
    if (type !== 'file' || (mode & 0o444) === 0o444 || skill.isDetached) return []
    try {
      accessSync(join(skill.dir, path), constants.R_OK)
      return []
    } catch (thrown) {
      return (thrown as NodeJS.ErrnoException).code === 'EACCES' ? [path] : []
    }
  })
}

/**
 * Lists the Python files of a Python skill. The keys include the folder, since two skills may have
 * equal paths.
 */
function collectPythonFiles(skill: LintedSkill): PythonFile[] {
  if (skill.manifest.runtime?.language !== 'python' && skill.isDetached !== true) return []
  const files: PythonFile[] = []
  for (const file of skill.files) {
    if (file.type !== 'file' || !file.path.endsWith('.py')) continue
    if (files.length === MAX_PYTHON_FILES) break
    const text = skill.read(file.path)
    if (text !== undefined) {
      files.push({
        path: `${skill.dir}\0${file.path}`,
        text,
        export: skill.manifest.runtime?.export,
      })
    }
  }
  return files
}

function createParserFailure(path: string, reason: string): CheckFailure {
  return {
    path,
    message: `Cannot check "${path}": ${reason}`,
    hint: 'Make the file smaller or less deeply nested',
  }
}
