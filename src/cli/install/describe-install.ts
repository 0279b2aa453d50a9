import type { LockedSkill } from '../../core/installing/lock-file.ts'
import type { PreparedSkill } from '../../core/installing/prepare-skill.ts'
import type { CheckedAttestation } from '../../core/signing/verify/check-attestation.ts'
import type { SignatureSummary } from '../../core/signing/verify/summarize-signature.ts'
import type { VetReport } from '../../core/vetting/index.ts'
import type { StagedFacts } from './examine-staged.ts'
import { toPrintable } from '../../util/printable.ts'
import { CAPABILITY_TEXTS } from '../../core/skills/requirements/capability-text.ts'
import { describeAttestations } from '../signing/attestation-view.ts'
import { formatCount } from '../ui/text.ts'

interface ShownInstall extends StagedFacts {
  skill: PreparedSkill
  source: string
  /** Source that fetches the same files again. */
  resolved: string
  signature: SignatureSummary
  attestations: readonly CheckedAttestation[]
  before: LockedSkill | undefined
}

const MAX_PROBLEMS = 10
const MAX_FINDINGS = 5

/** Lines that a user reads before the consent. Texts of the skill cannot control the terminal. */
export function describeInstall({
  skill,
  source,
  resolved,
  signature,
  attestations,
  before,
  vetting,
  reach,
  problems,
}: ShownInstall): string {
  const rights = skill.capabilities.map(({ kind, value }) => ({
    text: `${CAPABILITY_TEXTS[kind]} ${value}`,
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
