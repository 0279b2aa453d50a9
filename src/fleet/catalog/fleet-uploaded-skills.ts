import { rm } from 'node:fs/promises'
import type { PackedFile } from '../../core/packing/packed-file.ts'
import { writePackedFiles } from '../../core/packing/write-files.ts'
import { createDraftPath, sweepDrafts } from '../../core/skills/uploads/upload-drafts.ts'
import { toUploadError, versionExistsError } from '../../core/skills/uploads/upload-error.ts'
import { UploadQuota, type UploadLimits } from '../../core/skills/uploads/upload-quota.ts'
import type { NewSkill, UploadedSkills } from '../../core/skills/uploads/uploaded-skills.ts'
import { isRealUploadPath, isUploadPath } from '../../core/skills/uploads/uploads-root.ts'
import { SkillsError } from '../../errors.ts'
import type { Engine } from '../engine/engine.ts'
import type { Objects } from '../objects/objects.ts'
import { addToCatalog } from './add-to-catalog.ts'
import type { Catalog } from './catalog.ts'
import { openFleetNameOwners } from './fleet-name-owners.ts'

/** Time that a caller waits until the skill that it added is in the folder of this node. */
const PLACE_MS = 30_000

export interface FleetUploadOptions {
  engine: Engine
  objects: Objects
  catalog: Catalog
  /** The data directory that has the folder of the catalog. */
  dataDir: string
  /** For the uploads of all nodes together. */
  limits: UploadLimits
  /** The node, which entries name. Default: `create_skill`. */
  by?: string
}

type CheckDraft = (localDir: string) => Promise<void>

/** Uploads as entries of the catalog, so that every node has them. */
export function openFleetUploadedSkills(options: FleetUploadOptions): UploadedSkills {
  const { catalog, dataDir, engine } = options
  // Skills of the operator do not count.
  const quota = new UploadQuota(
    catalog.root,
    (name, version) => catalog.find({ name, version })?.source === 'upload',
  )
  return {
    owners: openFleetNameOwners(engine),
    add: async (skill, check) => await addUpload({ ...options, quota, check }, skill),
    has: (localDir) => isUploadPath(dataDir, localDir),
    hasRealPath: async (localDir) => await isRealUploadPath(dataDir, localDir),
    sweep: async () => await sweepDrafts(catalog.root),
  }
}

async function addUpload(
  to: FleetUploadOptions & { quota: UploadQuota; check: CheckDraft },
  skill: NewSkill,
): Promise<void> {
  const { engine, objects, catalog } = to
  const { name, version } = skill
  let settleReservation: (isKept: boolean) => void = () => {}
  try {
    await sweepDrafts(catalog.root)
    if (catalog.find(skill)) throw versionExistsError(skill)
    refuseOperatorName(catalog, name)
    settleReservation = await to.quota.reserve([...skill.files.values()], to.limits)
    const content = toPackedFiles(skill.files)
    await checkDraft(catalog.root, content, to.check)
    const by = to.by ?? 'create_skill'
    const addition = { name, version, content, source: 'upload' as const, by }
    const { state, revision } = await addToCatalog(engine, objects, addition)
    if (state !== 'added') throw versionExistsError(skill)
    settleReservation(true)
    settleReservation = () => {}
    await waitUntilPlaced(catalog, skill, revision)
  } catch (error) {
    settleReservation(false)
    throw toUploadError(error, skill)
  }
}

function toPackedFiles(files: NewSkill['files']): PackedFile[] {
  return [...files].map(([path, bytes]) => ({ path, bytes, isExecutable: false }))
}

async function checkDraft(
  root: string,
  files: readonly PackedFile[],
  check: CheckDraft,
): Promise<void> {
  const draft = createDraftPath(root)
  try {
    writePackedFiles(draft, files, { isDurable: false })
    await check(draft)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** A newer version of a caller must not replace a skill that the operator pushed. */
function refuseOperatorName(catalog: Catalog, name: string): void {
  if (!catalog.list().some((entry) => entry.name === name && entry.source === 'push')) return
  throw new SkillsError('policy/denied', `'${name}' is a skill of the operator; use another name`, {
    data: { param: 'manifest.name', reason: 'owned by the operator' },
  })
}

async function waitUntilPlaced(
  catalog: Catalog,
  { name, version }: NewSkill,
  revision: number,
): Promise<void> {
  const timeout = AbortSignal.timeout(PLACE_MS)
  await catalog.waitFor(revision, timeout).catch((cause: unknown) => {
    throw notPlacedError({ name, version }, 'the engine does not answer', cause)
  })
  const problem = catalog
    .problems()
    .find((each) => each.name === name && each.version === version && each.kind !== 'set-aside')
  if (problem) throw notPlacedError({ name, version }, problem.reason)
}

function notPlacedError(
  { name, version }: Pick<NewSkill, 'name' | 'version'>,
  reason: string,
  cause?: unknown,
): SkillsError {
  return new SkillsError(
    'fleet/unavailable',
    `${name}@${version} is in the catalog of the fleet, but not on this node: ${reason}`,
    { hint: 'This node tries it again: call "list_skills" later', cause },
  )
}
