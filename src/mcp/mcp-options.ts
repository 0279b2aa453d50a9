import type { Method } from '../core/methods/method.ts'
import type { Runtime } from '../core/runtime.ts'

/** What every MCP server of a process has in common. */
export interface McpOptions {
  runtime: Runtime
  /** Of this package. */
  version: string
  /** The tools on offer, in their order. */
  methods: readonly Method[]
  /** What a client puts into the system prompt of its model. */
  instructions: () => string | Promise<string>
  /** Told of what cannot be served, in a sentence. */
  onRemark: (message: string, reason: string) => void
  /** How long a call goes on whose client lost its connection; 5 s unless given. */
  resumeMs?: number
}
