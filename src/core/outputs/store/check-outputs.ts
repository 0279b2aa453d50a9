import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { listNames } from '../../../util/leftovers.ts'
import { parseSealedJson } from '../../../util/sealed-json.ts'
import { DamageCollector, ItemGoneError, type DamageReport } from '../../storage/damage-report.ts'
import { deriveOutputKey } from './handle.ts'
import { getStreamPath, type OutputManifest } from './manifest.ts'
import { MemberIndex } from './member-index.ts'
import { STREAM_NAMES, type StreamName } from './output-store.ts'
import { createBufferSource, createFileSource } from './read-members.ts'

const DESCRIPTION = /\.(?:json|gone)$/

/** Verifies every stored output by the digests of its parts. Changes nothing. */
export async function checkOutputs(dir: string): Promise<DamageReport> {
  const collector = new DamageCollector()
  for (const name of (await listNames(dir)).filter((each) => DESCRIPTION.test(each))) {
    await collector.check(name.replace(DESCRIPTION, ''), async () => await checkOutput(dir, name))
  }
  return collector.report
}

async function checkOutput(dir: string, name: string): Promise<void> {
  const path = join(dir, name)
  try {
    const text = await readFile(path, 'utf8')
    const manifest = parseSealedJson(text) as OutputManifest
    if (name.endsWith('.gone')) return
    const key = name.slice(0, -'.json'.length)
    if (deriveOutputKey(manifest.runId) !== key) throw new Error('it is that of another run')
    for (const stream of STREAM_NAMES) await checkStream(manifest, stream, { dir, key })
  } catch (error) {
    if (!existsSync(path)) throw new ItemGoneError()
    throw error
  }
}

async function checkStream(
  { inline, members }: OutputManifest,
  name: StreamName,
  { dir, key }: { dir: string; key: string },
): Promise<void> {
  const index = new MemberIndex(Buffer.from(members[name], 'base64'))
  if (index.length === 0) return
  const file = inline ? undefined : await open(getStreamPath(dir, key, name), 'r')
  const source = file
    ? createFileSource(file)
    : createBufferSource(Buffer.from(inline?.[name] ?? '', 'base64'))
  try {
    let from = 0
    for (let at = 0; at < index.length; at += 1) {
      const { stored, digest } = index.at(at)
      const part = Buffer.alloc(stored)
      const isComplete = (await source.read(part, from)) === stored
      if (!isComplete || hash('sha256', part, 'base64') !== digest) {
        throw new Error(`its ${name} does not match its digest`)
      }
      from += stored
    }
    if ((await source.read(Buffer.alloc(1), from)) > 0) throw new Error(`its ${name} is too long`)
  } finally {
    await file?.close()
  }
}
