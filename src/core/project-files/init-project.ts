import {
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { isInSkill } from '../config/project/find-project.ts'
import { CONFIG_FILE } from './config-template.ts'
import { IGNORE_FILE } from './ignore-file.ts'
import { PRE_COMMIT_FILE } from './pre-commit-file.ts'
import type { ProjectFile } from './project-file.ts'
import { SCHEMA_FILES } from './schema-files.ts'
import { TAPLO_FILE } from './taplo-file.ts'
import { WORKFLOW_FILE } from './workflow-file.ts'

const PROJECT_FILES: readonly ProjectFile[] = [
  CONFIG_FILE,
  ...SCHEMA_FILES,
  TAPLO_FILE,
  IGNORE_FILE,
  PRE_COMMIT_FILE,
  WORKFLOW_FILE,
]

/** Advice for the configuration of a folder that is a skill itself. */
const IN_SKILL = 'no skills.config.toml is read in a skill; write it in a folder above'

/** Change of one file. `kept` files need a change that only their author can make. */
export interface ProjectChange {
  path: string
  purpose: string
  action: 'create' | 'extend' | 'unchanged' | 'kept'
  /** Instruction for a `kept` file. */
  advice?: string
  /** Content to write. */
  text?: string
}

/** Plans the files of a project; reads only. */
export function planProject(dir: string): ProjectChange[] {
  return PROJECT_FILES.map((file) => planFile(dir, file))
}

function planFile(dir: string, file: ProjectFile): ProjectChange {
  const { purpose } = file
  const paths = [file.path, ...(file.aliases ?? [])]
  const path = paths.find((each) => statPath(join(dir, each)) !== undefined) ?? file.path
  const problem = file === CONFIG_FILE && isInSkill(dir) ? IN_SKILL : findProblem(dir, path)
  if (problem !== undefined) return { path, purpose, action: 'kept', advice: problem }
  if (statPath(join(dir, path)) === undefined)
    return { path, purpose, action: 'create', text: file.create() }
  const merged = file.merge(readFileSync(join(dir, path), 'utf8'))
  switch (merged.type) {
    case 'complete':
      return { path, purpose, action: 'unchanged' }
    case 'changed':
      return { path, purpose, action: 'extend', text: merged.text }
    case 'manual':
      return { path, purpose, action: 'kept', advice: merged.advice }
  }
}

/** Reason why a path is not written: a link, or a folder in the way. */
function findProblem(dir: string, path: string): string | undefined {
  const parts = path.split('/')
  for (const [index] of parts.entries()) {
    const at = join(dir, ...parts.slice(0, index + 1))
    const stat = statPath(at)
    const isLast = index === parts.length - 1
    if (stat === undefined) return undefined
    if (stat.isSymbolicLink()) return 'it is behind a symbolic link, which is not followed'
    if (isLast ? !stat.isFile() : !stat.isDirectory()) {
      return isLast
        ? 'it is not a file'
        : `"${parts.slice(0, index + 1).join('/')}" is not a folder`
    }
  }
  return undefined
}

/** Writes the planned changes. A new file is created only if it is still absent. */
export function applyChanges(dir: string, changes: readonly ProjectChange[]): void {
  for (const { path, action, text } of changes) {
    if (text === undefined) continue
    const file = join(realpathSync(dir), path)
    try {
      mkdirSync(dirname(file), { recursive: true })
      if (action === 'create') writeFileSync(file, text, { flag: 'wx' })
      else replaceFile(file, text)
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException
      throw new SkillsError(
        'file/unreadable',
        `Cannot write "${file}" (${code ?? 'unknown reason'})`,
        {
          hint: 'Repeat the command in a folder that you can write; it leaves finished files unchanged',
          cause,
        },
      )
    }
  }
}

/** Replaces a file completely or not at all; its permission bits are preserved. */
function replaceFile(file: string, text: string): void {
  const staging = `${file}.${process.pid}.new`
  try {
    writeFileSync(staging, text, { flag: 'wx', mode: lstatSync(file).mode & 0o777 })
    renameSync(staging, file)
  } finally {
    rmSync(staging, { force: true })
  }
}

function statPath(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}
