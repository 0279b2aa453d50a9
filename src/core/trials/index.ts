/** Runs a skill with bait in sandboxes whose network leads nowhere, and proves what it does. */
export { runTrials, type TrialOptions } from './run-trials.ts'
export { formatTrace, formatTrialReport } from './trace/format-trials.ts'
export { toFindings } from './trace/to-findings.ts'
export { formatTraceFile, MAX_TRACE_BYTES, readTraceFile } from './trace/trace-file.ts'
export type { Proof, TrialReport } from './trial-report.ts'
