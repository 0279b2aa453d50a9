import { createHash } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { syncFolder, writeSynced } from '../../../util/durable-file.ts'
import { listNames, createOwnName } from '../../../util/leftovers.ts'
import { formatBytes } from '../../../util/quantity.ts'
import { measureFolder } from '../../sandbox/rootfs/measure-folder.ts'
import type { Workspace } from '../workspace.ts'

const MAX_NAME = 512
/** Maximum number of artifacts of one session. */
const MAX_ARTIFACTS = 10_000

/** One version of an artifact. */
interface Artifact {
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
  await checkQuota(workspace, content)
  const folder = getArtifactFolder(workspace, name)
  if ((await listNames(workspace.artifacts)).length >= MAX_ARTIFACTS) throw tooManyArtifactsError()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { bytes, mimeType } = content
  const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  const draft = join(workspace.artifacts, `.${createOwnName()}`)
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
  { name, version }: ArtifactRef,
): Promise<(Artifact & { bytes: Buffer }) | undefined> {
  const folder = getArtifactFolder(workspace, name)
  const versions = await listVersions(folder)
  const wantedVersion = version ?? Math.max(-1, ...versions)
  if (!versions.includes(wantedVersion)) return undefined
  const all = readFileSync(join(folder, String(wantedVersion)))
  const end = all.indexOf(10)
  const facts = JSON.parse(all.subarray(0, end).toString('utf8')) as Artifact
  return { ...facts, bytes: all.subarray(end + 1) }
}

function getArtifactFolder(workspace: Workspace, name: string): string {
  const id = createHash('sha256').update(name).digest('hex').slice(0, 40)
  return join(workspace.artifacts, id)
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
  workspace: Workspace,
  { bytes, quotaBytes }: { bytes: Buffer; quotaBytes: number },
): Promise<void> {
  const room = { bytes: quotaBytes - bytes.length, entries: Infinity }
  const used = await measureFolder(workspace.artifacts, room)
  if (used.bytes <= room.bytes) return
  const limit = formatBytes(quotaBytes)
  throw new SkillsError('store/full', `The artifacts of this session would exceed ${limit}`, {
    hint: 'Use another session, or raise workspace.quota in skills.config.toml',
  })
}

function checkArtifactName(name: string): void {
  if (name.trim() !== '' && name.length <= MAX_NAME && !/[\u0000-\u001f\u007f]/.test(name)) return
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
