import type { RunRecord } from '../../../../src/core/runs/history/run-record.ts'

/** Builds the record of a run that begins. */
export function createRecord(id: string, change: Partial<RunRecord> = {}): RunRecord {
  return {
    run_id: id,
    kind: 'execute_skill',
    status: 'running',
    who: { door: 'library', caller: 'test' },
    request: {
      skill: 'demo.greet@0.1.0',
      args: { name: 'Ada' },
      args_cut: [],
      input_blobs: [],
      timeout_ms: null,
    },
    skills: [{ name: 'demo.greet', version: '0.1.0', digest: null }],
    policy: { allowed: true, reasons: [], network: [], secrets: [] },
    isolation: null,
    limits: null,
    started_at: new Date().toISOString(),
    ended_at: null,
    duration_ms: null,
    exit: null,
    summary: null,
    output: null,
    error: null,
    blobs: [],
    logs: { size_bytes: 0, kept_bytes: 0, digest: null },
    ...change,
  }
}
