import { SkillsError } from '../../errors.ts'
import type { AuditSource } from '../audit/audit-source.ts'
import { verifyAudit } from '../audit/verify-audit.ts'
import { digestRecord } from '../runs/history/digest-record.ts'
import type { RunRecord } from '../runs/history/run-record.ts'
import type { RunStore } from '../runs/history/run-store.ts'
import { toSortedJson } from '../skills/manifest/sorted-json.ts'
import { findRunEntries, type RunEntries } from './find-entries.ts'
import { describeAuditedRun, describeRecordedRun, type Receipt } from './receipt.ts'

/** Stores that a receipt is compared with. */
export interface ReceiptStores {
  source: AuditSource
  runs: RunStore
  /** True if a log that does not have the run contradicts the receipt. */
  isLogRequired: boolean
}

/** Comparison of a receipt with the audit log and the run record. */
export interface ChainCheck {
  log: 'compared' | 'absent'
  record: 'compared' | 'absent'
  problems: readonly string[]
}

/** Compares a receipt with what is stored. A log of another machine does not have the run. */
export async function checkReceiptChain(
  receipt: Receipt,
  { source, runs, isLogRequired }: ReceiptStores,
): Promise<ChainCheck> {
  const { run, chain } = receipt
  const record = await findStoredRecord(runs, run)
  const entries = await findRunEntries(source, run, chain.begun)
  const isKnown =
    record !== undefined || entries.ended !== undefined || entries.begun?.hash === chain.begun.hash
  if (!isKnown && !isLogRequired) return { log: 'absent', record: 'absent', problems: [] }
  const { begun, ended, head } = chain
  const link = { ...begun, run, record: chain.record }
  const report = await verifyAudit(source, [begun, ended, head], { links: [link] })
  const isRemoved = begun.seq <= report.removed
  const problems = [
    ...report.problems
      .filter(({ code, seq }) => code !== 'anchor' || seq > report.removed)
      .map(({ sentence }) => sentence),
    ...(isRemoved ? listRemovalProblems(isLogRequired) : compareEntries(receipt, entries)),
    ...(record ? compareRecord(receipt, record) : []),
  ]
  return {
    log: isRemoved ? 'absent' : 'compared',
    record: record ? 'compared' : 'absent',
    problems,
  }
}

async function findStoredRecord(runs: RunStore, run: string): Promise<RunRecord | undefined> {
  try {
    return await runs.get(run)
  } catch (thrown) {
    if (thrown instanceof SkillsError && thrown.code === 'run/not-found') return undefined
    throw thrown
  }
}

function listRemovalProblems(isLogRequired: boolean): string[] {
  return isLogRequired ? ['The audit log removed the entries of the run by its retention'] : []
}

function compareEntries(receipt: Receipt, { begun, ended }: RunEntries): string[] {
  const { run, chain, facts } = receipt
  if (!begun || !ended || begun.run_id !== ended.run_id) {
    return ['The audit log does not have the beginning and the end of the run']
  }
  const isSame =
    ended.hash === chain.ended.hash &&
    ended.records?.[run] === chain.record &&
    toComparable(describeAuditedRun(begun, ended)) === toComparable(facts.audited)
  return isSame ? [] : ['The audit log has other facts of the run']
}

function compareRecord({ facts, chain }: Receipt, record: RunRecord): string[] {
  if (digestRecord(record) !== chain.record) return ['The run record is not the one of the receipt']
  const isSame = toComparable(describeRecordedRun(record)) === toComparable(facts.recorded)
  return isSame ? [] : ['The run record has other facts of the run']
}

/** JSON drops members without a value, as a statement does. */
function toComparable(facts: unknown): string {
  return toSortedJson(JSON.parse(JSON.stringify(facts)) as Parameters<typeof toSortedJson>[0])
}
