import { onTestFinished } from 'vitest'
import { openCatalog } from '../../../src/fleet/catalog/open-catalog.ts'
import type { Catalog, CatalogProblem } from '../../../src/fleet/catalog/catalog.ts'
import { openFleetUploadedSkills } from '../../../src/fleet/catalog/fleet-uploaded-skills.ts'
import { openObjects } from '../../../src/fleet/objects/open-objects.ts'
import type { Objects } from '../../../src/fleet/objects/objects.ts'
import type { NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import type { UploadLimits } from '../../../src/core/skills/uploads/upload-quota.ts'
import type { UploadedSkills } from '../../../src/core/skills/uploads/uploaded-skills.ts'
import { getUploadsRoot } from '../../../src/core/skills/uploads/uploads-root.ts'
import { createFolder } from '../../helpers/skills.ts'
import type { TestFleet } from './test-fleet.ts'

/** A node that has the skills of the catalog. */
export interface CatalogNode {
  engine: NatsEngine
  objects: Objects
  catalog: Catalog
  uploads: UploadedSkills
  dataDir: string
  /** Archives that it has fetched, by upload. */
  fetched: string[]
  reported: CatalogProblem[]
}

interface NodeOptions {
  tenant: string
  dataDir?: string
  limits?: UploadLimits
}

const LIMITS: UploadLimits = { maxSkills: 1000, quotaBytes: 1e9 }

/** Opens a node, until the test ends. */
export async function openNode(
  fleet: TestFleet,
  { tenant, dataDir = createFolder(), limits = LIMITS }: NodeOptions,
): Promise<CatalogNode> {
  const engine = await fleet.connect(tenant)
  const fetched: string[] = []
  const objects = recordReads(openObjects(engine, 'skills'), fetched)
  const reported: CatalogProblem[] = []
  const catalog = await openCatalog(engine, objects, {
    root: getUploadsRoot(dataDir),
    onProblem: (problem) => reported.push(problem),
  })
  onTestFinished(async () => await catalog.close())
  const uploads = openFleetUploadedSkills({ engine, objects, catalog, dataDir, limits })
  return { engine, objects, catalog, uploads, dataDir, fetched, reported }
}

function recordReads(objects: Objects, fetched: string[]): Objects {
  return {
    ...objects,
    async readAll(ref) {
      fetched.push(ref.upload)
      return await objects.readAll(ref)
    },
  }
}
