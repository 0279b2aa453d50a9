import type { ListArtifactsResult } from '../core/methods/workspace-list-artifacts/definition.ts'
import { METHODS_BY_NAME } from '../core/methods/index.ts'
import type { Method } from '../core/methods/method.ts'
import type { SavedArtifact } from '../core/runs/run-events.ts'
import { listSavedArtifacts } from '../core/workspaces/artifacts/report-artifacts.ts'
import type { CallHost } from './host.ts'

/** A version of an artifact of a conversation. */
export interface SessionArtifact {
  name: string
  version: number
  /** `artifact://name@version`, which tools and `readArtifact` accept. */
  ref: string
  mimeType: string
  sizeBytes: number
}

/** An artifact that a tool saved, and the call that saved it. */
export interface SavedSessionArtifact extends SessionArtifact {
  agent: string
  tool: string
  /** Id of the model's tool call. */
  call: string
}

/** Bytes of one call of `workspace_read`. */
const PIECE_BYTES = 4 * 1024 ** 2
const PAGE_SIZE = 1000
/** References that are remembered, so that no version is reported twice. */
const MAX_REPORTED = 10_000

/** The artifacts of one conversation. All agents of the conversation share them. */
export class SessionArtifacts {
  readonly #reported = new Set<string>()

  /** Artifacts of a result that were not reported before: a poll repeats the result of a command. */
  takeSaved(result: unknown): SessionArtifact[] {
    const saved = listSavedArtifacts(result).filter(({ ref }) => !this.#reported.has(ref))
    for (const { ref } of saved) this.#reported.add(ref)
    const [oldest] = this.#reported
    if (this.#reported.size > MAX_REPORTED && oldest !== undefined) this.#reported.delete(oldest)
    return saved.map(toSessionArtifact)
  }
}

/** The newest version of each artifact of a conversation and of its user. */
export async function listSessionArtifacts(callHost: CallHost): Promise<SessionArtifact[]> {
  const found: SessionArtifact[] = []
  const method = METHODS_BY_NAME.get('workspace_list_artifacts') as Method
  for (let after: string | undefined = ''; after !== undefined;) {
    const page = (await callHost(method, { after, limit: PAGE_SIZE })) as ListArtifactsResult
    found.push(...page.artifacts.map(toSessionArtifact))
    after = page.next_after
  }
  return found
}

/** Reads an artifact, or a file of the workspace, completely. */
export async function readSessionArtifact(callHost: CallHost, ref: string): Promise<Uint8Array> {
  const method = METHODS_BY_NAME.get('workspace_read') as Method
  const pieces: Buffer[] = []
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const piece = (await callHost(method, { ref, offset, max_bytes: PIECE_BYTES })) as ReadPiece
    const { content, data = '' } = piece
    pieces.push(content === undefined ? Buffer.from(data, 'base64') : Buffer.from(content))
    offset = piece.next_offset
  }
  return Buffer.concat(pieces)
}

interface ReadPiece {
  content?: string
  data?: string
  next_offset?: number
}

function toSessionArtifact({
  name,
  version,
  ref,
  mime_type: mimeType,
  size_bytes: sizeBytes,
}: SavedArtifact): SessionArtifact {
  return { name, version, ref, mimeType, sizeBytes }
}
