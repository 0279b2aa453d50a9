import { createHash } from 'node:crypto'
import { listProbeFiles, type ProbeRequest } from './probe.ts'

/** SHA-256 of UTF-8 text, in hexadecimal. */
export function digestText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Digests of the probe's files by path. */
export function digestProbeFiles(request: ProbeRequest): readonly [path: string, digest: string][] {
  return listProbeFiles(request).map(({ path, content }) => [path, digestText(content)])
}
