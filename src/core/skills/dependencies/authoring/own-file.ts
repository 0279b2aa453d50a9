import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { SkillsError } from '../../../../errors.ts'
import { replaceConfigFile } from '../../../config/edit/replace-config-file.ts'
import { findPathProblem } from '../../repository/contained-file.ts'

/** Path of a file of a skill that a command writes. Refuses links, which may lead out of it. */
export function locateOwnFile(dir: string, path: string): string {
  const problem = findPathProblem(path)
  if (problem) throw outsideSkillError(path, problem)
  const root = realpathSync(dir)
  const file = join(root, path)
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
    throw outsideSkillError(path, 'it is a link')
  }
  let folder = dirname(file)
  while (!existsSync(folder)) folder = dirname(folder)
  const real = realpathSync(folder)
  if (real !== root && !real.startsWith(root + sep)) {
    throw outsideSkillError(path, 'it is in a folder that is a link')
  }
  return file
}

export function readOwnFile(dir: string, path: string): string | undefined {
  const file = locateOwnFile(dir, path)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

/** Replaces a file in one step. True if its content changed. */
export async function writeOwnFile(dir: string, path: string, text: string): Promise<boolean> {
  if (readOwnFile(dir, path) === text) return false
  const file = locateOwnFile(dir, path)
  mkdirSync(dirname(file), { recursive: true })
  await replaceConfigFile(file, text)
  return true
}

function outsideSkillError(path: string, problem: string): SkillsError {
  return new SkillsError('file/outside', `Cannot write "${path}" of the skill: ${problem}`, {
    hint: 'Name a file in the folder of the skill under [dependencies] in skill.toml',
  })
}
