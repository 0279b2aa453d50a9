import { resolveStoreLimits } from '../../core/storage/store-limits.ts'
import type { AuditLog } from '../../core/audit/audit-log.ts'
import { auditRemoval } from '../../core/audit/removal-records.ts'
import { join } from 'node:path'
import type { Config } from '../../core/config/config.ts'
import type { Stores } from '../../core/services.ts'
import { getUploadsRoot } from '../../core/skills/uploads/uploads-root.ts'
import { openFleetAuditLog } from '../audit/fleet-audit-log.ts'
import { openFleetAuditSource } from '../audit/fleet-audit-source.ts'
import { readFleetPage } from '../audit/read-fleet-page.ts'
import { verifyFleetAudit } from '../audit/verify-fleet-audit.ts'
import { openFleetBlobStore } from '../blobs/fleet-blob-store.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { openFleetGrants } from '../catalog/fleet-grants.ts'
import { openFleetUploadedSkills } from '../catalog/fleet-uploaded-skills.ts'
import { openCatalog, type CatalogOptions } from '../catalog/open-catalog.ts'
import type { Engine } from '../engine/engine.ts'
import { openObjects } from '../objects/open-objects.ts'
import type { Objects } from '../objects/objects.ts'
import { openFleetOutputStore } from '../outputs/fleet-output-store.ts'
import { openFleetRunStore } from '../records/fleet-run-store.ts'
import type { FleetRunStoreOptions } from '../records/run-context.ts'
import { openFleetDetachedStore } from '../jobs/fleet-detached-store.ts'
import { openFleetSessionStore } from '../sessions/fleet-session-store.ts'
import { RunCallEnds } from './run-call-ends.ts'
import type { NodeIdentity } from './identity.ts'
import type { AuditProblem, AuditReport } from '../../core/audit/verify-audit.ts'
import type { FleetAuditProblem, FleetAuditReport } from '../audit/fleet-audit-report.ts'

export interface NodeStoreOptions extends Pick<CatalogOptions, 'onProblem'> {
  engine: Engine
  identity: NodeIdentity
  config: Config
  /** True if the run belongs to a call of this node, whose end has the record. */
  hasCall: (run: string) => boolean
  /** False if the start of a node is gone for certain; undefined if it is not known. */
  isAlive: FleetRunStoreOptions['isAlive']
  /** Asks the node that performs a run for its logs so far. */
  readActiveLogs: FleetRunStoreOptions['readActiveLogs']
}

/** The stores of a node, all of them in the engine. */
export interface NodeStores {
  stores: Omit<Stores, 'policy' | 'secrets' | 'describeFleet'>
  ends: RunCallEnds
  objects: Objects
  catalog: Catalog
  close(): Promise<void>
}

export async function openNodeStores(options: NodeStoreOptions): Promise<NodeStores> {
  const { engine, identity, config } = options
  const objects = openObjects(engine, 'data')
  const skills = openObjects(engine, 'skills')
  const ends = new RunCallEnds({ engine, identity, objects })
  const catalog = await openCatalog(engine, skills, {
    root: getUploadsRoot(config.directories.data),
    ...(options.onProblem && { onProblem: options.onProblem }),
  })
  const audit = openFleetAuditLog(engine, { node: identity.name, start: identity.start })
  const uploads = openFleetUploadedSkills({
    engine,
    objects: skills,
    catalog,
    dataDir: config.directories.data,
    limits: resolveStoreLimits(config).uploads,
    by: identity.name,
  })
  const data = openDataStores(options, { objects, ends, audit })
  const auditSource = openFleetAuditSource(engine)
  const sessions = openFleetSessionStore(engine)
  const grants = openFleetGrants(engine)
  return {
    ends,
    objects,
    catalog,
    stores: {
      ...data,
      audit: async () => audit,
      auditSource: async () => auditSource,
      readAuditPage: async (order, query) => await readFleetPage(engine, order, query),
      verifyAudit: async (_anchors, runs) =>
        toAuditReport(await verifyFleetAudit(engine, { runs })),
      sessions: async () => sessions,
      grants: async () => grants,
      uploads: async () => uploads,
    },
    async close() {
      await audit.leave().catch(() => {})
      await catalog.close()
    },
  }
}

/** Stores of what runs leave: records, blobs and outputs. */
function openDataStores(
  options: NodeStoreOptions,
  { objects, ends, audit }: { objects: Objects; ends: RunCallEnds; audit: AuditLog },
): Pick<Stores, 'blobs' | 'runs' | 'outputs' | 'detached'> {
  const { engine, identity, config, isAlive, readActiveLogs, hasCall } = options
  const outputs = openFleetOutputStore(engine, { limits: resolveStoreLimits(config).outputs })
  const detached = openFleetDetachedStore({ engine, identity, ends, objects })
  const runs = openFleetRunStore(engine, {
    holder: { node: identity.name, start: identity.start },
    objects,
    limits: resolveStoreLimits(config).runs,
    isAlive,
    readActiveLogs,
    onRemoving: async (ids) => await auditRemoval(audit, ids),
    async onRemoved(id) {
      await outputs.remove(id)
      await detached.remove(id)
    },
    onClose(run, end) {
      if (!hasCall(run)) return undefined
      ends.hold(run, end)
      return Promise.resolve()
    },
  })
  const blobs = openFleetBlobStore(engine, {
    limits: resolveStoreLimits(config).blobs,
    cacheDir: join(config.directories.cache, 'fleet-blobs'),
  })
  return {
    blobs: async () => blobs,
    runs: async () => runs,
    outputs: async () => outputs,
    detached: async () => detached,
  }
}

/** Describes all chains as one log, for readers of reports without chains. */
function toAuditReport({ records, chains, problems }: FleetAuditReport): AuditReport {
  return {
    records,
    files: chains.length,
    first: null,
    last: null,
    removed: 0,
    repaired: 0,
    endsTorn: chains.some(({ endsTorn }) => endsTorn),
    problems: problems.map(toAuditProblem),
  }
}

function toAuditProblem({ code, seq, place, sentence }: FleetAuditProblem): AuditProblem {
  const known = code === 'link' ? 'missing' : code === 'epoch' ? 'anchor' : code
  return { code: known, seq, ...(place !== undefined && { place }), sentence }
}
