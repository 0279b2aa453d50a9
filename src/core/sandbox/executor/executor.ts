import type { Readable, Writable } from 'node:stream'
import type { BackendProbe, IsolatedResource, LimitedResource, Limits } from '../backend.ts'

/**
 * A place of the application in which runs execute. It starts one command with three streams; the
 * runtime sends the files of the run through them, and keeps policy, audit, redaction, records and
 * its own limits.
 */
export interface Executor {
  /** Name in results, logs and errors. */
  readonly name: string
  readonly guarantees: ExecutorGuarantees
  /**
   * `text`: the streams carry lines of UTF-8 only, as those of many remote services do. Default:
   * `bytes`.
   */
  readonly streams?: 'bytes' | 'text' | undefined
  /**
   * Folder inside in which each run gets a new folder for its files. `/` if each command has a file
   * system of its own with a root that it may write to: the files then have the paths that they have
   * in a sandbox. Default: `/tmp`.
   */
  readonly folder?: string | undefined
  /**
   * Starts a command, which is always Python 3.9 or newer on Linux. Commands run at the same time.
   * Rejects if it cannot be started.
   */
  start(command: ExecutorCommand): Promise<ExecutorProcess>
  /** Tests whether commands can be started now. */
  probe?(): Promise<BackendProbe>
  /** Releases what the executor keeps for later commands. */
  close?(): void | Promise<void>
}

/**
 * What an executor keeps from each command, other commands of its own included, and the limits that it enforces over all processes of a
 * command. The runtime reports the rest as not held, and refuses it where strict isolation is
 * required.
 */
export interface ExecutorGuarantees {
  readonly isolates: readonly IsolatedResource[]
  readonly limits: readonly ExecutorLimit[]
}

/** Limits that only the executor can enforce over a whole run. */
export type ExecutorLimit = Extract<LimitedResource, 'cpu' | 'memory' | 'processes' | 'disk'>

/** A command to start. */
export interface ExecutorCommand {
  /** Id of the run, unique. */
  readonly id: string
  /** Names of the skills of the run, for executors that choose between others. */
  readonly skills: readonly string[]
  /** The program `python3` with its arguments. */
  readonly argv: readonly string[]
  readonly limits: Limits
  /** Cancels a start that is under way. */
  readonly signal?: AbortSignal | undefined
}

/** A started command. */
export interface ExecutorProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Guarantees of this command, if they are less than those of the executor. */
  readonly guarantees?: ExecutorGuarantees | undefined
  /** Resolves when all processes of the command are dead. Never rejects. */
  readonly exited: Promise<ExecutorExit>
  /**
   * Kills all processes of the command immediately. Safe to call at any time. The runtime first ends
   * stdin, on which the command returns its files, and calls this if it does not end by itself.
   */
  kill(): void
}

/** How a command ended. */
export interface ExecutorExit {
  /** Null if it is not known or if a signal ended it. */
  readonly exitCode: number | null
  /** The limit of `guarantees` that the command reached. Its files do not return then. */
  readonly reached?: ExecutorLimit | undefined
  /** Reason for which the executor itself failed. */
  readonly failure?: string | undefined
}
