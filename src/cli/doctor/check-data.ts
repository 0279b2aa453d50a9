import { verifyAudit } from '../../core/audit/verify-audit.ts'
import { checkOutputs } from '../../core/outputs/store/check-outputs.ts'
import { checkRecords } from '../../core/runs/history/check-records.ts'
import type { Runtime } from '../../core/runtime.ts'
import { checkSessions } from '../../core/skill-context/check-sessions.ts'
import { checkUploads } from '../../core/skills/uploads/upload-digests.ts'
import { checkBlobs } from '../../core/storage/check-blobs.ts'
import type { DamageReport } from '../../core/storage/damage-report.ts'
import { getStoreFolder } from '../../core/storage/store-folders.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'

const EXIT_DAMAGED = 1

/** `skills doctor --data`. */
export async function checkData(context: Context): Promise<number> {
  const runtime = await openRuntime(context)
  const { data } = runtime.config.directories
  const areas: Record<string, DamageReport> = {
    blobs: await checkBlobs(getStoreFolder(data, 'blobs')),
    runs: await checkRecords(getStoreFolder(data, 'runs')),
    outputs: await checkOutputs(getStoreFolder(data, 'outputs')),
    audit: await checkAudit(runtime),
    sessions: await checkSessions(getStoreFolder(data, 'sessions')),
    'uploaded skills': await checkUploads(data),
  }
  const reports = Object.entries(areas).map(([area, report]) => ({ area, ...report }))
  const count = reports.reduce((sum, { damaged }) => sum + damaged.length, 0)
  if (context.global.json) {
    context.document('skills.data-check/v1', { ok: count === 0, areas: reports })
  } else printReports(context, reports)
  return count === 0 ? 0 : EXIT_DAMAGED
}

async function checkAudit(runtime: Runtime): Promise<DamageReport> {
  const { records, problems } = await verifyAudit(await runtime.auditSource())
  const damaged = problems.map(({ seq, place, sentence }) => ({
    item: place ?? `record ${seq}`,
    reason: sentence,
  }))
  return { checked: records, damaged }
}

function printReports(
  context: Context,
  reports: readonly ({ area: string } & DamageReport)[],
): void {
  const { style } = context
  for (const { area, checked, damaged } of reports) {
    const state = damaged.length === 0 ? style.green('intact') : style.red('damaged')
    const broken = damaged.length > 0 ? `, ${damaged.length} damaged` : ''
    context.print(`${state} ${area}: ${checked} checked${broken}`)
    for (const { item, reason } of damaged) context.print(`  ${item}: ${reason}`)
  }
}
