import { isObjectRef } from '../objects/chunks.ts'
import type { Engine } from '../engine/engine.ts'
import type { ObjectRef } from '../objects/objects.ts'
import type { StoredBegun } from './run-begun.ts'
import { listEndObjects, type CallEnd } from './run-end.ts'
import { parseBody } from './run-subjects.ts'
import { listObjects } from './stored-value.ts'

/** A message of a run. */
export type StoredPart = StoredBegun | CallEnd

/** Returns the objects that belong to the record of a run. */
export function listRecordObjects(stored: StoredPart): ObjectRef[] {
  if ('logs' in stored) return listEndObjects(stored)
  return 'record' in stored ? listObjects([stored.record]) : []
}

/**
 * Lists the uploads that records and their answers name. A sweep of the stream `data` must not remove
 * them.
 */
export async function listRunUploads(engine: Engine): Promise<Set<string>> {
  const uploads = new Set<string>()
  for await (const message of engine.list('runs', 'r.>')) {
    const stored = parseBody(message) as StoredPart | undefined
    if (!stored) continue
    for (const { upload } of listRecordObjects(stored)) uploads.add(upload)
    // An answer is opaque: what looks like a reference in it is one, or protects nothing.
    const answer = 'answer' in stored ? Object.values(Object(stored.answer)) : []
    for (const { upload } of answer.filter(isObjectRef)) uploads.add(upload)
  }
  return uploads
}
