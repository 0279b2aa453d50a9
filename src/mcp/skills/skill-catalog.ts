import { createHash } from 'node:crypto'
import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server'
import type { SkillReadResult, SkillSource } from '@modelcontextprotocol/server/ext/skills'
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills'
import { readContainedFile } from '../../core/skills/repository/contained-file.ts'
import { isText } from '../../util/mime.ts'
import type { McpOptions } from '../mcp-options.ts'
import { MAX_BYTES, type ExtensionFile } from './build-skill.ts'
import { takePage } from './page.ts'
import { McpSkillReader } from './skill-reader.ts'
import { findChangedUris, type SkillSnapshot } from './snapshot.ts'

/** The skills of a runtime for the MCP skills extension. */
export interface SkillCatalog {
  readonly extension: SkillsExtension
  /** Reads the skills from disk; unchanged skills are not read again. */
  readSnapshot(): Promise<SkillSnapshot>
  /** True if a snapshot was taken or is being taken. */
  readonly hasSnapshot: boolean
  /** Takes a new snapshot and returns the changed URIs; undefined if nothing changed. */
  findChanges(): Promise<readonly string[] | undefined>
}

/** Each skill lists its files, so that a page of them takes longer to send. */
const SKILLS_PER_PAGE = 250

/** Creates the catalog. Reads nothing until it is used. */
export function createSkillCatalog({ runtime, onNotice }: McpOptions): SkillCatalog {
  const reader = new McpSkillReader(runtime, onNotice)
  let before: SkillSnapshot | undefined
  let looking: Promise<SkillSnapshot> | undefined
  const current = async () => {
    const pending = (looking ??= reader.read().finally(() => (looking = undefined)))
    const snapshot = await pending
    before ??= snapshot
    return snapshot
  }
  return {
    readSnapshot: current,
    get hasSnapshot() {
      return before !== undefined || looking !== undefined
    },
    extension: new SkillsExtension({
      source: createSkillSource(current),
      cacheHint: { ttlMs: 0, cacheScope: 'private' },
      onWarning: ({ path, message }) => onNotice(`Cannot offer ${path}`, message),
    }),
    async findChanges() {
      if (!before && !looking) {
        // Without an earlier snapshot, the changed URIs are unknown; only the change itself is
        // reported.
        await current()
        return []
      }
      const old = before ?? (await current())
      // A snapshot in progress may have read the file before the edit.
      await looking?.catch(() => {})
      before = undefined
      const now = await current()
      before = now
      const changed = findChangedUris(old, now)
      return changed.length === 0 ? undefined : changed
    },
  }
}

function createSkillSource(current: () => Promise<SkillSnapshot>): SkillSource {
  return {
    async list({ cursor }) {
      const { items, nextCursor } = takePage((await current()).skills, cursor, SKILLS_PER_PAGE)
      return { skills: [...items], ...(nextCursor !== undefined && { nextCursor }) }
    },
    get: async (uri) => (await current()).findSkill(uri),
    async read(uri) {
      const snapshot = await current()
      const file = snapshot.findFile(uri)
      if (file) return await readFile(file)
      if (snapshot.listFolder(uri)) {
        throw new ResourceNotFoundError(uri, `"${uri}" is a folder: use resources/directory/read`)
      }
      return undefined
    },
    async readDirectory(uri, { cursor }) {
      const children = (await current()).listFolder(uri)
      if (!children) return undefined
      const { items, nextCursor } = takePage(children, cursor)
      return { resources: [...items], ...(nextCursor !== undefined && { nextCursor }) }
    },
    listResources: async () => [...(await current()).listed],
  }
}

async function readFile({ dir, path, uri, digest, mimeType }: ExtensionFile): Promise<SkillReadResult> {
  const bytes = await readContainedFile(dir, path, MAX_BYTES).catch(() => undefined)
  const now = bytes && `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  if (!bytes || now !== digest) {
    throw new ProtocolError(
      ProtocolErrorCode.InternalError,
      `"${uri}" changed while it was read; read it again`,
    )
  }
  if (!isText(bytes)) return { bytes, mimeType }
  return { text: Buffer.from(bytes).toString('utf8'), mimeType }
}
