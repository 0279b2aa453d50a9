import type { RequestAnswerer } from '../sandbox/egress/answers/request-answerer.ts'
import type { FunctionSetup } from './job.ts'

/** Additions of tests and debuggers to all runs of their services. */
export interface RunInstruments {
  /** Answers all requests of a run, which itself connects to no destination. */
  answerer?: RequestAnswerer | undefined
  /** Additions to each function, also to one that a tool calls. */
  setup?: FunctionSetup | undefined
  /** Lets a debugger connect to the Node process of a skill. */
  inspect?: { port: number | undefined } | undefined
}
