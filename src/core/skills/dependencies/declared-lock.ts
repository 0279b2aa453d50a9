import { createHash } from 'node:crypto'
import { SkillsError } from '../../../errors.ts'
import { toPrintable } from '../../../util/printable.ts'
import { readContainedFile } from '../repository/contained-file.ts'
import type { MountedSkill } from '../mounted-skill.ts'
import { readLock, type Pin } from './lock-file.ts'

/** Contents of a skill's lock file. */
export interface DeclaredLock {
  skill: string
  /** Path inside the skill. */
  file: string
  /** SHA-256 of the file's bytes, in hex. */
  digest: string
  pins: readonly Pin[]
}

/** Reads the lock file that a skill declares; undefined if it declares none. */
export async function readDeclaredLock({
  manifest: { name, dependencies },
  dir,
}: MountedSkill): Promise<DeclaredLock | undefined> {
  if (!dependencies) return undefined
  const file = dependencies.python
  const bytes = await readContainedFile(dir, file)
  const { pins, problems } = readLock(Buffer.from(bytes).toString('utf8'))
  const [problem] = problems
  if (problem) {
    const message = toPrintable(`${file}, line ${problem.line}: ${problem.message}`)
    throw new SkillsError('skill/invalid', message, {
      hint: 'Regenerate it, for example with "pip-compile --generate-hashes"',
    })
  }
  const digest = createHash('sha256').update(bytes).digest('hex')
  return { skill: name, file, digest, pins }
}
