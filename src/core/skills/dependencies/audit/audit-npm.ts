import { isPlainObject, toPlainObject } from '../../manifest/plain-objects.ts'
import type { Plain, PlainObject } from '../../manifest/manifest.ts'
import type { NodeLock } from '../declared-lock.ts'
import type { LockedPackage } from '../npm/lock-file.ts'
import { loadSemverRanges } from '../npm/semver-ranges.ts'
import { readNpmSettings, type NpmConfiguration } from '../registry/npmrc.ts'
import { registryError, requestRegistry } from '../registry/request.ts'
import { AUDIT_LEVELS, type Advisory, type AdvisoryReport, type AuditCall } from './advisory.ts'

const PATH = '-/npm/v1/security/advisories/bulk'
const MAX_BYTES = 16 * 1024 ** 2

/** Asks each registry about its own packages only: names of private ones go nowhere else. */
export async function auditNpm({ packages }: NodeLock, call: AuditCall): Promise<AdvisoryReport> {
  const settings = readNpmSettings(call.env)
  const registries = groupByRegistry(packages, settings)
  const report: AdvisoryReport = { asked: 0, advisories: [], unasked: [] }
  for (const [registry, items] of registries) {
    const url = new URL(PATH, registry)
    const answer = await askRegistry(url, items, { settings, signal: call.signal })
    if (!answer) {
      const reason = `${url.origin} has no advisories`
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
  settings: NpmConfiguration,
): Map<string, LockedPackage[]> {
  const found = new Map<string, LockedPackage[]>()
  for (const item of packages) {
    const { href } = settings.getRegistry(item.name)
    found.set(href, [...(found.get(href) ?? []), item])
  }
  return found
}

/** Undefined if the registry has no such service. */
async function askRegistry(
  url: URL,
  items: readonly LockedPackage[],
  { settings, signal }: { settings: NpmConfiguration; signal: AbortSignal | undefined },
): Promise<PlainObject | undefined> {
  const versions = new Map<string, Set<string>>()
  for (const { name, version } of items) {
    versions.set(name, (versions.get(name) ?? new Set()).add(version))
  }
  const question = [...versions].sort(([a], [b]) => (a < b ? -1 : 1))
  const body = JSON.stringify(
    Object.fromEntries(question.map(([name, list]) => [name, [...list].sort()])),
  )
  const headers = settings.authorize(url)
  const bytes = await requestRegistry({ url, headers, body, maxBytes: MAX_BYTES, signal })
  if (!bytes) return undefined
  try {
    const data = JSON.parse(bytes.toString('utf8')) as Plain
    if (isPlainObject(data)) return data
  } catch {
    // Reported below.
  }
  throw registryError(url, 'its answer is not a JSON object')
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
