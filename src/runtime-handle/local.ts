import { callMethod } from '../core/methods/method.ts'
import { METHOD_TABLE } from '../core/methods/table.ts'
import type { RunCall } from '../core/runs/run-call.ts'
import type { Services } from '../core/services.ts'
import type { Repository } from '../core/skills/repository/repository.ts'
import type { BlobInfo } from '../core/storage/blob-store.ts'
import { writeBlob } from '../core/storage/write-blob.ts'
import type { BlobPort, BlobSummary, RuntimeHandle, SkillPort } from './handle.ts'

/** The runtime of this process. Calls the handlers of methods without a transport. */
export function createLocalHandle(services: Services, call: RunCall): RuntimeHandle {
  return {
    async call(name, params, { inspect, grants, ...io } = {}) {
      const own = inspect ? { ...services, instruments: { inspect } } : services
      const callOptions = {
        ...call,
        ...io,
        grants: { ...call.grants, ...grants },
        times: { readAt: performance.now() },
      }
      return (await callMethod(own, METHOD_TABLE[name], {
        params,
        call: callOptions,
      })) as never
    },
    async openSession(params, { grants, ...io }) {
      const { startSkillSession } = await import('../core/workspaces/sessions/skill-exec.ts')
      // A session outlives the call that starts it.
      const { signal: _, ...sessionCall } = call
      return await startSkillSession(services, params, {
        ...io,
        call: { ...sessionCall, grants: { ...call.grants, ...grants } },
      })
    },
    skills: createLocalSkills(services.repository),
    blobs: createLocalBlobs(services),
  }
}

function createLocalSkills(repository: Repository): SkillPort {
  return {
    ...repository,
    async describe(entry) {
      const files = (await repository.files(entry)).map(({ path, size }) => ({ path, size }))
      const hasMarkdown = files.some((file) => file.path === 'SKILL.md')
      const markdown = hasMarkdown
        ? new TextDecoder().decode((await repository.read(entry, 'SKILL.md')).bytes)
        : undefined
      const manifest = await repository.manifest(entry)
      const versions = await repository.versions(entry.name)
      return { manifest, versions, files, markdown, dir: entry.dir, root: entry.root }
    },
  }
}

function createLocalBlobs({ blobs, config }: Pick<Services, 'blobs' | 'config'>): BlobPort {
  const { ttlMs } = config.store
  return {
    put: async (source, kind) => summarizeBlob(await writeBlob(await blobs(), source, kind), ttlMs),
    info: async (id) => summarizeBlob(await (await blobs()).info(id), ttlMs),
    read: async (id) => await (await blobs()).read(id),
  }
}

/** Metadata of a local blob with its expiry time. */
export function summarizeBlob(blob: BlobInfo, ttlMs: number): BlobSummary {
  const { id, kind, size, digest, createdAt } = blob
  const expires = new Date(Date.parse(createdAt) + ttlMs)
  const expiresAt = Number.isNaN(expires.getTime()) ? 'never' : expires.toISOString()
  return { id, kind, size, digest, createdAt, expiresAt }
}
