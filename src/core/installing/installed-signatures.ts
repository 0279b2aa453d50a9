import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { BUNDLE_EXTENSION, readBundle, writeBundle } from '../signing/envelope/bundle-file.ts'
import type { SignedEnvelope } from '../signing/envelope/dsse.ts'
import type { InstallPlaces } from './install-places.ts'
import type { LockedSkill } from './lock-file.ts'

/**
 * Signatures of installed skills, by the digest of the files. They are no part of the skill, and are
 * verified whenever they are read, so it does not matter who wrote them.
 */
export function locateSignatures({ work }: Pick<InstallPlaces, 'work'>): string {
  return join(work, 'signatures')
}

/** Path of the signatures of installed files, which may not exist. */
export function locateSignature(places: Pick<InstallPlaces, 'work'>, tree: string): string {
  return join(locateSignatures(places), `${tree.replace('sha256:', '')}${BUNDLE_EXTENSION}`)
}

/** Stores the signatures that came with a skill; of one without any, an empty file. */
export async function storeSignature(
  places: InstallPlaces,
  tree: string,
  envelopes: readonly SignedEnvelope[] = [],
): Promise<void> {
  await writeBundle(locateSignature(places, tree), envelopes)
}

/** The signatures of an installed skill; undefined if it was installed on another machine. */
export function readSignature(
  places: InstallPlaces,
  { tree }: Pick<LockedSkill, 'tree'>,
): SignedEnvelope[] | undefined {
  return readBundle(locateSignature(places, tree))
}

/** Removes the signatures of files that the lock does not have. */
export function sweepSignatures(places: InstallPlaces, locked: readonly LockedSkill[]): void {
  const kept = new Set(locked.map(({ tree }) => locateSignature(places, tree)))
  const folder = locateSignatures(places)
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (!kept.has(path)) rmSync(path, { force: true })
  }
}
