import type { Method } from '../core/methods/method.ts'
import type { Runtime } from '../core/runtime.ts'

/** Options shared by all MCP servers of a process. */
export interface McpOptions {
  runtime: Runtime
  /** Version of this package. */
  version: string
  /** The offered tools, in order. */
  methods: readonly Method[]
  /** Text that clients add to the system prompt of their model. */
  instructions: () => string | Promise<string>
  /** Receives a notice about something that cannot be served. */
  onNotice: (message: string, reason: string) => void
  /** Session of clients without one of their own; by default, one that ends with the process. */
  session?: string | undefined
  /** Begins the ids of sessions, so that other nodes of a fleet know where they began. */
  sessionPrefix?: string | undefined
  /** Time that a call continues after its client disconnects. Defaults to 5 s. */
  resumeMs?: number
}
