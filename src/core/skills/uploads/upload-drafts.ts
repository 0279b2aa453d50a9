import { join } from 'node:path'
import { createOwnName, sweepLeftovers } from '../../../util/leftovers.ts'

/** On the same file system as the skills, so that rename works; listings skip it. */
const DRAFTS = '.drafts'

/** Path of a folder in which a skill is written before it is renamed below `root`. */
export function createDraftPath(root: string): string {
  return join(root, DRAFTS, createOwnName())
}

/** Removes drafts of dead processes. */
export async function sweepDrafts(root: string): Promise<void> {
  await sweepLeftovers(join(root, DRAFTS))
}
