import type { Readable } from 'node:stream'
import { STREAM_NAMES, type StreamName } from '../view/excerpt.ts'

export { STREAM_NAMES, type StreamName } from '../view/excerpt.ts'

export const STREAM_CHOICES = [...STREAM_NAMES, 'both'] as const

/** Whose output it is and of what. */
export interface OutputOptions {
  runId: string
  /** Name of the registered repository that the run worked in. */
  repo?: string | undefined
  /** Who may read it: the door's caller; undefined is the user of this machine. */
  owner: string | undefined
  /** The language of the code or the program's name, as far as known. */
  language?: string | undefined
}

/** How the run of an output ended. */
export interface OutputExit {
  status: string
  exitCode: number | null
  signal: string | null
}

/** One stream that is being kept. */
export interface OutputSink {
  /**
   * Takes bytes, which may not be changed afterwards. A promise says that enough is waiting: who
   * reads from a run waits for it. It never rejects; what went wrong is told by `finish`.
   */
  write(chunk: Buffer): Promise<void> | undefined
}

/** An output that is being kept; nobody sees it before it is finished. */
export interface OutputWriter {
  /** `runtime-<repo>-<ms>-<hex>`; good once `finish` said that it is kept. */
  readonly handle: string
  readonly stdout: OutputSink
  readonly stderr: OutputSink
  /** Makes it durable and visible, whole or not at all. Never throws: why it is not kept is an answer. */
  finish(end: OutputExit): Promise<StoredOutput | OutputNotKept>
  /** Removes every trace. */
  abort(): Promise<void>
}

/** Why an output is not kept. */
export interface OutputNotKept {
  notKept: 'too-large' | 'quota' | 'disk-full' | 'unavailable'
  /** One sentence for people. */
  message: string
}

/** What is known of one stream without reading it. */
export interface StoredStream {
  bytes: number
  /** Line ends and one; none of an empty stream. */
  lines: number
  /** Of the content, in hex. */
  sha256: string
  /** What it takes on the disk. */
  storedBytes: number
}

/** What is known of an output without reading it. */
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

/** Who asks for an output, and where. */
export interface OutputReader {
  /** Undefined is the user of this machine, who may read everything. */
  caller: string | undefined
  /** Must be the output's own, where it is given. */
  repo?: string | undefined
}

/** Some bytes of a stream, in order. */
export interface StreamPiece {
  /** Good until the call that brings it returns. */
  bytes: Buffer
  /** Line ends before it. */
  lineEndsBefore: number
  /** Line ends in it. */
  lineEnds: number
}

/** One stream that can be read. */
export interface ReadableStream {
  bytes: number
  /** Line ends and one; none of an empty stream. */
  lines: number
  /**
   * Gives all pieces from the one that holds the beginning of a line (counted from 1) until `take`
   * says that it has enough. Throws `output/damaged`.
   */
  read(fromLine: number, take: (piece: StreamPiece) => boolean): Promise<void>
}

/** Whose output it is, and how that run ended. */
export interface OutputFacts {
  runId: string
  status: string
  exitCode: number | null
  signal: string | null
  createdAt: string
  /** Null where it goes with the record of its run. */
  expiresAt: string | null
  /** Of the contents; null where nobody has looked. */
  sha256: Readonly<Record<StreamName, string>> | null
}

/** An output that can be read, whatever happens to it meanwhile. */
export interface OpenOutput {
  /** As it was asked for: a handle, or the id of a run. */
  handle: string
  repo: string | null
  language: string | null
  about: OutputFacts
  streams: Readonly<Record<StreamName, ReadableStream>>
  close(): Promise<void>
}

/** What sweeping removed, or would remove. */
export interface SweptOutputs {
  removed: number
  bytesFreed: number
  kept: { count: number; bytes: number }
}

/** Outputs of runs. Several processes may use one store at once. */
export interface OutputStore {
  /** Begins to keep an output; a problem with the place is told when it is finished. */
  open(options: OutputOptions): OutputWriter
  /** Throws `output/not-found`, `output/expired`, `output/foreign` and `output/damaged`. */
  info(handleOrRun: string, reader: OutputReader): Promise<StoredOutput>
  /** All of one stream; the same errors. */
  content(handleOrRun: string, name: StreamName, reader: OutputReader): Promise<Readable>
  /** Opens it for reading; the same errors. */
  read(handleOrRun: string, reader: OutputReader): Promise<OpenOutput>
  /** Removes the output of a run, if there is one. */
  remove(runId: string): Promise<void>
  /** Removes what has expired, the oldest ones beyond the quota, and what dead processes left. */
  sweep(options?: { dryRun?: boolean }): Promise<SweptOutputs>
}
