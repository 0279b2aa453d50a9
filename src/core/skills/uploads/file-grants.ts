import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { syncFolder, writeSynced } from '../../../util/durable-file.ts'
import { isGrant, type SkillGrant, type SkillGrants } from './grant.ts'

const FORMAT = 1

/** All grants in one file, stored next to the skills and never inside them. */
export function openGrants(dataDir: string): SkillGrants {
  const file = join(dataDir, 'grants.json')
  return {
    list: async () => await readGrants(file),
    async set(grant) {
      const { name, version, secrets, network } = grant
      const others = (await readGrants(file)).filter(
        (each) => each.name !== name || each.version !== version,
      )
      const isEmpty = secrets.length + network.length === 0
      await writeGrants(file, isEmpty ? others : [...others, grant])
    },
  }
}

async function readGrants(file: string): Promise<readonly SkillGrant[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw unreadableGrantsError(file, error)
  })
  if (text === undefined) return []
  try {
    const { format, grants } = JSON.parse(text) as { format: number; grants: SkillGrant[] }
    if (format !== FORMAT || !grants.every(isGrant)) throw new Error('unexpected format')
    return grants
  } catch (cause) {
    throw unreadableGrantsError(file, cause)
  }
}

/** Replaces all grants atomically. */
async function writeGrants(file: string, grants: readonly SkillGrant[]): Promise<void> {
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

/** An unreadable file grants nothing; the error states this explicitly. */
function unreadableGrantsError(file: string, cause: unknown): SkillsError {
  return new SkillsError('config/invalid', `Cannot read the grants in "${file}"`, {
    hint: 'Fix the file or delete it, then type "skills grant --list"',
    cause,
  })
}
