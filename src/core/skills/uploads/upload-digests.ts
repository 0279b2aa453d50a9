import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { syncFolder, writeSynced } from '../../../util/durable-file.ts'
import { createOwnName, listNames } from '../../../util/leftovers.ts'
import { listTreeAsync } from '../../../util/list-tree.ts'
import { RunningHash } from '../../../util/running-hash.ts'
import { parseSealedJson, sealJson } from '../../../util/sealed-json.ts'
import { runInSlices, type Steps } from '../../../util/slices/run-in-slices.ts'
import { DamageCollector, ItemGoneError, type DamageReport } from '../../storage/damage-report.ts'
import type { NewSkill } from './uploaded-skills.ts'
import { getUploadsRoot } from './uploads-root.ts'

/** SHA-256 of each file of an uploaded version, by path. */
export type FileDigests = Readonly<Record<string, string>>

/** Bytes that are hashed in one step. */
const PIECE_BYTES = 1024 ** 2

/** Stores the digests of an upload, next to the folder of all uploads. */
export async function writeUploadDigests(
  dataDir: string,
  skill: NewSkill,
): Promise<void> {
  await storeUploadDigests(dataDir, skill, await runInSlices(computeDigests(skill.files)))
}

/** Stores digests that are known already. */
export async function storeUploadDigests(
  dataDir: string,
  { name, version }: Pick<NewSkill, 'name' | 'version'>,
  digests: FileDigests,
): Promise<void> {
  const target = getDigestsFile(dataDir, name, version)
  const draft = join(dirname(target), `.${createOwnName()}`)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  try {
    await writeSynced(draft, `${sealJson({ files: digests })}\n`)
    await rename(draft, target)
    await syncFolder(dirname(target))
  } finally {
    await rm(draft, { force: true })
  }
}

/** Removes the digests of a version that is removed. */
export async function removeUploadDigests(
  dataDir: string,
  { name, version }: Pick<NewSkill, 'name' | 'version'>,
): Promise<void> {
  await rm(getDigestsFile(dataDir, name, version), { force: true })
}

/** One piece of work, because many small files take as long as a large one. */
function* computeDigests(files: NewSkill['files']): Steps<FileDigests> {
  const digests: [string, string][] = []
  for (const [path, bytes] of files) {
    digests.push([path, yield* computeHash(bytes)])
    yield
  }
  return Object.fromEntries(digests)
}

function* computeHash(bytes: Uint8Array): Steps<string> {
  const running = new RunningHash()
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    running.update(bytes.subarray(at, at + PIECE_BYTES))
    yield
  }
  return running.hex()
}

/** Verifies the files of every uploaded skill. Changes nothing. */
export async function checkUploads(dataDir: string): Promise<DamageReport> {
  const collector = new DamageCollector()
  const root = getUploadsRoot(dataDir)
  for (const name of await listVisible(root)) {
    for (const version of await listVisible(join(root, name))) {
      const dir = join(root, name, version)
      const digests = getDigestsFile(dataDir, name, version)
      await collector.check(`${name}@${version}`, async () => await checkUpload(dir, digests))
    }
  }
  return collector.report
}

async function checkUpload(dir: string, digestsFile: string): Promise<void> {
  try {
    const text = await readFile(digestsFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new Error('its digests are missing') : error
    })
    const { files } = parseSealedJson(text) as { files: FileDigests }
    for (const [path, digest] of Object.entries(files)) {
      if (hash('sha256', await readFile(join(dir, path))) !== digest) {
        throw new Error(`${path} does not match its digest`)
      }
    }
    const added = (await listFiles(dir)).find((path) => !Object.hasOwn(files, path))
    if (added !== undefined) throw new Error(`${added} was added`)
  } catch (error) {
    if (!existsSync(dir)) throw new ItemGoneError()
    throw error
  }
}

function getDigestsFile(dataDir: string, name: string, version: string): string {
  return join(dataDir, 'created-digests', `${name}@${version}.json`)
}

async function listVisible(dir: string): Promise<string[]> {
  return (await listNames(dir)).filter((name) => !name.startsWith('.'))
}

async function listFiles(dir: string): Promise<string[]> {
  const entries = await listTreeAsync(dir)
  return entries
    .filter((each) => !each.isDirectory())
    .map((each) => relative(dir, join(each.parentPath, each.name)))
}
