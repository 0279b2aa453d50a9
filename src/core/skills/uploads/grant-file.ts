import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { syncFolder, writeSynced } from '../../../util/durable-file.ts'
import type { Grant } from './grant.ts'

const FORMAT = 1

/** Every grant, kept beside the skills, never in them. */
export async function readGrants(dataDir: string): Promise<readonly Grant[]> {
  const file = grantFile(dataDir)
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw broken(file, error)
  })
  if (text === undefined) return []
  try {
    const { format, grants } = JSON.parse(text) as { format: number; grants: Grant[] }
    if (format !== FORMAT || !grants.every(isGrant)) throw new Error('of another form')
    return grants
  } catch (cause) {
    throw broken(file, cause)
  }
}

/** Replaces all grants in one step. */
export async function writeGrants(dataDir: string, grants: readonly Grant[]): Promise<void> {
  const file = grantFile(dataDir)
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  try {
    await writeSynced(draft, `${JSON.stringify({ format: FORMAT, grants }, null, 2)}\n`)
    await rename(draft, file)
    await syncFolder(dirname(file))
  } finally {
    await rm(draft, { force: true })
  }
}

function grantFile(dataDir: string): string {
  return join(dataDir, 'grants.json')
}

function isGrant(value: unknown): value is Grant {
  const { name, version, digest, secrets, network } = (value ?? {}) as Partial<Grant>
  const isText = (each: unknown) => typeof each === 'string'
  return [name, version, digest].every(isText) && [secrets, network].every(isTexts)
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

/** Nothing is granted by a file that cannot be read, and nobody should find out by guessing. */
function broken(file: string, cause: unknown): SkillsError {
  return new SkillsError('config/invalid', `Cannot read the grants in "${file}"`, {
    hint: 'Mend the file or delete it, then type "skills grant --list"',
    cause,
  })
}
