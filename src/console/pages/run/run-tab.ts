import type { ComponentType } from 'preact'
import type { RunRecord } from '../../../core/runs/history/run-record.ts'

export type RunTab = ComponentType<RunTabProps>

export interface RunTabProps {
  record: RunRecord
  /** Parameters of the address. */
  search: URLSearchParams
}
