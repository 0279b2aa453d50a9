/**
 * The only process-wide state: it does not depend on the runtime, and a runtime cannot observe
 * another one through it. All other mutable state belongs to an instance.
 */

/**
 * Requested syncs of folders, and those that have not started: all callers share the next sync of
 * the disk.
 */
export const folderSyncs = {
  requested: new Map<string, Promise<void>>(),
  waiting: new Map<string, Promise<void>>(),
}

/**
 * Bytes that this process writes to blob folders. A folder has one quota, enforced across all
 * stores that are open on it; runtimes with separate folders have separate accounts.
 */
export const blobAccounts = {
  /** Counted bytes, by draft. */
  counted: new Map<string, number>(),
  /** Decisions in order, per folder: if drafts do not fit together, the first ones are accepted. */
  queues: new Map<string, Promise<unknown>>(),
}

/**
 * Callbacks for process exit: programs of the host must not outlive the process that started them.
 */
export const exitCallbacks = new Set<() => void>()

/**
 * Work in slices that waits for a turn of the event loop. The event loop belongs to the process, so
 * all runtimes in it take turns.
 */
export const waitingSlices: (() => void)[] = []

/** Memory for bytes that are read and used in one synchronous step, such as by a hash. */
export const stepMemory = Buffer.allocUnsafeSlow(1024 ** 2)

const SUPPLY_BYTES = 4096

/** Random bytes: those from `used` on are unused; used ones are erased. */
export const randomSupply = { bytes: Buffer.alloc(SUPPLY_BYTES), used: SUPPLY_BYTES }
