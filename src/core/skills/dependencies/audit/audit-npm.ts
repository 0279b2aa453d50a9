import { toPlainObject } from '../../manifest/plain-objects.ts'
import type { PlainObject } from '../../manifest/manifest.ts'
import { openRegistryAccess } from '../../../registries/credentials/open-access.ts'
import { openNpmClient, type NpmClient } from '../../../registries/npm/npm-client.ts'
import type { NodeLock } from '../declared-lock.ts'
import type { LockedPackage } from '../npm/lock-file.ts'
import { loadSemverRanges } from '../npm/semver-ranges.ts'
import { AUDIT_LEVELS, type Advisory, type AdvisoryReport, type AuditCall } from './advisory.ts'

/** Asks each registry about its own packages only: names of private ones go nowhere else. */
export async function auditNpm({ packages }: NodeLock, call: AuditCall): Promise<AdvisoryReport> {
  const report: AdvisoryReport = { asked: 0, advisories: [], unasked: [] }
  for (const { client, items } of groupByRegistry(packages, call)) {
    const answer = await client.readAdvisories(groupVersions(items))
    if (!answer) {
      const reason = `${client.registry.origin} has no advisories`
      report.unasked.push(
        ...items.map(({ name, version }) => ({ language: 'node' as const, package: name, version, reason })),
      )
      continue
    }
    report.asked += items.length
    report.advisories.push(...items.flatMap((item) => findAdvisories(item, answer)))
  }
  return report
}

function groupByRegistry(
  packages: readonly LockedPackage[],
  { env, signal }: AuditCall,
): { client: NpmClient; items: LockedPackage[] }[] {
  const access = openRegistryAccess(env)
  const found = new Map<string, { client: NpmClient; items: LockedPackage[] }>()
  for (const item of packages) {
    const { href } = access.findNpmRegistry(item.name)
    const group = found.get(href) ?? { client: openNpmClient(item.name, access, { signal }), items: [] }
    group.items.push(item)
    found.set(href, group)
  }
  return [...found.values()]
}

/** Versions by name, in the same order each time. */
function groupVersions(items: readonly LockedPackage[]): PlainObject {
  const versions = new Map<string, Set<string>>()
  for (const { name, version } of items) {
    versions.set(name, (versions.get(name) ?? new Set()).add(version))
  }
  const sorted = [...versions].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted.map(([name, list]) => [name, [...list].sort()]))
}

function findAdvisories({ name, version }: LockedPackage, answer: PlainObject): Advisory[] {
  const list = Object.hasOwn(answer, name) ? answer[name] : undefined
  if (!Array.isArray(list)) return []
  const { satisfies } = loadSemverRanges()
  return list.map(toPlainObject).flatMap((each) => {
    const { vulnerable_versions: range, id, title, severity, url, patched_versions: fixed } = each
    // Without a range, every version is affected.
    if (typeof range === 'string' && !satisfies(version, range)) return []
    return [
      {
        language: 'node' as const,
        package: name,
        version,
        id: typeof id === 'string' || typeof id === 'number' ? String(id) : 'unknown',
        title: typeof title === 'string' ? title : '',
        severity: AUDIT_LEVELS.find((level) => level === severity) ?? null,
        fixed: typeof fixed === 'string' ? fixed : null,
        url: typeof url === 'string' ? url : null,
      },
    ]
  })
}
