import { createHash } from 'node:crypto'
import type { SoakServer } from './server.ts'

export interface Answer {
  id?: unknown
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: { kind?: string } }
}

export const digestOf = (content: string | Uint8Array) =>
  createHash('sha256').update(content).digest('hex')

/** What the server acknowledged, and must know for ever after. */
export class Ledger {
  readonly blobs = new Map<string, string>()
  readonly skills = new Map<string, string>()
  readonly runs = new Map<string, string>()
  readonly problems: string[] = []
  readonly counts: Record<string, number> = {}

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }

  fail(what: string): void {
    if (this.problems.length < 50) this.problems.push(what)
  }
}

/** Undefined where the server was gone or ended the connection: nothing is acknowledged then. */
export async function call(
  server: SoakServer,
  asked: { method: string; params: object; id: string },
  signal?: AbortSignal,
): Promise<Answer | undefined> {
  let text: string
  try {
    const response = await fetch(`http://127.0.0.1:${server.port}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', ...asked }),
      ...(signal && { signal }),
    })
    text = await response.text()
  } catch {
    return undefined
  }
  return JSON.parse(text) as Answer
}

/** The digest of a blob as the server has it now; the status where there is none. */
export async function fetchDigest(server: SoakServer, id: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${server.port}/blobs/${id}`)
  const bytes = new Uint8Array(await response.arrayBuffer())
  return response.status === 200 ? digestOf(bytes) : `status ${response.status}`
}
