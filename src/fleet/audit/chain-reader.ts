import type { AuditSource } from '../../core/audit/audit-source.ts'
import { decodeLine, type ChainLink } from '../../core/audit/chain.ts'
import { splitLines, splitLinesBackwards } from '../../core/audit/split-lines.ts'
import type { Engine } from '../engine/engine.ts'
import {
  formatChainSubject,
  formatNodePattern,
  parseChainSubject,
  type ChainName,
} from './chain-name.ts'
import type { LinkBefore } from './chain-records.ts'

type ChainSegment = Awaited<ReturnType<AuditSource['segments']>>[number]

/** A part of the stream. */
interface Range {
  /** Position of the first message of the chain. */
  first: number
  /** Position of the last one. */
  last: number
}

/** Positions that one step backwards covers at first, and at most. */
const MIN_WINDOW = 256
const MAX_WINDOW = 16_384

/** Reads a chain as a segment of a log: the bodies of its messages, one after the other. */
export function openChainSegment(
  engine: Engine,
  name: ChainName,
  range: Range,
): Omit<ChainSegment, 'name'> {
  const subject = formatChainSubject(name)
  return {
    lines: () => splitLines(readBodies(engine, subject, range)),
    newestFirst: () => splitLinesBackwards(readBodiesBackwards(engine, subject, range)),
  }
}

/** Returns the last complete record of a chain up to a position. */
export async function findLastLink(
  engine: Engine,
  name: ChainName,
  range: Range,
): Promise<ChainLink | undefined> {
  for await (const lines of openChainSegment(engine, name, range).newestFirst()) {
    for (const line of lines) {
      const record = decodeLine(line)?.record
      if (record) return { seq: record.seq, hash: record.hash }
    }
  }
  return undefined
}

/** Returns the last record of the chain of a node that was written to last. */
export async function findNewestLink(
  engine: Engine,
  node: string,
): Promise<LinkBefore | undefined> {
  const pattern = formatNodePattern(node)
  const newest = await engine.last('audit', pattern)
  if (!newest) return undefined
  let name: ChainName | undefined
  // The engine returns the pattern instead of the subject.
  for await (const { subject } of engine.list('audit', pattern, { afterSeq: newest.seq - 1 })) {
    name = parseChainSubject(subject)
    break
  }
  if (!name) return undefined
  const range = { first: 1, last: newest.seq }
  const link = readLastLink(newest.body) ?? (await findLastLink(engine, name, range))
  return link && { start: name.start, ...link }
}

/** Returns the record that ends a body; undefined if its beginning is in an earlier message. */
export function readLastLink(body: Uint8Array): ChainLink | undefined {
  const text = Buffer.from(body).toString()
  if (!text.endsWith('\n')) return undefined
  const lastLine = text.slice(text.lastIndexOf('\n', text.length - 2) + 1, -1)
  const record = decodeLine(lastLine)?.record
  return record && { seq: record.seq, hash: record.hash }
}

async function* readBodies(
  engine: Engine,
  subject: string,
  { first, last }: Range,
): AsyncGenerator<Uint8Array> {
  const range = { afterSeq: first - 1, beforeSeq: last + 1 }
  for await (const { body } of engine.list('audit', subject, range)) yield body
}

/** The engine lists messages forwards only, so it is asked for one part after the other. */
async function* readBodiesBackwards(
  engine: Engine,
  subject: string,
  { first, last }: Range,
): AsyncGenerator<Uint8Array> {
  let size = MIN_WINDOW
  for (let end = last + 1; end > first;) {
    const start = Math.max(first, end - size)
    const bodies: Uint8Array[] = []
    for await (const body of readBodies(engine, subject, { first: start, last: end - 1 })) {
      bodies.push(body)
    }
    yield* bodies.toReversed()
    end = start
    if (bodies.length < MIN_WINDOW) size = Math.min(size * 2, MAX_WINDOW)
  }
}
