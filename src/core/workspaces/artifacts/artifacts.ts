import { createHash } from 'node:crypto'
import { closeSync, linkSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { readAt } from '../../../util/bytes/read-at.ts'
import { syncFolder, writeSynced } from '../../../util/durable-file.ts'
import { listNames, createOwnName } from '../../../util/leftovers.ts'
import { formatBytes } from '../../../util/quantity.ts'
import { measureFolder } from '../../sandbox/rootfs/measure-folder.ts'
import type { SavedArtifact } from '../../runs/run-events.ts'
import type { Workspace } from '../workspace.ts'

const MAX_NAME = 512
/** Maximum number of artifacts of one session. */
const MAX_ARTIFACTS = 10_000

/** Artifacts with this prefix belong to the caller, and every session of the caller has them. */
export const USER_PREFIX = 'user:'

/** One version of an artifact. */
export interface Artifact {
  name: string
  version: number
  mime_type: string
  size_bytes: number
  digest: string
}

/** `artifact://name@3`; the newest version by default. */
interface ArtifactRef {
  name: string
  version: number | undefined
}

/** Only digits after the last @ are a version; otherwise it is part of the name. */
export function parseArtifactRef(ref: string): ArtifactRef {
  const text = ref.replace(/^artifact:\/\//, '')
  const found = /^(.*)@(\d+)$/s.exec(text)
  const name = found ? (found[1] ?? '') : text
  if (name.trim() === '')
    throw invalidArtifactError(`"${ref.slice(0, 200)}" does not name an artifact`)
  return { name, version: found ? Number(found[2]) : undefined }
}

/** Stores a new version; versions count from 0. */
export async function saveArtifact(
  workspace: Workspace,
  name: string,
  content: { bytes: Buffer; mimeType: string; quotaBytes: number },
): Promise<Artifact> {
  checkArtifactName(name)
  const parent = getParentFolder(workspace, name)
  await checkQuota(parent, content)
  const folder = getArtifactFolder(workspace, name)
  if ((await listNames(parent)).length >= MAX_ARTIFACTS) throw tooManyArtifactsError()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { bytes, mimeType } = content
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const draft = join(parent, `.${createOwnName()}`)
  try {
    for (;;) {
      const version = Math.max(-1, ...(await listVersions(folder))) + 1
      const facts = { name, version, mime_type: mimeType, size_bytes: bytes.length, digest }
      rmSync(draft, { force: true })
      await writeSynced(draft, Buffer.concat([Buffer.from(`${JSON.stringify(facts)}\n`), bytes]))
      if (!isVersionTaken(draft, join(folder, String(version)))) {
        await syncFolder(folder)
        return facts
      }
    }
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Undefined if the artifact or its version does not exist. */
export async function loadArtifact(
  workspace: Workspace,
  ref: ArtifactRef,
): Promise<(Artifact & { bytes: Buffer }) | undefined> {
  return await readArtifact(workspace, ref, { offset: 0, maxBytes: Infinity })
}

/** Reads a piece of an artifact; undefined if the artifact or its version does not exist. */
export async function readArtifact(
  workspace: Workspace,
  { name, version }: ArtifactRef,
  piece: { offset: number; maxBytes: number },
): Promise<(Artifact & { bytes: Buffer }) | undefined> {
  const folder = getArtifactFolder(workspace, name)
  const versions = await listVersions(folder)
  const wantedVersion = version ?? Math.max(-1, ...versions)
  if (!versions.includes(wantedVersion)) return undefined
  return readVersion(join(folder, String(wantedVersion)), piece)
}

/** The newest version of each artifact of a session and of its caller, ordered by name. */
export async function listArtifacts(workspace: Workspace): Promise<Artifact[]> {
  const found: Artifact[] = []
  for (const parent of [workspace.artifacts, workspace.userArtifacts]) {
    for (const id of await listNames(parent)) {
      if (id.startsWith('.')) continue
      const newest = Math.max(-1, ...(await listVersions(join(parent, id))))
      if (newest < 0) continue
      const { bytes: _, ...facts } = readVersion(join(parent, id, String(newest)), NO_BYTES)
      found.push(facts)
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : 1))
}

const NO_BYTES = { offset: 0, maxBytes: 0 }
/** Longer than any first line, which has the facts as JSON. */
const MAX_FACTS_BYTES = 16 * 1024

function readVersion(
  file: string,
  { offset, maxBytes }: { offset: number; maxBytes: number },
): Artifact & { bytes: Buffer } {
  const fd = openSync(file, 'r')
  try {
    const head = readAt(fd, 0, MAX_FACTS_BYTES)
    const end = head.indexOf(10)
    const facts = JSON.parse(head.subarray(0, end).toString('utf8')) as Artifact
    const left = Math.max(0, facts.size_bytes - offset)
    return { ...facts, bytes: readAt(fd, end + 1 + offset, Math.min(left, maxBytes)) }
  } finally {
    closeSync(fd)
  }
}

/** Describes a stored version for a result. */
export function describeSaved(artifact: Artifact): SavedArtifact {
  const { name, version, mime_type, size_bytes } = artifact
  return { name, version, ref: formatArtifactRef(artifact), mime_type, size_bytes }
}

/** Reference under which tools and the application find a version. */
export function formatArtifactRef({ name, version }: Pick<Artifact, 'name' | 'version'>): string {
  return `artifact://${name}@${version}`
}

function getParentFolder(workspace: Workspace, name: string): string {
  if (!name.startsWith(USER_PREFIX)) return workspace.artifacts
  mkdirSync(workspace.userArtifacts, { recursive: true, mode: 0o700 })
  return workspace.userArtifacts
}

function getArtifactFolder(workspace: Workspace, name: string): string {
  const id = createHash('sha256').update(name).digest('hex').slice(0, 40)
  return join(name.startsWith(USER_PREFIX) ? workspace.userArtifacts : workspace.artifacts, id)
}

async function listVersions(folder: string): Promise<number[]> {
  return (await listNames(folder)).map(Number).filter(Number.isInteger)
}

function isVersionTaken(draft: string, target: string): boolean {
  try {
    linkSync(draft, target)
    return false
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return true
    throw error
  }
}

async function checkQuota(
  parent: string,
  { bytes, quotaBytes }: { bytes: Buffer; quotaBytes: number },
): Promise<void> {
  const room = { bytes: quotaBytes - bytes.length, entries: Infinity }
  const used = await measureFolder(parent, room)
  if (used.bytes <= room.bytes) return
  const limit = formatBytes(quotaBytes)
  throw new SkillsError('store/full', `The artifacts would exceed ${limit}`, {
    hint: 'Use another session, or raise store.quota in skills.config.toml',
  })
}

function checkArtifactName(name: string): void {
  const plain = name.startsWith(USER_PREFIX) ? name.slice(USER_PREFIX.length) : name
  if (plain.trim() !== '' && name.length <= MAX_NAME && !/[\u0000-\u001f\u007f]/.test(name)) return
  throw invalidArtifactError(`expected an artifact name of 1 to ${MAX_NAME} plain characters`)
}

function invalidArtifactError(reason: string): SkillsError {
  return new SkillsError('params/invalid', `Invalid artifact: ${reason}`, {
    data: { param: 'artifact', reason },
  })
}

function tooManyArtifactsError(): SkillsError {
  return new SkillsError(
    'store/full',
    `This session already has the maximum of ${MAX_ARTIFACTS} artifacts`,
    {
      hint: 'Use another session',
    },
  )
}
