import type {
  ConsentFacts,
  InstalledComparison,
} from '../../core/installing/installer/candidate.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import type { PreparedSkill } from '../../core/installing/prepare-skill.ts'
import { describeCapability } from '../../core/skills/requirements/capability-text.ts'
import type { VetReport } from '../../core/vetting/index.ts'
import { toPrintable, toPrintableLines } from '../../util/printable.ts'
import type { Context } from '../context.ts'
import { textReporter } from '../diff/text-report.ts'
import { describeAttestations } from '../signing/attestation-view.ts'
import { formatCount } from '../ui/text.ts'
import { VERSION } from '../version.ts'

const MAX_PROBLEMS = 10
const MAX_FINDINGS = 5

/** Lines that a user reads before the consent. Texts of the skill cannot control the terminal. */
export function describeConsent(facts: ConsentFacts): string {
  // The facts are last: a long comparison does not scroll them away.
  const parts = [describeComparison(facts.comparison), describeInstall(facts)]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Differences from the installed files; empty if nothing is replaced. */
export function describeComparison(comparison: InstalledComparison | undefined): string {
  if (comparison === undefined) return ''
  if (comparison === 'missing') {
    return 'The installed files are missing, and are not compared with the new ones'
  }
  const style = createNoStyle()
  const text = textReporter.render(comparison, {
    style,
    hasColors: false,
    columns: Infinity,
    folder: '',
    version: VERSION,
    hidesStep: true,
  })
  return toPrintableLines(text)
}

function createNoStyle(): Context['style'] {
  const plain = ((text: string) => text) as unknown as Context['style']
  const style: Context['style'] = new Proxy(plain, { get: () => style })
  return style
}

function describeInstall({
  skill,
  source,
  resolved,
  signature,
  attestations,
  before,
  vetting,
  reach,
  problems,
}: ConsentFacts): string {
  const rights = skill.capabilities.map(({ kind, value }) => ({
    text: describeCapability({ kind, value }),
    isNew: before !== undefined && !before.capabilities.includes(`${kind} ${value}`),
  }))
  const lines = [
    `${skill.name}@${skill.version} from ${source}`,
    ...(resolved === source ? [] : [`now ${resolved}`]),
    signature.text,
    ...describeAttestations(attestations).map((line) => `- ${line}`),
    `digest ${skill.tree}`,
    ...(before ? [`replaces ${before.version}, ${countChanges(skill, before)}`] : []),
    ...(vetting ? describeVetting(vetting) : []),
    ...rights.map(({ text, isNew }) => `- ${text}${isNew ? ' (new)' : ''}`),
    ...reach.map((line) => `- ${line}`),
    ...(rights.length + reach.length === 0 ? ['- has no rights by its manifest'] : []),
    ...skill.executables.map((path) => `- executable file ${path}`),
    ...problems.slice(0, MAX_PROBLEMS).map((problem) => `! ${problem}`),
    ...(problems.length > MAX_PROBLEMS ? [`! ${problems.length} lint errors in total`] : []),
  ]
  return lines.map((line) => toPrintable(line)).join('\n')
}

/** The verdict, and what it follows from. */
export function describeVetting({ verdict, findings }: VetReport): string[] {
  const counted = findings.filter(({ severity }) => severity !== 'info')
  const more = counted.length - MAX_FINDINGS
  return [
    `vet: ${verdict}`,
    ...counted.slice(0, MAX_FINDINGS).map(({ path, start, message }) => {
      const place = start ? `${path}:${start.line}` : path
      return `! ${place} ${message}`
    }),
    ...(more > 0 ? [`! ${more} more: skills vet shows them`] : []),
  ]
}

function countChanges(skill: PreparedSkill, before: LockedSkill): string {
  const hashes = new Map(before.files.map(({ path, sha256, mode }) => [path, `${mode} ${sha256}`]))
  const same = skill.files.filter(
    ({ path, sha256, mode }) => hashes.get(path) === `${mode} ${sha256}`,
  )
  const kept = skill.files.filter(({ path }) => hashes.has(path))
  const changed = kept.length - same.length
  const added = skill.files.length - kept.length
  return `${formatCount(changed, 'file')} changed, ${added} added, ${before.files.length - kept.length} removed`
}
