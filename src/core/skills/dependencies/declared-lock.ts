import { createHash } from 'node:crypto'
import { SkillsError } from '../../../errors.ts'
import { toPrintable } from '../../../util/printable.ts'
import { readContainedFile } from '../repository/contained-file.ts'
import type { MountedSkill } from '../mounted-skill.ts'
import { readLock, type Pin } from './lock-file.ts'
import { readNpmLock, type NpmLock } from './npm/lock-file.ts'

interface LockIdentity {
  skill: string
  /** Path inside the skill. */
  file: string
  /** SHA-256 of the file's bytes, in hex. */
  digest: string
}

/** Contents of a lock file of Python packages. */
export interface PythonLock extends LockIdentity {
  language: 'python'
  pins: readonly Pin[]
}

/** Contents of a package-lock.json. */
export interface NodeLock extends LockIdentity, NpmLock {
  language: 'node'
}

/** Contents of a lock file that a skill declares. */
export type DeclaredLock = PythonLock | NodeLock

/** Reads the lock files that a skill declares, that of Python first. */
export async function readDeclaredLocks(skill: MountedSkill): Promise<DeclaredLock[]> {
  const { python, node } = skill.manifest.dependencies ?? {}
  return [
    ...(python === undefined ? [] : [await readPythonLock(skill, python)]),
    ...(node === undefined ? [] : [await readNodeLock(skill, node)]),
  ]
}

async function readPythonLock({ manifest, dir }: MountedSkill, file: string): Promise<PythonLock> {
  const { text, digest } = await readLockText(dir, file)
  const { pins, problems } = readLock(text)
  refuseProblem(file, problems[0], 'Regenerate it, for example with "pip-compile --generate-hashes"')
  return { skill: manifest.name, language: 'python', file, digest, pins }
}

async function readNodeLock({ manifest, dir }: MountedSkill, file: string): Promise<NodeLock> {
  const { text, digest } = await readLockText(dir, file)
  const { lock, problems } = readNpmLock(text)
  refuseProblem(file, problems[0], `Type "skills deps lock ${manifest.name}" to write it again`)
  return { skill: manifest.name, language: 'node', file, digest, ...lock }
}

async function readLockText(dir: string, file: string): Promise<{ text: string; digest: string }> {
  const bytes = await readContainedFile(dir, file)
  const digest = createHash('sha256').update(bytes).digest('hex')
  return { text: Buffer.from(bytes).toString('utf8'), digest }
}

function refuseProblem(
  file: string,
  problem: { line: number; message: string } | undefined,
  hint: string,
): void {
  if (!problem) return
  const message = toPrintable(`${file}, line ${problem.line}: ${problem.message}`)
  throw new SkillsError('skill/invalid', message, { hint })
}
