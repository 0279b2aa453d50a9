import type { QuotaResource } from '../quotas/hourly-quotas.ts'
import type { UsageObserver } from '../quotas/usage-quotas.ts'
import type { Metrics } from './metrics.ts'

interface MeasuredContext {
  metrics: Metrics
  callerLabel(name: string): string
}

/** Units of the metrics, and how many amounts make one of them. */
const UNITS: Record<QuotaResource, { resource: string; size: number }> = {
  cpuMs: { resource: 'cpu_seconds', size: 1000 },
  blobBytes: { resource: 'blob_bytes', size: 1 },
  skills: { resource: 'skills', size: 1 },
}

/** Counts in the metrics what callers use, and what was refused. */
export function observeUsage(context: () => MeasuredContext): UsageObserver {
  return {
    onUsed({ name }, used, amount) {
      const { resource, size } = UNITS[used]
      const labels = { caller: context().callerLabel(name), resource }
      context().metrics.count('skills_caller_usage_total', labels, amount / size)
    },
    onRefused({ name }, refused) {
      const { resource } = UNITS[refused]
      const labels = { caller: context().callerLabel(name), resource }
      context().metrics.count('skills_quota_refused_total', labels)
    },
  }
}
