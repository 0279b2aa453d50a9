import type { Readable } from 'node:stream'
import { STREAM_NAMES, type StreamName } from '../view/excerpt.ts'

export { STREAM_NAMES, type StreamName } from '../view/excerpt.ts'

export const STREAM_CHOICES = [...STREAM_NAMES, 'both'] as const

/** Owner and origin of an output. */
export interface OutputOptions {
  runId: string
  /** Name of the registered repository in which the run worked. */
  repo?: string | undefined
  /** Caller that may read the output; undefined is the local user. */
  owner: string | undefined
  /** The language of the code, or the program's name; undefined if unknown. */
  language?: string | undefined
}

/** Exit status of the run. */
export interface OutputExit {
  status: string
  exitCode: number | null
  signal: string | null
}

/** One stream that is being written. */
export interface OutputSink {
  /**
   * Writes bytes, which must not be changed afterwards. Returns a promise if too many bytes are
   * pending; the producer must await it. The promise never rejects: `finish` reports errors.
   */
  write(chunk: Buffer): Promise<void> | undefined
}

/** An output that is being written; it is visible only after `finish`. */
export interface OutputWriter {
  /** `runtime-<repo>-<ms>-<hex>`; valid once `finish` has stored the output. */
  readonly handle: string
  readonly stdout: OutputSink
  readonly stderr: OutputSink
  /**
   * Makes the output durable and visible as a whole, or not at all. Never throws: the result states
   * why an output is not stored.
   */
  finish(end: OutputExit): Promise<StoredOutput | OutputNotKept>
  /** Removes every trace. */
  abort(): Promise<void>
}

/** The reason why an output is not stored. */
export interface OutputNotKept {
  notKept: 'too-large' | 'quota' | 'disk-full' | 'unavailable'
  /** One sentence for people. */
  message: string
}

/** Description of one stream. */
export interface StoredStream {
  bytes: number
  /** Line feeds plus one; 0 for an empty stream. */
  lines: number
  /** SHA-256 of the content, in hex. */
  sha256: string
  /** Compressed size in bytes. */
  storedBytes: number
}

/** Description of an output. */
export interface StoredOutput extends OutputExit {
  handle: string
  runId: string
  repo: string | null
  owner: string | null
  language: string | null
  createdAt: string
  expiresAt: string
  streams: Readonly<Record<StreamName, StoredStream>>
}

/** Principal that requests an output. */
export interface OutputReader {
  /** Undefined: the local user, with access to every output. */
  caller: string | undefined
  /** If set, must equal the output's repository. */
  repo?: string | undefined
}

/** A piece of a stream, in order. */
export interface StreamPiece {
  /** Valid until the callback returns. */
  bytes: Buffer
  /** Line feeds before this piece. */
  lineEndsBefore: number
  /** Line feeds in this piece. */
  lineEnds: number
}

/** One stream that can be read. */
export interface ReadableStream {
  bytes: number
  /** Line feeds plus one; 0 for an empty stream. */
  lines: number
  /**
   * Passes all pieces, starting with the one that contains the beginning of the line (counted from
   * 1), until `take` returns false. Throws `output/damaged`.
   */
  read(fromLine: number, take: (piece: StreamPiece) => boolean): Promise<void>
}

/** The output's run and its exit status. */
export interface OutputFacts {
  runId: string
  status: string
  exitCode: number | null
  signal: string | null
  createdAt: string
  /** Null if the output expires with the record of its run. */
  expiresAt: string | null
  /** SHA-256 of the contents; null if they were not computed. */
  sha256: Readonly<Record<StreamName, string>> | null
}

/** An output opened for reading; it remains readable if it is removed meanwhile. */
export interface OpenOutput {
  /** As requested: a handle, or the id of a run. */
  handle: string
  repo: string | null
  language: string | null
  /** Undefined for content that is not the output of a run. */
  about: OutputFacts | undefined
  streams: Readonly<Record<StreamName, ReadableStream>>
  close(): Promise<void>
}

/** Outputs that a sweep removed, or would remove. */
export interface SweptOutputs {
  removed: number
  bytesFreed: number
  kept: { count: number; bytes: number }
}

/** Outputs of runs. Several processes may use one store at once. */
export interface OutputStore {
  /** Starts an output; `finish` reports errors of the folder. */
  open(options: OutputOptions): OutputWriter
  /** Throws `output/not-found`, `output/expired`, `output/foreign` and `output/damaged`. */
  info(handleOrRun: string, reader: OutputReader): Promise<StoredOutput>
  /** All bytes of one stream; throws the same errors. */
  content(handleOrRun: string, name: StreamName, reader: OutputReader): Promise<Readable>
  /** Opens an output for reading; throws the same errors. */
  read(handleOrRun: string, reader: OutputReader): Promise<OpenOutput>
  /** Removes the output of a run, if any. */
  remove(runId: string): Promise<void>
  /** Removes expired outputs, the oldest ones beyond the quota, and leftovers of dead processes. */
  sweep(options?: { dryRun?: boolean }): Promise<SweptOutputs>
}
