import type { CallFacts } from './record-call.ts'

/** Where finished calls go as spans. */
export interface SpanSink {
  add(call: CallFacts & { method: string; ms: number }): void
  /** Sends what waits. */
  flush(): Promise<void>
}
