/**
 * The only state that belongs to the whole process: it is the same whichever runtime asks, and none can
 * tell from it what another one does. Everything else that changes belongs to an instance.
 */

/** Syncs of folders that were asked for, and those that have not begun: there is one disk, and all share its next sync. */
export const folderSyncs = {
  asked: new Map<string, Promise<void>>(),
  waiting: new Map<string, Promise<void>>(),
}

/**
 * What this process writes to folders of blobs. A folder has one quota, held exactly over all stores that
 * are open on it; runtimes with folders of their own have accounts of their own.
 */
export const blobAccounts = {
  /** Bytes that are counted, by draft. */
  counted: new Map<string, number>(),
  /** One decision after the other, by folder: of drafts that do not fit together, the first ones do. */
  queues: new Map<string, Promise<unknown>>(),
}

/** Called when the process exits: no program of the host outlives the process that started it. */
export const exitCallbacks = new Set<() => void>()

const SUPPLY_BYTES = 4096

/** Random bytes: those from `used` on were never handed out, and no other ones are kept. */
export const randomSupply = { bytes: Buffer.alloc(SUPPLY_BYTES), used: SUPPLY_BYTES }
