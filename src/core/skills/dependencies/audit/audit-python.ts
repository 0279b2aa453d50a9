import { SkillsError } from '../../../../errors.ts'
import { isSafeAddress } from '../../../../util/loopback-host.ts'
import { toPlainObject } from '../../manifest/plain-objects.ts'
import type { Plain } from '../../manifest/manifest.ts'
import type { PythonLock } from '../declared-lock.ts'
import { RegistryConnection } from '../../../registries/http/registry-connection.ts'
import { registryError } from '../../../registries/http/registry-error.ts'
import type { Advisory, AdvisoryReport, AuditCall } from './advisory.ts'

const DEFAULT_INDEX = 'https://pypi.org/simple'
const MAX_BYTES = 16 * 1024 ** 2
const PARALLEL = 8

/** Asks the JSON interface of the package index, which lists the vulnerabilities of a version. */
export async function auditPython({ pins }: PythonLock, call: AuditCall): Promise<AdvisoryReport> {
  const base = locateIndex(call.env['PIP_INDEX_URL'] || DEFAULT_INDEX)
  const connection = new RegistryConnection(base, { signal: call.signal })
  const report: AdvisoryReport = { asked: 0, advisories: [], unasked: [] }
  const pending = [...pins]
  const worker = async () => {
    for (let pin = pending.shift(); pin; pin = pending.shift()) {
      const { name, version } = pin
      const list = await readVulnerabilities(connection, pin)
      if (!list) {
        const reason = `${base.origin} has no list of vulnerabilities for it`
        report.unasked.push({ language: 'python', package: name, version, reason })
        continue
      }
      report.asked += 1
      report.advisories.push(...list.flatMap((each) => toAdvisory({ name, version }, each)))
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, worker))
  report.advisories.sort((a, b) => (a.package + a.id < b.package + b.id ? -1 : 1))
  report.unasked.sort((a, b) => (a.package < b.package ? -1 : 1))
  return report
}

/** The index of the simple interface is beside that of JSON. */
function locateIndex(simple: string): URL {
  const url = URL.canParse(simple) ? new URL(simple) : undefined
  if (!url || !isSafeAddress(url) || url.username !== '' || url.password !== '') {
    throw new SkillsError('config/invalid', 'The package index in PIP_INDEX_URL cannot be asked', {
      hint: 'Set it to an https URL without a user name, or unset it',
    })
  }
  url.pathname = `${url.pathname.replace(/\/simple\/?$/, '').replace(/\/$/, '')}/pypi/`
  return url
}

interface AuditedPin {
  name: string
  version: string
}

/** Undefined if the index does not know about vulnerabilities. */
async function readVulnerabilities(
  connection: RegistryConnection,
  { name, version }: AuditedPin,
): Promise<Plain[] | undefined> {
  const url = new URL(`${name}/${encodeURIComponent(version)}/json`, connection.base)
  const { status, body } = await connection.send({ url, maxBytes: MAX_BYTES, redirects: 'own' })
  if (status === 404 || status === 410) return undefined
  if (status !== 200) throw registryError(url, `it answered with ${status} to the request for "${url.pathname}"`)
  try {
    const { vulnerabilities } = toPlainObject(JSON.parse(body.toString('utf8')) as Plain)
    return Array.isArray(vulnerabilities) ? vulnerabilities : undefined
  } catch {
    throw registryError(url, `its answer to "${url.pathname}" is not JSON`)
  }
}

function toAdvisory(pin: AuditedPin, value: Plain): Advisory[] {
  const { id, summary, details, fixed_in: fixed, link, withdrawn } = toPlainObject(value)
  if (typeof withdrawn === 'string') return []
  const text = [summary, details].find((each) => typeof each === 'string' && each !== '')
  const versions = Array.isArray(fixed) ? fixed.filter((each) => typeof each === 'string') : []
  return [
    {
      language: 'python',
      package: pin.name,
      version: pin.version,
      id: typeof id === 'string' || typeof id === 'number' ? String(id) : 'unknown',
      title: typeof text === 'string' ? (text.split('\n', 1)[0] ?? '').slice(0, 200) : '',
      severity: null,
      fixed: versions.length === 0 ? null : versions.join(', '),
      url: typeof link === 'string' ? link : null,
    },
  ]
}
